import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from skproxy import NystromDissimilarity
from skproxy.comparisons._measure import Measure, evaluate_rectangle
from skproxy.comparisons._vectors import (
    euclidean_block,
    fast_block,
    needs_dense,
    rbf_block,
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1, 1), (7, 3, 5), (70, 64, 300)])
@pytest.mark.parametrize("gamma", [None, 0.0, 0.3])
def test_blocks_equal_the_direct_formulas(shape, dtype, gamma, rng):
    """Same numbers as scipy's and scikit-learn's, to the precision of the dtype."""
    n_rows, n_others, n_features = shape
    rows = rng.normal(size=(n_rows, n_features)).astype(dtype)
    others = rng.normal(size=(n_others, n_features)).astype(dtype)
    rtol = 2e-6 if dtype == np.float32 else 1e-12
    distances = euclidean_block(rows, others)
    np.testing.assert_allclose(distances, cdist(rows, others), rtol=rtol)
    kernel = rbf_block(rows, others, gamma)
    exact = rbf_kernel(rows.astype(float), others.astype(float), gamma)
    np.testing.assert_allclose(kernel, exact, rtol=20 * rtol, atol=rtol)
    assert distances.dtype == kernel.dtype == dtype


def test_a_common_offset_takes_no_digits(rng):
    """Distances of points far from the origin are those of the points moved there."""
    points = rng.normal(size=(40, 3))
    far = points + 2.0**20
    exact = cdist(far, far[:10])
    np.testing.assert_allclose(
        euclidean_block(far, far[:10]), exact, rtol=1e-8, atol=1e-7
    )


def test_equal_rows_are_at_distance_zero_never_nan(rng):
    """Rounding on the wrong side of zero is cut off before the root."""
    points = np.repeat(rng.normal(size=(5, 30)), 4, axis=0)
    distances = euclidean_block(points, points[::4])
    assert np.isfinite(distances).all()
    assert distances[points[:, :1] == points[::4, 0]].max() < 1e-6
    assert rbf_block(points, points[::4]).max() <= 1.0


@pytest.mark.parametrize("order", ["C", "F"])
def test_input_is_only_read(order, rng):
    """Read-only arrays of either layout are fine."""
    rows = np.array(rng.normal(size=(20, 4)), order=order)
    rows.flags.writeable = False
    np.testing.assert_allclose(
        euclidean_block(rows, rows[:3]), cdist(rows, rows[:3]), atol=1e-7
    )


def test_fast_blocks_are_for_dense_floats_and_known_arguments_only():
    """Whatever they do not cover goes to scikit-learn."""
    dense = np.ones((3, 2))
    assert fast_block("rbf", True, {"gamma": 1.0}, dense, dense) is rbf_block
    assert fast_block("rbf", True, {}, dense.astype(np.float32), dense) is rbf_block
    assert fast_block("euclidean", False, {}, dense, dense) is euclidean_block
    assert fast_block("l2", False, {}, dense, dense) is euclidean_block
    assert fast_block("rbf", True, {"degree": 2}, dense, dense) is None
    assert fast_block("cosine", False, {}, dense, dense) is None
    assert fast_block("euclidean", False, {"squared": True}, dense, dense) is None
    assert fast_block("cityblock", False, {}, dense, dense) is None
    assert fast_block("rbf", True, {}, sparse.csr_matrix(dense), dense) is None
    assert fast_block("rbf", True, {}, dense.astype(int), dense) is None
    assert fast_block("rbf", True, {}, dense, dense.astype(object)) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("kernel", "params"),
    [
        ("linear", {}),
        ("cosine", {}),
        ("poly", {}),
        ("polynomial", {"degree": 2, "coef0": 0.5, "gamma": 0.3}),
        ("polynomial", {"degree": 3, "gamma": 2}),
        ("sigmoid", {}),
        ("sigmoid", {"coef0": -1, "gamma": 0.01}),
    ],
)
def test_blocks_of_products_are_scikit_learns(kernel, params, dtype, rng):
    """The same numbers in the same precision, zero rows included."""
    rows, others = rng.normal(size=(9, 4)), rng.normal(size=(5, 4))
    rows[2] = 0
    rows, others = rows.astype(dtype), others.astype(dtype)
    evaluate = fast_block(kernel, True, params, rows, others)
    expected = pairwise_kernels(rows, others, metric=kernel, **params)
    found = evaluate(rows, others, **params)
    assert found.dtype == expected.dtype
    rtol = 1e-5 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_equal_rows_are_at_exactly_zero_in_every_block(offset, rng):
    """Among themselves, and as rows against others: a root would show what is left."""
    points = rng.normal(size=(30, 4)) + offset
    points[20:] = points[:10]
    square, block = (
        euclidean_block(points, points),
        euclidean_block(points, points[:10]),
    )
    assert (np.diagonal(square) == 0).all()
    assert (np.diagonal(block[20:]) == 0).all()
    np.testing.assert_allclose(block, cdist(points, points[:10]), rtol=1e-6)


def test_an_outlier_takes_no_digits_of_the_others(rng):
    """Its norm swamps the formula; the differences do not care."""
    points = rng.normal(size=(30, 4))
    points[0] *= 1e9
    exact = cdist(points, points)
    np.testing.assert_allclose(euclidean_block(points, points), exact, rtol=1e-6)
    np.testing.assert_allclose(
        rbf_block(points, points, 0.1), np.exp(-0.1 * exact**2), rtol=1e-6
    )


def test_translation_changes_nothing():
    """A 4-d set far from the origin has four positive eigenvalues, as it has there."""
    points = np.random.RandomState(0).standard_normal((300, 4)) + 1e4
    model = NystromDissimilarity(n_landmarks=30, random_state=0).fit(points)
    assert model.signature_[:2] == (4, 0)
    for power in (0.5, 1, 2):
        model.set_params(power=power)
        Z = model.fit_transform(points)
        np.testing.assert_allclose(model.transform(points), Z, atol=1e-7)


@pytest.mark.parametrize("metric", ["braycurtis", "canberra", "chebyshev", "jaccard"])
def test_sparse_tables_are_dense_a_few_rows_at_a_time(metric):
    """The numbers of the dense table, without it."""
    dense = np.random.RandomState(0).poisson(0.5, size=(600, 6))
    dense[:, 0] += 1  # two empty rows share nothing that could be divided by
    dense = dense.astype(bool) if metric == "jaccard" else dense
    rows = sparse.csr_matrix(dense)
    expected = cdist(dense, dense[:300], metric)
    measure = Measure(metric, False)
    np.testing.assert_allclose(evaluate_rectangle(measure, rows, rows[:300]), expected)
    np.testing.assert_allclose(
        evaluate_rectangle(measure, rows, rows), cdist(dense, dense, metric)
    )
    assert needs_dense(metric, rows)
    assert not needs_dense(metric, dense)
    assert not needs_dense("cityblock", rows)
