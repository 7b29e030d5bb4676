"""Federation: what a user calls. It chooses once between rows and columns, and delegates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from fedps.client import Policy
from fedps.errors import UsageError
from fedps.federation.arguments import (
    read_match,
    read_max_rows,
    read_options,
    read_quorum,
    reader,
    transport_for,
)
from fedps.federation.clients.client_names import ClientNames
from fedps.federation.clients.client_view import ClientView
from fedps.federation.clients.federation_schema import FederationSchema
from fedps.federation.clients.ledgers import Ledgers
from fedps.federation.clients.members import Members
from fedps.federation.column_split import ColumnSplit
from fedps.federation.faults.callers_line import without_our_frames
from fedps.federation.faults.checkpoint import StrPath
from fedps.federation.faults.claimed_rows import MAX_ROWS
from fedps.federation.looks.look import Look
from fedps.federation.looks.looking import LooksAtData
from fedps.federation.row_split import RowSplit
from fedps.federation.session import Session
from fedps.plans import check_supported
from fedps.report import Explanation, Run
from fedps.report.progress import Show
from fedps.statistics import KLL, REQ, FrequentItems
from fedps.transports import Transport

Estimator = TypeVar("Estimator")


class Federation(LooksAtData):
    """Several clients that fit scikit-learn preprocessing together without pooling their rows.

    Parameters
    ----------
    clients : dict of names to tables, sequence of tables, or a transport
        A name is text, a number, or anything hashable that prints uniquely. A table is a pandas or
        polars data frame, a pyarrow table, a NumPy array, a scipy sparse matrix, the path or glob of
        Parquet or CSV files (which need not fit in memory), a :class:`CSV`, :class:`SQL` or :class:`Excel`, a polars
        LazyFrame, a pyarrow Dataset, a DuckDB relation, or a pair ``(X, y)``. "Pooled" means the
        rows of all clients in this order, with the first client's columns; columns are matched by
        name, arrays by position.
    split : {"rows", "columns"}, default="rows"
        Whether each client holds some rows of the same columns, or some columns of the same rows.
    target : str or int, optional
        The label column, which is not a feature: its name, or its position in arrays. With
        ``split="columns"``, exactly one client holds it.
    key : str, optional
        With ``split="columns"``, the column that identifies rows. All clients hold it, and it is not
        a feature. Default: only the numbers of rows are compared.
    match : {"same", "private"}, default="same"
        With ``split="columns"``: whether all clients must have the same rows in the same order, or rows
        are matched by the key, in any order and with keys that others lack. No key is shown for that, to
        the server or to another client. Needs ``key`` and the extra ``columns``.
    policy : Policy or dict of names to Policy, optional
        What the clients are willing to reveal. Default, in process: everything.
    dtypes : dict of str to str, optional
        What some columns are read as, at all clients: "str", "category", "float", "int", "bool" or
        "datetime". ``{"zip": "str"}`` keeps codes text where all are digits at one client; a CSV file is
        read so from the start, and keeps leading zeros. Default: what they are.
    progress : bool or callable, optional
        Whether to show a progress line for long fits. Default: in a terminal and in a notebook. A
        callable gets the number of clients and returns an object with ``update(round, answered)`` and
        ``close()``. If it has ``expect(rounds, or_more)``, that is called once it is known.
    timeout : float, optional
        The most seconds that a round may take, where ``clients`` are tables: a client that has not
        answered by then is lost. Default: no limit.
    quorum : int, optional
        The fewest clients that a fit may go on with. If some are lost, refuse or fail, it starts again
        without them, and ``run.left_out`` says so. Default: a fit needs all clients.
    max_rows : int, default=2**31
        The most rows that a client may claim to have. Its answers weigh as many rows as it says, and
        nobody can check that: set it to what the largest client can have. A client that claims more is
        refused, and with a ``quorum`` the fit goes on without it.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.preprocessing import StandardScaler
    >>> federation = Federation({
    ...     "oslo": pd.DataFrame({"age": [30.0, 40.0]}),
    ...     "bergen": pd.DataFrame({"age": [50.0]}),
    ... })
    >>> federation.fit(StandardScaler()).mean_
    array([40.])
    >>> federation.run.rounds
    1
    """

    @without_our_frames
    def __init__(  # noqa: PLR0913 - each by its name
        self,
        clients: Mapping[Any, Any] | Sequence[Any] | Transport,
        *,
        split: Literal["rows", "columns"] = "rows",
        target: str | int | None = None,
        key: str | None = None,
        match: Literal["same", "private"] = "same",
        policy: Policy | Mapping[Any, Policy] | None = None,
        dtypes: Mapping[str, str] | None = None,
        progress: Show = None,
        timeout: float | None = None,
        quorum: int | None = None,
        max_rows: int = MAX_ROWS,
    ) -> None:
        given = ClientNames.of(clients)
        open_one = reader(split, target, key, dtypes)
        private = read_match(match, split, key, there=isinstance(clients, Transport))
        transport = transport_for(clients, open_one, policy, timeout, dtypes)
        if target is not None and split == "rows" and transport is clients:
            raise UsageError(
                "target= is for clients that are tables: with a transport, each client names its own."
            )
        names = list(transport.clients())
        wanted = read_quorum(quorum, len(names), split)
        _check_names(names)
        self._session = Session(transport, progress, read_max_rows(max_rows))
        self._members = Members(self._session, given, keyed=not isinstance(clients, Sequence))
        if split == "columns":
            self._split: RowSplit | ColumnSplit = ColumnSplit(
                self._session,
                key,
                target if isinstance(target, str) else None,
                given,
                private=private,
            )
            self._members.learn(self._split.schemas)
        else:
            self._split = RowSplit(self._session, wanted)

    def __repr__(self) -> str:
        return repr(self._members.table(self._split.name, self._split.matched))

    def _repr_html_(self) -> str:
        return self._members.table(self._split.name, self._split.matched).to_html()

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    @without_our_frames
    def __getitem__(self, name: Any) -> ClientView:
        return self._members[name]

    @property
    @without_our_frames
    def schema(self) -> FederationSchema:
        """The columns, dtypes and rows of all clients, as they tell them; engines ask once."""
        return self._members.schema()

    @property
    def run(self) -> Run:
        """What the last call cost and what left each client."""
        if self._session.run is None:
            raise UsageError("nothing has run yet: call fit first.")
        return self._session.run

    @property
    def ledgers(self) -> Ledgers:
        """Each client's own record of what left it, in process: a dict that shows itself as a table."""
        here = self._session.in_process(
            "over an engine each client keeps its own ledger: read it there."
        )
        return Ledgers(self._members.by_name(here.ledgers))

    @without_our_frames
    def fit(
        self,
        estimator: Estimator,
        *,
        sample_weight: str | None = None,
        quantiles: KLL | REQ | Literal["exact"] = "exact",
        frequent: FrequentItems | Literal["exact"] = "exact",
        checkpoint: StrPath | None = None,
        name: str | None = None,
    ) -> Estimator:
        """Return the estimator fitted as if on the rows of all clients.

        Parameters
        ----------
        estimator : scikit-learn estimator
            Any of those that ``fedps.supported()`` lists, combined as you like. Not changed.
        sample_weight : str, optional
            A column of row weights, for estimators whose ``fit`` takes them. It is not a feature.
        quantiles : "exact", KLL or REQ, default="exact"
            How quantiles are found: those of the pooled rows, or within the bound of a sketch in one
            round: ``fedps.KLL(k=200)``, ``fedps.REQ(k=12)``.
        frequent : "exact" or FrequentItems, default="exact"
            How frequent categories are found: as in the pooled rows, or within the bound of a sketch
            in one round: ``fedps.FrequentItems(k=1000)``.
        checkpoint : path, optional
            A file that records the merged answers of each round. If the server stops, the same call
            goes on after the last complete round. The file is removed when the fit is done.
        name : str, optional
            With ``split="columns"`` over an engine, the name under which clients keep their parts. Default:
            the class and some random digits.

        Returns
        -------
        estimator
            A genuine fitted scikit-learn object. It does not need fedps. The exceptions are KNNImputer
            and KNeighborsRegressor, which consist of the rows that they were fitted on: what is
            returned for them asks the clients, as long as this federation exists. With
            ``split="columns"``, a mapping from each client to its fitted part; over an engine, where the
            parts stay with their owners, to a receipt.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.preprocessing import MinMaxScaler
        >>> Federation([np.array([[0.0]]), np.array([[4.0]])]).fit(MinMaxScaler()).data_max_
        array([4.])
        """
        check_supported(estimator)
        options = read_options(quantiles, frequent)
        return self._split.fit(estimator, sample_weight, options, checkpoint, name)  # type: ignore[return-value]

    @without_our_frames
    def transform(self, fitted: Any) -> Any:
        """Return each client's transformed rows.

        Parameters
        ----------
        fitted : estimator
            What ``fit`` returned.

        Returns
        -------
        dict or list
            The rows of each client, in the form in which the clients were given. They stay in
            process: over an engine, clients transform their own rows.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.preprocessing import MinMaxScaler
        >>> federation = Federation({"oslo": np.array([[0.0]]), "bergen": np.array([[4.0]])})
        >>> federation.transform(federation.fit(MinMaxScaler()))["bergen"]
        array([[1.]])
        """
        return self._members.as_given(self._split.transform(fitted))

    @without_our_frames
    def predict(
        self, fitted: Any, queries: Any = None, *, to: Literal["server", "target"] = "server"
    ) -> Any:
        """Return a fitted model's predictions.

        Parameters
        ----------
        fitted : estimator
            What ``fit`` returned.
        queries : table, optional
            The rows to predict. With ``split="columns"``, a dict with each client's columns of them; over an
            engine "new", for those that the clients' settings name. Default: each client's own rows.
        to : {"server", "target"}, default="server"
            With ``split="columns"`` over an engine, who gets the predictions: the caller, or the owner of the
            target, who writes them to a file.

        Returns
        -------
        array, dict or list
            A prediction for each of the queries; for the clients' own rows, in the form in which
            the clients were given. With ``to="target"``, who has them, and how many there are.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import BayesianRidge
        >>> X = np.arange(4.0).reshape(-1, 1)
        >>> federation = Federation([(X[:2], X[:2, 0]), (X[2:], X[2:, 0])])
        >>> federation.predict(federation.fit(BayesianRidge()), X[:2]).round(3)
        array([0., 1.])
        """
        found = self._split.predict(fitted, queries, to)
        return self._members.as_given(found) if isinstance(found, dict) else found

    @without_our_frames
    def fit_transform(
        self,
        estimator: Estimator,
        *,
        sample_weight: str | None = None,
        quantiles: KLL | REQ | Literal["exact"] = "exact",
        frequent: FrequentItems | Literal["exact"] = "exact",
        checkpoint: StrPath | None = None,
        name: str | None = None,
    ) -> tuple[Estimator, Any]:
        """Return the fitted estimator and each client's transformed rows.

        The rows are those of the pooled ``fit_transform``: cross-fitted where there is a
        ``TargetEncoder``, which ``fit`` and then ``transform`` do not give.

        Parameters
        ----------
        estimator, sample_weight, quantiles, frequent, checkpoint, name
            As for ``fit``.

        Returns
        -------
        estimator, dict or list
            As of ``fit`` and of ``transform``.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.preprocessing import MaxAbsScaler
        >>> fitted, rows = Federation([np.array([[1.0]]), np.array([[-4.0]])]).fit_transform(
        ...     MaxAbsScaler()
        ... )
        >>> rows[0]
        array([[0.25]])
        """
        check_supported(estimator)
        if not hasattr(estimator, "transform"):
            name = type(estimator).__name__
            raise UsageError(f"{name} has no transform: use federation.fit, then predict.")
        options = read_options(quantiles, frequent)
        fitted, outputs = self._split.fit_transform(
            estimator, sample_weight, options, checkpoint, name
        )
        return fitted, self._members.as_given(outputs)  # type: ignore[return-value]

    @without_our_frames
    def explain(
        self,
        estimator: Any,
        *,
        sample_weight: str | None = None,
        quantiles: KLL | REQ | Literal["exact"] = "exact",
        frequent: FrequentItems | Literal["exact"] = "exact",
    ) -> Explanation:
        """Return what a fit would ask of the clients, before anything is computed.

        The clients are asked for nothing but their schemas: column names, dtypes, row counts.

        Parameters
        ----------
        estimator, sample_weight, quantiles, frequent
            As for ``fit``; or a ``fedps.Look``, for what ``describe``, ``crosstab`` or ``corr`` would ask.

        Returns
        -------
        Explanation
            The rounds and the asks; it shows itself as a table.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.preprocessing import MinMaxScaler
        >>> Federation([np.array([[0.0]]), np.array([[4.0]])]).explain(MinMaxScaler()).rounds
        1
        """
        options = read_options(quantiles, frequent)
        if isinstance(estimator, Look):
            return self._split.explain_look(estimator)
        check_supported(estimator)
        return self._split.explain(estimator, sample_weight, options)


def _check_names(names: Sequence[str]) -> None:
    if not names:
        raise UsageError("a federation needs at least one client; none was given.")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two clients are called {name!r}. Give each a name of its own.")
