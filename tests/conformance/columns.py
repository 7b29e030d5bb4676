"""The scenario of owners of columns, which every engine must pass to the bit: a model, predictions, a refusal, an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from msgspec import structs
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler

import fedps
from fedps.client.policy_file import read_policy
from fedps.engines.client_settings import ClientSettings
from tests.conformance.scenario import bits

ROWS, NEW = 60, 5
KEYS = {"bergen": "id", "oslo": "customer", "turku": "Kunde"}  # each owner calls it differently
CLIENTS = tuple(KEYS)
FEATURES = {"bergen": ["age", "bmi"], "oslo": ["income", "city"], "turku": ["visits", "spent"]}
TARGET = "risk"  # at oslo
SECRET = "J. Smith"  # noqa: S105
FIT = "model"  # under which the owners keep their parts
HERE = "columns"  # a file that says that sites own columns

REFUSAL = (
    "client 'turku' refused RowNorms on column 'spent': the policy there (level) allows SUMMARY, this needs ROWS. It would show "
    "the server: "
)
ERROR = (
    "client 'oslo' has cells in column 'city' that are not numbers, so ColumnTransformer cannot be computed. "
    "Clean the column there, encode it as categories, or leave it out."
)


def people(rows: int = ROWS, seed: int = 7) -> pd.DataFrame:
    """All columns of all rows, which nobody has."""
    rng = np.random.default_rng(seed)
    found = pd.DataFrame(
        {
            "key": np.arange(rows) + 5000,
            "age": rng.normal(60, 12, rows).round(1),
            "bmi": rng.normal(27, 4, rows),
            "income": rng.lognormal(10, 0.7, rows),
            "city": rng.choice(["oslo", "bergen", SECRET], rows),
            "visits": rng.poisson(4, rows).astype(float),
            "spent": rng.gamma(2, 400, rows),
        }
    )
    found[TARGET] = 0.02 * found["age"] + 0.1 * found["visits"] + rng.normal(0, 0.2, rows)
    found.loc[rng.random(rows) < 0.1, "bmi"] = np.nan
    found.loc[rng.random(rows) < 0.1, "visits"] = np.nan
    return found


def table(name: str, *, new: bool = False) -> pd.DataFrame:
    """One owner's columns of the rows, or of new ones, which have no target."""
    every = people(NEW, seed=8).assign(key=range(NEW)) if new else people()
    if new:
        every["bmi"], every["visits"] = every["bmi"].fillna(27.0), every["visits"].fillna(4.0)
    columns = ["key", *FEATURES[name]]
    if name == "oslo" and not new:
        columns.append(TARGET)
    return every[columns].rename(columns={"key": KEYS[name]})


def model() -> Any:
    """Prepare columns one by one and across owners, then a regression on all of them."""
    prep = ColumnTransformer(
        [
            ("scaled", make_pipeline(SimpleImputer(), StandardScaler()), ["income", "spent"]),
            ("city", OneHotEncoder(sparse_output=False), ["city"]),
            ("near", KNNImputer(n_neighbors=3), ["age", "bmi", "visits"]),
            ("swept", IterativeImputer(max_iter=2, tol=1.0), ["bmi", "visits", "spent"]),
            ("length", Normalizer(), ["age", "spent"]),
        ]
    )
    return make_pipeline(prep, BayesianRidge())


def simple() -> Any:
    """A model that predicts new rows, too."""
    columns = ["age", "income", "spent"]
    return make_pipeline(
        ColumnTransformer([("scaled", StandardScaler(), columns)]), BayesianRidge()
    )


def showing_rows() -> Any:
    """What shows something about single rows."""
    return ColumnTransformer([("length", Normalizer(), ["age", "spent"])])


def failing() -> Any:
    """What oslo cannot fit on its own columns."""
    return ColumnTransformer([("text", StandardScaler(), ["city"])])


