"""
Skewed incomes
==============

Most incomes are modest and a few are enormous. Means and standard deviations say little about such a column. Medians,
quantiles and power transforms do, and across clients they are harder than sums: the median of medians is not the median.
"""

# %%
# The data
# --------
# Three regions with made-up incomes; the capital earns more, and less equally. Incomes are known to the hundred, so many
# people share one: that is why exact quantiles take a single round below. Columns without ties take two.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.preprocessing import PowerTransformer, QuantileTransformer, RobustScaler

import fedps

rng = np.random.default_rng(3)


def region(people, median, spread):
    """Return a table of made-up incomes."""
    return pd.DataFrame({"income": rng.lognormal(np.log(median), spread, people).round(-2)})


regions = {
    "capital": region(4000, 52_000, 0.80),
    "coast": region(2500, 38_000, 0.55),
    "inland": region(1500, 31_000, 0.45),
}
federation = fedps.Federation(regions)
everyone = pd.concat(regions.values())

# %%
# The median of medians is not the median
# ---------------------------------------
# FedPS finds the median of all incomes, to the last digit.

medians = [table["income"].median() for table in regions.values()]
robust = federation.fit(RobustScaler())
print(f"median of the medians  {np.median(medians):9,.0f}")
print(f"fitted across regions  {robust.center_[0]:9,.0f}")
print(f"pooled                 {everyone['income'].median():9,.0f}")
print(federation.run)

# %%
# A sketch instead
# ----------------
# A sketch takes one round whatever the column looks like, and its message has a limited size. Quantiles are then known
# within a bound.

sketched = federation.fit(RobustScaler(), quantiles=fedps.KLL(k=200))
sent = {name: f"{size / 1000:.1f} KB" for name, size in federation.run.bytes_up.items()}
print(f"median by the sketch   {sketched.center_[0]:9,.0f}")
print("sent:", sent)

# %%
# Three ways to tame a tail
# -------------------------
# The outputs of all regions, stacked. A robust scaler keeps the tail, a power transform pulls it in, and a quantile
# transform makes any column normal.

transformers = {
    "RobustScaler": RobustScaler(),
    "PowerTransformer": PowerTransformer(),
    "QuantileTransformer": QuantileTransformer(output_distribution="normal", random_state=0),
}
figure, axes = plt.subplots(1, 4, figsize=(11, 3))
stacked = {"bins": 40, "stacked": True, "label": list(regions)}
axes[0].hist([t["income"] / 1000 for t in regions.values()], range=(0, 250), **stacked)
axes[0].set(title="income (thousands)", yticks=[])
for axis, (name, transformer) in zip(axes[1:], transformers.items(), strict=True):
    rows = federation.transform(federation.fit(transformer))
    axis.hist([np.asarray(X)[:, 0] for X in rows.values()], range=(-4, 6), **stacked)
    axis.set(title=name, yticks=[])
axes[0].legend()
plt.show()

# %%
# :doc:`/quantiles` says when to use which.
