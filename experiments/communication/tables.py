"""What a client sends, as tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from experiments.communication.measuring import BEYOND, WHERE
from experiments.experiment import Line
from experiments.markdown import called, table
from experiments.paper import COMMUNICATION, DATA_SETS, TITLES

HEADS = ("estimator", "paper", "**ours**", "floor", "largest client", "received", "rounds")
IN_README = (
    "StandardScaler",
    "PowerTransformer",
    "KBinsDiscretizer (quantile)",
    "KBinsDiscretizer (kmeans)",
    "SimpleImputer (median)",
    "BayesianRidge",
)
Found = Mapping[tuple[str, str], Line]


@dataclass(frozen=True)
class Verdict:
    """All cells of the paper's table that are not 0, and what they come to: KB, and which fail."""

    cells: int
    ours: float
    paper: float
    not_below: tuple[str, ...]

    @property
    def share(self) -> float:
        """Ours over the paper's."""
        return self.ours / self.paper


def tables(lines: Sequence[Line]) -> Mapping[str, str]:
    """Return a table for each data set, one of what the paper has not, and what it comes to."""
    found = {(line.cell["estimator"], line.cell["data"]): line for line in lines}
    here = [where for where in WHERE if any(data == where for _, data in found)]
    made = {where: _of_data(found, where, COMMUNICATION) for where in here}
    if (judged := verdict(lines)).cells:
        made["total"] = _total(judged)
    made["floor"] = _below_floor(found)
    if any(name in BEYOND for name, _ in found):
        made["beyond"] = _beyond(found, here)
    if "covertype" in here:
        made["readme"] = _short(found)
    return made


def verdict(lines: Sequence[Line]) -> Verdict:
    """Compare with every cell of the paper's table that is not 0, as far as they are measured."""
    ours = paper = 0.0
    cells, worse = 0, []
    for line in lines:
        name, printed = line.cell["estimator"], printed_for(line)
        if not printed:
            continue
        cells, ours, paper = cells + 1, ours + line.found["up"] / 1000, paper + printed
        if line.found["up_most"] / 1000 >= printed:
            worse.append(f"{called(name)} on {TITLES[line.cell['data']]}")
    return Verdict(cells, ours, paper, tuple(worse))


def printed_for(line: Line) -> float | None:
    """Return the paper's figure for a cell, in KB; None where it has none."""
    row = COMMUNICATION.get(line.cell["estimator"])
    if row is None or row.paper is None or line.cell["data"] not in DATA_SETS:
        return None
    return row.paper[DATA_SETS.index(line.cell["data"])]


def _of_data(found: Found, where: str, names: Sequence[str] | Mapping[str, object]) -> str:
    rows = []
    for name in names:
        line = found.get((name, where))
        if line is None:
            rows.append((called(name), *["-"] * 6))
            continue
        paper = printed_for(line)
        rows.append((called(name), _kb(None if paper is None else paper * 1000), *_costs(line)))
    if where not in DATA_SETS:  # the paper has nothing there
        return table(
            (HEADS[0], *HEADS[2:]), [(r[0], *r[2:]) for r in rows if r[2] != "-"], range(1, 6)
        )
    return table(HEADS, rows, range(1, 7))


def _costs(line: Line) -> tuple[str, ...]:
    return (
        f"**{_kb(line.found['up'])}**",
        *(_kb(line.found[key]) for key in ("floor", "up_most", "down")),
        str(line.found["rounds"]),
    )


def _beyond(found: Found, here: Sequence[str]) -> str:
    rows = []
    for name in BEYOND:
        lines = [found.get((name, where)) for where in here]
        cells = [
            "-" if line is None else f"**{_kb(line.found['up'])}** / {_kb(line.found['floor'])}"
            for line in lines
        ]
        rows.append((called(name), *cells))
    return table(("estimator", *(TITLES[where] for where in here)), rows, range(1, 1 + len(here)))


def _short(found: Found) -> str:
    rows = []
    for name in IN_README:
        line = found.get((name, "covertype"))
        paper = None if line is None else printed_for(line)
        if line is None or paper is None:
            continue
        share = line.found["up"] / 1000 / paper
        rows.append((called(name), f"**{_kb(line.found['up'])}**", f"{paper:.2f}", f"{share:.1%}"))
    heads = (
        "estimator, Covertype (54 columns)",
        "KB sent, **ours**",
        "the paper's",
        "ours / paper's",
    )
    return table(heads, rows, (1, 2, 3))


def _total(found: Verdict) -> str:
    below = (
        f"even the client that sends most sends less than the paper's figure in all {found.cells}."
        if not found.not_below
        else f"not below the paper's figure: {', '.join(found.not_below)}."
    )
    return (
        f"Summed over the {found.cells} cells of the paper's table that are not 0, a client sends "
        f"**{found.ours:.1f} KB** where the paper has {found.paper:.1f} KB: **{found.share:.1%}**; "
        + below
    )


def _below_floor(found: Found) -> str:
    compared = [line for line in found.values() if line.found["floor"]]
    under = [line for line in compared if line.found["up"] < line.found["floor"]]
    above = [line for line in compared if line not in under]
    counted = f"Of {len(compared)} cells that have a floor, ours is below it in {len(under)}."
    if not above:
        return counted
    most = max(above, key=lambda line: line.found["up"] - line.found["floor"])
    return (
        f"{counted} Of the others, {called(most.cell['estimator'])} on {TITLES[most.cell['data']]} is the furthest above, "
        f"{_kb(most.found['up'])} KB over a floor of {_kb(most.found['floor'])}."
    )


def _kb(number: float | None) -> str:
    return "-" if number is None else f"{number / 1000:.2f}"
