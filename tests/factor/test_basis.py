"""Basis rows keep everything that comparisons say."""

import numpy as np
import pytest

from skproxy.factor._basis import Basis

EPS = np.finfo(float).eps


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("rank", [1, 3, 6])
def test_rows_and_comparisons_are_inverse(centred, rank, rng):
    """No direction is lost, even one that the pilot sample does not have."""
    pilot = rng.normal(size=(40, rank)) @ rng.normal(size=(rank, 6))
    basis = Basis.of(pilot, centred=centred, eps=EPS)
    new = rng.normal(size=(5, 6))
    np.testing.assert_allclose(basis.comparisons(basis.rows(new)), new, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_leverages_of_the_pilot_are_at_most_one(scale, rng):
    """Rows of the pilot sample are rows of an orthonormal matrix, in any unit."""
    pilot = (rng.normal(size=(50, 4)) * [1, 10, 100, 1e-3] + 3) * scale
    rows = Basis.of(pilot, centred=True, eps=EPS).rows(pilot)
    np.testing.assert_allclose(rows.T @ rows, np.eye(4), atol=1e-9)
    np.testing.assert_allclose(rows.sum(axis=0), 0, atol=1e-9)
    assert np.square(rows).sum(axis=1).max() <= 1 + 1e-9


def test_what_the_pilot_has_not_seen_has_an_enormous_leverage(rng):
    """Along a direction that is zero in the pilot, the unit is its rounding."""
    pilot = rng.normal(size=(50, 4)) * [1, 1, 1, 0]
    basis = Basis.of(pilot, centred=True, eps=EPS)
    assert np.square(basis.rows(np.array([[0, 0, 0, 1.0]]))).sum() > 1e20


def test_linear_maps_of_comparisons_become_maps_of_rows(rng):
    """y (Sigma Y'B) == (c - c0) B."""
    pilot, B = rng.normal(size=(30, 5)), rng.normal(size=(5, 2))
    basis = Basis.of(pilot, centred=True, eps=EPS)
    new = rng.normal(size=(7, 5))
    np.testing.assert_allclose(
        basis.rows(new) @ basis.of_comparisons(B), (new - basis.reference) @ B
    )


def test_a_sample_of_zeros_has_a_basis():
    """Nothing to divide by is no division by zero."""
    basis = Basis.of(np.zeros((9, 3)), centred=True, eps=EPS)
    np.testing.assert_array_equal(basis.rows(np.zeros((2, 3))), 0)


def test_directions_that_are_rounding_are_cleared_unless_an_object_needs_them(rng):
    """Rank-3 rows keep three of five columns, and an object outside them a fourth."""
    pilot = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 5))
    basis = Basis.of(pilot, centred=True, eps=EPS)
    rows = basis.rows(pilot)
    assert basis.rank == 3
    assert basis.clear(rows).shape == (50, 3)
    outside = basis.comparisons(np.array([0, 0, 0, 1e9, 0]))
    assert basis.clear(basis.rows(np.vstack([pilot, outside]))).shape == (51, 4)


@pytest.mark.parametrize("ratio", [1.0, 2.0**-20])
def test_rows_of_one_basis_are_those_of_another(ratio, rng):
    """y' = y M + t for pilot samples and units that differ: nothing is lost."""
    one = Basis.of(rng.normal(size=(30, 5)) / ratio, centred=True, eps=2e-16)
    two = Basis.of(rng.normal(size=(40, 5)), centred=True, eps=2e-16)
    comparisons = rng.normal(size=(20, 5))
    linear, shift = one.change_to(two, ratio)
    np.testing.assert_allclose(
        one.rows(comparisons / ratio) @ linear + shift,
        two.rows(comparisons),
        atol=1e-12,
    )
    assert one.equals(one)
    assert not one.equals(two)
