"""Estimates from pairs drawn at random."""

import numpy as np
import pytest
from factories import dissimilarity_with, double_centred

from skproxy.comparisons import ColumnComparisons, Landmarks, Scale, SquareComparisons
from skproxy.embedding._sampled_pairs import sample_pairs
from skproxy.metrics import stress


@pytest.fixture
def problem(rng):
    """Squared dissimilarities, and the two leading pairs of their B as `S^`."""
    D = dissimilarity_with([9.0, -5.0, 2.0, 1.0, -1.0], 60, rng)
    values, vectors = np.linalg.eigh(double_centred(D))
    kept = np.argsort(-np.abs(values))[:2]
    return D, values[kept], vectors[:, kept]


def pairs_of(D, vectors, indices, seed=0):
    table = SquareComparisons(D, symmetrize=None, exactly_symmetric=True, name="X")
    return sample_pairs(
        table,
        Landmarks(None, indices),
        Scale(1.0, 1.0),
        lambda rows: vectors[rows],
        vectors[indices],
        np.random.RandomState(seed),
    )


def test_all_pairs_give_exact_answers(problem):
    """When every object is drawn, trace and STRESS are those of the whole matrix."""
    D, values, vectors = problem
    pairs = pairs_of(D, vectors, np.arange(60))
    assert pairs.trace(values) == pytest.approx(D.sum() / (2 * 60))
    axes, signs = np.diag(np.sqrt(np.abs(values))), np.sign(values)
    direct = stress(D, vectors @ axes, axis_signs=signs, power=1)
    assert pairs.stress(axes, signs) == pytest.approx(direct)


def test_the_trace_is_estimated_without_bias(problem):
    """Over many draws the estimates average to the trace, and are near it."""
    D, values, vectors = problem
    # landmarks that are far out, as a selector would choose them
    indices = np.argsort(-D.sum(axis=0))[:8]
    estimates = [pairs_of(D, vectors, indices, s).trace(values) for s in range(200)]
    error = np.std(estimates) / np.sqrt(200)
    assert abs(np.mean(estimates) - D.sum() / 120) < 4 * error
    assert np.std(estimates) < 0.1 * D.sum() / 120


def test_columns_are_held_out(problem):
    """With landmark columns only, every fifth landmark is set apart."""
    D, values, vectors = problem
    indices = np.arange(3, 15)
    table = ColumnComparisons(D[:, indices], None, name="X")
    pairs = sample_pairs(
        table,
        Landmarks(None, indices),
        Scale(1.0, 1.0),
        lambda rows: vectors[rows],
        vectors[indices],
        np.random.RandomState(0),
    )
    np.testing.assert_array_equal(pairs.held_out, [0, 5, 10])
    assert pairs.powered.shape == (30, 3)
    np.testing.assert_array_equal(pairs.powered == 0, ~pairs.mask)
    assert pairs.trace(values) == pytest.approx(D.sum() / 120, rel=0.2)


def test_one_object_has_no_pairs():
    """Without a pair nothing is missing and nothing is wrong."""
    pairs = pairs_of(np.zeros((1, 1)), np.zeros((1, 1)), np.array([0]))
    assert pairs.stress(np.ones((1, 1)), np.ones(1)) == 0.0
    assert pairs.trace(np.array([2.0])) == 2.0
