"""The ready-made client of a job: everything that it needs is in a file of the site's own."""

from __future__ import annotations

from typing import Any

from nvflare.collab import collab

from fedps.nvflare.asking_job import asking_job, submitter
from fedps.nvflare.client_answer import reply_and_keep
from fedps.nvflare.site_settings import read_site_file, site_file


class Client:
    """Answers rounds of FedPS about the site's own table, as ``local/fedps.toml`` of its kit says."""

    def _answer(self, message: Any) -> bytes:
        """Return the reply to a round, whatever happens."""
        name = collab.site_name
        file = site_file(collab.workspace.get_site_config_dir(), name)
        return reply_and_keep(
            message, (file,), lambda: read_site_file(file).open(name, asking_job(), submitter())
        )

    fedps_answer = collab.publish(_answer)
