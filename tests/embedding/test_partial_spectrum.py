"""Both ends of a spectrum, against a dense decomposition."""

import numpy as np
import pytest
from factories import similarity_with

from skproxy.embedding import _partial_spectrum
from skproxy.embedding._partial_spectrum import extreme_eigenpairs


@pytest.fixture(params=["lanczos", "direct"])
def route(request, monkeypatch):
    """Lanczos already for small matrices, or the direct route."""
    smallest = 50 if request.param == "lanczos" else 10**6
    monkeypatch.setattr(_partial_spectrum, "_SMALLEST_LANCZOS", smallest)
    monkeypatch.setattr(_partial_spectrum, "_SMALLEST_BASIS", 24)
    return request.param


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_both_ends_are_found(route, rng, dtype):
    """The k largest and k smallest pairs are those of numpy's decomposition."""
    a = np.concatenate([np.arange(30.0, 0.0, -1.0), [-0.5, -3.0, -8.0, -20.0, -21.0]])
    matrix = similarity_with(a, 120, rng).astype(dtype)
    before = matrix.copy()
    values, vectors, moduli = extreme_eigenpairs(matrix, 4)
    tolerance = 1e-11 if dtype == np.float64 else 1e-4
    whole = np.nan if route == "lanczos" else np.abs(a).sum()
    np.testing.assert_allclose(moduli, whole, rtol=1e-4)
    expected = np.linalg.eigvalsh(before.astype(float))[::-1]
    np.testing.assert_allclose(values[:4], expected[:4], atol=30 * tolerance)
    np.testing.assert_allclose(values[-4:], expected[-4:], atol=30 * tolerance)
    residual = before @ vectors - vectors * values
    assert np.abs(residual).max() < 30 * tolerance
    assert vectors.dtype == dtype
    assert len(values) == 8


def test_the_matrix_comes_back(route, rng):
    """The matrix may be used as work space, but is what it was afterwards."""
    matrix = similarity_with([5.0, 2.0, -3.0], 130, rng)
    before = matrix.copy()
    extreme_eigenpairs(matrix, 2)
    np.testing.assert_array_equal(matrix, before)


def test_rounding_is_no_eigenvalue(route, rng):
    """Eigenvalues that are rounding are left out, also where more are asked for."""
    matrix = similarity_with([5.0, 2.0, -3.0], 130, rng)
    values, vectors, _ = extreme_eigenpairs(matrix, 5)
    np.testing.assert_allclose(values, [5.0, 2.0, -3.0])
    assert vectors.shape == (130, 3)


def test_a_zero_matrix_has_no_pairs(route):
    """Nothing comes back from nothing."""
    values, vectors, _ = extreme_eigenpairs(np.zeros((80, 80)), 3)
    assert values.shape == (0,)
    assert vectors.shape == (80, 0)


def test_lanczos_that_does_not_end_is_replaced(monkeypatch, rng):
    """Where Lanczos gives up, the direct one answers."""
    monkeypatch.setattr(_partial_spectrum, "_SMALLEST_LANCZOS", 50)
    monkeypatch.setattr(_partial_spectrum, "_SMALLEST_BASIS", 8)
    monkeypatch.setattr(_partial_spectrum, "_MAX_RESTARTS", 1)
    a = np.linspace(1.0, 2.0, 150)
    values, _, _ = extreme_eigenpairs(similarity_with(a, 160, rng), 2)
    np.testing.assert_allclose(values, a[[-1, -2]])


def test_it_is_reproducible(route, rng):
    """The same matrix gives the same bits."""
    matrix = similarity_with(np.arange(40.0, 0.0, -1.0), 120, rng)
    first = extreme_eigenpairs(matrix, 3)
    second = extreme_eigenpairs(matrix, 3)
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("n_each", [1, 2, 4])
def test_small_matrices(size, n_each, rng):
    """Where the ends meet, every pair comes once."""
    matrix = rng.normal(size=(size, size))
    matrix = matrix + matrix.T
    expected = np.linalg.eigvalsh(matrix)[::-1]
    if 2 * n_each < size:
        expected = np.concatenate([expected[:n_each], expected[-n_each:]])
    values, vectors, _ = extreme_eigenpairs(matrix, min(n_each, size))
    np.testing.assert_allclose(values, expected)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-12)


@pytest.mark.parametrize("n_each", [5, 40])
def test_equal_eigenvalues_have_orthogonal_vectors(route, n_each, rng):
    """Many equal eigenvalues are no obstacle."""
    a = np.concatenate([np.full(30, 2.0), np.full(30, -1.0)])
    matrix = similarity_with(a, 150, rng)
    values, vectors, _ = extreme_eigenpairs(matrix, n_each)
    half = min(n_each, 30)
    np.testing.assert_allclose(values, np.repeat([2.0, -1.0], half), atol=1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(2 * half), atol=1e-8)


def test_eigenvalues_that_are_all_alike_are_found():
    """A simplex: bisection of the tridiagonal matrix does not converge there."""
    for size in (30, 120, 400):
        matrix = np.eye(size) - 1.0 / size
        values, vectors, moduli = extreme_eigenpairs(matrix.copy(), 2)
        np.testing.assert_allclose(values, 1.0)
        np.testing.assert_allclose(matrix @ vectors, vectors, atol=1e-10)
        assert moduli == pytest.approx(size - 1)
