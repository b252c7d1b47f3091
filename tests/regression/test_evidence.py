"""The evidence of a Gaussian process: dense oracles, and what moments cannot lose."""

import numpy as np
import pytest
from scipy import linalg, optimize

from skproxy.factor import Moments
from skproxy.regression._evidence import evidence_of


@pytest.fixture
def problem(rng):
    """Return 60 rows of five features of different sizes, and noisy values."""
    phi = rng.normal(size=(60, 5)) * [3.0, 1.0, 1.0, 0.3, 0.1] + 2.0
    y = phi @ [1.0, -2.0, 0.5, 0.0, 3.0] + 5.0 + 0.3 * rng.normal(size=60)
    return phi, y


def moments_of(phi, y, left=0.0):
    return Moments.of(np.column_stack([phi, y, np.full(len(y), left)]))


def dense_misfit(phi, y, ratio):
    """Return -2 log p of the values about their mean, from the n x n covariance."""
    n = len(y)
    basis = linalg.null_space(np.ones((1, n)))  # contrasts: b drops out
    K = basis.T @ (phi @ phi.T / ratio + np.eye(n)) @ basis
    left = basis.T @ y
    error = left @ np.linalg.solve(K, left)
    return (n - 1) * np.log(error / (n - 1)) + np.linalg.slogdet(K)[1]


def test_evidence_is_that_of_the_dense_covariance(problem):
    """The same ratio and the same likelihood as by the n x n matrix."""
    phi, y = problem
    found = evidence_of(moments_of(phi, y))
    ratio = found.noise_variance / found.signal_variance
    best = optimize.minimize_scalar(
        lambda log_ratio: dense_misfit(phi, y, np.exp(log_ratio)),
        bounds=(np.log(ratio) - 3, np.log(ratio) + 3),
        method="bounded",
    )
    assert np.log(ratio) == pytest.approx(best.x, abs=1e-3)
    assert found.log_evidence == pytest.approx(-0.5 * best.fun, abs=1e-6)


def test_predictions_are_those_of_the_dense_process(problem, rng):
    """Means and variances, b integrated over a flat prior."""
    phi, y = problem
    new = 2.0 * rng.normal(size=(7, 5))
    found = evidence_of(moments_of(phi, y))
    noise, signal = found.noise_variance, found.signal_variance
    # The flat prior of b, as a variance beyond all others.
    wide = 1e7 * signal
    K = signal * phi @ phi.T + wide + noise * np.eye(60)
    across = signal * new @ phi.T + wide
    mean = across @ np.linalg.solve(K, y)
    own = signal * np.square(new).sum(axis=1) + wide + noise
    variance = own - np.einsum("ij,ji->i", across, np.linalg.solve(K, across.T))
    np.testing.assert_allclose(found.predict(new), mean, rtol=1e-4)
    np.testing.assert_allclose(found.variance(new, np.zeros(7)), variance, rtol=1e-3)


def test_what_features_miss_is_uncertain(problem):
    """Beyond what they usually miss, at the variance of the process itself."""
    phi, y = problem
    found = evidence_of(moments_of(phi, y, left=0.2))
    base, same, more = found.variance(phi[[0, 0, 0]], np.array([0.0, 0.2, 1.2]))
    assert same == pytest.approx(base)
    assert more == pytest.approx(base + found.signal_variance)


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_units_of_values_change_units_only(unit, problem):
    """Predictions and deviations scale with the values."""
    phi, y = problem
    one, other = evidence_of(moments_of(phi, y)), evidence_of(moments_of(phi, unit * y))
    np.testing.assert_allclose(other.predict(phi), unit * one.predict(phi), rtol=1e-6)
    left = np.zeros(len(y))
    np.testing.assert_allclose(
        other.variance(phi, left), unit**2 * one.variance(phi, left), rtol=1e-5
    )


def test_values_that_are_constant_exact_or_noise(problem, rng):
    """No signal, no noise, and no more signal than there is."""
    phi, _ = problem
    constant = evidence_of(moments_of(phi, np.full(60, 4.0)))
    np.testing.assert_array_equal(constant.predict(phi), 4.0)
    np.testing.assert_array_equal(constant.variance(phi, np.ones(60)), 0.0)
    exact = evidence_of(moments_of(phi, phi @ np.arange(5.0)))
    np.testing.assert_allclose(exact.predict(phi), phi @ np.arange(5.0), atol=1e-4)
    y = rng.normal(size=60)
    noise = evidence_of(moments_of(phi, y))
    assert noise.noise_variance == pytest.approx(y.var(), rel=0.2)
    assert np.std(noise.predict(phi)) < 0.5


def test_one_object_is_its_own_mean():
    """Nothing is divided by zero."""
    found = evidence_of(moments_of(np.ones((1, 3)), np.array([2.0])))
    assert found.predict(np.zeros((1, 3))) == 2.0
    assert np.isfinite(found.variance(np.zeros((1, 3)), np.zeros(1))).all()
