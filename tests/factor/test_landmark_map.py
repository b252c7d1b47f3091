import numpy as np
import pytest
from factories import dissimilarity_with, double_centred, orthonormal, similarity_with

from skproxy.comparisons import Scale
from skproxy.factor import Moments, SignedFactor, fit_core, plain_core
from skproxy.factor._landmark_map import LandmarkMap

EPS = np.finfo(float).eps


def reconstruct(rows, reference, whitener, signs, centred):
    A = (rows - reference) @ whitener
    if centred:
        A = A - A.mean(axis=0)
    return (A * signs) @ A.T


@pytest.mark.parametrize("spectrum", [[3, 2, 1], [3, -2, 1, -1], [1, -1, 1e-3, -1e-6]])
def test_exact_when_rank_is_at_most_m(spectrum, rng):
    """An indefinite similarity of rank <= m comes back exactly from its probes."""
    S = similarity_with(np.array(spectrum, float), 60, rng)
    core = fit_core(S[:30, :8], S[:30, :30], centred=False, eps=EPS)
    np.testing.assert_allclose(reconstruct(S[:, :8], *core, False), S, atol=1e-12)


def test_exact_for_dissimilarities(rng):
    """Squared dissimilarities of rank <= m give their centred similarity exactly."""
    D = dissimilarity_with([3.0, -2.0, 1.0, -0.5], 60, rng)
    core = fit_core(D[:30, :8], -0.5 * D[:30, :30], centred=True, eps=EPS)
    np.testing.assert_allclose(
        reconstruct(D[:, :8], *core, True), double_centred(D), atol=1e-12
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
    found = reconstruct(C, *core, centred)
    pinv = np.linalg.pinv(F)
    best = F @ (pinv @ target @ pinv.T) @ F.T
    np.testing.assert_allclose(found, best, atol=1e-12 * np.abs(best).max())


def test_plain_core_is_the_pseudo_inverse(rng):
    """B J B' == W^+, for a singular indefinite W too."""
    W = similarity_with(np.array([3.0, -2.0, 1.0, -0.1]), 7, rng)
    whitener, signs = plain_core(W, eps=EPS)
    assert whitener.shape == (7, 4)
    pinv = np.linalg.pinv(W, rcond=1e-12)
    np.testing.assert_allclose((whitener * signs) @ whitener.T, pinv, atol=1e-12)


def test_centred_plain_core_is_exact_down_to_rounding(rng):
    """A smooth kernel, whose eigenvalues sink into rounding, is read to rounding."""
    x = rng.normal(size=50)
    W = np.exp(-0.2 * np.subtract.outer(x, x) ** 2)
    whitener, signs = plain_core(W, centred=True, eps=EPS)
    A = (W - W.mean(axis=0)) @ whitener
    error = (A * signs) @ A.T - double_centred(-2 * W)
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
    landmark_map = LandmarkMap(scale, *core, (rows[:m] - core[0]) @ core[1])
    A = landmark_map.features(rows)
    factor = SignedFactor(landmark_map, Moments.of(A), rows.mean(axis=0), True)
    centre = Z - Z.mean(axis=0)
    exact = (centre * signs) @ centre.T
    error = np.linalg.norm(factor.similarity(A, A) - exact) / np.linalg.norm(exact)
    assert error < 1e-11
    centred = A - A.mean(axis=0)
    root = np.linalg.qr(centred, mode="r")
    gap = np.abs(factor.moments.scatter - root.T @ root).max()
    assert gap < 1e-14 * np.abs(factor.moments.scatter).max()
