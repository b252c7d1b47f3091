import functools

import numpy as np
import pytest
from factories import dissimilarity_with, double_centred, similarity_with

from skproxy.comparisons import Scale
from skproxy.factor import (
    CORRECTIONS,
    LandmarkMap,
    Moments,
    SignedFactor,
    correct_eigenvalues,
    dissimilarity_from_similarity,
    fit_core,
)
from skproxy.factor._basis import Basis

EPS = np.finfo(float).eps
SPECTRUM = np.array([30.0, -20.0, 10.0, -5.0, 1.0, -0.01])


def factor_of(matrix, m, *, centred, kind="similarity"):
    """Return a factor, and basis rows and scaled comparisons C of all objects."""
    scale = Scale.of(matrix, 1)
    C = scale.apply(matrix[:, :m])
    among = scale.apply(matrix)
    if kind == "dissimilarity":
        among = -0.5 * among
    core = fit_core(C, among, centred=centred, eps=EPS)
    basis = Basis.of(C, centred=centred, eps=EPS)
    loadings = basis.of_comparisons(core.whitener)
    landmark_map = LandmarkMap(scale, basis, loadings, core.signs, basis.rows(C[:m]))
    Y = landmark_map.features(C)
    return SignedFactor(landmark_map, Moments.of(Y), centred), Y, C


@pytest.fixture
def similarity(rng):
    return similarity_with(SPECTRUM, 80, rng)


@pytest.fixture
def squared(rng):
    return dissimilarity_with(SPECTRUM, 80, rng)


def test_eigenvalues_are_those_of_the_dense_matrix(similarity):
    """Non-zero eigenvalues of the N x N matrix, exactly, largest modulus first."""
    factor, _, _ = factor_of(similarity, 10, centred=False)
    np.testing.assert_allclose(factor.eigenvalues, SPECTRUM, rtol=1e-11)


def test_centred_eigenvalues_are_those_of_JSJ(rng):
    """Centring is exact: no second approximation."""
    S = similarity_with(SPECTRUM, 80, rng) + 3.0
    factor, _, _ = factor_of(S, 12, centred=True)
    exact = np.linalg.eigvalsh(double_centred(-2 * S))
    exact = exact[np.argsort(-abs(exact))][: len(factor.eigenvalues)]
    np.testing.assert_allclose(factor.eigenvalues, exact, atol=1e-11)


def test_eigenvalues_of_squared_dissimilarities(squared):
    """Those of -1/2 J D J."""
    factor, _, _ = factor_of(squared, 12, centred=True, kind="dissimilarity")
    np.testing.assert_allclose(factor.eigenvalues, SPECTRUM, rtol=1e-10)


@pytest.mark.parametrize("correction", list(CORRECTIONS))
def test_inner_products_of_coordinates_are_the_corrected_matrix(similarity, correction):
    """Z Z' == U diag(a*) U'; with None, (Z signs) Z' == S."""
    factor, A, _ = factor_of(similarity, 10, centred=False)
    axes = factor.axes(10, correction)
    Z = axes.of_features(A)
    a, U = np.linalg.eigh(similarity)
    a[np.abs(a) < 1e-10] = 0
    if correction == "shift":  # on the kept ones
        corrected = np.where(a != 0, a - a.min(), 0)
    else:
        corrected = correct_eigenvalues(a, correction)
    signs = axes.signs if correction is None else np.ones(10)
    np.testing.assert_allclose((Z * signs) @ Z.T, (U * corrected) @ U.T, atol=1e-9)


@pytest.mark.parametrize("correction", list(CORRECTIONS))
@pytest.mark.parametrize("k", [1, 3, 6, 10, 15])
def test_one_linear_map_serves_old_and_new_objects(similarity, correction, k):
    """Coordinates from basis rows and from comparisons agree; k columns come out."""
    factor, A, C = factor_of(similarity, 10, centred=False)
    axes = factor.axes(k, correction)
    Z = axes.of_scaled(C)
    assert Z.shape == (80, k)
    np.testing.assert_allclose(Z, axes.of_features(A), atol=1e-11)
    np.testing.assert_array_equal(Z[:, 6:], 0)
    np.testing.assert_array_equal(axes.signs[6:], 0)


def test_coordinates_take_the_place_of_the_rows(similarity):
    """of_kept gives what of_features gives, in place when there are as many columns."""
    factor, A, _ = factor_of(similarity, 10, centred=False)
    for k in (A.shape[1], 3):
        axes = factor.axes(k, "flip")
        expected = axes.of_features(A)
        kept = A.copy()
        Z = axes.of_kept(kept)
        np.testing.assert_allclose(Z, expected, atol=1e-14)
        assert (Z is kept) == (k == A.shape[1])


