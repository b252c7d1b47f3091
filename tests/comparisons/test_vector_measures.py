import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from skproxy import Nystroem, NystromDissimilarity
from skproxy.comparisons._measure import Measure, evaluate_rectangle
from skproxy.comparisons._vector_measures import (
    aitchison,
    cosine,
    ruzicka,
    ruzicka_kernel,
    tanimoto,
    tanimoto_kernel,
)


def evaluate(name, rows, others=None, is_similarity=False):
    return evaluate_rectangle(
        Measure(name, is_similarity), rows, rows if others is None else others
    )


def test_tanimoto_of_sets_is_jaccard(rng):
    """1 - |both| / |either| on binary vectors, two empty sets being equal."""
    bits = rng.uniform(size=(30, 12)) < 0.3
    bits[3] = bits[7] = False
    expected = cdist(bits, bits, metric="jaccard")
    np.testing.assert_allclose(evaluate("tanimoto", bits.astype(float)), expected)
    X = sparse.csr_matrix(bits.astype(float))
    np.testing.assert_allclose(evaluate("tanimoto", X, X[:4]), expected[:, :4])
    assert expected[3, 7] == 0


def test_tanimoto_kernel_is_x_y_over_the_rest(rng):
    """The formula, and one minus the dissimilarity."""
    X = rng.poisson(2.0, size=(20, 6)).astype(float)
    K = evaluate("tanimoto", X, X[:5], is_similarity=True)
    for i, j in np.ndindex(K.shape):
        x, y = X[i], X[j]
        assert K[i, j] == pytest.approx(x @ y / (x @ x + y @ y - x @ y))
    np.testing.assert_allclose(tanimoto(X, X[:5]), 1 - tanimoto_kernel(X, X[:5]))
    assert (np.diag(tanimoto(X)) == 0).all()


def test_the_root_of_tanimoto_is_euclidean(rng):
    """With power=1 nothing is negative; the kernel is positive semi-definite."""
    X = rng.poisson(1.0, size=(40, 8)).astype(float)
    settings = {"n_landmarks": 40, "random_state": 0, "correction": None}
    unpowered = NystromDissimilarity("tanimoto", power=1, **settings).fit(X)
    assert unpowered.negative_fraction_ < 1e-9
    assert NystromDissimilarity("tanimoto", **settings).fit(X).negative_fraction_ > 0.01
    nystroem = Nystroem("tanimoto", n_components=40, random_state=0).fit(X)
    Z = nystroem.transform(X)
    np.testing.assert_allclose(Z @ Z.T, tanimoto_kernel(X), atol=1e-7)


def test_aitchison_is_euclidean_in_logarithms(rng):
    """Of ratios alone: the unit of a row does not matter."""
    X = rng.dirichlet(np.ones(5), size=20)
    logarithms = np.log(X) - np.log(X).mean(axis=1, keepdims=True)
    expected = cdist(logarithms, logarithms)
    np.testing.assert_allclose(evaluate("aitchison", X), expected, atol=1e-7)
    scaled = X * rng.uniform(1, 100, size=(20, 1))
    np.testing.assert_allclose(aitchison(scaled, X[:3]), expected[:, :3], atol=1e-7)
    assert (np.diag(aitchison(X)) == 0).all()
    fitted = NystromDissimilarity("aitchison", n_landmarks=20).fit(X)
    assert fitted.negative_fraction_ < 1e-9


@pytest.mark.parametrize("wrong", [np.eye(4), -np.ones((4, 4)), sparse.eye(4).tocsr()])
def test_aitchison_needs_positive_parts(wrong):
    """Zeros have no logarithm, and the message says what people do about them."""
    with pytest.raises(ValueError, match=r"'aitchison' must be positive .*pseudo-coun"):
        NystromDissimilarity("aitchison", n_landmarks=2).fit(wrong)


