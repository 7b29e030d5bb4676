"""LooksAtData: the calls of a federation that look at its data, and fit nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fedps.federation.faults.caller_frames import without_our_frames
from fedps.federation.faults.checkpoint import StrPath
from fedps.federation.looks.found import crosstab, description, noted
from fedps.federation.looks.look import QUARTILES, Look
from fedps.federation.looks.looked import Looked
from fedps.looks import Correlation, Crosstab, Description


class LooksAtData:
    """A federation whose data can be looked at, before anything is fitted."""

    _split: Any

    def _look(self, look: Look, checkpoint: StrPath | None) -> Looked:
        found: Looked = self._split.look(look, checkpoint)
        return found

    @without_our_frames
    def describe(
        self,
        columns: Sequence[Any] | None = None,
        *,
        by: str | int | None = None,
        percentiles: Sequence[float] = QUARTILES,
        correlation: bool = True,
        checkpoint: StrPath | None = None,
    ) -> Description:
        """Return what the columns of all clients hold, as if their rows were in one place.

        Counts and quantiles are those of pandas on the pooled rows, to the bit; means and the like to some
        1e-12; of equally frequent categories, ``top`` is the first in order. At most two rounds. It shows itself in a notebook, and :meth:`~fedps.looks.Description.save`
        writes it as a page. What a client's policy keeps back is marked, never shown as 0 or left empty.

        Parameters
        ----------
        columns : list of names, or of positions in arrays, optional
            The columns to describe. Default: all of them, without the target.
        by : str or int, optional
            A column of at most 50 categories, or the target: the rows of each category are described as a
            group, too ("Table 1"). That takes one round more. A client leaves out a group of fewer rows than
            its policy's ``min_rows``, and groups that would give it away.
        percentiles : sequence of float, default=(0.25, 0.5, 0.75)
            Which quantiles, as shares from 0 to 1.
        correlation : bool, default=True
            Whether the correlation of columns of numbers is looked at, too.
        checkpoint : path, optional
            As for ``fit``.

        Returns
        -------
        Description
            ``to_pandas()``, ``to_json()``, ``to_html()``, and what is known of each column at each client.

        Examples
        --------
        >>> import pandas as pd
        >>> import fedps
        >>> federation = fedps.Federation({
        ...     "oslo": pd.DataFrame({"age": [30.0, 40.0], "sex": ["f", "m"]}),
        ...     "bergen": pd.DataFrame({"age": [50.0, None], "sex": ["f", "f"]}),
        ... })
        >>> federation.describe().to_pandas().loc["age", ["mean", "50%"]].tolist()
        [40.0, 40.0]
        """
        look = Look.describe(columns, by=by, percentiles=percentiles, correlation=correlation)
        return description(self._look(look, checkpoint))

    @without_our_frames
    def crosstab(self, row: Any, column: Any, *, checkpoint: StrPath | None = None) -> Crosstab:
        """Return how many rows have each pair of categories, as ``pandas.crosstab`` of the pooled rows.

        Rows where one of both is missing do not count. One round. Under a policy, small counts are hidden, and
        as many others that they do not follow from the rest and the totals.

        Parameters
        ----------
        row, column : str, or int in arrays
            The two columns.
        checkpoint : path, optional
            As for ``fit``.

        Returns
        -------
        Crosstab
            ``to_pandas()``, ``to_json()``, ``to_html()``.

        Examples
        --------
        >>> import pandas as pd
        >>> import fedps
        >>> federation = fedps.Federation([
        ...     pd.DataFrame({"sex": ["f", "m"], "smokes": ["no", "yes"]}),
        ...     pd.DataFrame({"sex": ["f", "f"], "smokes": ["no", "yes"]}),
        ... ])
        >>> federation.crosstab("sex", "smokes").to_pandas()
        smokes  no  yes
        sex
        f        2    1
        m        0    1
        """
        return crosstab(self._look(Look.crosstab(row, column), checkpoint))

    @without_our_frames
    def corr(
        self, columns: Sequence[Any] | None = None, *, checkpoint: StrPath | None = None
    ) -> Correlation:
        """Return the correlation of each two columns of numbers, as ``DataFrame.corr`` of the pooled rows.

        Over the rows that have both cells; with the variance inflation factor of each column beside it. One
        round.

        Parameters
        ----------
        columns : list of names, or of positions in arrays, optional
            The columns to correlate. Default: all that hold numbers.
        checkpoint : path, optional
            As for ``fit``.

        Returns
        -------
        Correlation
            ``to_pandas()``, ``to_json()``, ``to_html()``, ``vif``.

        Examples
        --------
        >>> import numpy as np
        >>> import fedps
        >>> federation = fedps.Federation([np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([[4.0, 1.0]])])
        >>> federation.corr().matrix.round(3).tolist()
        [[1.0, -0.5], [-0.5, 1.0]]
        """
        return noted(self._look(Look.corr(columns), checkpoint))
