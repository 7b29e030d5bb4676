"""``python -m experiments all|accuracy|communication|consistency|scaling|...``."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from benchmarks.downloads import DataMissing
from experiments import machine, pages
from experiments.experiment import Experiment
from experiments.results import Results
from experiments.running import run

HERE = Path(__file__).resolve().parent
# the quick ones first
NAMES = ("separability", "communication", "growth", "consistency", "scaling", "accuracy")


def experiment(name: str) -> Experiment:
    """Return an experiment; its module is imported only when asked for, with what it needs."""
    found: Experiment = import_module(f"experiments.{name}").EXPERIMENT
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for; 1 where the data is missing."""
    options = _options(arguments)
    if options.data:
        os.environ["FEDPS_DATA"] = str(Path(options.data).resolve())
    warnings.simplefilter("ignore")
    if options.what == "pages":
        return _pages(Path(options.results or HERE / "results"))
    folder = Path(options.results or HERE / ("results-quick" if options.quick else "results"))
    for name in NAMES if options.what == "all" else (options.what,):
        try:
            _run(experiment(name), folder, options)
        except DataMissing as error:
            print(error, file=sys.stderr)
            return 1
        except ModuleNotFoundError as error:
            print(f"{error}: pip install 'fedps[experiments]' has it.", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("Stopped. What was measured is kept; run it again to go on.", file=sys.stderr)
            return 130
    return 0


def _run(asked: Experiment, folder: Path, options: argparse.Namespace) -> None:
    """Measure what is missing, then write the tables and draw the figures of these cells."""
    cells = list(asked.cells(options.quick))
    results = Results(folder / f"{asked.name}.jsonl")
    if run(asked, cells, results, options.jobs):
        machine.note(folder, asked.name)
    lines = results.of(cells)
    tables = asked.tables(lines)
    text = "\n\n".join(tables.values()) + "\n"
    (folder / f"{asked.name}.md").write_text(text, "utf-8")
    asked.draw(lines, folder / "figures")
    print(text)


def _pages(folder: Path) -> int:
    """Fill the pages of the project from the results, and draw its figures."""
    for page in pages.fill_pages(tables_of(folder)):
        print(f"changed: {page.relative_to(pages.ROOT)}")
    for name in NAMES:
        if lines := Results(folder / f"{name}.jsonl").lines:
            experiment(name).draw(lines, pages.ROOT / "docs" / "images")
    return 0


def tables_of(folder: Path) -> Mapping[str, str]:
    """Return the tables of all results of a folder, by the names of their blocks."""
    tables = dict(machine.tables(folder, NAMES))
    for name in NAMES:
        lines = Results(folder / f"{name}.jsonl").lines
        if lines:
            made = experiment(name).tables(lines)
            tables |= {f"{name}.{part}": text for part, text in made.items()}
    return tables


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument("what", choices=("all", *NAMES, "pages"))
    parser.add_argument("--data", help="folder of the data files (default: FEDPS_DATA)")
    parser.add_argument("--results", help="folder of the results (default: experiments/results)")
    parser.add_argument("--quick", action="store_true", help="few cells, in minutes")
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="processes, where time is not measured",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
