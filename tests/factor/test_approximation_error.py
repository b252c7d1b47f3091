"""The relative error of an approximation, estimated from a sample of objects."""

from functools import reduce

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from skproxy import EigenCorrector, NeucMDS, NyIKFD, Nystroem, NystromDissimilarity
from skproxy.factor import double_center
from skproxy.factor._approximation_error import ErrorSample, _uniform
from skproxy.factor._basis import Basis


def heavy_tailed(seed, n=500):
    """Points of which one is far and a few are farther than most."""
    X = np.random.RandomState(seed).standard_t(3, size=(n, 5))
    X[7] *= 30
    return X


def true_error(nystrom, X):
    """Return |S - S^| / |S| over the objects fitted."""
    exact = -0.5 * double_center(np.square(cdist(X, X, "cityblock")))
    Z = nystrom.transform(X) / nystrom.scale_
    found = (Z * nystrom.axis_signs_) @ Z.T
    return np.linalg.norm(exact - found) / np.linalg.norm(exact)


def fitted(X, seed=0, **options):
    return NystromDissimilarity(
        "cityblock",
        correction=None,
        n_landmarks=15,
        n_probes=40,
        estimate_error=True,
        random_state=seed,
        **options,
    ).fit(X)


def test_with_every_object_drawn_the_error_is_exact():
    """Up to 200 objects nothing is estimated."""
    X = heavy_tailed(0, 120)
    nystrom = fitted(X)
    error = nystrom.approximation_error_
    np.testing.assert_allclose(error.value, true_error(nystrom, X), rtol=1e-9)
    np.testing.assert_allclose([error.low, error.high], error.value, rtol=1e-12)


def test_intervals_hold_the_true_error():
    """Nominal 90 %, of heavy tails with an outlier: 80 % of 50 draws at least.

    The estimates' median is within three percent of the true error's.
    """
    inside, ratios = [], []
    for seed in range(50):
        X = heavy_tailed(seed)
        nystrom = fitted(X, seed)
        true, error = true_error(nystrom, X), nystrom.approximation_error_
        inside.append(error.low <= true <= error.high)
        ratios.append(error.value / true)
        assert error.high < 1.5 * error.low
    assert np.mean(inside) >= 0.8
    assert abs(np.median(ratios) - 1) < 0.03


def test_the_error_has_no_unit():
    """Dissimilarities times any number have the same relative error."""
    X = heavy_tailed(1)
    for unit in (1e-60, 1e3, 1e60):
        error = fitted(X * 2.0 ** np.round(np.log2(unit))).approximation_error_
        np.testing.assert_allclose(error, fitted(X).approximation_error_, rtol=1e-6)


def test_low_rank_is_recovered_and_known_to_be():
    """The estimate is rounding where the approximation is exact."""
    X = np.random.RandomState(0).normal(size=(600, 3))
    nystrom = NystromDissimilarity(
        n_landmarks=20, estimate_error=True, random_state=0
    ).fit(X)
    assert nystrom.approximation_error_.high < 1e-12


@pytest.mark.parametrize("order", [1, -1])
def test_streams_estimate_the_error_of_all_they_saw(order):
    """Batches in any order; no pair among those drawn is compared twice."""
    X = heavy_tailed(3)
    nystrom = NystromDissimilarity(
        "cityblock",
        correction=None,
        n_landmarks=15,
        n_probes=40,
        estimate_error=True,
        random_state=0,
    )
    for batch in np.array_split(X[::order], 4):
        nystrom.partial_fit(batch)
    true, error = true_error(nystrom, X), nystrom.approximation_error_
    assert error.low / 1.2 < true < error.high * 1.2


def test_merged_models_know_their_common_error():
    """What parts drew is merged, and compared across parts."""
    X = heavy_tailed(4)
    nystrom = NystromDissimilarity(
        "cityblock",
        correction=None,
        n_landmarks=15,
        n_probes=40,
        estimate_error=True,
        random_state=0,
    ).partial_fit(X[:200])
    parts = [
        nystrom.new_part().partial_fit(X[some])
        for some in (slice(200, 350), slice(350, None))
    ]
    for part in parts:
        nystrom.merge(part)
    true, error = true_error(nystrom, X), nystrom.approximation_error_
    assert error.low / 1.2 < true < error.high * 1.2


def test_nothing_is_estimated_or_compared_unless_asked_for():
    """200 objects drawn cost 200 * 201 / 2 comparisons, and change nothing else."""
    X = heavy_tailed(0)
    plain = NystromDissimilarity("cityblock", n_landmarks=15, random_state=0).fit(X)
    assert plain.approximation_error_ is None
    asked = NystromDissimilarity(
        "cityblock", n_landmarks=15, random_state=0, estimate_error=True
    ).fit(X)
    assert asked.n_comparisons_ - plain.n_comparisons_ == 200 * 201 // 2
    np.testing.assert_array_equal(asked.eigenvalues_, plain.eigenvalues_)


