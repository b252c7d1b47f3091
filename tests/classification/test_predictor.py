import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from skproxy.classification._evidence_ridge import probit_ridge
from skproxy.classification._predictor import (
    Predictor,
    choose_moderation,
    leave_one_out,
    log_probabilities,
    posterior_spread,
)
from skproxy.classification._probit import probit_derivatives


@pytest.fixture
def problem(rng):
    columns = rng.normal(size=(80, 4))
    z = 1.5 * columns[:, 0] - columns[:, 1] + 0.5
    y = np.where(z + rng.normal(size=80) > 0, 1.0, -1.0)
    return columns, y, rng.uniform(0.5, 2.0, size=80)


def test_probabilities_normalise_the_odds(rng):
    """Two classes: the cdf; more: Psi(z) / Psi(-z), divided by their sum."""
    z = rng.normal(size=(20, 3))
    two = np.exp(log_probabilities(z[:, 0]))
    np.testing.assert_allclose(two, norm.cdf(np.c_[-z[:, 0], z[:, 0]]))
    odds = norm.cdf(z) / norm.cdf(-z)
    three = np.exp(log_probabilities(z))
    np.testing.assert_allclose(three, odds / odds.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(three.argmax(axis=1), z.argmax(axis=1))
    cdf = norm.cdf(z) / norm.cdf(z).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(log_probabilities(z, odds=False)), cdf)


def test_log_probabilities_are_finite_for_margins_of_forty():
    """Where cdf and odds leave the floating-point range, logarithms do not."""
    z = np.array([[-40.0, 40.0, 39.0], [-40.0, -40.0, -40.0], [40.0, 40.0, 40.0]])
    P = log_probabilities(z)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(np.exp(P).sum(axis=1), 1)
    np.testing.assert_allclose(P[1:], np.log(1 / 3))
    assert np.isfinite(log_probabilities(z[:, 0])).all()


def test_spread_is_a_root_of_the_inverse_hessian(problem):
    """R R' = (X' diag(s c) X + ridge)^-1, X with a column of ones for the bias."""
    columns, y, weights = problem
    state = probit_ridge(columns, y, weights, strength=0.7, n_steps=20)
    R = posterior_spread(columns, y, weights, state, 0.7)
    X = np.c_[columns, np.ones(80)]
    _, curvatures = probit_derivatives(y * state.z)
    hessian = X.T @ (X * (weights * curvatures)[:, None])
    hessian += np.diag([0.7] * 4 + [0.0])
    np.testing.assert_allclose(R @ R.T, np.linalg.inv(hessian), rtol=1e-6, atol=1e-9)


def test_left_out_predictors_are_those_of_refits(problem):
    """80 fits, each without one object: 85 % of what leaving out changes is seen."""
    columns, y, weights = problem
    state = probit_ridge(columns, y, weights, strength=0.7, n_steps=20)
    spread = posterior_spread(columns, y, weights, state, 0.7)
    z, variances = leave_one_out(columns, y, weights, state, spread)
    exact, spreads = np.empty(80), np.empty(80)
    for i in range(80):
        rest = np.arange(80) != i
        part = columns[rest], y[rest], weights[rest]
        other = probit_ridge(*part, strength=0.7, n_steps=20)
        exact[i] = columns[i] @ other.v + other.b
        root = posterior_spread(*part, other, 0.7)
        spreads[i] = np.sum(np.square(np.append(columns[i], 1.0) @ root))
    error = np.linalg.norm(z - exact)
    assert error < 0.15 * np.linalg.norm(state.z - exact)
    assert (y * z < y * state.z).all()
    np.testing.assert_allclose(variances, spreads, rtol=0.3)


def test_margins_are_divided_by_their_uncertainty(problem, rng):
    """z / sqrt(1 + c s^2), s^2 from the covariance; without moderation z."""
    columns = problem[0]
    weights, bias = rng.normal(size=(4, 2)), np.array([0.3, -1.0])
    spreads = tuple(rng.normal(size=(2, 5, 5)))
    z = columns @ weights + bias
    np.testing.assert_allclose(Predictor(weights, bias, spreads).margins(columns), z)
    found = Predictor(weights, bias, spreads, 0.3).margins(columns)
    X = np.c_[columns, np.ones(80)]
    for k, R in enumerate(spreads):
        variances = np.diag(X @ R @ R.T @ X.T)
        np.testing.assert_allclose(found[:, k], z[:, k] / np.sqrt(1 + 0.3 * variances))


@pytest.mark.parametrize("honest", [0.0, 0.3, 1.0, 3.0])
def test_moderation_is_the_share_of_the_variance_that_is_true(honest, rng):
    """Predictors c s^2 away from the truth in the mean square are moderated by c."""
    estimate = rng.normal(scale=2.0, size=60_000)
    variances = rng.uniform(0.5, 4.0, size=60_000)
    truth = estimate + np.sqrt(honest * variances) * rng.normal(size=60_000)
    y = np.where(truth + rng.normal(size=60_000) > 0, 1.0, -1.0)
    ones = np.ones(60_000)
    assert choose_moderation([estimate], [variances], [y], ones) == honest


def test_moderation_minimises_the_loss_of_several_classes(rng):
    """Margins of three classes that are too sure of themselves are moderated."""
    logits = rng.normal(size=(5000, 3))
    P = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    codes = (rng.uniform(size=(5000, 1)) > P.cumsum(axis=1)).sum(axis=1)
    labels = [np.where(codes == k, 1.0, -1.0) for k in range(3)]
    margins = norm.ppf(expit(logits))
    np.testing.assert_allclose(np.exp(log_probabilities(margins)), P)
    np.testing.assert_allclose(logit(norm.cdf(margins)), logits)
    ones, variances = np.ones(5000), list(np.ones((3, 5000)))
    assert choose_moderation(list(margins.T), variances, labels, ones) == 0.0
    assert choose_moderation(list(2 * margins.T), variances, labels, ones) == 3.0
