"""What ``fedps requests show`` prints of a request to match rows."""

from __future__ import annotations

from fedps.cli.requests.request_tables import who_asks
from fedps.client.requests.client_card import ClientCard
from fedps.client.requests.request_folder import RequestFile
from fedps.protocol.messages import Request
from fedps.report.rendering import Section, count

_LEARNS = [
    (
        "the server",
        "how many keys each client has, how many all have, and who has the target; no key",
    ),
    ("each other client", "how many keys each client has, and which of its own keys all have"),
    ("you", "the same"),
    ("nobody", "anything about a key that not all clients have"),
]


def described_match(kept: RequestFile, request: Request, card: ClientCard) -> list[Section]:
    """Return who asks, what would be done, what would leave for that, and who learns what."""
    others = count(request.clients - 1, "other client")
    done = f"find the rows that this client and {others} have, by keys that nobody shows"
    rows = count(card.schema.rows, "row")
    asked = [(q.statistic.shows, q.statistic.disclosure.name) for q in request.declared().at(0)]
    title = f"What would leave client {card.client!r}, of {rows}, for that"
    return [
        who_asks(kept),
        Section("What would be done", ("step", "what is done"), [("match", done)]),
        Section(title, ("what leaves", "level"), asked),
        Section("Who learns what", ("who", "learns"), _LEARNS),
    ]
