"""The demo: ``python -m fedps.demo``, or ``make demo``.

Three islands of the CC0 Palmer penguins data are three clients. A preprocessing pipeline is fitted
across them and compared with the same pipeline fitted on all rows in one place.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler

import fedps
from fedps.report.rendering import Section, as_text

MEASURES = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]


def main() -> int:
    """Run the demo; return the exit code."""
    try:
        penguins = load()
    except ImportError as error:
        print(
            f"The demo needs the package {error.name}, which is not installed. Install it with\n\n"
            '    pip install "fedps[demo]"\n\n'
            "or, in a clone of the repository, run\n\n"
            "    make demo",
            file=sys.stderr,
        )
        return 1
    islands = {name: rows.drop(columns="island") for name, rows in penguins.groupby("island")}
    prep = preprocessing()
    federation = fedps.Federation(islands, target="species")

    show_clients(islands)
    headline("1. What would a fit ask? Nothing has been computed yet.", "federation.explain(prep)")
    print(federation.explain(prep))
    headline("2. Fit: every island answers, no row leaves.", "fitted = federation.fit(prep)")
    fitted = federation.fit(prep)
    print(federation.run)
    headline("3. Is it what all rows in one place would have given?", "pooled = prep.fit(all_rows)")
    show_equality(fitted, prep, islands)
    show_labels(federation)
    print(
        "\nNext: README.md has this in eight lines of code, docs/guide.md has the rest, and "
        "docs/privacy.md\nsays what each statistic gives away."
    )
    return 0


def load() -> Any:
    """Return the Palmer penguins as a pandas frame."""
    import pandas as pd

    with files("palmerpenguins").joinpath("data", "penguins.csv").open() as file:
        return pd.read_csv(file).drop(columns="year")


def preprocessing() -> Any:
    """Return an ordinary scikit-learn pipeline: nothing in it knows of clients."""
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), MEASURES),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), ["sex"]),
    )


def show_clients(islands: dict[str, Any]) -> None:
    """Print what each client holds."""
    rows = [
        (
            name,
            str(len(table)),
            str(int(table.isna().sum().sum())),
            f"{table['body_mass_g'].mean():,.0f} g",
            ", ".join(sorted(table["species"].unique())),
        )
        for name, table in islands.items()
    ]
    header = ("client", "penguins", "missing cells", "mean body mass", "species")
    title = "Palmer penguins: three islands, three clients, each keeps its table\n"
    print(as_text(Section(title, header, rows, frozenset(header[1:4]))))
    print(
        "\nThe scikit-learn pipeline `prep` imputes and scales the four measures, and imputes and "
        "one-hot\nencodes the sex. Fitted on each island alone, it would scale each by a "
        'different mean.\n\n    federation = fedps.Federation(islands, target="species")'
    )


def headline(text: str, code: str) -> None:
    """Print what comes next, and the call that does it."""
    print(f"\n\n{text}\n\n    {code}\n")


def show_equality(fitted: Any, prep: Any, islands: dict[str, Any]) -> None:
    """Print the largest differences between the federated fit and the pooled one."""
    import pandas as pd

    everything = pd.concat(islands.values()).drop(columns="species")
    pooled = prep.fit(everything)
    ours, theirs = fitted.transform(everything), pooled.transform(everything)
    gap = np.abs(ours - theirs).max()
    numbers = list(zip(learned_numbers(fitted), learned_numbers(pooled), strict=True))
    apart = max(abs(a - b) / (abs(b) or 1.0) for a, b in numbers)
    rows, columns = ours.shape
    lines = [
        ("transformed cells", f"{rows} x {columns}", f"{gap:.1e}"),
        ("learned numbers", str(len(numbers)), f"{apart:.1e}"),
    ]
    title = "Federated against pooled (a double holds about 16 digits: 1e-16 is the last one)"
    header = ("compared", "how many", "largest difference")
    print(as_text(Section(title, header, lines, frozenset(header[1:]))))


def show_labels(federation: fedps.Federation) -> None:
    """Print the classes of all islands, which no island has alone."""
    classes = federation.fit(LabelEncoder()).classes_
    print(
        "\nNo island has all species; the labels fitted across them have:\n\n"
        f"    federation.fit(LabelEncoder()).classes_    # {', '.join(classes)}"
    )


def learned_numbers(estimator: Any) -> Iterator[float]:
    """Yield every number that a fitted estimator, or one inside it, has learned."""
    for name, value in sorted(vars(estimator).items()):
        if name.endswith("_") or name == "steps":
            yield from _numbers(value)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, BaseEstimator):
        yield from learned_numbers(value)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, int | float | np.number) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        yield from map(float, value.ravel())


if __name__ == "__main__":
    sys.exit(main())
