"""FedPS on NVFLARE: fit scikit-learn preprocessing across the sites of an NVFLARE federation.

For: a Collab job's ``@collab.main`` (``Federation``) and its sites' ``@collab.publish`` (``answer``), and
a ready-made job that needs no code (``server``, ``client``).
May import: anything of ours but cli, and nvflare.
Its one rule: no exception of a client and no text of one reaches NVFLARE, which would pass it on.
"""

from __future__ import annotations

try:
    import nvflare  # noqa: F401
except ImportError as error:
    raise ModuleNotFoundError(
        "fedps.nvflare needs NVFLARE: pip install 'fedps[nvflare]'.", name="nvflare"
    ) from error

from fedps.nvflare.client_answer import answer
from fedps.nvflare.federation import Federation

__all__ = ["Federation", "answer"]
