import numpy as np
import pytest
from factories import similarity_with

from skproxy.classification._probit import inverse_mills
from skproxy.classification._probit_em import (
    LinearState,
    Root,
    free_parameters,
    gram,
    newton_step,
    training_objective,
    training_predictor,
    training_step,
)


@pytest.fixture
def problem(rng):
    columns = rng.normal(size=(150, 6))
    y = np.where(columns[:, 0] - 0.5 * columns[:, 1] + rng.normal(size=150) > 0, 1, -1)
    return columns, y.astype(float), rng.uniform(0.5, 2.0, size=150)


def test_gram_in_blocks_is_the_weighted_gram(rng):
    """C' diag(w) C, whatever the number of blocks."""
    columns, weights = rng.normal(size=(5000, 40)), rng.uniform(size=5000)
    expected = (columns * weights[:, None]).T @ columns
    np.testing.assert_allclose(gram(columns, weights), expected, rtol=1e-10, atol=1e-9)


def test_newton_steps_find_the_maximum(problem):
    """Repeated steps make the gradient of the penalised likelihood vanish."""
    columns, y, weights = problem
    precision = np.linspace(0.5, 3.0, 6)
    state = LinearState.of(columns, y, weights, np.zeros(6), 0.0)
    for _ in range(8):
        state = newton_step(columns, y, weights, state, precision, keep_signs=False)
    pull = weights * y * inverse_mills(y * state.z)
    np.testing.assert_allclose(columns.T @ pull, precision * state.v, atol=1e-8)
    assert abs(pull.sum()) < 1e-8


def test_a_newton_step_never_lowers_the_penalised_likelihood(problem, rng):
    """From any start, with and without truncation; signs stay where they must."""
    columns, y, weights = problem
    for keep_signs in (True, False):
        for _ in range(20):
            precision = rng.uniform(0.01, 10, size=6)
            start = LinearState.of(columns, y, weights, 5 * rng.normal(size=6), 3.0)
            new = newton_step(
                columns, y, weights, start, precision, keep_signs=keep_signs
            )
            assert new.loss + precision @ new.v**2 / 2 <= (
                start.loss + precision @ start.v**2 / 2
            )
            assert not keep_signs or (new.v * start.v > 0).all()


def test_free_parameters_go_from_none_to_all(problem):
    """A strong prior leaves none of the weights to the data, a weak one all."""
    columns, y, weights = problem
    state = LinearState.of(columns, y, weights, np.zeros(6), 0.0)
    strong, weak = np.full(6, 1e9), np.full(6, 1e-9)
    assert free_parameters(columns, y, weights, state, strong) < 1e-5
    assert free_parameters(columns, y, weights, state, weak) > 6 - 1e-5


def dense_step(Phi, y, weights, w, b):
    """Eq. 8 of paper 001 with N x N matrices."""
    z = Phi @ w + b
    latent = z + y * inverse_mills(y * z)
    M = np.diag(np.sqrt(2.0) * w)
    inner = np.eye(len(w)) + M @ Phi.T @ (weights[:, None] * Phi) @ M
    w_new = M @ np.linalg.solve(inner, M @ Phi.T @ (weights * (latent - b)))
    t = np.sqrt(2.0) * abs(b)
    rest = weights @ (latent - Phi @ np.maximum(w_new, 0))
    return w_new, t / (1 + t * weights.sum() * t) * t * rest


@pytest.mark.parametrize("weighted", [False, True])
def test_training_step_is_the_dense_step(weighted, rng):
    """Woodbury's formula gives what solving the N x N system gives."""
    n, eigenvalues = 50, np.array([9.0, -6, 3, -2, 1, 0.1])
    K = similarity_with(eigenvalues, n, rng)
    a, vectors = np.linalg.eigh(K)
    big = np.abs(a) > 1e-8
    rows, signs = vectors[:, big] * np.sqrt(np.abs(a[big])), np.sign(a[big])
    y = np.where(rng.normal(size=n) > 0, 1.0, -1.0)
    weights = rng.uniform(0.5, 2, size=n) if weighted else np.ones(n)
    w, b = rng.uniform(0.2, 1.2, size=n), 0.7
    w[::7] = 0.0
    root = Root.of(gram(rows, weights))
    got = training_step(rows, signs, root, y, weights, w, b)
    expected = dense_step(K * y, y, weights, w, b)
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(got[1], expected[1], rtol=1e-8)


def test_training_steps_raise_the_objective(rng):
    """log-likelihood - 1/2 sum log w - 1/2 log |b| rises while no weight is cut."""
    n = 60
    K = similarity_with([30.0, -20, 10, -5, 2], n, rng)
    a, vectors = np.linalg.eigh(K)
    big = np.abs(a) > 1e-8
    rows, signs = vectors[:, big] * np.sqrt(np.abs(a[big])), np.sign(a[big])
    y = np.where(K[:, 0] + 0.1 * rng.normal(size=n) > 0, 1.0, -1.0)
    weights, w, b = np.ones(n), np.ones(n), 0.5
    root = Root.of(gram(rows, weights))
    values = []
    for _ in range(30):
        z, _ = training_predictor(rows, signs, y, w, b)
        values.append(training_objective(y, weights, z, w, b))
        new, b_new = training_step(rows, signs, root, y, weights, w, b)
        cut = (new <= 0) & (w > 0)
        if cut.any():
            w, b, values = np.maximum(new, 0), b_new, values[:-1] and []
            continue
        w, b = new, b_new
        if values:
            z, _ = training_predictor(rows, signs, y, w, b)
            after = training_objective(y, weights, z, w, b)
            assert after >= values[-1] - 1e-9 * abs(values[-1])