def test_clip_takes_the_leading_positive_axes(similarity):
    """No column is wasted on a dropped axis while positive ones are left."""
    factor, _, _ = factor_of(similarity, 10, centred=False)
    np.testing.assert_allclose(factor.axes(3, "clip").eigenvalues, [30, 10, 1])


@pytest.mark.parametrize("n_chunks", [2, 7, 80])
def test_merged_factor_is_the_factor_of_all(squared, n_chunks):
    """Spectrum and coordinates after merging chunks equal those in one shot."""
    whole, A, C = factor_of(squared, 12, centred=True, kind="dissimilarity")
    parts = [
        SignedFactor(whole.landmark_map, Moments.of(rows), True)
        for rows in np.array_split(A, n_chunks)
    ]
    merged = functools.reduce(SignedFactor.merge, parts)
    np.testing.assert_allclose(merged.eigenvalues, whole.eigenvalues, rtol=1e-11)
    np.testing.assert_allclose(
        merged.axes(5, "flip").of_scaled(C),
        whole.axes(5, "flip").of_scaled(C),
        atol=1e-11,
    )


def test_factors_of_different_maps_do_not_merge(similarity):
    """An error that says what to do."""
    one, _, _ = factor_of(similarity, 10, centred=False)
    other, _, _ = factor_of(similarity, 12, centred=False)
    with pytest.raises(ValueError, match="same landmark map; got maps with 10 and 12"):
        one.merge(other)


@pytest.mark.parametrize("correction", ["flip", "clip", None])
def test_largest_entry_among_the_landmarks_is_positive(similarity, correction):
    """Signs are fixed by the landmarks."""
    factor, A, _ = factor_of(similarity, 10, centred=False)
    Z = factor.axes(3, correction).of_features(A)[:10]
    assert (Z[np.abs(Z).argmax(axis=0), np.arange(3)] > 0).all()


def test_dissimilarities_in_factor_form_are_the_dense_ones(similarity, squared):
    """q_i + q_j - 2 s_ij from rows alone, centred or not."""
    factor, A, _ = factor_of(similarity, 10, centred=False)
    np.testing.assert_allclose(
        factor.dissimilarity(A, A),
        dissimilarity_from_similarity(similarity),
        atol=1e-10,
    )
    factor, A, _ = factor_of(squared, 12, centred=True, kind="dissimilarity")
    np.testing.assert_allclose(
        factor.dissimilarity(A, A[:5]), squared[:, :5], atol=1e-10
    )


def test_similarities_in_factor_form_are_the_dense_ones(squared):
    """-1/2 J D J at linear cost."""
    factor, A, _ = factor_of(squared, 12, centred=True, kind="dissimilarity")
    np.testing.assert_allclose(
        factor.similarity(A, A), double_centred(squared), atol=1e-10
    )


def test_plus_and_minus_the_same_eigenvalue_do_not_mix(rng):
    """+a and -a, which the papers' route through S^2 mixes, come out apart."""
    S = similarity_with(np.array([2.0, -2.0, 1.0, -1.0]), 50, rng)
    factor, A, _ = factor_of(S, 8, centred=False)
    np.testing.assert_allclose(sorted(factor.eigenvalues), [-2, -1, 1, 2], rtol=1e-12)
    axes = factor.axes(8, None)
    Z = axes.of_features(A)
    np.testing.assert_allclose((Z * axes.signs) @ Z.T, S, atol=1e-12)


def test_a_zero_matrix_has_no_spectrum():
    """All-zero comparisons: zero columns, no NaN."""
    factor, A, C = factor_of(np.zeros((20, 20)), 4, centred=False)
    assert factor.eigenvalues.shape == (0,)
    axes = factor.axes(3, "flip")
    np.testing.assert_array_equal(axes.of_scaled(C), np.zeros((20, 3)))
    np.testing.assert_array_equal(axes.of_features(A), np.zeros((20, 3)))


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_solve_is_the_pseudo_inverse(kind, scale, similarity, squared):
    """E diag(1/a) E' b == pinv of the dense matrix times b, for singular ones too."""
    matrix = (similarity if kind == "similarity" else squared) * scale
    centred = kind == "dissimilarity"
    factor, Y, _ = factor_of(matrix, 12, centred=centred, kind=kind)
    dense = double_centred(matrix) if centred else matrix
    targets = np.random.RandomState(0).normal(size=(80, 3))
    inverse = np.linalg.pinv(dense, rcond=1e-9, hermitian=True)
    found = factor.solve(Y[:7], Y, targets)
    np.testing.assert_allclose(found, (inverse @ targets)[:7], rtol=1e-6)
    np.testing.assert_allclose(
        dense @ factor.solve(Y, Y, dense @ targets), dense @ targets, atol=1e-8 * scale
    )
