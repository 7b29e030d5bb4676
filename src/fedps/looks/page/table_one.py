"""The groups beside one another, as the first table of a clinical paper has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fedps.looks.column_facts import ColumnFacts
from fedps.looks.formats import share_text
from fedps.looks.groups import Group
from fedps.looks.named_facts import NamedFact, named_facts
from fedps.looks.page.heat_table import row_name
from fedps.looks.page.markup import digits, kept_back, note_list, scrolled, text
from fedps.looks.text_tables import fact_text
from fedps.looks.without import as_marked

QUARTERS = ("25%", "50%", "75%")


def table_one(
    by: Any,
    groups: Sequence[Group],
    columns: Sequence[ColumnFacts],
    rows: int,
    labels: Sequence[str],
) -> str:
    """Return a column for all rows and one for each group, and a block of lines for each column."""
    heads = f'<th scope="col">All<small>{rows:,} rows</small></th>'
    heads += "".join(
        f'<th scope="col">{text(group.value)}<small>{_size(group)}</small></th>' for group in groups
    )
    own = [{facts.name: facts for facts in group.columns} for group in groups]
    blocks = "".join(
        _block(facts, [facts, *(group.get(facts.name) for group in own)], labels)
        for facts in columns
        if any(facts.name in group for group in own)
    )
    table = (
        f'<table class="one"><caption>By {text(by)}</caption><thead><tr><th scope="col" class="name">'
        f"Column</th>{heads}</tr></thead>{blocks}</table>"
    )
    notes = tuple(dict.fromkeys(note for group in groups for note in group.notes))
    return scrolled(table, f"Groups of {by}") + note_list(notes)


def _size(group: Group) -> str:
    return kept_back(group.mark, group.notes) if group.mark else f"{group.rows:,} rows"


def _block(facts: ColumnFacts, found: Sequence[ColumnFacts | None], labels: Sequence[str]) -> str:
    lines = _category_lines(found) if facts.kind == "categories" else _number_lines(found, labels)
    if any(own is not None and own.missing for own in found):
        lines.append(("missing", [_part(own, own.missing if own else None) for own in found]))
    head = f'<tr><th scope="rowgroup" class="name" colspan="{1 + len(found)}">{text(facts.name)}</th></tr>'
    body = "".join(
        f"<tr>{row_name(label)}{''.join(f'<td>{c}</td>' for c in cells)}</tr>"
        for label, cells in lines
    )
    return f"<tbody>{head}{body}</tbody>"


Lines = list[tuple[str, list[str]]]


def _number_lines(found: Sequence[ColumnFacts | None], labels: Sequence[str]) -> Lines:
    named = [None if own is None else named_facts(own, labels) for own in found]
    pairs = list(zip(found, named, strict=True))
    means = [_composed(own, facts, ("mean", "std"), "{} ({})") for own, facts in pairs]
    lines: Lines = [("mean (sd)", means)]
    if all(label in labels for label in QUARTERS):
        order = ("50%", "25%", "75%")
        medians = [_composed(own, facts, order, "{} [{}, {}]") for own, facts in pairs]
        lines.append(("median [25%, 75%]", medians))
    return lines


def _composed(
    own: ColumnFacts | None, named: dict[str, NamedFact] | None, names: Sequence[str], form: str
) -> str:
    if own is None or named is None:
        return "–"
    hidden = next((named[name].mark for name in names if named[name].mark), "")
    if hidden:
        return kept_back(hidden, own.notes)
    return form.format(*(digits(fact_text(named[name], own)) for name in names))


def _category_lines(found: Sequence[ColumnFacts | None]) -> Lines:
    first = found[0]
    assert first is not None
    values = [category.value for category in first.categories]
    return [(text(value), [_category_cell(own, value) for own in found]) for value in values]


def _category_cell(own: ColumnFacts | None, value: Any) -> str:
    if own is None:
        return "–"
    cells = next((one.count for one in own.categories if one.value == value), None)
    if cells is not None:
        return _part(own, cells, own.count)
    if "others" in own.marks:
        return kept_back(own.marks["others"], own.notes)
    if own.others:  # it is one of the less frequent values, which are counted together
        return kept_back("not listed", ["Counted among the other values of this group."])
    return _part(own, 0, own.count)


def _part(own: ColumnFacts | None, cells: int | None, whole: int | None = None) -> str:
    if own is None or cells is None:
        return "–"
    all_cells = own.count + own.missing if whole is None else whole
    shown = f"{cells:,} ({share_text(cells, all_cells)})"
    mark = own.marks.get("count", "")
    return kept_back(as_marked(shown, mark), own.notes) if mark else text(shown)
