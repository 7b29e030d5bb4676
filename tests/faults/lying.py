"""Clients that claim more rows than they have."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import structs

from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Reply
from fedps.transports import LocalTransport


@dataclass
class Lying:
    """Clients in process, some of which say that they have so many rows."""

    inner: LocalTransport
    claims: dict[str, int]

    def clients(self):
        return self.inner.clients()

    def exchange(self, messages):
        for name, reply in self.inner.exchange(messages):
            yield name, self._with_claim(name, reply)

    def _with_claim(self, name, data):
        if name not in self.claims:
            return data
        reply = decode(data, Reply, name)
        schemas = [structs.replace(schema, rows=self.claims[name]) for schema in reply.schemas]
        return encode(structs.replace(reply, schemas=tuple(schemas)))
