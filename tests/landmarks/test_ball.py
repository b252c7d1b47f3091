"""Smallest enclosing balls, exact and by core sets."""

import numpy as np
import pytest
from scipy.optimize import minimize

from skproxy.landmarks._ball import CoreSet, enclosing_ball


def radius_and_centre(points, weights):
    centre = weights @ points
    return np.linalg.norm(points - centre, axis=1).max(), centre


def start(n):
    return np.eye(n)[0]


@pytest.mark.parametrize(
    ("points", "radius", "centre"),
    [
        ([[2.0, 3.0]], 0.0, [2.0, 3.0]),
        ([[0.0], [4.0], [1.0]], 2.0, [2.0]),
        ([[0, 0], [2, 0], [0, 2], [2, 2]], np.sqrt(2), [1.0, 1.0]),
        ([[0, 0], [4, 0], [2, 1]], 2.0, [2.0, 0.0]),
        ([[1, 1], [1, 1], [1, 1]], 0.0, [1.0, 1.0]),
        ([[0, 0], [0, 0], [6, 8], [6, 8]], 5.0, [3.0, 4.0]),
    ],
)
def test_known_balls(points, radius, centre):
    """Balls known by heart come out, whatever points coincide or lie on a line."""
    points = np.array(points, dtype=float)
    weights = enclosing_ball(points, start(len(points)))
    found, at = radius_and_centre(points, weights)
    np.testing.assert_allclose(found, radius, atol=1e-9)
    np.testing.assert_allclose(at, centre, atol=1e-9)


@pytest.mark.parametrize("shape", [(5, 2), (30, 2), (30, 5), (12, 40), (60, 10)])
@pytest.mark.parametrize("seed", range(4))
def test_is_optimal(shape, seed):
    """Weights satisfy the conditions of the optimum, to rounding."""
    points = np.random.RandomState(seed).normal(size=shape)
    weights = enclosing_ball(points, start(len(points)))
    assert weights.min() >= 0.0
    np.testing.assert_allclose(weights.sum(), 1.0)
    radius, centre = radius_and_centre(points, weights)
    held = weights > 1e-12
    distances = np.linalg.norm(points - centre, axis=1)
    # All that have weight lie on the sphere, and nothing lies beyond it.
    np.testing.assert_allclose(distances[held], radius, rtol=1e-8)
    assert held.sum() <= shape[1] + 1


def test_is_no_larger_than_what_an_optimiser_finds():
    """A general optimiser of the radius finds nothing smaller."""
    points = np.random.RandomState(0).gamma(1.0, size=(25, 3))
    radius, _ = radius_and_centre(points, enclosing_ball(points, start(25)))
    found = minimize(
        lambda c: np.linalg.norm(points - c, axis=1).max(),
        points.mean(axis=0),
        method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 5000},
    )
    assert radius <= found.fun + 1e-6
    assert radius >= found.fun - 1e-3


@pytest.mark.parametrize("epsilon", [0.3, 0.1, 0.01])
@pytest.mark.parametrize("rank", [2, 20])
def test_core_set_holds_everything(epsilon, rank):
    """The ball of the core set, grown by 1 + epsilon, holds every point shown."""
    points = np.random.RandomState(0).normal(size=(500, rank))
    core = CoreSet(epsilon, 0.0)
    assert core.grow(points, np.arange(500))
    distances = np.linalg.norm(points - core.centre, axis=1)
    radius = np.sqrt(core.squared_radius)
    assert distances.max() <= (1 + epsilon) * radius * (1 + 1e-9)
    weights = enclosing_ball(points[core.members], start(len(core.members)))
    np.testing.assert_allclose(
        radius_and_centre(points[core.members], weights)[0], radius, rtol=1e-8
    )
    assert len(core.members) <= 2 / epsilon + 2
    assert not core.grow(points, np.arange(500))


def test_core_set_does_not_grow_with_the_number_of_points():
    """A hundred times as many points need about as many to hold the ball."""
    sizes = []
    for n in (1000, 10_000, 100_000):
        points = np.random.RandomState(0).uniform(-1, 1, size=(n, 6))
        core = CoreSet(0.01, 0.0)
        core.grow(points, np.arange(n))
        sizes.append(len(core.members))
    assert max(sizes) <= 12


def test_cap():
    """No more points than the cap hold the ball."""
    points = np.random.RandomState(0).normal(size=(300, 30))
    core = CoreSet(0.001, 0.0, max_size=5)
    core.grow(points, np.arange(300))
    assert len(core.members) == 5


def test_points_within_epsilon_are_left_out():
    """A point out of the ball, yet within (1 + epsilon) of its radius, is not taken."""
    points = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.05]])
    core = CoreSet(0.1, 0.0)
    core.grow(points, np.arange(3))
    assert sorted(core.members) == [0, 1]
