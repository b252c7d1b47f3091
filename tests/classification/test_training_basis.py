import numpy as np
import pytest

from skproxy.classification._relevance import Stopping
from skproxy.classification._training_basis import (
    fit_training_basis,
    training_start,
)


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
    K = np.tanh(X @ X.T - 0.5)
    a, vectors = np.linalg.eigh(K)
    order = np.argsort(-np.abs(a))[:30]
    return a[order], vectors[:, order] * np.sqrt(np.abs(a[order])), y


def test_start_has_the_signs_of_the_labels(problem):
    """All weights are positive, and the predictor tells most objects right."""
    a, Z, y = problem
    w, b = training_start(Z, a, y, np.ones(80))
    assert (w > 0).all()
    z = (Z * np.sign(a)) @ (Z.T @ (y * w)) + b
    assert (np.sign(z) == y).mean() > 0.8


def test_start_and_fit_do_not_depend_on_signs_of_axes(problem):
    """Eigenvectors are defined up to sign, weights are not."""
    a, Z, y = problem
    turned = Z * np.where(np.arange(30) % 2, -1.0, 1.0)
    for first, second in zip(
        training_start(Z, a, y, np.ones(80)),
        training_start(turned, a, y, np.ones(80)),
        strict=True,
    ):
        np.testing.assert_allclose(first, second, rtol=1e-6, atol=1e-9)


def test_fit_is_sparse_and_carries_labels(problem):
    """Few training objects keep weight, each with the sign of its label."""
    a, Z, y = problem
    start = training_start(Z, a, y, np.ones(80))
    stopping = Stopping(prune=1e-3, tol=1e-3, max_iter=500)
    fit, g = fit_training_basis(Z, np.sign(a), start, y, np.ones(80), stopping)
    kept = np.flatnonzero(fit.weights)
    assert 1 <= len(kept) < 40
    assert (np.sign(fit.weights[kept]) == y[kept]).all()
    z = (Z * np.sign(a)) @ (Z.T @ fit.weights) + fit.bias
    np.testing.assert_allclose(Z @ g + fit.bias, z, atol=1e-8 * np.abs(z).max())
    assert (np.sign(z) == y).mean() > 0.9
