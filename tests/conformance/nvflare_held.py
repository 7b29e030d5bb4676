"""A client that can be held: it waits in a round for as long as a file is there. And owners of columns."""

import json
import os
import time
from pathlib import Path

from nvflare.collab import collab

import fedps.nvflare
from fedps.nvflare.client import Client
from fedps.nvflare.server import Server
from fedps.protocol.codec import decode
from fedps.protocol.messages import Round
from tests.conformance import columns, matched

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


class Owner:
    """Answers about columns, whose files are beside the folder of holds."""

    def _answer(self, message):
        folder = Path(os.environ[HOLDS]).parent
        return fedps.nvflare.answer(message, **matched.answer_options(folder, collab.site_name))

    fedps_answer = collab.publish(_answer)


class OwnersServer(Server):
    """Goes through the scenarios of owners of columns instead of a fit."""

    def _save(self, config, results, report):
        folder = Path(os.environ[HOLDS]).parent

        def owners(**how):
            return fedps.nvflare.Federation(clients=self.job.clients, timeout=60.0, **how)

        told = {"columns": columns.story(owners(**columns.HOW), folder)}
        told["matched"] = matched.story(owners, folder)
        Path(results, "told.json").write_text(json.dumps(told), "utf-8")
        Path(results, "look.txt").write_text("done", "utf-8")

    fit = collab.main(Server._fit)
