"""What pytest leaves alone where an engine is not installed: each has an environment of its own."""

from importlib.util import find_spec

ENGINES = {"flower": "flwr", "nvflare": "nvflare"}

collect_ignore_glob = [
    path
    for ours, engine in ENGINES.items()
    if find_spec(engine) is None
    for path in (
        f"src/fedps/{ours}/*",
        f"src/fedps/*/{ours}.py",
        f"examples/{ours}*",
        f"tests/conformance/{ours}_*",
    )
]