def settings(folder: Path) -> dict[str, ClientSettings]:
    """Write each owner's files, and return its settings."""
    for name in CLIENTS:
        table(name).to_parquet(folder / f"{name}-columns.parquet")
        table(name, new=True).to_parquet(folder / f"{name}-new.parquet")
        write_policy(folder, name, "ROWS")
    return {name: settings_of(folder, name) for name in CLIENTS}


def write_policy(folder: Path, name: str, level: str) -> None:
    """Write an owner's policy."""
    text = f'preset = "open"\nlevel = "{level}"\n'
    (folder / f"{name}-columns.toml").write_text(text, "utf-8")


def settings_of(folder: Path, name: str) -> ClientSettings:
    """Return the settings of an owner, whose files are there."""
    return ClientSettings(
        str(folder / f"{name}-columns.parquet"),
        TARGET if name == "oslo" else None,
        folder / f"{name}-columns.toml",
        folder / f"{name}-columns.jsonl",
        split="columns",
        key=KEYS[name],
        new=str(folder / f"{name}-new.parquet"),
        outputs=folder / f"{name}-rows",
        predictions=folder / f"{name}-predictions",
    )


def answer_options(own: ClientSettings) -> dict[str, Any]:
    """Return settings as an engine's ``answer`` takes them; the policy is read anew each time."""
    names = ("split", "key", "target", "new", "outputs", "predictions", "salt", "ledger")
    more = {"table": own.data, "policy": read_policy(own.policy or "")}
    return {**{name: getattr(own, name) for name in names}, **more}


HOW: dict[str, Any] = {"split": "columns", "key": "customer", "target": TARGET}


def story(
    federation: fedps.Federation, folder: Path, strict: fedps.Federation | None = None
) -> dict[str, Any]:
    """Fit, predict, be refused and fail; return all that a server sees of it, in plain values.

    ``strict`` are owners in process of whom turku allows less; others read that from a file.
    """
    fitted = federation.fit(model(), name=FIT)
    told: dict[str, Any] = {"fit": costs(federation), "alpha": float(fitted.alpha_).hex()}
    found = federation.predict(fitted)
    told["predict"] = costs(federation)
    told["predictions"] = found.tobytes().hex()
    try:
        federation.fit(failing(), name="failing")
    except fedps.ClientError as error:
        told["error"] = str(error)
    write_policy(folder, "turku", "SUMMARY")
    try:
        (strict or federation).fit(showing_rows(), name="refused")
    except fedps.Refused as error:
        told["refusal"] = str(error)
    return told


def costs(federation: fedps.Federation) -> list[Any]:
    """Return what the last call cost."""
    run = federation.run
    both = [
        {name: About(sent) for name, sent in each.items()}
        for each in (run.bytes_up, run.bytes_down)
    ]
    return [run.rounds, run.deliveries, *both]


class About(int):
    """A number of bytes, of which some are random: those are deflated to a few more or less each time."""

    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int) and abs(int(self) - int(other)) <= 64 + int(self) // 100


def here(folder: Path) -> dict[str, Any]:
    """Return the story in process, and each owner's part as a file would give it."""
    clients = {name: table(name).rename(columns={KEYS[name]: "customer"}) for name in CLIENTS}

    def made(level: str) -> fedps.Federation:
        policies = {"turku": fedps.Policy.open() if level == "ROWS" else _strict()}
        return fedps.Federation(clients, policy=policies, progress=False, **HOW)

    told = story(made("ROWS"), folder, made("SUMMARY"))
    fedps.save(made("ROWS").fit(model(), name=FIT), folder / "here.skops")
    told["parts"] = {name: bits(fedps.load(folder / f"here-{name}.skops")) for name in CLIENTS}
    return told


def _strict() -> fedps.Policy:
    return structs.replace(fedps.Policy.open(), level="SUMMARY")


def parts_of(folder: Path) -> dict[str, Any]:
    """Return the part that each owner keeps."""
    return {
        name: bits(fedps.load(folder / f"{name}-columns.jsonl.fits" / f"{FIT}.skops"))
        for name in CLIENTS
    }
