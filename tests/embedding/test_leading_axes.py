import numpy as np
import pytest
from factories import orthonormal, similarity_with
from numpy.testing import assert_allclose
from scipy import sparse

from skproxy.embedding._leading_axes import LeadingAxes, in_full

SOLVERS = ["full", "randomized", "auto"]


def vectors_with(s, n, d, rng):
    return (orthonormal(n, len(s), rng) * s) @ orthonormal(d, len(s), rng).T


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("shape", [(90, 40), (40, 90)])
def test_vectors_give_their_singular_values(name, container, shape, rng):
    """Eigenvalues are squared singular values, coordinates are X G and orthogonal."""
    s = np.geomspace(10, 1e-3, 8)
    X = vectors_with(s, *shape, rng)
    axes = LeadingAxes.of_vectors(container(X), 5, name, rng)
    assert_allclose(axes.eigenvalues, s[:5] ** 2, rtol=1e-10)
    assert_allclose(axes.coordinates, X @ axes.directions, atol=1e-12)
    gram = axes.coordinates.T @ axes.coordinates
    assert_allclose(gram, np.diag(s[:5] ** 2), atol=1e-10)


@pytest.mark.parametrize("name", SOLVERS)
def test_square_keeps_signs(name, rng):
    """Y J Y' is the best approximation of an indefinite matrix, +a and -a apart."""
    a = np.array([9.0, -9.0, 5.0, -3.0, 3.0, 0.1, -0.01])
    K = similarity_with(a, 70, rng)
    axes = LeadingAxes.of_square(K, 5, name, rng, 2.2e-16)
    assert_allclose(np.sort(axes.eigenvalues), np.sort(a[:5]), rtol=1e-10)
    best = np.linalg.eigh(K)
    keep = np.abs(best[0]) > 1
    best = (best[1][:, keep] * best[0][keep]) @ best[1][:, keep].T
    Y = axes.coordinates
    assert_allclose((Y * axes.signs) @ Y.T, best, atol=1e-9)
    assert_allclose(K @ axes.directions, Y)


@pytest.mark.parametrize("name", SOLVERS)
def test_no_axes_past_the_rank(name, rng):
    """Eigenvalues that are rounding have no axis."""
    X = vectors_with(np.array([3.0, 2.0]), 30, 20, rng)
    assert len(LeadingAxes.of_vectors(X, 6, name, rng).eigenvalues) == 2
    axes = LeadingAxes.of_square(X @ X.T, 6, name, rng, 2.2e-16)
    assert len(axes.eigenvalues) == 2
    assert len(LeadingAxes.of_vectors(0 * X, 6, name, rng).eigenvalues) == 0


def test_auto_is_full_where_that_is_cheap():
    """Auto sketches large matrices, except dense ones with a short side."""
    assert in_full("auto", (500, 500), 10, thin_is_cheap=True)
    assert in_full("auto", (10**6, 64), 10, thin_is_cheap=True)
    assert not in_full("auto", (10**6, 64), 10, thin_is_cheap=False)
    assert not in_full("auto", (5000, 784), 10, thin_is_cheap=True)
    assert not in_full("randomized", (5, 5), 2, thin_is_cheap=True)
    assert in_full("full", (10**6, 10**6), 2, thin_is_cheap=False)
