"""scikit-learn's tests of Pipeline and FeatureUnion, federated."""

from sklearn.tests.test_pipeline import *  # noqa: F403
