"""One recipe per scikit-learn family: how learned numbers become the fitted object."""
