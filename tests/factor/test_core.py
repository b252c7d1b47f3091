"""Cores: least squares on probes or columns, the papers', and how many directions."""

import numpy as np
import pytest
from factories import dissimilarity_with, double_centred, orthonormal, similarity_with
from scipy.spatial.distance import cdist

from skproxy.comparisons import Geometry, Scale
from skproxy.factor import LandmarkMap, Moments, SignedFactor, fit_core, plain_core
from skproxy.factor._basis import Basis
from skproxy.factor._core import column_core, probed_core

EPS = np.finfo(float).eps
SIMILARITY = Geometry(is_similarity=True, power=1, centred=False)
CENTRED = Geometry(is_similarity=True, power=1, centred=True)
SQUARED = Geometry(is_similarity=False, power=1, centred=True)


def reconstruct(rows, core, centred):
    A = (rows - core.reference) @ core.whitener
    if centred:
        A = A - A.mean(axis=0)
    return (A * core.signs) @ A.T


@pytest.mark.parametrize("spectrum", [[3, 2, 1], [3, -2, 1, -1], [1, -1, 1e-3, -1e-6]])
def test_exact_when_rank_is_at_most_m(spectrum, rng):
    """An indefinite similarity of rank <= m comes back exactly from its probes."""
    S = similarity_with(np.array(spectrum, float), 60, rng)
    core = fit_core(S[:30, :8], S[:30, :30], centred=False, eps=EPS)
    np.testing.assert_allclose(reconstruct(S[:, :8], core, False), S, atol=1e-12)


def test_exact_for_dissimilarities(rng):
    """Squared dissimilarities of rank <= m give their centred similarity exactly."""
    D = dissimilarity_with([3.0, -2.0, 1.0, -0.5], 60, rng)
    core = fit_core(D[:30, :8], -0.5 * D[:30, :30], centred=True, eps=EPS)
    np.testing.assert_allclose(
        reconstruct(D[:, :8], core, True), double_centred(D), atol=1e-12
    )


@pytest.mark.parametrize("centred", [False, True])
def test_all_objects_as_probes_are_frobenius_optimal(centred, rng):
    """With s = everything the core minimises |S - F U F'| over all symmetric U."""
    S = rng.normal(size=(40, 40))
    S = S + S.T
    J = np.eye(40) - centred / 40
    C = S[:, :6]
    F, target = J @ C, J @ S @ J
    core = fit_core(C, S, centred=centred, eps=EPS)
    pinv = np.linalg.pinv(F)
    best = F @ (pinv @ target @ pinv.T) @ F.T
    np.testing.assert_allclose(
        reconstruct(C, core, centred), best, atol=1e-12 * np.abs(best).max()
    )


def test_the_offset_of_comparisons_does_not_hide_their_rounding(rng):
    """With a constant of 1e8 added to all similarities no rounding becomes a direction.

    Entries, not what is left of them after centring, say what rounding is.
    """
    S = similarity_with(np.array([3.0, -2.0, 1.0]), 60, rng) + 1e8
    core = fit_core(S[:40, :12], S[:40, :40], centred=True, eps=EPS)
    assert len(core.eigenvalues) == 3
    found = reconstruct(S[:, :12], core, True)
    np.testing.assert_allclose(found, double_centred(-2 * S), atol=1e-5)


def test_directions_come_by_decreasing_modulus(rng):
    """So that the leading ones can be kept."""
    S = similarity_with(np.array([3.0, -2.0, 1.0, -0.5]), 60, rng)
    core = fit_core(S[:30, :8], S[:30, :30], centred=False, eps=EPS)
    moduli = np.abs(core.eigenvalues)
    assert (np.diff(moduli) <= 0).all()
    whole = reconstruct(S[:, :8], core.leading(2), False)
    assert np.linalg.matrix_rank(whole, tol=1e-8) == 2


def test_plain_core_is_the_pseudo_inverse(rng):
    """B J B' == W^+, for a singular indefinite W too."""
    W = similarity_with(np.array([3.0, -2.0, 1.0, -0.1]), 7, rng)
    core = plain_core(W, is_similarity=True, centred=False, eps=EPS)
    B = core.whitener
    assert B.shape == (7, 4)
    pinv = np.linalg.pinv(W, rcond=1e-12)
    np.testing.assert_allclose((B * core.signs) @ B.T, pinv, atol=1e-12)
    of_squares = plain_core(-2 * W, is_similarity=False, centred=False, eps=EPS)
    np.testing.assert_allclose(of_squares.whitener, -0.5 * B, atol=1e-13)


