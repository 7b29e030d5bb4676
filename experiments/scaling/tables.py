"""A table for each axis, and what they come to in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.experiment import Line
from experiments.markdown import table
from experiments.scaling.cells import along

AXES = ("rows", "columns", "clients")
HEADS = (
    *("pooled s", "federated s", "ratio", "pooled MB", "federated MB", "ratio"),
    *("rounds", "KB up", "KB down"),
)


def tables(lines: Sequence[Line]) -> Mapping[str, str]:
    """Return ``rows``, ``columns`` and ``clients``, and the largest of each in ``words``."""
    parts = {axis: _table(lines, axis) for axis in AXES}
    return parts | {"words": _words(lines), "agreement": _agreement(lines)}


def _table(lines: Sequence[Line], axis: str) -> str:
    rows = [
        [_short(name), f"{line.cell[axis]:,}", *_numbers(line, name)]
        for name, ours in along(lines, axis).items()
        for line in ours
    ]
    heads = ("estimator", axis, *HEADS)
    return table(heads, rows, numbers=range(1, len(heads)))


def _numbers(line: Line, name: str) -> list[str]:
    pooled, federated = line.found[name]["pooled"], line.found[name]["federated"]
    return [
        f"{pooled['wall']:.2f}",
        f"{federated['wall']:.2f}",
        f"**{ratio(line, name, 'wall'):.2f}**",
        f"{pooled['peak'] / 1e6:,.0f}",
        f"{federated['peak'] / 1e6:,.0f}",
        f"**{ratio(line, name, 'peak'):.2f}**",
        str(federated["rounds"]),
        f"{federated['bytes_up'] / 1000:,.2f}",
        f"{federated['bytes_down'] / 1000:,.2f}",
    ]


def ratio(line: Line, name: str, what: str) -> float:
    """Return federated over pooled."""
    found = line.found[name]
    return float(found["federated"][what] / max(found["pooled"][what], 1e-9))


def _short(name: str) -> str:
    first, _, rest = name.partition(" ")
    return f"`{first}` {rest}".strip()


def _words(lines: Sequence[Line]) -> str:
    """Return the ratios at the largest size of each axis, and what a client costs."""
    said = []
    for axis in AXES:
        last = {name: ours[-1] for name, ours in along(lines, axis).items()}
        times = [ratio(line, name, "wall") for name, line in last.items()]
        peaks = [ratio(line, name, "peak") for name, line in last.items()]
        size = max(line.cell[axis] for line in last.values())
        said.append(
            f"With {size:,} {axis} a federated fit takes {_range(times)} times as long as the pooled "
            f"one, and {_range(peaks)} times its memory."
        )
    each = [
        1000 * line.found[name]["federated"]["wall"] / line.cell["clients"]
        for name, line in last.items()
    ]
    said.append(
        f"With so many clients, each takes {min(each):.0f} to {max(each):.0f} ms of the fit."
    )
    return "\n".join(said)


def _range(numbers: Sequence[float]) -> str:
    return f"{min(numbers):.2f} to {max(numbers):.2f}"


def _agreement(lines: Sequence[Line]) -> str:
    """Return how far apart the two fits were at most."""
    worst = max(found["difference"] for line in lines for found in line.found.values())
    return (
        "Both fits transform the same sample of rows alike: over all sizes and estimators, two cells differ "
        f"by {worst:.0e} at most."
    )
