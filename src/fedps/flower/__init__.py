"""FedPS on Flower: fit scikit-learn preprocessing across the nodes of a Flower federation.

For: a ServerApp's ``main`` (``Federation``), a ClientApp's ``@app.query("fedps")`` (``answer``), and a
ready-made app that needs no code (``server_app``, ``client_app``).
May import: anything of ours but cli, and flwr.
Its one rule: no exception of a client and no text of one reaches Flower, which would pass it on.
"""

from __future__ import annotations

try:
    import flwr  # noqa: F401
except ImportError as error:
    raise ModuleNotFoundError(
        "fedps.flower needs Flower: pip install 'fedps[flower]'.", name="flwr"
    ) from error

from fedps.flower.client_answer import answer
from fedps.flower.federation import Federation

__all__ = ["Federation", "answer"]
