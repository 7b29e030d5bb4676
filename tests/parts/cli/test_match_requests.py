"""``fedps requests show`` of a match: what is done, what leaves for it, and who learns what."""

import pandas as pd

import fedps as package
from fedps.client.requests.request_folder import RequestFolder
from fedps.engines.client_answer import open_client
from fedps.engines.owned import Owned
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Reply, Request, Round

POLICY = package.Policy(consent="owner", min_rows=5)


def begun(clients, name="match 1"):
    """Ask an owner for a match with so many clients; return its problem with that."""
    table = pd.DataFrame({"id": range(50), "income": range(50)})
    owned = Owned(key="id")
    client = open_client("bank", table, POLICY, "bank.jsonl", "Flower run 7", owned=owned)
    request = Request(None, clients, across=True, fit=name)
    reply = client.answer(encode(Round(1, (), (), request=request)))
    return decode(reply, Reply, "bank").problem


def test_a_match_is_shown_approved_and_denied(fedps, folder):
    assert begun(3).rule == "consent"
    kept = RequestFolder(folder / "bank.jsonl")
    (name,) = (one.name for one in kept.all())
    result = fedps(f"requests show bank.jsonl {name}")
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    for text in (
        f"Request {name}: it waits for your decision",
        "find the rows that this client and 2 other clients have, by keys that nobody shows",
        "What would leave client 'bank', of 50 rows, for that",
        "how many keys there are; the keys themselves are blinded AGGREGATE",
        "nothing of the keys here",
        "how many keys each client has, how many all have, and who has the target; no key",
        "anything about a key that not all clients have",
        f"fedps requests approve bank.jsonl {name}",
    ):
        assert text in shown, text
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert fedps(f"requests approve bank.jsonl {name}").exit_code == 0
    assert begun(3) is None
    assert begun(3, "match 2") is None  # the same match, at another time
    # with fewer clients, more would be learned of each
    assert begun(2).rule == "consent"
    assert sorted(one.status for one in kept.all()) == ["approved", "waiting"]
    fedps(f"requests deny bank.jsonl {name}")
    assert begun(3).rule == "consent"
