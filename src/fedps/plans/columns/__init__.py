"""One plan per scikit-learn family, for ``split="columns"``: each client holds some columns."""