@pytest.mark.parametrize("name", ["tanimoto", "aitchison"])
def test_single_precision_comes_out_as_it_goes_in(name, rng):
    """float32 in, float32 features out, near those of doubles."""
    X = rng.uniform(0.1, 1.0, size=(30, 4))
    model = NystromDissimilarity(name, n_landmarks=5, power=1, rank=None)
    model.set_params(random_state=0)
    Z = model.fit_transform(X)
    single = model.fit_transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, Z, atol=1e-3)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int16, np.float32])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])
def test_fingerprints_of_any_type_have_the_same_tanimoto(dtype, layout, rng):
    """Sums of more than 255 shared bits do not wrap around."""
    bits = rng.uniform(size=(12, 2048)) < 0.4
    expected = tanimoto_kernel(bits.astype(np.float64))
    found = tanimoto_kernel(layout(bits.astype(dtype)))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    gaps = tanimoto(layout(bits.astype(dtype)), layout(bits[:3].astype(dtype)))
    np.testing.assert_allclose(gaps, 1 - expected[:, :3], atol=1e-6)


def test_two_forms_for_counts_have_two_names(rng):
    """Products over squares, or minima over maxima: 0.643 and 0.5 of one pair."""
    pair = np.array([[4, 0, 1], [2, 1, 1]])
    assert tanimoto_kernel(pair)[0, 1] == pytest.approx(9 / 14)
    assert ruzicka_kernel(pair)[0, 1] == pytest.approx(3 / 6)
    counts = rng.poisson(2.0, size=(20, 8))
    counts[3] = counts[7] = 0
    with np.errstate(invalid="ignore"):
        expected = np.minimum(counts[:, None], counts).sum(axis=2) / np.maximum(
            counts[:, None], counts
        ).sum(axis=2)
    expected[np.ix_([3, 7], [3, 7])] = 1.0
    for layout in (np.asarray, sparse.csr_matrix):
        np.testing.assert_allclose(ruzicka_kernel(layout(counts)), expected)
        np.testing.assert_allclose(
            ruzicka(layout(counts), layout(counts[:5])), 1 - expected[:, :5], atol=1e-15
        )
    np.testing.assert_allclose(ruzicka_kernel(counts > 0), tanimoto_kernel(counts > 0))
    Z = Nystroem("ruzicka", n_components=20).fit_transform(counts)
    np.testing.assert_allclose(Z @ Z.T, expected, atol=1e-6)


def test_ruzicka_is_for_counts():
    """A minimum of negative numbers is no share of anything."""
    with pytest.raises(ValueError, match=r"not negative; got -1.*'tanimoto'"):
        ruzicka(np.array([[1.0, -1.0]]))


def test_half_precision_is_no_precision_to_square_in(rng):
    """float16 ends at 65504, where one product of counts may."""
    X = (rng.uniform(size=(9, 300)) * 300).astype(np.float16)
    expected = tanimoto_kernel(X.astype(np.float64))
    np.testing.assert_allclose(tanimoto_kernel(X), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])
def test_cosine_of_one_direction_is_zero_and_zeros_are_alike(dtype, layout, rng):
    """In fit, where like meets like, as for new objects."""
    X = rng.normal(size=(12, 5)).astype(dtype)
    X[4] = X[9] = 0
    X[7] = 3 * X[2]
    square, block = cosine(layout(X)), cosine(layout(X), layout(X.copy()))
    # The libraries below may sum in another order where like meets like.
    np.testing.assert_allclose(square, block, rtol=8 * np.finfo(dtype).eps)
    assert (np.diagonal(square) == 0).all()
    np.testing.assert_array_equal(square == 0, block == 0)
    assert square[2, 7] == square[4, 9] == 0
    assert square[4, 0] == 1
    rest = [i for i in range(12) if i not in (4, 9)]
    exact = cdist(X[rest].astype(float), X[rest].astype(float), "cosine")
    np.testing.assert_allclose(square[np.ix_(rest, rest)], exact, atol=2e-6)
