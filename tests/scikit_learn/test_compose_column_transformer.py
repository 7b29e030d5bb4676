"""scikit-learn's tests of ColumnTransformer, federated."""

from sklearn.compose.tests.test_column_transformer import *  # noqa: F403
