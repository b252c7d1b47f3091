import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from skproxy.comparisons._vectors import euclidean_block, has_fast_block, rbf_block


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
    assert has_fast_block("rbf", {"gamma": 1.0}, dense, dense)
    assert has_fast_block("rbf", {}, dense.astype(np.float32), dense)
    assert has_fast_block("euclidean", {}, dense, dense)
    assert has_fast_block("l2", {}, dense, dense)
    assert not has_fast_block("rbf", {"degree": 2}, dense, dense)
    assert not has_fast_block("euclidean", {"squared": True}, dense, dense)
    assert not has_fast_block("cityblock", {}, dense, dense)
    assert not has_fast_block("rbf", {}, sparse.csr_matrix(dense), dense)
    assert not has_fast_block("rbf", {}, dense.astype(int), dense)
    assert not has_fast_block("rbf", {}, dense, dense.astype(object))
