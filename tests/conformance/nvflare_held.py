"""A client that can be held: it waits in a round for as long as a file is there."""

import os
import time
from pathlib import Path

from nvflare.collab import collab

from fedps.nvflare.client import Client
from fedps.protocol.codec import decode
from fedps.protocol.messages import Round

HOLDS = "FEDPS_TEST_HOLDS"  # the folder of such files


class HeldClient(Client):
    """Answers as the ready-made client does, but waits first where it is told to."""

    def _held(self, message):
        name = f"{collab.site_name}-{decode(message, Round, 'the server').number}"
        hold = Path(os.environ[HOLDS], name)
        if hold.exists():
            hold.with_suffix(".reached").touch()
        while hold.exists():
            time.sleep(0.05)
        return self._answer(message)

    fedps_answer = collab.publish(_held)
