import numpy as np
from factories import double_centred, similarity_with

from skproxy.factor import (
    dissimilarity_from_similarity,
    double_center,
    similarity_from_dissimilarity,
)


def test_double_centring_is_JDJ(rng):
    """The result is J D J with zero sums, under a large offset too."""
    D = rng.uniform(size=(30, 30))
    D = D + D.T
    J = np.eye(30) - 1 / 30
    np.testing.assert_allclose(double_center(D), J @ D @ J, atol=1e-13)
    offset = double_center(D + 1e8)
    np.testing.assert_allclose(offset, J @ D @ J, atol=1e-6)
    np.testing.assert_allclose(offset.sum(axis=0), 0, atol=1e-11)


def test_similarity_to_dissimilarity_and_back(rng):
    """S -> D -> S is the identity on centred indefinite similarities."""
    S = similarity_with(np.array([3.0, -2.0, 1.0]), 20, rng, centred=True)
    D = dissimilarity_from_similarity(S)
    assert (np.diagonal(D) == 0).all()
    np.testing.assert_allclose(similarity_from_dissimilarity(D), S, atol=1e-14)


def test_translation_is_lost(rng):
    """An uncentred similarity comes back centred."""
    S = similarity_with(np.array([3.0, 2.0, 1.0]), 20, rng)
    back = similarity_from_dissimilarity(dissimilarity_from_similarity(S))
    np.testing.assert_allclose(back, double_centred(-2 * S), atol=1e-14)
