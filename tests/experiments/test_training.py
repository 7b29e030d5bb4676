"""FedAvg with Adam, compiled, against the same in plain numpy."""

import numpy as np
import pytest

pytest.importorskip("jax", reason="training needs the extra 'experiments'")

from experiments.accuracy.models import correct, first_weights, loss, outputs
from experiments.accuracy.training import BATCH, NONE, federated_averages, shuffled


def sigmoid(numbers):
    return 1 / (1 + np.exp(-numbers))


def by_hand(matrix, bias, rows, labels, sizes, rate, rng):
    """One round of FedAvg: fresh Adam and one epoch per client, weights by batches."""
    total, batches_of_all = [np.zeros_like(matrix), np.zeros_like(bias)], 0
    first = 0
    for size in sizes:
        order = first + rng.permutation(size)
        first += size
        own = [matrix.copy(), bias.copy()]
        mean, square = [np.zeros_like(w) for w in own], [np.zeros_like(w) for w in own]
        batches = [order[i : i + BATCH] for i in range(0, size, BATCH)]
        for time, batch in enumerate(batches, 1):
            error = sigmoid(rows[batch] @ own[0] + own[1])[:, 0] - labels[batch]
            slopes = [rows[batch].T @ error[:, None] / len(batch), error.mean(keepdims=True)]
            for i, slope in enumerate(slopes):
                mean[i] = 0.9 * mean[i] + 0.1 * slope
                square[i] = 0.999 * square[i] + 0.001 * slope**2
                step = (mean[i] / (1 - 0.9**time)) / (np.sqrt(square[i] / (1 - 0.999**time)) + 1e-8)
                own[i] = own[i] - rate * step
        total = [t + len(batches) * o for t, o in zip(total, own, strict=True)]
        batches_of_all += len(batches)
    return [t / batches_of_all for t in total]


def test_rounds_are_those_of_numpy():
    rng = np.random.default_rng(0)
    sizes = [100, 7, 64, 33]
    rows = rng.normal(size=(sum(sizes), 5)).astype(np.float32)
    labels = rng.integers(0, 2, sum(sizes)).astype(np.int32)
    weights = first_weights([(5, 1)], seed=3)
    expected = [np.asarray(part, np.float64) for part in weights[0]]
    ours = federated_averages(weights, rows, labels, sizes, 0.05, np.random.default_rng(1))
    theirs = np.random.default_rng(1)
    for _ in range(3):
        expected = by_hand(*expected, rows.astype(np.float64), labels, sizes, 0.05, theirs)
        found = next(ours)
        for one, other in zip(found[0], expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5)


def test_softmax_of_two_is_sigmoid():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(64, 4)).astype(np.float32)
    labels = rng.integers(0, 2, 64).astype(np.int32)
    matrix, bias = first_weights([(4, 1)], seed=0)[0]
    both = [(np.hstack([0 * matrix, matrix]), np.hstack([0 * bias, bias]))]
    ones = np.ones(64, np.float32)
    assert loss([(matrix, bias)], rows, labels, ones) == pytest.approx(
        float(loss(both, rows, labels, ones)), 1e-5
    )
    assert correct([(matrix, bias)], rows, labels) == correct(both, rows, labels)


def test_rows_that_do_not_count_do_not_count():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(32, 4)).astype(np.float32)
    labels = rng.integers(0, 7, 32).astype(np.int32)
    weights = first_weights([(4, 8), (8, 7)], seed=0)
    some = (np.arange(32) < 10).astype(np.float32)
    whole = loss(weights, rows[:10], labels[:10], np.ones(10, np.float32))
    assert float(loss(weights, rows, labels, some)) == pytest.approx(float(whole), 1e-5)
    assert outputs(weights, rows).shape == (32, 7)


def test_batches_have_each_row_of_a_client_once():
    sizes = [100, 1, 32, 31, 33]
    batches = shuffled(sizes, np.random.default_rng(0))
    done = first = 0
    for size in sizes:
        count = -(-size // BATCH)
        rows = batches[done : done + count].ravel()
        assert sorted(rows[rows != NONE]) == list(range(first, first + size))
        done, first = done + count, first + size
    assert (batches[done:] == NONE).all()


def test_first_weights_are_within_their_bounds():
    for (inputs, _), (matrix, bias) in zip(
        [(54, 128), (128, 7)], first_weights([(54, 128), (128, 7)], 0), strict=True
    ):
        assert abs(matrix).max() <= inputs**-0.5
        assert abs(bias).max() <= inputs**-0.5
        assert float(matrix.std()) == pytest.approx(inputs**-0.5 / 3**0.5, 0.05)
