import numpy as np
import pytest
from factories import similarity_with
from numpy.testing import assert_allclose
from scipy import linalg
from scipy.stats import ortho_group

from skproxy.embedding._exemplar_axes import (
    congruence,
    fit_exemplar_axes,
    rotation_towards,
)
from skproxy.embedding._exemplars import Candidates

SPECTRA = {
    "definite": np.array([9.0, 8.0, 5.0, 3.0, 1.0, 0.5]),
    "indefinite": np.array([9.0, -8.0, 5.0, -3.0, 1.0, -0.5]),
}


@pytest.fixture
def how(rng):
    return "auto", rng


@pytest.mark.parametrize("kind", SPECTRA)
def test_projection_is_nystrom(kind, how, rng):
    """W D W' is C S^-1 C', the kernel that exemplars rebuild."""
    K = similarity_with(SPECTRA[kind], 40, rng)
    candidates = Candidates.of_square(K, 4, *how)
    chosen = candidates.choose("It", 4, "pivot", None)
    axes = fit_exemplar_axes(candidates, chosen, 4, "projection")
    C, W = K[:, chosen], axes.coordinates
    expected = C @ np.linalg.solve(K[np.ix_(chosen, chosen)], C.T)
    assert_allclose((W * axes.signs) @ W.T, expected, atol=1e-10)
    assert_allclose(C @ axes.weights.T, W)


@pytest.mark.parametrize("kind", SPECTRA)
def test_exemplars_rebuild_themselves(kind, how, rng):
    """Under projection the kernel among exemplars is exact."""
    K = similarity_with(SPECTRA[kind], 40, rng)
    candidates = Candidates.of_square(K, 4, *how)
    chosen = candidates.choose("It", 4, "pivot", None)
    axes = fit_exemplar_axes(candidates, chosen, 6, "projection")
    W = axes.coordinates[chosen]
    assert_allclose((W * axes.signs) @ W.T, K[np.ix_(chosen, chosen)], atol=1e-12)
    assert_allclose(axes.coordinates[:, 4:], 0)


def test_projection_axes_are_a_frame_of_the_exemplars(how, rng):
    """Axis j is what exemplar j adds to those before it (Gram-Schmidt)."""
    X = rng.normal(size=(30, 12))
    candidates = Candidates.of_vectors(X, 5, *how)
    chosen = candidates.choose("It", 5, "pivot", None)
    axes = fit_exemplar_axes(candidates, chosen, 5, "projection")
    assert_allclose(axes.weights @ axes.weights.T, np.eye(5), atol=1e-12)
    at_exemplars = X[chosen] @ axes.weights.T
    assert_allclose(np.triu(at_exemplars, 1), 0, atol=1e-12)
    assert (np.diagonal(at_exemplars) > 0).all()


def test_kernel_axes_are_turned_towards_the_exemplars(how, rng):
    """No orthogonal turn brings the exemplars nearer to their own coordinates."""
    X = rng.normal(size=(30, 12))
    candidates = Candidates.of_vectors(X, 5, *how)
    chosen = candidates.choose("It", 5, "pivot", None)
    own = fit_exemplar_axes(candidates, chosen, 5, "projection").coordinates[chosen]
    W = fit_exemplar_axes(candidates, chosen, 5, "kernel").coordinates[chosen]
    gap = np.linalg.norm(W - own)
    for _ in range(50):
        turn = np.linalg.qr(np.eye(5) + 0.3 * rng.normal(size=(5, 5)))[0]
        assert np.linalg.norm(W @ turn - own) >= gap


def test_dependent_exemplars(how, rng):
    """Exemplars that depend on each other lose columns, not digits."""
    X = rng.normal(size=(20, 3))
    X[1] = -X[0]
    candidates = Candidates.of_vectors(X, 3, *how)
    chosen = np.array([0, 1, 2])
    axes = fit_exemplar_axes(candidates, chosen, 3, "projection")
    W = axes.coordinates
    Q = np.linalg.qr(X[[0, 2]].T)[0]
    assert_allclose(W @ W.T, (X @ Q) @ (X @ Q).T, atol=1e-12)
    assert sorted(axes.signs) == [0, 1, 1]
    assert (axes.frame[:, axes.frame_signs == 0] == 0).all()
    assert (axes.weights[axes.signs == 0] == 0).all()


