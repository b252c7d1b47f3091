import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.metrics.pairwise import manhattan_distances

from skproxy import Nystroem
from skproxy.comparisons._kernels import (
    KERNEL_NAMES,
    elm_kernel,
    kernel_arguments,
    tl1_kernel,
)


@pytest.fixture
def X(rng):
    return rng.uniform(size=(40, 3))


def test_elm_is_the_formula_and_psd(X):
    """2/pi arcsin((1 + x'y) / sqrt((g + 1 + x'x)(g + 1 + y'y))), psd."""
    for gamma, g in ((None, 5e-11), (0.3, 0.3)):
        own = g + 1 + np.square(X).sum(axis=1)
        expected = 2 / np.pi * np.arcsin((1 + X @ X.T) / np.sqrt(np.outer(own, own)))
        # arcsin is steep at one: rounding of the diagonal shows as its root.
        np.testing.assert_allclose(elm_kernel(X, gamma=gamma), expected, atol=1e-7)
    assert np.linalg.eigvalsh(elm_kernel(X)).min() > -1e-7


def test_tl1_is_the_formula_and_indefinite(X):
    """max(gamma - |x - y|_1, 0), with 0.7 d where gamma is not given."""
    distances = manhattan_distances(X)
    np.testing.assert_allclose(tl1_kernel(X), np.maximum(0.7 * 3 - distances, 0))
    narrow = tl1_kernel(X, X[:5], gamma=0.6)
    np.testing.assert_allclose(narrow, np.maximum(0.6 - distances[:, :5], 0))
    assert np.linalg.eigvalsh(tl1_kernel(X, gamma=1.0)).min() < -1e-3


@pytest.mark.parametrize("kernel", [elm_kernel, tl1_kernel])
def test_sparse_and_float32_rows_give_the_same_values(kernel, X):
    """Sparse rows give the dense result; single precision stays single."""
    np.testing.assert_allclose(kernel(sparse.csr_matrix(X)), kernel(X), atol=1e-7)
    single = kernel(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, kernel(X), atol=1e-3)


@pytest.mark.parametrize("name", ["elm", "tl1"])
def test_names_work_in_nystroem(name, X):
    """Nystroem(name) with all objects reproduces the flipped kernel."""
    function = {"elm": elm_kernel, "tl1": tl1_kernel}[name]
    Z = Nystroem(name, gamma=0.5, n_components=40).fit_transform(X)
    theirs = TheirNystroem("precomputed", n_components=40)
    reference = theirs.fit_transform(function(X, gamma=0.5))
    np.testing.assert_allclose(Z @ Z.T, reference @ reference.T, atol=1e-5)


def test_only_arguments_that_the_kernel_takes_are_passed_on():
    """Named arguments reach the kernels that know them; None does not."""
    assert kernel_arguments("A", "rbf", {}, gamma=2.0, degree=3) == {"gamma": 2.0}
    assert kernel_arguments("A", "tl1", None, gamma=None, coef0=1) == {}
    given = {"p": 1}
    assert kernel_arguments("A", max, given, gamma=None) == given
    assert kernel_arguments("A", max, given, gamma=None) is not given
    assert {"rbf", "elm", "tl1"} <= KERNEL_NAMES
    with pytest.raises(ValueError, match="Don't pass gamma, coef0 or degree to A"):
        kernel_arguments("A", "precomputed", None, gamma=1.0)


@pytest.mark.parametrize("kernel", [elm_kernel, tl1_kernel])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])
def test_pixels_as_small_integers_do_not_wrap_around(kernel, layout, rng):
    """uint8 in, the kernel of the same numbers out."""
    pixels = rng.randint(0, 256, size=(12, 50))
    found = kernel(layout(pixels.astype(np.uint8)))
    np.testing.assert_allclose(found, kernel(pixels.astype(np.float64)))