def test_centred_plain_core_is_exact_down_to_rounding(rng):
    """A smooth kernel, whose eigenvalues sink into rounding, is read to rounding."""
    x = rng.normal(size=50)
    W = np.exp(-0.2 * np.subtract.outer(x, x) ** 2)
    core = plain_core(W, is_similarity=True, centred=True, eps=EPS)
    error = reconstruct(W, core, True) - double_centred(-2 * W)
    assert np.linalg.norm(error) <= 1e-12 * np.linalg.norm(W)


def test_precision_over_ten_decades_with_an_offset(rng):
    """n = 3000, rank 60, eigenvalues over 10 decades, offset 5: 1e-11 of the norm.

    The scatter of the whitened rows and the root from their QR agree to 1e-14.
    """
    n, rank, m = 3000, 60, 100
    a = np.logspace(0, -10, rank) * n
    signs = np.where(np.arange(rank) % 3 == 1, -1.0, 1.0)
    Z = orthonormal(n, rank, rng) * np.sqrt(a) + 5.0
    S = (Z * signs) @ Z.T
    probes = np.arange(4 * m)
    C = S[:, :m]
    scale = Scale.of(S, 1)
    rows = scale.apply(C)
    core = fit_core(
        rows[probes], scale.apply(S[: 4 * m, : 4 * m]), centred=True, eps=EPS
    )
    basis = Basis.of(rows[probes], centred=True, eps=EPS)
    landmark_map = LandmarkMap(
        scale,
        basis,
        basis.of_comparisons(core.whitener),
        core.signs,
        basis.rows(rows[:m]),
    )
    Y = landmark_map.features(rows)
    factor = SignedFactor(landmark_map, Moments.of(Y), True)
    centre = Z - Z.mean(axis=0)
    exact = (centre * signs) @ centre.T
    error = np.linalg.norm(factor.similarity(Y, Y) - exact) / np.linalg.norm(exact)
    assert error < 1e-11
    centred = Y - Y.mean(axis=0)
    root = np.linalg.qr(centred, mode="r")
    gap = np.abs(factor.moments.scatter - root.T @ root).max()
    assert gap < 1e-14 * np.abs(factor.moments.scatter).max()


def _with_noise(rng, n, noise):
    """Return squared distances of 3-d points, with symmetric noise on them."""
    X = rng.normal(size=(n, 3))
    D = cdist(X, X, "sqeuclidean")
    E = np.triu(rng.normal(size=(n, n)), 1) * noise
    return D + E + E.T, -0.5 * (D - D.mean(axis=0) - D.mean(axis=1)[:, None] + D.mean())


def _new_error(D, S, n_fitted, core):
    """Return the relative error of similarities among objects not fitted."""
    C, new = D[:, : core.whitener.shape[0]], np.arange(len(D)) >= n_fitted
    A = (C - C[:n_fitted].mean(axis=0)) @ core.whitener
    shift = S - S[:n_fitted].mean(axis=0) - S[:, :n_fitted].mean(axis=1)[:, None]
    exact = (shift + S[:n_fitted, :n_fitted].mean())[np.ix_(new, new)]
    A = A[new]
    return np.linalg.norm((A * core.signs) @ A.T - exact) / np.linalg.norm(exact)


@pytest.mark.parametrize("m", [20, 100, 300])
def test_directions_that_are_noise_are_dropped(m, rng):
    """As good for new objects as the best rank in hindsight, however many landmarks."""
    D, S = _with_noise(rng, 450, 1.0)
    n = 300
    rows, among = D[:n, :m], D[:n, :n]
    core = probed_core(rows, among, SQUARED, EPS, rng, n_objects=n)
    every = probed_core(rows, among, SQUARED, EPS, rng, n_objects=n, rank=None)
    errors = [
        _new_error(D, S, n, every.leading(k))
        for k in range(1, len(every.eigenvalues) + 1)
    ]
    assert _new_error(D, S, n, core) <= 1.05 * min(errors)
    if m == n:  # Gower's formula, which is worse than nothing here
        assert errors[-1] > 1.0


