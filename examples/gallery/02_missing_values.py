"""
A clinic without scales
=======================

One of three clinics never weighed a patient. By itself it has nothing to fill that column with. An imputer fitted across
all clinics fills it from what the others know about height, pulse and weight, while every row stays where it is.
"""

# %%
# The data
# --------
# Made up, so that we know the weights that Tromsø did not measure.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps

rng = np.random.default_rng(0)


def clinic(patients):
    """Return a complete table of made-up patients."""
    height = rng.normal(170, 10, patients)
    weight = height - 100 + rng.normal(0, 5, patients)
    pulse = 40 + 0.4 * weight + rng.normal(0, 4, patients)
    return pd.DataFrame({"cm": height, "kg": weight, "pulse": pulse}).round(1)


complete = {"oslo": clinic(300), "bergen": clinic(200), "tromsø": clinic(100)}
gaps = {"oslo": [0, 0.1, 0.1], "bergen": [0, 0.2, 0.1], "tromsø": [0, 1.0, 0.2]}
clinics = {name: t.mask(rng.random(t.shape) < gaps[name]) for name, t in complete.items()}
missing = pd.DataFrame({name: table.isna().mean() for name, table in clinics.items()})
print("share of cells that are missing:", missing.round(2), sep="\n")

# %%
# Two imputers
# ------------
# The mean asks for the least: a count and a sum. ``IterativeImputer`` predicts a cell from the others in its row, and asks
# for sums of products of columns.

federation = fedps.Federation(clinics)
mean = federation.fit(SimpleImputer())
print(federation.run)

# %%
iterative = federation.fit(make_pipeline(StandardScaler(), IterativeImputer()))
print(federation.run)

# %%
# How good is it?
# ---------------
# The mean gives every patient of Tromsø the same weight. The iterative imputer is off by about as much as people of one
# height differ in this data, which is 5 kg.

tromso, truth = clinics["tromsø"], complete["tromsø"]["kg"]
by_mean = mean.transform(tromso)[:, 1]
by_others = iterative[0].inverse_transform(iterative.transform(tromso))[:, 1]
for name, guess in {"mean": by_mean, "iterative": by_others}.items():
    print(f"{name:>9}: typical error {np.sqrt(np.mean((guess - truth) ** 2)):.1f} kg")

figure, axis = plt.subplots(figsize=(5, 4.5))
axis.axline((70, 70), slope=1, color="#9aa5b1", linewidth=1)
axis.scatter(truth, by_mean, s=18, alpha=0.7, label="mean of the other clinics")
axis.scatter(truth, by_others, s=18, alpha=0.7, label="iterative, from height and pulse")
axis.set(xlabel="true weight in Tromsø (kg)", ylabel="filled in (kg)")
axis.legend(loc="upper left")
plt.show()

# %%
# :doc:`/missing` says which imputer shows what, and what a policy allows.
