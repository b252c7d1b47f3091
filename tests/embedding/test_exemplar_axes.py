import numpy as np
import pytest
from factories import similarity_with
from numpy.testing import assert_allclose

from skproxy.embedding._exemplar_axes import fit_exemplar_axes
from skproxy.embedding._kernel_reading import read_square, read_vectors
from skproxy.embedding._leading_axes import Solver

SPECTRA = {
    "definite": np.array([9.0, 8.0, 5.0, 3.0, 1.0, 0.5]),
    "indefinite": np.array([9.0, -8.0, 5.0, -3.0, 1.0, -0.5]),
}


@pytest.fixture
def solver():
    return Solver("auto", np.random.RandomState(0))


@pytest.mark.parametrize("kind", SPECTRA)
def test_projection_is_nystrom(kind, solver, rng):
    """W D W' is C S^-1 C', the kernel that exemplars rebuild."""
    K = similarity_with(SPECTRA[kind], 40, rng)
    reading = read_square(K, 4, solver)
    chosen = reading.choose("It", 4, "pivot", None)
    axes = fit_exemplar_axes(reading, chosen, 4, "projection")
    C, W = K[:, chosen], axes.coordinates
    expected = C @ np.linalg.solve(K[np.ix_(chosen, chosen)], C.T)
    assert_allclose((W * axes.signs) @ W.T, expected, atol=1e-10)
    assert_allclose(C @ axes.weights.T, W)


@pytest.mark.parametrize("kind", SPECTRA)
def test_exemplars_rebuild_themselves(kind, solver, rng):
    """Under projection the kernel among exemplars is exact."""
    K = similarity_with(SPECTRA[kind], 40, rng)
    reading = read_square(K, 4, solver)
    chosen = reading.choose("It", 4, "pivot", None)
    axes = fit_exemplar_axes(reading, chosen, 6, "projection")
    W = axes.coordinates[chosen]
    assert_allclose((W * axes.signs) @ W.T, K[np.ix_(chosen, chosen)], atol=1e-12)
    assert_allclose(axes.coordinates[:, 4:], 0)


def test_projection_axes_are_a_frame_of_the_exemplars(solver, rng):
    """Axis j is what exemplar j adds to those before it (Gram-Schmidt)."""
    X = rng.normal(size=(30, 12))
    reading = read_vectors(X, 5, solver)
    chosen = reading.choose("It", 5, "pivot", None)
    axes = fit_exemplar_axes(reading, chosen, 5, "projection")
    assert_allclose(axes.weights @ axes.weights.T, np.eye(5), atol=1e-12)
    at_exemplars = X[chosen] @ axes.weights.T
    assert_allclose(np.triu(at_exemplars, 1), 0, atol=1e-12)
    assert (np.diagonal(at_exemplars) > 0).all()


def test_kernel_axes_are_turned_towards_the_exemplars(solver, rng):
    """No orthogonal turn brings the exemplars nearer to their own coordinates."""
    X = rng.normal(size=(30, 12))
    reading = read_vectors(X, 5, solver)
    chosen = reading.choose("It", 5, "pivot", None)
    own = fit_exemplar_axes(reading, chosen, 5, "projection").coordinates[chosen]
    W = fit_exemplar_axes(reading, chosen, 5, "kernel").coordinates[chosen]
    gap = np.linalg.norm(W - own)
    for _ in range(50):
        turn = np.linalg.qr(np.eye(5) + 0.3 * rng.normal(size=(5, 5)))[0]
        assert np.linalg.norm(W @ turn - own) >= gap


def test_dependent_exemplars(solver, rng):
    """Exemplars that depend on each other lose columns, not digits."""
    X = rng.normal(size=(20, 3))
    X[1] = -X[0]
    reading = read_vectors(X, 3, solver)
    chosen = np.array([0, 1, 2])
    axes = fit_exemplar_axes(reading, chosen, 3, "projection")
    W = axes.coordinates
    Q = np.linalg.qr(X[[0, 2]].T)[0]
    assert_allclose(W @ W.T, (X @ Q) @ (X @ Q).T, atol=1e-12)
    assert sorted(axes.signs) == [0, 1, 1]
