"""One plan per scikit-learn family, where each client holds some of the columns."""
