"""FedAvg, a round at a time: compiled once, clients one after the other, step by step.

One client after the other, not side by side: matrices of 32 rows stay in the cache, and clients of
unequal size cost what they have. The processors are used by cells that run side by side instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

# One thread each, said before JAX starts: steps are so short that handing them from thread to thread
# would take three times as long.
os.environ["NPROC"] = "1"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from experiments.accuracy.models import Weights, loss

BATCH = 32
NONE = -1  # in place of a row, where a batch is not full
State = tuple[Weights, Weights, Weights, Any]
"""A client's weights, Adam's means of slopes and of their squares, and the number of steps."""

DECAY, DECAY_OF_SQUARES, TINY = 0.9, 0.999, 1e-8  # Adam's own defaults


def federated_averages(
    weights: Weights,
    rows: np.ndarray,
    labels: np.ndarray,
    sizes: list[int],
    rate: float,
    rng: np.random.Generator,
) -> Iterator[Weights]:
    """Yield the averaged weights after each round, for ever.

    The rows are those of all clients, one client after the other; ``sizes`` says how many each has.
    """
    table, answers = jnp.asarray(rows), jnp.asarray(labels)
    steps = np.array([-(-size // BATCH) for size in sizes])
    starts = jnp.asarray(np.concatenate([[0], np.cumsum(steps)]), jnp.int32)
    shares = jnp.asarray(steps / steps.sum(), jnp.float32)
    while True:
        batches = jnp.asarray(shuffled(sizes, rng))
        weights = _round(weights, table, answers, batches, starts, shares, rate)
        yield weights


def shuffled(sizes: list[int], rng: np.random.Generator) -> np.ndarray:
    """Return the batches of one epoch of every client, as positions of rows.

    There are as many as these rows and clients could need at most, so that all partitions of a
    table compile to the same program; what is too many is never looked at.
    """
    batches = np.full((sum(sizes) // BATCH + len(sizes), BATCH), NONE, np.int32)
    first = done = 0
    for size in sizes:
        count = -(-size // BATCH)
        flat = batches[done : done + count].reshape(-1)
        flat[:size] = first + rng.permutation(size)
        first, done = first + size, done + count
    return batches


@jax.jit
def _round(
    weights: Weights,
    rows: jax.Array,
    labels: jax.Array,
    batches: jax.Array,
    starts: jax.Array,
    shares: jax.Array,
    rate: float,
) -> Weights:
    """Return the mean of what the clients make of the weights, by their numbers of batches."""
    zeros = jax.tree.map(jnp.zeros_like, weights)

    def step(number: jax.Array, state: State) -> State:
        own, mean, square, time = state
        batch = batches[number]
        counts = (batch != NONE).astype(jnp.float32)
        slope = jax.grad(loss)(own, rows[batch], labels[batch], counts)
        return _adam(own, slope, mean, square, time + 1, rate)

    def add_client(client: jax.Array, total: Weights) -> Weights:
        state = (weights, zeros, zeros, jnp.float32(0))
        own = lax.fori_loop(starts[client], starts[client + 1], step, state)[0]
        added: Weights = jax.tree.map(lambda sum_, new: sum_ + shares[client] * new, total, own)
        return added

    average: Weights = lax.fori_loop(0, len(shares), add_client, zeros)
    return average


def _adam(
    own: Weights, slope: Weights, mean: Weights, square: Weights, time: jax.Array, rate: float
) -> State:
    """Return the weights after a step, and what Adam remembers of it."""
    mean = jax.tree.map(lambda old, new: DECAY * old + (1 - DECAY) * new, mean, slope)
    square = jax.tree.map(
        lambda old, new: DECAY_OF_SQUARES * old + (1 - DECAY_OF_SQUARES) * new * new, square, slope
    )
    length = rate / (1 - DECAY**time)
    scale = 1 / jnp.sqrt(1 - DECAY_OF_SQUARES**time)
    own = jax.tree.map(
        lambda weight, m, s: weight - length * m / (jnp.sqrt(s) * scale + TINY), own, mean, square
    )
    return own, mean, square, time
