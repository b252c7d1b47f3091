import numpy as np
import pytest
from factories import similarity_with
from numpy.testing import assert_allclose
from scipy import linalg

from skproxy.embedding._congruence import congruence


def check(S):
    P, D = congruence(S)
    moduli = np.abs(np.linalg.eigvalsh(S))
    kept = moduli[moduli > 1e-14 * moduli.max()]
    tolerance = 100 * np.finfo(float).eps * kept.max() / kept.min()
    assert_allclose(P.T @ S @ P, np.diag(D), atol=tolerance)
    assert np.linalg.matrix_rank(P) == len(S)
    return P, D


@pytest.mark.parametrize(
    "spectrum",
    [
        [3.0, 2.0, 1.0, 0.5, 0.1],
        [3.0, -2.0, 1.0, -0.5, 0.1],
        [-3.0, -2.0, -1.0, -0.5, -0.1],
        [1e6, -1.0, 1e-3, -1e-4, 2.0],
    ],
)
def test_congruent_to_the_signs_of_the_spectrum(spectrum, rng):
    """P'SP = D, and D counts the signs of the eigenvalues (Sylvester)."""
    S = similarity_with(np.array(spectrum), 5, rng)
    _, D = check(S)
    assert sorted(D) == sorted(np.sign(spectrum))


@pytest.mark.parametrize("spectrum", [[2.0, 1.0], [2.0, -1.0], [-3.0], [5.0, 1.0, 0.3]])
def test_zeros_past_the_rank(spectrum, rng):
    """A singular S has as many zeros in D as its rank falls short, and P inverts."""
    S = similarity_with(np.array(spectrum), 7, rng)
    _, D = check(S)
    assert (D > 0).sum() == np.sum(np.array(spectrum) > 0)
    assert (D < 0).sum() == np.sum(np.array(spectrum) < 0)


def test_zero_diagonal():
    """Where the paper's elimination divides by zero, P exists all the same."""
    for S in (np.array([[0.0, 1.0], [1.0, 0.0]]), 1.0 - np.eye(4)):
        _, D = check(S)
        assert (D > 0).sum() == 1
        assert (D < 0).sum() == len(S) - 1


def test_duplicated_and_zero_objects():
    """A duplicate adds a zero to D, a zero object too."""
    A = np.array([[1.0, 2.0, 0.5], [1.0, 2.0, 0.5], [0.0, 0.0, 0.0], [0.0, 1.0, 3.0]])
    _, D = check(A @ A.T)
    assert sorted(D) == [0, 0, 1, 1]


def test_definite_is_inverse_cholesky(rng):
    """Objects in the order of pivoting give P = R^-1 with S = R'R: Gram-Schmidt."""
    A = rng.normal(size=(6, 9)) * np.geomspace(100, 1, 6)[:, None]
    S = A @ A.T
    P, D = congruence(S)
    assert_allclose(P, linalg.inv(linalg.cholesky(S)), rtol=1e-9, atol=1e-12)
    assert_allclose(D, 1)


def test_small_objects_keep_their_pivot():
    """What counts as rounding is relative to each object, not to the largest."""
    P, D = congruence(np.diag([1.0, 1e-30]))
    assert D.tolist() == [1, 1]
    assert_allclose(np.diagonal(P), [1.0, 1e15])


def test_columns_belong_to_objects(rng):
    """Renumbering the objects of a diagonal S renumbers rows and columns of P."""
    S = np.diag([4.0, -9.0, 1.0])
    P, D = congruence(S)
    assert D.tolist() == [1, -1, 1]
    assert_allclose(np.abs(P), np.diag([0.5, 1 / 3, 1.0]))


def test_no_objects():
    """Nothing is congruent to nothing."""
    P, D = congruence(np.empty((0, 0)))
    assert P.shape == (0, 0)
    assert D.shape == (0,)
