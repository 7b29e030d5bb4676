"""
Codes by the thousand
=====================

Product numbers, diagnoses and postal codes have thousands of values, and most of them are rare. A column for each is too
many, and naming rare ones tells too much: a code that one patient has is nearly a name. scikit-learn's ``min_frequency``
puts rare codes into one column. Across clients, only a sum over all of them tells which codes are rare.
"""

# %%
# The data
# --------
# Four shops, made-up orders. Few products sell often, most hardly ever, and each shop has favourites of its own.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.preprocessing import OneHotEncoder, TargetEncoder

import fedps

rng = np.random.default_rng(5)
PRODUCTS = 5_000
popularity = 1 / np.arange(1, PRODUCTS + 1) ** 1.1
returned = rng.beta(1.5, 8, PRODUCTS)  # how often a product comes back


def shop(orders):
    """Return a table of made-up orders."""
    favourites = popularity * rng.gamma(2, 1, PRODUCTS)
    bought = rng.choice(PRODUCTS, orders, p=favourites / favourites.sum())
    back = rng.random(orders) < returned[bought]
    return pd.DataFrame({"product": [f"P{i:04d}" for i in bought], "back": back.astype(float)})


shops = {"north": shop(9_000), "south": shop(6_000), "east": shop(4_000), "west": shop(1_500)}
federation = fedps.Federation(shops, target="back")
everyone = pd.concat(shops.values())
print(f"{everyone['product'].nunique():,} products, {len(everyone):,} orders")

# %%
# One column for each frequent code
# ---------------------------------
# A product has its own column if all shops together sold 100 of it.

encoder = OneHotEncoder(min_frequency=100, handle_unknown="infrequent_if_exist")
exact = federation.fit(encoder)
run = federation.run
print(f"{len(exact.get_feature_names_out())} columns")
print(run)

# %%
# A shop alone would decide otherwise: what it rarely sells may sell well elsewhere.

kept = {name.removeprefix("product_") for name in exact.get_feature_names_out()}
for name, table in shops.items():
    own = table["product"].value_counts()
    print(f"{name:>6} alone would keep {(own >= 100).sum():>3} of {len(kept) - 1} products")

# %%
# A sketch of the frequent ones
# -----------------------------
# ``fedps.FrequentItems`` bounds what a client sends. Here it finds the same columns.

sketched = federation.fit(encoder, frequent=fedps.FrequentItems(k=1000))
same = set(sketched.get_feature_names_out()) == set(exact.get_feature_names_out())
print("the same columns:", same)
sent = pd.DataFrame({"exact": run.bytes_up, "sketch": federation.run.bytes_up})
print("bytes sent:", sent, sep="\n")

# %%
# Rare codes that are not named
# -----------------------------
# In one process everything is yours, so the shops above sent every code. Under the default policy of a deployed client no
# code with fewer than 5 orders is named, and ``run.limitations`` says how far the result may be off.

guarded = fedps.Federation(shops, target="back", policy=fedps.Policy())
columns = set(guarded.fit(encoder).get_feature_names_out())
print("columns that are lost:", sorted(set(exact.get_feature_names_out()) - columns))
print(f"{guarded.run.limitations[0].shown}: {guarded.run.limitations[0].bound}")

# %%
# One number instead of many columns
# ----------------------------------
# A ``TargetEncoder`` replaces each code by how often such orders came back, drawn to the mean where there are few. It is
# fitted across shops as well, and equals the pooled one.

target = TargetEncoder(target_type="continuous")
fitted = federation.fit(target)
pooled = target.fit(everyone[["product"]], everyone["back"])
rows = everyone[["product"]]
print(f"largest difference: {np.abs(fitted.transform(rows) - pooled.transform(rows)).max():.1e}")

counts = everyone["product"].value_counts()
encoded = pd.Series(fitted.encodings_[0], fitted.categories_[0])[counts.index]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
left.loglog(np.arange(1, len(counts) + 1), counts, label="all shops")
for name, table in shops.items():
    own = table["product"].value_counts()
    left.loglog(np.arange(1, len(own) + 1), own, linewidth=1, alpha=0.8, label=name)
left.axhline(100, color="#9aa5b1", linestyle="--", linewidth=1)
left.set(title="a few codes sell often", xlabel="rank of the product", ylabel="orders")
left.legend()
right.scatter(counts, encoded, s=6, alpha=0.5)
right.axhline(fitted.target_mean_, color="#9aa5b1", linestyle="--", linewidth=1)
right.set(title="rare codes are drawn to the mean", xlabel="orders", ylabel="encoded", xscale="log")
plt.show()

# %%
# :doc:`/policies` has every rule that a client can set.
