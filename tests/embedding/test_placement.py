"""New objects: the linear map, and the global minimum of their part of STRESS."""

import numpy as np
import pytest
from factories import orthonormal
from scipy import optimize

from skproxy.embedding._placement import LeastSquaresPlacement, LinearPlacement


def part_of_stress(z, Z, signs, row):
    D = np.square(z - Z) @ signs
    return float(np.square(D - row).sum())


@pytest.mark.parametrize("signs", [[1, 1, 1], [1, -1, 1], [-1, -1, -1]])
def test_it_is_the_global_minimum(rng, signs):
    """No start of a numerical minimiser finds a lower error than the placement."""
    signs = np.array(signs, float)
    weights = signs * [9.0, 4.0, 1.0]
    Z = orthonormal(25, 3, rng, centred=True) * np.sqrt(np.abs(weights))
    rows = np.square(rng.normal(size=(6, 25)) * 2.0) * rng.choice([1, -1], (6, 1))
    placed = LeastSquaresPlacement(Z, weights).of_scaled(rows)
    for z, row in zip(placed, rows, strict=True):
        value = part_of_stress(z, Z, signs, row)
        for start in rng.normal(size=(8, 3)) * 3.0:
            other = optimize.minimize(part_of_stress, start, (Z, signs, row)).fun
            assert value <= other * (1 + 1e-6)


def test_objects_that_fit_are_found_again(rng):
    """An object whose dissimilarities fit the axes exactly comes out where it is."""
    weights = np.array([5.0, -3.0, 0.0, 1.0])
    Z = orthonormal(30, 4, rng, centred=True) * np.sqrt(np.abs(weights))
    new = rng.normal(size=(7, 4)) * (weights != 0)
    signs = np.sign(weights)
    rows = np.array([np.square(z - Z) @ signs for z in new])
    placed = LeastSquaresPlacement(Z, weights).of_scaled(rows)
    np.testing.assert_allclose(placed, new, atol=1e-9)


def test_no_axes_and_poles_give_zeros():
    """Without axes there is nothing to place; a row at a pole is no NaN."""
    empty = LeastSquaresPlacement(np.zeros((4, 2)), np.zeros(2))
    np.testing.assert_array_equal(empty.of_scaled(np.ones((3, 4))), np.zeros((3, 2)))
    Z = np.array([[1.0], [-1.0]])
    far = LeastSquaresPlacement(Z, np.array([2.0])).of_scaled(np.array([[9.0, 9.0]]))
    assert np.isfinite(far).all()


def test_linear_placement_is_affine():
    """The linear map takes comparisons about their mean."""
    placement = LinearPlacement(np.array([1.0, 2.0]), np.array([[2.0], [3.0]]))
    np.testing.assert_array_equal(placement.of_scaled(np.array([[2.0, 4.0]])), [[8.0]])
