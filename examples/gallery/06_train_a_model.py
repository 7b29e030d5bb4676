"""
From preprocessing to a model
=============================

FedPS fits the preprocessing; a model is trained on what comes out. Three islands measured their penguins and want one
model that tells the species. They train it by federated averaging: each island improves the model on its own rows, and only
the model's coefficients leave it. Does it matter that the preprocessing is the same everywhere?
"""

# %%
# The data
# --------
# The Palmer penguins, which come with the package ``palmerpenguins``. Each island is a client. Adelie penguins live on all
# of them, the other two species on one each. A third of the rows is kept apart to test on.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler

import fedps
from fedps.demo import MEASURES, load

train, test = train_test_split(load(), test_size=1 / 3, random_state=0)
print(pd.crosstab(train["island"], train["species"]))
islands = {name: rows.drop(columns="island") for name, rows in train.groupby("island")}
tests = dict(iter(test.groupby("island")))
federation = fedps.Federation(islands, target="species")

# %%
# Preprocessing and labels, fitted once across all islands
# --------------------------------------------------------
# Torgersen has seen one species, and learns here that there are three.

prep = make_column_transformer(
    (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), MEASURES),
    (OneHotEncoder(categories=[["female", "male"]], handle_unknown="ignore"), ["sex"]),
)
fitted = federation.fit(prep)
print(federation.run)
labels = federation.fit(LabelEncoder())
print("species:", *labels.classes_)

# %%
# Federated averaging
# -------------------
# In each round every island begins with the same coefficients, takes five steps on its own rows, and the new coefficients
# are the mean of theirs, weighted by rows. What differs between the two lines of the plot is only who fitted ``prep``.


def inputs(prep, rows):
    """Return what the model sees: prepared rows, and a column of ones for the intercept."""
    X = prep.transform(rows)
    return np.column_stack([X, np.ones(len(X))])


def improved(coef, X, y, steps=5, rate=0.5):
    """Return the coefficients of a softmax regression, some steps of descent further."""
    for _ in range(steps):
        coef = coef - rate * X.T @ (softmax(X @ coef, axis=1) - y) / len(X)
    return coef


def accuracies(prep_at, rounds=20):
    """Return the accuracy on the test rows of all islands, after each round."""
    X = {name: inputs(prep_at[name], rows) for name, rows in islands.items()}
    y = {name: np.eye(3)[labels.transform(rows["species"])] for name, rows in islands.items()}
    coef, found = np.zeros((X["Dream"].shape[1], 3)), []
    for _ in range(rounds):
        own = [improved(coef, X[name], y[name]) for name in islands]
        coef = np.average(own, axis=0, weights=[len(rows) for rows in islands.values()])
        hits = [
            (inputs(prep_at[name], rows) @ coef).argmax(axis=1) == labels.transform(rows["species"])
            for name, rows in tests.items()
        ]
        found.append(np.concatenate(hits).mean())
    return found


across = accuracies(dict.fromkeys(islands, fitted))
alone = accuracies({name: fedps.fit(prep, [rows]) for name, rows in islands.items()})
print(f"fitted across islands: {across[-1]:.0%} of {len(test)} test rows are right")
print(f"each island its own:   {alone[-1]:.0%}")

# %%
# An island that scales alone moves its own penguins to the centre, whichever species they are: what a number means then
# depends on the island. More rounds of training do not repair that.

figure, axis = plt.subplots(figsize=(6.5, 3.6))
for name, found in {"fitted across islands": across, "each island its own": alone}.items():
    axis.plot(np.arange(1, len(found) + 1), found, marker="o", markersize=4, label=name)
axis.set(xlabel="round of federated averaging", ylabel="accuracy on test rows", ylim=(0.4, 1.02))
axis.legend(loc="lower right")
plt.show()

# %%
# :doc:`/training` goes on from here, also on Flower.
