"""What is learned for a ColumnTransformer besides its parts."""

from __future__ import annotations

from fedps.learned.numbers import Numbers


class ColumnTransformerNumbers(Numbers):
    """How many rows there are, and how many cells branches store whose numbers do not tell that.

    scikit-learn decides by these whether the output is sparse.
    """

    rows: int
    stored: dict[str, int]
