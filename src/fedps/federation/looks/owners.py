"""Looks with ``split="columns"``: each owner is asked about its own columns alone, one after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fedps.errors import NotFederated, UsageError, did_you_mean
from fedps.federation.explain import Carry, explain
from fedps.federation.learning import learn
from fedps.federation.looks.look import Look
from fedps.federation.looks.look_pipeline import among, look_pipeline
from fedps.federation.looks.looked import Looked, of_all_owners
from fedps.plans.looks.look import look_plan
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.pooled import Options
from fedps.protocol.schemas import Schemas
from fedps.report import Explanation, Run


def look_at_owners(
    look: Look, schemas: Schemas, run: Run, carry: Carry, match: str | None = None
) -> Looked:
    """Return what each owner's columns hold; ``carry`` carries the rounds. ``match`` names matched rows."""
    found = {}
    for client, own in _own_looks(look, schemas).items():
        found[client] = Looked.of(own, _learn(own, client, carry, match), run)
    return of_all_owners(look, found, run)


def explain_at_owners(look: Look, schemas: Schemas) -> Explanation:
    """Return what a look would ask, of one owner after the other."""
    rounds, asks = 0, []
    further: dict[str, None] = {}
    for client, own in _own_looks(look, schemas).items():

        def run_plan(carry: Carry, _: bool, own: Look = own, client: str = client) -> object:
            return _learn(own, client, carry)

        found = explain(look.name, {client: schemas[client][:1]}, run_plan)
        asks += [replace(ask, round=ask.round + rounds) for ask in found.asks]
        rounds += found.rounds
        further |= dict.fromkeys(found.further)
    return Explanation(look.name, tuple(schemas), rounds, asks, list(further))


def _learn(look: Look, client: str, carry: Carry, match: str | None = None) -> Coordinator[Any]:
    about, options = look_pipeline(look), Options(match=match)
    return learn(about, None, options, {}, (client,), carry, remote=False, look=look_plan)


def _own_looks(look: Look, schemas: Schemas) -> dict[str, Look]:
    """Return the look at each owner's own columns, for owners that have some of them."""
    if look.by is not None:
        raise NotFederated(
            f"with split='columns', by={look.by!r} would tell the other clients who has which category. Use "
            "describe without by=."
        )
    _check_columns(look, schemas)
    every = {client: both[0].names or () for client, both in schemas.items()}
    looks = {client: among(look, names) for client, names in every.items() if names}
    return {client: own for client, own in looks.items() if own.columns != ()}


def _check_columns(look: Look, schemas: Schemas) -> None:
    """Raise unless each column has an owner; and one owner has both of a crosstab."""
    owned = {client: both[0].names or () for client, both in schemas.items()}
    every = [name for names in owned.values() for name in names]
    for name in look.columns or ():
        if name not in every:
            hint = did_you_mean(str(name), every)
            raise UsageError(f"no client has a column {name!r}.{hint}")
    if look.name == "crosstab" and not any(
        set(look.columns or ()) <= {*own} for own in owned.values()
    ):
        row, column = look.columns or ("", "")
        raise NotFederated(
            f"columns {row!r} and {column!r} are at different clients, and counting their pairs takes the cells "
            "of both. crosstab needs two columns of one client."
        )