def test_every_estimator_with_landmarks_can_tell():
    """Of one and the same matrix they say the same; without landmarks zero."""
    X, y = heavy_tailed(5, 300), np.arange(300) % 2
    options = {"n_landmarks": 15, "estimate_error": True, "random_state": 0}
    D = cdist(X, X, "cityblock")
    found = [
        NystromDissimilarity("precomputed", rank=None, **options).fit(D),
        NeucMDS(2, metric="precomputed", **options).fit(D),
        EigenCorrector(input="dissimilarity", **options).fit(D),
        NyIKFD(metric="precomputed", rank=None, features="linear", **options).fit(D, y),
    ]
    errors = [estimator.approximation_error_ for estimator in found]
    for error in errors:
        np.testing.assert_allclose(error, errors[0], rtol=1e-6)
    everything = EigenCorrector(estimate_error=True).fit(D).approximation_error_
    assert everything == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("kernel", "gamma"), [("rbf", 0.1), ("sigmoid", 0.01)])
def test_kernels_definite_or_not(kernel, gamma):
    """A psd kernel is passed over for the estimate, an indefinite one is anyway."""
    from sklearn.metrics.pairwise import pairwise_kernels

    X = np.random.RandomState(0).normal(size=(700, 5))
    nystroem = Nystroem(
        kernel,
        gamma=gamma,
        n_components=30,
        correction=None,
        estimate_error=True,
        random_state=0,
    )
    Z = nystroem.fit_transform(X)
    exact = pairwise_kernels(X, metric=kernel, gamma=gamma)
    gap = np.linalg.norm(exact - (Z * nystroem.axis_signs_) @ Z.T)
    error = nystroem.approximation_error_
    assert error.low / 1.2 < gap / np.linalg.norm(exact) < error.high * 1.2


def test_landmark_columns_cannot_tell():
    """They hold no comparisons among other objects."""
    D = cdist(heavy_tailed(0, 40), heavy_tailed(0, 40), "cityblock")
    nystrom = NystromDissimilarity("precomputed", landmarks=[3, 1], estimate_error=True)
    with pytest.raises(ValueError, match="estimate_error of NystromDissimilarity"):
        nystrom.fit(D[:, [3, 1]])


def sample_of(rows, positions, seed=0, size=20):
    basis = Basis.of(
        np.random.RandomState(9).normal(size=(50, rows.shape[1])),
        centred=True,
        eps=2e-16,
    )
    empty = ErrorSample.empty(basis, 50, rows.dtype, seed, size)
    return empty, empty.offer(basis, basis.rows(rows), positions, rows, rows)


def test_samples_of_parts_merge_to_that_of_all(rng):
    """Who is drawn does not depend on blocks, batches or machines."""
    rows = rng.standard_t(2, size=(300, 4))
    _, whole = sample_of(rows, np.arange(300))
    parts = [
        sample_of(rows[some], some)[1]
        for some in np.array_split(rng.permutation(300), 7)
    ]
    merged = reduce(ErrorSample.merge, parts)
    np.testing.assert_array_equal(merged.positions, whole.positions)
    np.testing.assert_allclose(merged.probabilities(), whole.probabilities())
    assert merged.n_seen == whole.n_seen == 300


def test_probabilities_are_those_of_being_drawn(rng):
    """One over them, summed over those drawn, is the number of objects on average.

    So it is for the objects whose weight is large, and for pairs.
    """
    rows = rng.standard_t(2, size=(200, 4))
    large = np.square(rows).sum(axis=1) > 8
    totals = []
    for seed in range(400):
        _, sample = sample_of(rows, np.arange(200), seed)
        inverse = 1 / sample.probabilities()
        who = sample.positions[: sample.drawn]
        pairs = inverse.sum() ** 2 - (inverse**2).sum()
        totals.append([inverse.sum(), inverse[large[who]].sum(), pairs])
    means, spreads = np.mean(totals, axis=0), np.std(totals, axis=0) / 20
    exact = np.array([200, large.sum(), 200 * 199])
    assert (np.abs(means - exact) < 4 * spreads).all()


def test_hashes_are_uniform_and_independent(rng):
    """Equal rows at other positions, and other rows, get other numbers in (0, 1)."""
    rows = np.repeat(rng.normal(size=(2, 3)), 2000, axis=0)
    u = _uniform(np.arange(4000), rows, 1)
    counts = np.histogram(u, bins=20, range=(0, 1))[0]
    assert np.square(counts - 200).sum() / 200 < 45  # chi2, 19 degrees: p < 0.001
    assert abs(np.corrcoef(u[:-1], u[1:])[0, 1]) < 0.06
    assert not np.array_equal(u, _uniform(np.arange(4000), rows, 2))
