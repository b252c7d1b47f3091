"""Spectra of samples: dense oracles, coverage of the interval, landmark counts."""

import numpy as np
import pytest
from factories import dissimilarity_with, double_centred, similarity_with
from scipy.linalg import hilbert
from scipy.stats import norm

from skproxy import Nystroem, NystromDissimilarity
from skproxy.inspection._sampled_spectrum import (
    SHARES,
    CleanSample,
    SampledSpectrum,
    _orthonormal,
)
from skproxy.metrics import negative_fraction


def spectrum_of(matrix, *, is_similarity=False, power=1, n_resamples=20, seed=0):
    clean = CleanSample.of(matrix, is_similarity=is_similarity, power=power)
    return SampledSpectrum.of(clean, n_resamples, np.random.RandomState(seed))


@pytest.mark.parametrize("unit", [1e-60, 1.0, 1e60])
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_prescribed_spectrum_is_found(rng, kind, unit):
    """Eigenvalues, signature and negative fraction, in any unit."""
    values = np.array([8.0, -4.0, 2.0, -1.0, 0.5])
    make = similarity_with if kind == "similarity" else dissimilarity_with
    matrix = make(values, 40, rng) * unit
    found = spectrum_of(matrix, is_similarity=kind == "similarity")
    np.testing.assert_allclose(found.eigenvalues[:5], values * unit, rtol=1e-10)
    assert not found.eigenvalues[5:].any()
    assert found.signature == (3, 2, 35)
    assert found.negative_fraction == pytest.approx(5 / 15.5)


def test_effective_rank_counts_axes_for_a_relative_error(rng):
    """90 % of the similarity leaves out 10 % of its Frobenius norm."""
    values = np.array([1.0, -0.5, 0.2, 0.05, 0.009])
    rank = spectrum_of(similarity_with(values, 30, rng), is_similarity=True)
    norms = [np.linalg.norm(values[k:]) / np.linalg.norm(values) for k in range(6)]
    for share in SHARES:
        k = rank.effective_rank[share]
        assert norms[k] <= 1 - share < norms[k - 1]


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_rank_many_landmarks_leave_nothing(rng, kind):
    """An exact rank is reached: for dissimilarities one more is needed."""
    values = np.array([8.0, -4.0, 2.0])
    make = similarity_with if kind == "similarity" else dissimilarity_with
    found = spectrum_of(make(values, 30, rng), is_similarity=kind == "similarity")
    assert 3 <= found.n_landmarks[0.99] <= 4
    assert found.landmark_errors[0] == 1.0
    assert found.landmark_errors[4] < 1e-6
    assert (np.diff(found.landmark_errors) <= 1e-9).all()


def test_landmark_errors_are_those_of_an_estimator(rng):
    """With all objects as probes NystromDissimilarity has the error foretold."""
    points = rng.normal(size=(40, 4))
    D = np.abs(points[:, None] - points).sum(axis=-1)
    S = double_centred(D**2)
    errors = []
    for seed in range(15):
        nystrom = NystromDissimilarity(
            "precomputed",
            n_landmarks=8,
            correction=None,
            n_probes=32,
            random_state=seed,
        )
        Z = nystrom.fit_transform(D)
        approximated = (Z * nystrom.axis_signs_) @ Z.T
        errors.append(np.linalg.norm(S - approximated) / np.linalg.norm(S))
    foretold = spectrum_of(D, power=2).landmark_errors[8]
    assert foretold == pytest.approx(np.median(errors), rel=0.25)


def test_repeated_objects_do_not_spoil_landmark_errors(rng):
    """Columns that depend on earlier ones are skipped, whatever comes later."""
    points = np.repeat(rng.normal(size=(6, 5)), 7, axis=0)
    D = np.abs(points[:, None] - points).sum(axis=-1)
    found = spectrum_of(D, power=2)
    assert 0 < found.n_landmarks[0.90] <= found.n_landmarks[0.99] <= 42
    assert found.landmark_errors[-1] < 1e-6


def test_nearly_dependent_columns_are_made_orthonormal():
    """Once through Gram and Schmidt is not enough for Hilbert's matrix."""
    Q = _orthonormal(hilbert(12))
    held = np.square(Q).sum(axis=0)
    assert np.isin(held.round(9), [0.0, 1.0]).all()
    np.testing.assert_allclose(Q.T @ Q, np.diag(held), atol=1e-12)


def test_interval_covers_other_samples(rng):
    """About 95 % of samples have an interval that holds the mean of all samples."""
    points = rng.normal(size=(2000, 3))

    def sample():
        chosen = points[rng.permutation(2000)[:40]]
        return np.abs(chosen[:, None] - chosen).sum(axis=-1)

    truth = np.mean(
        [negative_fraction(sample(), input="dissimilarity") for _ in range(200)]
    )
    covered = 0
    for seed in range(60):
        low, high = spectrum_of(
            sample(), power=2, n_resamples=30, seed=seed
        ).negative_fraction_interval
        covered += low <= truth <= high
    assert covered >= 51


def test_interval_is_that_of_a_gaussian_about_halves(rng):
    """The fraction found plus and minus 97.5 % quantile times the halves' deviation."""
    points = rng.normal(size=(40, 3))
    found = spectrum_of(np.abs(points[:, None] - points).sum(axis=-1), power=2)
    low, high = found.negative_fraction_interval
    expected = norm.ppf(0.975) * found.negative_fraction_resampled.std(ddof=1)
    assert 0.0 < low < high < 1.0
    assert (high - low) / 2 == pytest.approx(expected, rel=1e-3)
    assert (high + low) / 2 == pytest.approx(found.negative_fraction)


def test_euclidean_and_psd_have_exactly_no_negative_part(rng):
    """And an interval of width zero."""
    points = rng.normal(size=(30, 3))
    D = np.linalg.norm(points[:, None] - points, axis=-1)
    for found in (
        spectrum_of(D, power=2),
        spectrum_of(points @ points.T, is_similarity=True),
    ):
        assert found.negative_fraction == 0.0
        assert found.negative_fraction_interval == (0.0, 0.0)
        assert found.signature == (3, 0, 27)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_hardly_any_objects(n):
    """Nothing to decompose is no error."""
    found = spectrum_of(1.0 - np.eye(n), power=2)
    assert sum(found.signature) == n
    assert len(found.eigenvalues) == n
    assert len(found.negative_fraction_resampled) == 0


def test_two_directions_are_averaged_and_the_input_is_kept(rng):
    """CleanSample symmetrises a copy."""
    D = rng.uniform(1, 2, size=(8, 8))
    before = D.copy()
    clean = CleanSample.of(D, is_similarity=False, power=2)
    np.testing.assert_array_equal(D, before)
    off = ~np.eye(8, dtype=bool)
    np.testing.assert_allclose(clean.square[off], ((D + D.T) / 2)[off])
    assert not np.diagonal(clean.square).any()


def test_similarities_are_read_like_nystroem_reads_them(rng):
    """Uncentred: the spectrum is that of Nystroem with all objects as landmarks."""
    K = similarity_with([5.0, -3.0, 1.0], 25, rng)
    nystroem = Nystroem("precomputed", n_components=25, random_state=0).fit(K)
    found = spectrum_of(K, is_similarity=True)
    np.testing.assert_allclose(found.eigenvalues, nystroem.eigenvalues_, atol=1e-9)
