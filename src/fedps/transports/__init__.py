"""What carries bytes between a server and its clients.

May import: protocol and client; each engine only in the file of its transport. Never plans.
Its one rule: a transport carries bytes, and knows nothing about what is in them.

- ``base``: what a transport is (``Transport``); ``lost_replies``: how one reports clients without a reply
- ``local``: clients in this process; ``flower``, ``nvflare``: clients on an engine
"""

from __future__ import annotations

from fedps.transports.base import Lost, Nameless, Transport
from fedps.transports.local import LocalTransport

__all__ = ["LocalTransport", "Lost", "Nameless", "Transport"]
