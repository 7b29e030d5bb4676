"""
Three hospitals, one scaler
===========================

Three hospitals measured cholesterol and asked about chest pain. Their patients differ, and their tables may not be
pooled. This example fits one pipeline across all of them, looks at what each hospital sent, and shows what would go wrong
if each fitted its own.
"""

# %%
# The data
# --------
# Made up, with a seed. In Bergen patients are older and have more cholesterol; Tromsø is small and has gaps.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import fedps

rng = np.random.default_rng(7)


def hospital(patients, age, chol, gaps, pains):
    """Return a table of made-up patients."""
    table = pd.DataFrame(
        {
            "age": rng.normal(age, 9, patients).round(),
            "chol": rng.normal(chol, 28, patients).round(),
            "pain": rng.choice(pains, patients),
        }
    )
    return table.assign(chol=table["chol"].mask(rng.random(patients) < gaps))


hospitals = {
    "oslo": hospital(400, 52, 205, 0.05, ["none", "typical"]),
    "bergen": hospital(250, 63, 262, 0.05, ["none", "typical", "atypical"]),
    "tromsø": hospital(80, 57, 230, 0.30, ["none", "atypical"]),
}
federation = fedps.Federation(hospitals)
print(federation.schema)

# %%
# The fit
# -------
# An ordinary scikit-learn pipeline. ``explain`` says what it would ask of the hospitals, before anything is computed.

prep = make_column_transformer(
    (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["age", "chol"]),
    (OneHotEncoder(sparse_output=False), ["pain"]),
)
print(federation.explain(prep))

# %%
# ``fit`` returns a scikit-learn object, and ``run`` is the record of what left each hospital.

fitted = federation.fit(prep)
print(federation.run)

# %%
# It is what scikit-learn would have fitted on all rows in one place. Here we can check that, because the rows are ours.

everyone = pd.concat(hospitals.values())
difference = np.abs(fitted.transform(everyone) - prep.fit(everyone).transform(everyone)).max()
print(f"largest difference from the pooled fit: {difference:.1e}")

# %%
# Why not a scaler per hospital?
# ------------------------------
# Because the same number then means different things. Scaled by itself each hospital is centred at 0, and a patient with a
# cholesterol of 250 (the dashed lines) is high in Oslo and low in Bergen. Scaled together, 250 is 250 everywhere.

together = fitted.named_transformers_["pipeline"][-1]
mean, scale = together.mean_[1], together.scale_[1]
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2))
for number, (name, table) in enumerate(hospitals.items()):
    chol = table["chol"].dropna()
    ways = [(0, 1), (chol.mean(), chol.std(ddof=0)), (mean, scale)]
    for axis, (centre, width) in zip(axes, ways, strict=True):
        axis.hist((chol - centre) / width, bins=12, density=True, alpha=0.5, label=name)
        axis.axvline((250 - centre) / width, color=f"C{number}", linestyle="--")
for axis, title in zip(axes, ["measured", "each scaled alone", "scaled together"], strict=True):
    axis.set(title=title, yticks=[])
axes[0].legend()
plt.show()

# %%
# :doc:`/guide` has the rest, and :doc:`/privacy` what each statistic tells.
