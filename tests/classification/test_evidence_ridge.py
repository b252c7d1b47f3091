import numpy as np
import pytest

from skproxy.classification._evidence_ridge import evidence_ridge, probit_ridge
from skproxy.classification._landmark_basis import standardise


@pytest.fixture
def problem(rng):
    columns = rng.normal(size=(400, 20))
    z = 2 * columns[:, 0] - 1.5 * columns[:, 1] + 0.5
    y = np.where(z + rng.normal(size=400) > 0, 1.0, -1.0)
    standardise(columns)
    return columns, y, np.ones(400)


def test_evidence_gives_noise_a_strong_ridge(problem, rng):
    """Labels without relation to the columns get far smaller weights."""
    columns, y, weights = problem
    noise = np.where(rng.normal(size=400) > 0, 1.0, -1.0)
    signal, weak = evidence_ridge(columns, y, weights)
    nothing, strong = evidence_ridge(columns, noise, weights)
    assert strong > 20 * weak
    assert np.abs(nothing.v).max() < 0.1 * np.abs(signal.v).max()


def test_probit_ridge_shrinks_with_its_strength(problem):
    """A stronger ridge gives shorter weights."""
    sizes = [
        np.linalg.norm(probit_ridge(*problem, strength=s).v) for s in (0.1, 10, 1000)
    ]
    assert sizes[0] > sizes[1] > sizes[2] > 0
