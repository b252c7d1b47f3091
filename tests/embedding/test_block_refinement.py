"""Fitting axes to the comparisons with landmarks."""

import numpy as np
import pytest
from factories import dissimilarity_with, double_centred
from scipy import optimize

from skproxy.comparisons import Landmarks, Scale, SquareComparisons
from skproxy.embedding import _block_refinement
from skproxy.embedding._block_refinement import (
    KeptComparisons,
    LandmarkBlock,
    refine_axes,
)
from skproxy.embedding._sampled_pairs import sample_pairs
from skproxy.embedding._stress_refinement import Refinement


@pytest.fixture
def problem(rng):
    """A block of 50 objects and 12 landmarks, eigenvectors, and sampled pairs."""
    D = dissimilarity_with([9.0, -5.0, 2.0, 1.0, -1.0, 0.5], 50, rng)
    values, vectors = np.linalg.eigh(double_centred(D))
    order = np.argsort(-np.abs(values))[:5]
    values, vectors = values[order], vectors[:, order]
    indices = np.arange(12)
    block = LandmarkBlock(D[:, indices], vectors, vectors[indices])
    table = SquareComparisons(D, symmetrize=None, exactly_symmetric=True, name="X")
    pairs = sample_pairs(
        table,
        Landmarks(None, indices),
        Scale(1.0, 1.0),
        lambda rows: vectors[rows],
        vectors[indices],
        np.random.RandomState(0),
    )
    return block, pairs, values


def test_exact_weights_are_the_least_squares_solution(problem):
    """The weights from moments are those of numpy's lstsq on all pairs."""
    block, _, _ = problem
    kept = np.array([0, 1, 3])
    E, L = block.vectors[:, kept], block.landmark_vectors[:, kept]
    gaps = np.square(E[:, None] - L).reshape(-1, 3)
    expected = np.linalg.lstsq(gaps, block.powered.ravel(), rcond=None)[0]
    np.testing.assert_allclose(block.exact_weights(kept), expected, rtol=1e-9)


@pytest.mark.parametrize("rows_per_block", [7, 2048])
def test_the_gradient_is_the_derivative(problem, monkeypatch, rng, rows_per_block):
    """The gradient agrees with finite differences, whatever the blocks."""
    monkeypatch.setattr(_block_refinement, "_ROWS_PER_BLOCK", rows_per_block)
    block, _, _ = problem
    signs = np.array([1.0, -1.0])
    axes = rng.normal(size=(5, 2))
    value, gradient = block.value_and_gradient(axes, signs)
    Z, L = block.vectors @ axes, block.landmark_vectors @ axes
    errors = np.square(Z[:, None] - L) @ signs - block.powered
    assert value == pytest.approx(np.square(errors).sum())
    numeric = optimize.approx_fprime(
        axes.ravel(),
        lambda flat: block.value_and_gradient(flat.reshape(5, 2), signs)[0],
        1e-6,
    )
    np.testing.assert_allclose(gradient.ravel(), numeric, rtol=1e-3, atol=1e-2)


def test_stress_of_other_pairs_never_rises(problem):
    """The axes returned are at least as good on the sampled pairs as the start."""
    block, pairs, values = problem
    start = np.eye(5)[:, :3] * np.sqrt(np.abs(values[:3]))
    signs = np.sign(values[:3])
    before = pairs.stress(start, signs)
    for max_iter in (1, 5, 100):
        descent = refine_axes(block, pairs, start, signs, Refinement(max_iter, 1e-8))
        assert descent.value <= before
        assert descent.value == pytest.approx(pairs.stress(descent.point, signs))
    assert descent.value < before


def test_a_table_is_kept_as_it_passes(rng):
    """Comparisons with the landmarks are kept, and all else is the table's."""
    D = dissimilarity_with([2.0, 1.0], 30, rng)
    indices = np.array([4, 1])
    landmarks = Landmarks(D[indices], indices)
    table = SquareComparisons(D, symmetrize=None, exactly_symmetric=True, name="X")
    kept = KeptComparisons(table, landmarks, D[np.ix_(indices, indices)])
    others = np.setdiff1d(np.arange(30), indices)
    for _ in kept.blocks(others, landmarks.objects, indices):
        pass
    np.testing.assert_array_equal(kept.rows, D[:, indices])
    assert kept.n_objects == 30
    assert kept.n_evaluated == 28 * 2
