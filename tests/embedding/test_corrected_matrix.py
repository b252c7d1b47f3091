import numpy as np
import pytest
from factories import similarity_with

from skproxy.comparisons import Scale
from skproxy.embedding._corrected_matrix import (
    CorrectedSpectrum,
    eigenpairs,
    unpowered,
)


def test_eigenpairs_are_ordered_signed_and_without_rounding(rng):
    """Largest modulus first, largest entry positive, zeros left out."""
    S = similarity_with(np.array([1.0, -3.0, 2.0]), 20, rng)
    a, U = eigenpairs(S)
    np.testing.assert_allclose(a, [-3, 2, 1])
    np.testing.assert_allclose((U * a) @ U.T, S, atol=1e-14)
    assert (U[np.abs(U).argmax(axis=0), range(3)] > 0).all()
    a, U = eigenpairs(np.zeros((4, 4)))
    assert a.shape == (0,)
    assert U.shape == (4, 0)


@pytest.mark.parametrize("correction", ["clip", "flip", "square", None])
def test_a_copy_of_a_training_object_gets_its_row(correction, rng):
    """e diag(a*) U' is the operator for every correction, not for flip only."""
    S = similarity_with(np.array([3.0, -2.0, 1.0]), 15, rng)
    scale = Scale.of(S, 1)
    corrected = CorrectedSpectrum.of(
        scale.apply(S), scale, correction, dissimilarity=False, power=2
    )
    training = corrected.training("similarity", 15)
    rows = corrected.rows(scale.apply(S[[4, 9]]), "similarity", 15)
    np.testing.assert_allclose(rows, training[[4, 9]], atol=1e-12)


def test_negative_squares_have_no_root():
    """They become zero, except for power 1, which takes no root."""
    np.testing.assert_array_equal(unpowered(np.array([4.0, -1.0]), 2), [2, 0])
    np.testing.assert_array_equal(unpowered(np.array([4.0, -1.0]), 1), [4, -1])