def test_small_singular_matrices_have_no_sign_by_rounding(rng):
    """Of 300 matrices of order 3 and rank 2 every one has two signs."""
    for _ in range(300):
        A = rng.normal(size=(3, 2))
        assert np.count_nonzero(congruence(A @ A.T)[1]) == 2


def congruent(S):
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
    _, D = congruent(S)
    assert sorted(D) == sorted(np.sign(spectrum))


@pytest.mark.parametrize("spectrum", [[2.0, 1.0], [2.0, -1.0], [-3.0], [5.0, 1.0, 0.3]])
def test_zeros_past_the_rank(spectrum, rng):
    """A singular S has as many zeros in D as its rank falls short, and P inverts."""
    S = similarity_with(np.array(spectrum), 7, rng)
    _, D = congruent(S)
    assert (D > 0).sum() == np.sum(np.array(spectrum) > 0)
    assert (D < 0).sum() == np.sum(np.array(spectrum) < 0)


def test_zero_diagonal():
    """Where the paper's elimination divides by zero, P exists all the same."""
    for S in (np.array([[0.0, 1.0], [1.0, 0.0]]), 1.0 - np.eye(4)):
        _, D = congruent(S)
        assert (D > 0).sum() == 1
        assert (D < 0).sum() == len(S) - 1


def test_duplicated_and_zero_objects():
    """A duplicate adds a zero to D, a zero object too."""
    A = np.array([[1.0, 2.0, 0.5], [1.0, 2.0, 0.5], [0.0, 0.0, 0.0], [0.0, 1.0, 3.0]])
    _, D = congruent(A @ A.T)
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


@pytest.mark.parametrize("n_columns", [5, 8])
@pytest.mark.parametrize(
    ("signs", "frame_signs"),
    [
        ([1, 1, 1, 1, 1], [1, 1, 1, 1, 1]),
        ([1, -1, 1, 1, -1], [-1, 1, 1, -1, 1]),
        ([1, 1, 1, 1, -1], [1, 1, 1, -1, -1]),  # one sign more, one less
        ([1, 1, 1], [1, 1, 1, 0, 0]),
        ([1, -1, -1], [1, 1, -1]),
        ([], [1]),
        ([1, -1], []),
    ],
)
def test_kernel_is_kept(signs, frame_signs, n_columns, rng):
    """Y O diag(column signs) O' Y' is Y J Y', whatever the exemplars' signs."""
    signs, frame_signs = np.array(signs, float), np.array(frame_signs, float)
    e = len(frame_signs)
    images = rng.normal(size=(e, len(signs)))
    turn, columns = rotation_towards(
        images, signs, rng.normal(size=(e, e)), frame_signs, n_columns
    )
    assert turn.shape == (len(signs), n_columns)
    Y = rng.normal(size=(30, len(signs)))
    W = Y @ turn
    assert_allclose((W * columns) @ W.T, (Y * signs) @ Y.T, atol=1e-12)
    assert np.count_nonzero(columns) == len(signs)
    assert_allclose(W[:, columns == 0], 0)


def test_columns_carry_the_signs_of_their_exemplars(rng):
    """Equal inertia: column j has the sign of exemplar j."""
    signs, frame_signs = np.array([1.0, 1, -1, 1]), np.array([-1.0, 1, 1, 1])
    _, columns = rotation_towards(
        rng.normal(size=(4, 4)), signs, rng.normal(size=(4, 4)), frame_signs, 4
    )
    assert columns.tolist() == frame_signs.tolist()


def test_recovers_the_frame(rng):
    """Axes that are the frame turned are turned back exactly."""
    frame = rng.normal(size=(6, 6))
    images = frame @ ortho_group.rvs(6, random_state=rng).T
    turn, _ = rotation_towards(images, np.ones(6), frame, np.ones(6), 6)
    assert_allclose(images @ turn, frame, atol=1e-12)


def test_does_not_depend_on_the_signs_of_axes(rng):
    """Flipped singular vectors give the same coordinates, extra axes included."""
    images, frame = rng.normal(size=(3, 4)), rng.normal(size=(3, 3))
    flips = np.array([1.0, -1, -1, 1])
    turn, _ = rotation_towards(images, np.ones(4), frame, np.ones(3), 4)
    flipped, _ = rotation_towards(images * flips, np.ones(4), frame, np.ones(3), 4)
    assert_allclose(images @ turn, (images * flips) @ flipped, atol=1e-12)
