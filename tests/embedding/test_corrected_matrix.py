import numpy as np
import pytest
from factories import similarity_with

from skproxy import EigenCorrector
from skproxy.comparisons import Scale
from skproxy.embedding._corrected_matrix import (
    CorrectedMatrix,
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
    a, U = eigenpairs(S, complete=True)
    assert (a[3:] == 0).all()
    np.testing.assert_allclose(U.T @ U, np.eye(20), atol=1e-14)
    a, U = eigenpairs(np.zeros((4, 4)))
    assert a.shape == (0,)
    assert U.shape == (4, 0)


@pytest.mark.parametrize("correction", ["clip", "flip", "square", None])
def test_a_copy_of_a_training_object_gets_its_row(correction, rng):
    """e diag(a*) U' is the operator for every correction, not for flip only."""
    S = similarity_with(np.array([3.0, -2.0, 1.0]), 15, rng)
    scale = Scale.of(S, 1)
    corrected = CorrectedMatrix.of_similarities(scale.apply(S), scale, correction, 2)
    training = corrected.training("similarity", 15)
    rows = corrected.rows(scale.apply(S[[4, 9]]), np.arange(2), "similarity", 15)
    np.testing.assert_allclose(rows, training[[4, 9]], atol=1e-12)


def test_negative_squares_have_no_root():
    """They become zero, except for power 1, which takes no root."""
    np.testing.assert_array_equal(unpowered(np.array([4.0, -1.0]), 2), [2, 0])
    np.testing.assert_array_equal(unpowered(np.array([4.0, -1.0]), 1), [4, -1])


@pytest.mark.parametrize("correction", ["clip", "flip", "square", "shift", None])
@pytest.mark.parametrize("output", ["similarity", "dissimilarity", "features"])
def test_a_factor_and_a_full_matrix_are_read_alike(correction, output, rng):
    """Full rank and all objects as landmarks: the two constructors agree."""
    S = similarity_with(np.linspace(3.0, -2.0, 15), 15, rng)
    full = EigenCorrector(correction, output=output)
    read = EigenCorrector(correction, output=output, n_landmarks=15, n_probes=0)
    square = full.fit_transform(S)
    atol = 1e-6 if output == "dissimilarity" else 1e-9
    if output == "features":  # axes may point either way
        square, factor = np.abs(square), np.abs(read.fit_transform(S))
    else:
        factor = read.fit_transform(S)
    np.testing.assert_allclose(factor, square, atol=atol)
    rows, again = full.transform(S[:4]), read.transform(S[:4])
    if output == "features":
        rows, again = np.abs(rows), np.abs(again)
    np.testing.assert_allclose(again, rows, atol=atol)
    np.testing.assert_allclose(read.corrected_eigenvalues_, full.corrected_eigenvalues_)
