"""One plan per scikit-learn family, for ``split="rows"``: each client holds some rows.

Each file is named after its estimator, or after what several have in common: ``bins`` has
KBinsDiscretizer and SplineTransformer, ``quantile_transforms`` RobustScaler and QuantileTransformer,
``stateless`` what learns nothing.
"""
