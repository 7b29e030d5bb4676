"""A client that speaks in another's name is found out, and named itself."""

import numpy as np
import pytest
from msgspec.structs import replace
from sklearn.preprocessing import StandardScaler

from fedps import Federation, PeerError, Policy
from fedps.client import Responder, open_table
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Reply


class Impostor:
    """Two clients; the second sends its reply first, in the name of the other."""

    def __init__(self):
        cells = {"oslo": np.ones((3, 1)), "bergen": np.full((3, 1), 2.0)}
        self.responders = {
            name: Responder(name, open_table(table), Policy.open()) for name, table in cells.items()
        }

    def clients(self):
        return tuple(self.responders)

    def exchange(self, messages):
        replies = {
            name: decode(self.responders[name].answer(data), Reply, name)
            for name, data in messages.items()
        }
        yield "bergen", encode(replace(replies["bergen"], client="oslo"))
        yield "oslo", encode(replies["oslo"])


def test_a_reply_in_the_name_of_another():
    with pytest.raises(PeerError, match="client 'bergen' sent a reply in the name of 'oslo'"):
        Federation(Impostor()).fit(StandardScaler())
