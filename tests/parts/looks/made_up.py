"""A made-up description: sites that differ, groups, numbers that are kept back, as many columns as wanted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fedps.looks import Correlation, Crosstab, Description
from fedps.looks.column_facts import Category, ColumnFacts, Histogram, SiteFacts
from fedps.looks.description import Group

SITES = {"oslo": 900, "bergen": 620, "tromso": 310, "lund": 480, "aarhus": 41}
KEPT_BACK = "Its policy shows no numbers of its own: it has fewer than 50 rows."
RARE = "oslo and lund keep categories with fewer than 5 rows back."
PERCENTILES = (0.25, 0.5, 0.75)
NUMBERS = (
    "age",
    "bmi",
    "systolic",
    "cholesterol",
    "income",
    "hours",
    "weight",
    "glucose",
    "height",
)
WORDS = ("Private", "Self-employed", "Local government", "State government", "Without pay", "Other")
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&"


def number_cells(rng: np.random.Generator, j: int, rows: int, site: int) -> Any:
    shift = 0.35 * site * (j % 3 == 1)
    if j % 4 == 3:
        return np.exp(rng.normal(9.5 + shift, 0.8, rows))
    cells = rng.normal(40 + 10 * (j % 5) + 8 * shift, 12, rows)
    return np.round(cells) if j % 2 else cells


def with_gaps(rng: np.random.Generator, cells: Any, j: int, site: int) -> Any:
    share = (0, 0, 0.02, 0.3 if site == 1 else 0.01, 0)[j % 5]
    return np.where(rng.random(len(cells)) < share, np.nan, cells)


def number_facts(name: str, parts: list[Any], *, dates: bool = False) -> ColumnFacts:
    pooled = np.concatenate(parts)
    known = pooled[~np.isnan(pooled)]
    counts, edges = np.histogram(known, bins=24)
    facts = summary(known)
    sites = tuple(number_site(client, parts, k, edges) for k, client in enumerate(SITES))
    deviation = (known - known.mean()) / known.std()
    return ColumnFacts(
        name,
        "dates" if dates else "numbers",
        "datetime64[us]" if dates else "float64",
        count=len(known),
        missing=len(pooled) - len(known),
        unique=len(np.unique(known)),
        skewness=None if dates else float((deviation**3).mean()),
        histogram=Histogram(tuple(edges.tolist()), tuple(counts.tolist())),
        sites=sites,
        **facts,
    )


def summary(known: Any) -> dict[str, Any]:
    return {
        "mean": float(known.mean()),
        "std": float(known.std(ddof=1)),
        "minimum": float(known.min()),
        "quantiles": tuple(np.quantile(known, PERCENTILES).tolist()),
        "maximum": float(known.max()),
    }


def number_site(client: str, parts: list[Any], k: int, edges: Any) -> SiteFacts:
    rows = len(parts[k])
    if client == "aarhus":
        return SiteFacts(client, rows, kept_back=KEPT_BACK)
    known = parts[k][~np.isnan(parts[k])]
    others = np.concatenate([part for i, part in enumerate(parts) if i != k])
    others = others[~np.isnan(others)]
    spread = np.sqrt((known.var() + others.var()) / 2)
    return SiteFacts(
        client,
        rows,
        count=len(known),
        missing=rows - len(known),
        counts=tuple(np.histogram(known, edges)[0].tolist()),
        difference=float((known.mean() - others.mean()) / spread),
        **summary(known),
    )


def category_facts(rng: np.random.Generator, name: str, words: tuple[str, ...]) -> ColumnFacts:
    chances = [rng.dirichlet(np.arange(2 * len(words), 0, -2)) for _ in SITES]
    tables = [rng.multinomial(n, p) for n, p in zip(SITES.values(), chances, strict=True)]
    pooled = np.sum(tables, axis=0)
    order = np.argsort(-pooled, kind="stable")
    sites = tuple(category_site(client, tables, k, order) for k, client in enumerate(SITES))
    return ColumnFacts(
        name,
        "categories",
        "str",
        count=int(pooled.sum()),
        missing=0,
        unique=None,
        top=words[order[0]],
        freq=int(pooled[order[0]]),
        categories=tuple(Category(words[j], int(pooled[j])) for j in order),
        sites=sites,
        marks={"unique": "< 5 rows each", "others": "< 5"},
        notes=(RARE,),
    )


def category_site(client: str, tables: list[Any], k: int, order: Any) -> SiteFacts:
    rows = int(tables[k].sum())
    if client == "aarhus":
        return SiteFacts(client, rows, kept_back=KEPT_BACK)
    own = tables[k] / rows
    others = sum(table for i, table in enumerate(tables) if i != k)
    counts = tuple(None if c < 5 else int(c) for c in tables[k][order])
    difference = float(np.abs(own - others / others.sum()).sum() / 2)
    return SiteFacts(client, rows, rows, 0, counts=counts, difference=difference)


def made_up_columns(rng: np.random.Generator, width: int) -> tuple[ColumnFacts, ...]:
    columns = []
    for j in range(width):
        if j % 10 == 8:
            columns.append(category_facts(rng, f"work_{j}", WORDS[: 3 + j % 4]))
            continue
        name = f"{NUMBERS[j % len(NUMBERS)]}_{j}"
        parts = [
            with_gaps(rng, number_cells(rng, j, n, site), j, site)
            for site, n in enumerate(SITES.values())
        ]
        if j % 10 == 9:
            parts = [1.6e9 + 2e6 * part for part in parts]
            name = f"admitted_{j}"
        columns.append(number_facts(name, parts, dates=j % 10 == 9))
    return tuple(columns)


def made_up_correlation(rng: np.random.Generator, names: tuple[Any, ...]) -> Correlation:
    width = len(names)
    factors = rng.normal(size=(max(2, width // 6), width))
    cells = rng.normal(size=(400, len(factors))) @ factors + 1.5 * rng.normal(size=(400, width))
    matrix = np.atleast_2d(np.corrcoef(cells.T))
    vif = np.diag(np.linalg.inv(matrix)).copy()
    matrix[-1, :-1] = matrix[:-1, -1] = np.nan
    vif[-1] = np.nan
    return Correlation(names, matrix, np.full((width, width), 2351), vif, 2210)


def made_up_description(width: int = 12, *, seed: int = 0, hostile: bool = False) -> Description:
    rng = np.random.default_rng(seed)
    columns = made_up_columns(rng, width)
    if hostile:
        odd = category_facts(rng, HOSTILE, (HOSTILE, "<b>bold</b>", "\u202eevil\x00", "'; --"))
        columns = (replace(odd, notes=(HOSTILE,), marks={"unique": HOSTILE}), *columns[1:])
    names = tuple(facts.name for facts in columns if facts.kind == "numbers")
    groups = tuple(
        Group(value, rows, made_up_columns(rng, min(width, 12)))
        for value, rows in ((HOSTILE if hostile else "female", 1290), ("male", 1061))
    )
    small = replace(groups[1].columns[0], mean=None, std=None, marks={"mean": "< 5", "std": "< 5"})
    groups = (groups[0], replace(groups[1], columns=(small, *groups[1].columns[1:])))
    return Description(
        dict(SITES),
        columns,
        PERCENTILES,
        by="sex",
        groups=groups,
        correlation=made_up_correlation(rng, names),
        left=left(names),
        notes=("aarhus shows no numbers of its own: it has fewer than 50 rows.",),
    )


def left(names: tuple[Any, ...]) -> list[dict[str, Any]]:
    every = [str(name) for name in names]
    asks = (
        ("Moments", every, "AGGREGATE", "sums of powers, so counts, means and variances"),
        ("Categories", ["work_8"], "SUMMARY", "each value with its number of rows, 5 or more"),
        ("SortedCells", every[:3], "ROWS", "single cells, in order"),
    )
    keys = ("round", "statistic", "columns", "level", "shows")
    return [dict(zip(keys, (1 + (k == 2), *ask), strict=True)) for k, ask in enumerate(asks)]


def made_up_crosstab(seed: int = 0, height: int = 6, width: int = 5) -> Crosstab:
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(1.0, 90, (height, width)))
    hidden = np.zeros(counts.shape, dtype=bool)
    hidden[1, 2] = hidden[1, 3] = hidden[4, 2] = hidden[4, 3] = True
    counts[hidden] = 0
    marks = {(1, 2): "< 5", (4, 3): "< 5", (1, 3): "protects another", (4, 2): "protects another"}
    rows = tuple(WORDS[:height])
    columns = ("Divorced", "Married", "Never married", "Separated", "Widowed")[:width]
    notes = ("oslo hides cells with fewer than 5 rows, and others that would tell them.",)
    return Crosstab("workclass", "marital status", rows, columns, counts, hidden, marks, notes)
