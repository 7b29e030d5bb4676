"""Looks with ``split="columns"``: each owner is asked about its own columns alone, one after the other."""

from __future__ import annotations

from fedps.errors import NotFederated, UsageError, did_you_mean
from fedps.federation.explain import Carry
from fedps.federation.learning import learn
from fedps.federation.looks.look import Look
from fedps.federation.looks.looked import Looked, of_all_owners
from fedps.plans.looks.look import look_plan
from fedps.protocol.pooled import Options
from fedps.protocol.schemas import Schemas
from fedps.report import Run


def look_at_owners(look: Look, schemas: Schemas, run: Run, carry: Carry) -> Looked:
    """Return what each owner's columns hold; ``carry`` carries the rounds."""
    if look.by is not None:
        raise NotFederated(
            f"with split='columns', by={look.by!r} would tell the other clients who has which category. Use "
            "describe without by=."
        )
    _check_columns(look, schemas)
    found = {}
    for client, both in schemas.items():
        names = both[0].names or ()
        own = look.among(names)
        if own.columns == () or not names:
            continue
        coordinator = learn(
            own.pipeline, None, Options(), {}, (client,), carry, remote=False, look=look_plan
        )
        found[client] = Looked.of(own, coordinator, run)
    return of_all_owners(look, found, run)


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
