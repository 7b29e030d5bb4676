"""What carries bytes between a server and its clients.

For: engines, thinly: in process here.
May import: protocol and client; an engine of its own, lazily. Never plans.
Its one rule: a transport carries bytes and knows nothing of what is in them.
"""

from __future__ import annotations

from fedps.transports.base import Lost, Nameless, Transport
from fedps.transports.local import LocalTransport

__all__ = ["LocalTransport", "Lost", "Nameless", "Transport"]
