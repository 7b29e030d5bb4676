"""
Look before you fit
===================

Which scaler, which imputer? Nobody can look at rows that stay with their owners. ``federation.describe`` gives what
``DataFrame.describe`` would have given on all rows in one place, and here that saves a fit from a number that is none.
"""

# %%
# The data
# --------
# Made up: three stations measure the air. One of them writes -200 where a sensor failed, which nobody told us.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PowerTransformer, StandardScaler

import fedps

rng = np.random.default_rng(11)


def station(hours, failed, mark):
    """Return a table of made-up measurements."""
    table = pd.DataFrame(
        {
            "temperature": rng.normal(11, 7, hours).round(1),
            "particles": rng.lognormal(2.5, 0.8, hours).round(1),
            "wind": rng.choice(["N", "E", "S", "W"], hours, p=[0.1, 0.2, 0.2, 0.5]),
        }
    )
    broken = rng.random(hours) < failed
    return table.assign(temperature=table["temperature"].mask(broken, mark))


stations = {
    "harbour": station(900, 0.04, np.nan),
    "hill": station(700, 0.05, -200.0),
    "airport": station(400, 0.02, np.nan),
}
federation = fedps.Federation(stations)

# %%
# Describe
# --------
# A row per column, with pandas' names. No row left a station.

description = federation.describe()
facts = description.to_pandas()
print(facts.T)

# %%
# Two things are worth a look. The smallest temperature is -200: nothing outdoors is that cold, so it marks a failure, and
# it has pulled the mean down. And the mean of the particles is well above their median: they have a long tail. In the
# plot, drawn from these numbers alone, a line is the median and a triangle the mean.

numbers = ["min", "25%", "50%", "75%", "max", "mean"]
figure, axes = plt.subplots(1, 2, figsize=(6.5, 3.6))
for axis, column in zip(axes, ["temperature", "particles"], strict=True):
    low, q1, median, q3, high, mean = facts.loc[column, numbers].astype(float)
    box = {"whislo": low, "q1": q1, "med": median, "q3": q3, "whishi": high, "mean": mean}
    axis.bxp([box], showfliers=False, showmeans=True, widths=0.5)
    axis.set(title=column, xticks=[])
plt.show()

# %%
# Fit what fits
# -------------
# The hill confirms that -200 is its mark, and says so in its own table. The particles get a power transform.

hill = stations["hill"]
stations["hill"] = hill.assign(temperature=hill["temperature"].replace(-200.0, np.nan))
federation = fedps.Federation(stations)
prep = make_column_transformer(
    (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["temperature"]),
    (PowerTransformer(), ["particles"]),
    (OneHotEncoder(sparse_output=False), ["wind"]),
)
fitted = federation.fit(prep)
after = federation.describe().to_pandas()
for name, told in {"with the mark": facts, "without it": after}.items():
    mean, std = told.loc["temperature", ["mean", "std"]].astype(float)
    print(f"temperature {name:>13}: mean {mean:5.2f}, standard deviation {std:5.2f}")

# %%
# :doc:`/tables` has more such surprises.
