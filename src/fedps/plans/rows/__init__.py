"""One plan per scikit-learn family, for ``split="rows"``: each client holds some rows."""
