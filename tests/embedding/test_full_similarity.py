"""Centring in the place of the comparisons."""

import tracemalloc

import numpy as np
import pytest
from factories import dissimilarity_with, double_centred

from skproxy import NeucMDS
from skproxy.comparisons import Geometry, SquareComparisons
from skproxy.embedding._full_similarity import full_similarity

POWERED = Geometry(is_similarity=False, power=1, centred=True)


def table_of(matrix, exactly_symmetric=True):
    return SquareComparisons(
        matrix, symmetrize=None, exactly_symmetric=exactly_symmetric, name="X"
    )


@pytest.mark.parametrize("exactly_symmetric", [True, False])
@pytest.mark.parametrize("order", ["C", "F"])
def test_it_is_double_centring(rng, order, exactly_symmetric):
    """B is -1/2 J D J; its diagonal, norm and products are what they say."""
    D = dissimilarity_with([3.0, 2.0, -1.0], 70, rng)
    D.setflags(write=False)
    given = np.asarray(D, order=order)
    found = full_similarity(table_of(given, exactly_symmetric), POWERED)
    unit = found.scale.squared
    B = double_centred(D)
    np.testing.assert_allclose(found.matrix * unit, B, atol=1e-13)
    np.testing.assert_allclose(found.self_similarities * unit, np.diag(B), atol=1e-13)
    np.testing.assert_allclose(found.means * unit, D.mean(axis=0), atol=1e-13)
    assert found.squared_norm * unit**2 == pytest.approx(np.square(B).sum())
    vectors = rng.normal(size=(70, 3))
    np.testing.assert_allclose(found.times(vectors) * unit, B @ vectors, atol=1e-12)


@pytest.mark.parametrize("power", [0.5, 1, 2, 3])
def test_powers(rng, power):
    """Dissimilarities are powered before they are centred."""
    D = np.abs(dissimilarity_with([3.0, 2.0], 30, rng))
    found = full_similarity(table_of(D), Geometry(False, power, True))
    expected = double_centred(D**power)
    np.testing.assert_allclose(
        found.matrix * found.scale.squared, expected, rtol=1e-9, atol=1e-12
    )


def test_float32_stays_float32_and_multiplies_in_float64(rng):
    """A float32 matrix stays one; its products have the digits of float64."""
    D = dissimilarity_with([3.0, 2.0, -1.0], 70, rng).astype(np.float32)
    found = full_similarity(table_of(D), POWERED)
    assert found.matrix.dtype == np.float32
    vectors = rng.normal(size=(70, 2))
    exact = found.matrix.astype(np.float64) @ vectors
    np.testing.assert_allclose(found.times(vectors), exact, rtol=1e-12)


def test_integers_are_cast_before_they_are_powered():
    """200 squared is 40,000 also where the matrix is of unsigned bytes."""
    D = np.array([[0, 200], [200, 0]], dtype=np.uint8)
    found = full_similarity(table_of(D), Geometry(False, 2, True))
    np.testing.assert_allclose(
        found.matrix * found.scale.squared, [[1e4, -1e4], [-1e4, 1e4]]
    )


@pytest.mark.parametrize("metric", ["precomputed", "euclidean", "cityblock"])
def test_memory_is_less_than_three_matrices(metric):
    """Fitting holds at most two n x n arrays beside the caller's, not three."""
    n = 900
    X = np.random.RandomState(0).normal(size=(n, 3))
    if metric == "precomputed":
        X = np.abs(X[:, :1] - X[:, 0])
    mds = NeucMDS(2, metric=metric)
    tracemalloc.start()
    mds.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * n * n * 8


def test_memory_is_one_matrix_for_few_axes():
    """With k << n fitting holds one n x n array beside the caller's."""
    n = 1100
    x = np.random.RandomState(0).normal(size=n)
    D = np.abs(x[:, None] - x)
    tracemalloc.start()
    NeucMDS(2, metric="precomputed").fit(D)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * n * n * 8


def test_what_is_no_dissimilarity_is_refused(rng):
    """A diagonal that is not zero, and negative values, are errors with words."""
    bad = np.array([[1.0, 2.0], [2.0, 0.0]])
    with pytest.raises(ValueError, match="zero diagonal"):
        full_similarity(table_of(bad), POWERED)
    bad = np.array([[0.0, -2.0], [-2.0, 0.0]])
    with pytest.raises(ValueError, match=r"Negative values.*\(0, 1\)"):
        full_similarity(table_of(bad), Geometry(False, 2, True))
