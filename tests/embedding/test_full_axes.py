"""Signed axes of a full matrix, in scaled units."""

import numpy as np
import pytest
from factories import dissimilarity_with
from sklearn.exceptions import ConvergenceWarning

from skproxy.comparisons import Geometry, SquareComparisons
from skproxy.embedding import _full_axes
from skproxy.embedding._eigenpair_selection import SELECTION_METHODS
from skproxy.embedding._full_axes import (
    fit_full_axes,
    padded,
    warn_unconverged,
)
from skproxy.embedding._full_similarity import full_similarity
from skproxy.embedding._stress_refinement import Refinement
from skproxy.metrics import stress


@pytest.fixture
def similarity(rng):
    D = dissimilarity_with([9.0, 5.0, 2.0, 1.0, -1.5, -6.0], 40, rng)
    table = SquareComparisons(D, symmetrize=None, exactly_symmetric=True, name="X")
    return D, full_similarity(table, Geometry(False, 1, True))


@pytest.mark.parametrize("method", [*SELECTION_METHODS, "stress"])
@pytest.mark.parametrize("k", [1, 3, 6, 9])
def test_what_is_said_is_what_is_there(similarity, method, k):
    """Columns are centred, orthogonal, of length |weight|; STRESS is theirs."""
    D, B = similarity
    fitted = fit_full_axes(B, k, method, Refinement(300, 1e-6))
    Z, weights = fitted.coordinates, fitted.weights
    assert Z.shape == (40, k)
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(Z.T @ Z, np.diag(np.abs(weights)), atol=1e-12)
    assert (np.diff(np.abs(weights)) <= 1e-12).all()
    scaled = D / B.scale.squared
    direct = stress(scaled, Z, axis_signs=np.sign(weights), power=1)
    assert fitted.stress == pytest.approx(direct, rel=1e-9, abs=1e-10)
    assert fitted.lower_bound <= fitted.stress + 1e-10
    placed = fitted.placement.of_scaled(scaled)
    tolerance = 5e-2 if method == "stress" else 1e-10
    np.testing.assert_allclose(placed, Z, atol=tolerance)


def test_a_weight_that_changes_sign_changes_its_axis(similarity, monkeypatch):
    """The sign of an axis is that of its weight, not of its eigenvalue."""
    D, B = similarity
    # No greedy selection keeps such a pair when the trace is exact: the smallest
    # positive eigenvalue, with a negative sum dropped.
    monkeypatch.setattr(_full_axes, "select_eigenpairs", lambda *_: np.array([3]))
    monkeypatch.setattr(_full_axes, "weigh_eigenpairs", lambda kept, *_: kept - 2.0)
    fitted = fit_full_axes(B, 4, "neuc+", Refinement(300, 1e-6))
    assert fitted.eigenvalues[0] > 0 > fitted.weights[0]
    Z, signs = fitted.coordinates, np.sign(fitted.weights)
    scaled = D / B.scale.squared
    assert fitted.stress == pytest.approx(stress(scaled, Z, axis_signs=signs, power=1))
    np.testing.assert_allclose(fitted.placement.of_scaled(scaled), Z, atol=1e-10)


def test_units_may_leave_the_range_of_floats(similarity):
    """Beyond 1e308 STRESS is infinite, and zero stays zero."""
    fitted = fit_full_axes(similarity[1], 2, "neuc", Refinement(300, 1e-6))
    assert fitted.in_units(1e200).stress == np.inf
    assert np.isfinite(fitted.in_units(1e200).coordinates).all()
    exact = fit_full_axes(similarity[1], 2, "neuc", Refinement(300, 1e-6))
    assert exact.in_units(2.0).stress == pytest.approx(4 * exact.stress)


def test_padding_adds_zero_columns():
    """Columns that are missing are zero."""
    np.testing.assert_array_equal(padded(np.ones(1), 3), [1, 0, 0])
    np.testing.assert_array_equal(padded(np.ones((2, 1)), 2), [[1, 0], [1, 0]])


def test_an_early_end_is_told():
    """The warning says which parameters to raise."""
    with pytest.warns(ConvergenceWarning, match="max_iter=7 .* tol=0.1"):
        warn_unconverged("NeucMDS", 7, 0.1)
