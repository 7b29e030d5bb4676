"""x"""

from sklearn.tests.test_pipeline import *  # noqa: F403