@pytest.mark.parametrize("geometry", [SIMILARITY, CENTRED, SQUARED])
@pytest.mark.parametrize("n", [12, 60])
def test_no_direction_of_exact_data_is_dropped(geometry, n, rng):
    """Data of rank r <= m keep all r directions, over twelve decades."""
    spectrum = np.array([1.0, -1e-2, 1e-4, -1e-6]) * n
    if geometry.is_similarity:
        matrix = similarity_with(spectrum, n, rng)
    else:
        matrix = dissimilarity_with(spectrum, n, rng)
    core = probed_core(matrix[:, :12], matrix, geometry, 1e-16, rng, n_objects=n)
    exact = double_centred(matrix if geometry is SQUARED else -2 * matrix)
    exact = matrix if geometry is SIMILARITY else exact
    found = reconstruct(matrix[:, :12], core, geometry.centred)
    np.testing.assert_allclose(found, exact, atol=1e-10 * n)


def _of_columns(matrix, m, geometry):
    """Return the column core of the first m columns, and its residual."""
    C = matrix[:, :m]
    basis = Basis.of(C, centred=geometry.centred, eps=EPS)
    rows = basis.rows(C)
    return column_core(basis, Moments.of(rows), rows[:m], geometry, EPS)


@pytest.mark.parametrize("geometry", [SIMILARITY, CENTRED, SQUARED])
def test_columns_alone_recover_low_rank_with_its_signature(geometry, rng):
    """Rank <= 2 m / 3: exact, with the right signature and no residual."""
    spectrum = np.array([3.0, -2.0, 1.0, -0.5])
    if geometry.is_similarity:
        matrix = similarity_with(spectrum, 80, rng)
        exact = double_centred(-2 * matrix) if geometry.centred else matrix
    else:
        matrix = dissimilarity_with(spectrum, 80, rng)
        exact = double_centred(matrix)
    core, residual = _of_columns(matrix, 12, geometry)
    found = reconstruct(matrix[:, :12], core, geometry.centred)
    np.testing.assert_allclose(found, exact, atol=1e-11)
    a = np.linalg.eigvalsh(exact)
    a = a[np.abs(a) > 1e-9]
    assert sorted(core.signs) == sorted(np.sign(a))
    assert residual < 1e-12


@pytest.mark.parametrize("dimensions", [1, 2, 4])
def test_columns_alone_find_points_euclidean(dimensions, rng):
    """d-dimensional points: d positive eigenvalues, none negative, nothing else."""
    X = rng.normal(size=(300, dimensions)) + 7
    core, _ = _of_columns(cdist(X, X, "sqeuclidean"), 10, SQUARED)
    assert core.signs.tolist() == [1.0] * dimensions


def test_columns_alone_stay_near_the_best_core(rng):
    """L1 distances, where W^+ is off without bound: within four times the best."""
    for seed in range(20):
        X = np.random.RandomState(seed).normal(size=(400, 5))
        D = cdist(X, X, "cityblock") ** 2
        C, S = D[:, :25], double_centred(D)
        core, residual = _of_columns(D, 25, SQUARED)
        F = C - C.mean(axis=0)
        Q = np.linalg.qr(F)[0]
        best = np.linalg.norm(S - Q @ (Q.T @ S @ Q) @ Q.T)
        assert np.linalg.norm(S - reconstruct(C, core, True)) <= 4 * best
        assert 0 < residual < 1


def test_directions_of_objects_far_from_all_others_are_kept():
    """Objects left out say nothing about them; with N >= 6 m the objects fitted do."""
    X = np.random.RandomState(0).standard_cauchy(size=(1500, 5))
    D = cdist(X, X, "cityblock") ** 2
    S = double_centred(D)
    for seed in range(6):
        order = np.random.RandomState(seed).permutation(1500)
        marks = order[:50]
        far = np.argsort(-D.mean(axis=1))[:60]
        probes = np.concatenate([marks, far, order[50:350]])
        rows, among = D[np.ix_(probes, marks)], D[np.ix_(probes, probes)]
        rng = np.random.RandomState(seed)
        cores = [
            probed_core(
                rows, among, SQUARED, EPS, rng, n_objects=1500, n_pivots=60, rank=rank
            )
            for rank in ("auto", None)
        ]
        kept, every = (
            np.linalg.norm(S - reconstruct(D[:, marks], core, True)) for core in cores
        )
        assert kept <= 1.2 * every
