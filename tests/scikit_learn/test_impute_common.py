"""scikit-learn's tests of imputers, federated."""

from sklearn.impute.tests.test_common import *  # noqa: F403
