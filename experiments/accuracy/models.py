"""The two models as plain JAX: logistic regression, and a perceptron with two hidden layers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

Weights = list[tuple[jax.Array, jax.Array]]
"""A matrix and a bias per layer."""


def first_weights(layers: list[tuple[int, int]], seed: int) -> Weights:
    """Return weights and biases drawn evenly within 1 / sqrt(inputs) of 0."""
    weights, key = [], jax.random.key(seed)
    for inputs, width in layers:
        key, one, other = jax.random.split(key, 3)
        bound = inputs**-0.5
        draw = {"minval": -bound, "maxval": bound}
        matrix = jax.random.uniform(one, (inputs, width), **draw)
        weights.append((matrix, jax.random.uniform(other, (width,), **draw)))
    return weights


def outputs(weights: Weights, rows: jax.Array) -> jax.Array:
    """Return what the model says of rows, before sigmoid or softmax."""
    for matrix, bias in weights[:-1]:
        rows = jax.nn.relu(rows @ matrix + bias)
    matrix, bias = weights[-1]
    return rows @ matrix + bias


def loss(weights: Weights, rows: jax.Array, labels: jax.Array, counts: jax.Array) -> Any:
    """Return the mean cross-entropy of the rows that count (1, not 0)."""
    said = outputs(weights, rows)
    if said.shape[1] == 1:
        said = said[:, 0]
        each = jax.nn.softplus(said) - said * labels
    else:
        right = jnp.take_along_axis(said, labels[:, None], axis=1)[:, 0]
        each = jax.nn.logsumexp(said, axis=1) - right
    return jnp.sum(each * counts) / jnp.sum(counts)


@jax.jit
def correct(weights: Weights, rows: jax.Array, labels: jax.Array) -> jax.Array:
    """Return how many rows get their label."""
    said = outputs(weights, rows)
    found = said[:, 0] > 0 if said.shape[1] == 1 else jnp.argmax(said, axis=1)
    return jnp.sum(found == labels)
