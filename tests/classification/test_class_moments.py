import numpy as np
import pytest

from skproxy.classification._class_moments import ClassMoments


@pytest.fixture
def rows(rng):
    return rng.normal(size=(60, 4)) + 1e3, rng.randint(3, size=60)


def assert_same(found, expected):
    np.testing.assert_allclose(found.counts, expected.counts)
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-12)
    np.testing.assert_allclose(found.within, expected.within, atol=1e-8)


def test_they_are_counts_means_and_pooled_scatter(rows):
    """Of each class: count and mean; of all: squares about the class means."""
    X, codes = rows
    found = ClassMoments.of(X, codes, 4)
    np.testing.assert_array_equal(found.counts, np.bincount(codes, minlength=4))
    for c in range(3):
        np.testing.assert_allclose(found.means[c], X[codes == c].mean(axis=0))
    np.testing.assert_array_equal(found.means[3], 0.0)
    expected = sum(
        (codes == c).sum() * np.cov(X[codes == c].T, bias=True) for c in range(3)
    )
    np.testing.assert_allclose(found.within, expected, atol=1e-9)
    np.testing.assert_allclose(found.mean, X.mean(axis=0))


def test_merging_is_exact_in_any_order(rows):
    """Moments of parts, classes missing in some, merge to those of the whole."""
    X, codes = rows
    order = np.argsort(codes, kind="stable")
    parts = [order[:10], order[10:45], order[45:]]
    one, two, three = (ClassMoments.of(X[p], codes[p], 3) for p in parts)
    whole = ClassMoments.of(X, codes, 3)
    empty = ClassMoments.empty(3, 4)
    assert_same(empty.merge(one).merge(two).merge(three).merge(empty), whole)
    assert_same(three.merge(two.merge(one)), whole)


def test_weights_are_repetitions(rows):
    """An object of weight two is the object twice, of weight zero no object."""
    X, codes = rows
    weights = np.arange(60) % 4
    repeated = np.repeat(np.arange(60), weights)
    assert_same(
        ClassMoments.of(X, codes, 3, weights.astype(float)),
        ClassMoments.of(X[repeated], codes[repeated], 3),
    )
