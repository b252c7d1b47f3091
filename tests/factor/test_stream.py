"""A core that follows a stream."""

import numpy as np
import pytest
from factories import CountedBlocks, double_centred
from scipy import sparse

from skproxy import BlockMetric, NystromDissimilarity
from skproxy.comparisons._objects import join_objects


def cityblock(rows, others):
    return np.abs(np.asarray(rows)[:, None] - np.asarray(others)[None]).sum(axis=2)


def streamed(X, batches, metric="cityblock"):
    nystrom = NystromDissimilarity(
        metric,
        n_landmarks=20,
        correction=None,
        random_state=0,
        scale="metric",
    )
    for batch in batches:
        nystrom.partial_fit(X[batch])
    return nystrom


@pytest.fixture
def outliers(rng):
    """Return 3,000 points of which four in later batches are far away."""
    X = rng.normal(size=(3000, 5))
    for i, row in enumerate([1500, 1900, 2400, 2999]):
        X[row, i] += 50.0 * (i + 1)
    return X


def error_of(nystrom, X):
    S = double_centred(cityblock(X, X) ** 2)
    Z = nystrom.transform(X)
    return np.linalg.norm(S - (Z * nystrom.axis_signs_) @ Z.T) / np.linalg.norm(S)


def test_an_outlier_in_a_later_batch_cannot_break_the_core(outliers):
    """The error is that of one fit to all, within a quarter."""
    nystrom = streamed(outliers, np.array_split(np.arange(3000), 3))
    once = NystromDissimilarity(
        "cityblock",
        landmarks=nystrom.component_indices_,
        correction=None,
        random_state=0,
    ).fit(outliers)
    assert error_of(nystrom, outliers) <= 1.25 * error_of(once, outliers)


def test_later_batches_may_come_in_any_order_and_size(outliers, rng):
    """The same first batch and the same others: the same coordinates to 1e-9."""
    first, rest = np.arange(1200), np.arange(1200, 3000)
    one = streamed(outliers, [first, *np.array_split(rest, 3)])
    for n_batches in (1, 7):
        order = rng.permutation(rest)
        other = streamed(outliers, [first, *np.array_split(order, n_batches)])
        size = np.abs(one.eigenvalues_).max()
        np.testing.assert_allclose(
            other.eigenvalues_, one.eigenvalues_, atol=1e-9 * size
        )
        np.testing.assert_allclose(
            other.transform(outliers[::50]),
            one.transform(outliers[::50]),
            atol=1e-7 * np.sqrt(size),
        )


def test_only_new_probes_are_compared(outliers):
    """What is counted is done, and no probe is compared twice."""
    calls = CountedBlocks(cityblock)
    metric = BlockMetric(calls)
    nystrom = streamed(outliers, [np.arange(1500)], metric)
    before = nystrom.n_comparisons_
    nystrom.partial_fit(outliers[1500:1501])
    e = 6 * 20 + 160
    assert nystrom.n_comparisons_ <= before + 20 + 2 * 20 * (e + 40)
    again = nystrom.n_comparisons_
    nystrom.partial_fit(np.zeros((10, 5)))  # in the middle of all
    assert nystrom.n_comparisons_ == again + 10 * 20


def test_a_first_batch_of_landmarks_alone_is_followed(rng):
    """Landmarks are probes, too: what lies far from them is compared with them."""
    X = rng.normal(size=(400, 3))
    X[30] += 40
    nystrom = NystromDissimilarity(
        "cityblock", n_landmarks=12, random_state=0, scale="metric"
    )
    for batch in np.split(X, [12, 20, 200]):
        nystrom.partial_fit(batch)
    assert error_of(nystrom.set_params(correction=None), X) < 0.6
    assert nystrom.n_samples_seen_ == 400


def test_after_fit_and_without_a_measure_the_core_stays(outliers):
    """partial_fit merges into what fit found; precomputed rows have no other pairs."""
    nystrom = NystromDissimilarity("cityblock", n_landmarks=20, random_state=0)
    nystrom.fit(outliers[:1500])
    fixed = nystrom._factor.landmark_map
    nystrom.partial_fit(outliers[1500:])
    assert nystrom._factor.landmark_map is fixed
    D = cityblock(outliers[:300], outliers[:300])
    precomputed = NystromDissimilarity("precomputed", n_landmarks=9, random_state=0)
    precomputed.partial_fit(D).partial_fit(D[:50])
    assert precomputed.n_samples_seen_ == 350


def test_objects_of_any_kind_are_joined(rng):
    """Arrays, sparse rows and lists of objects."""
    X = rng.normal(size=(6, 2))
    np.testing.assert_array_equal(join_objects([X[:2], X[2:]]), X)
    joined = join_objects([sparse.csr_matrix(X[:2]), sparse.csr_matrix(X[2:])])
    np.testing.assert_array_equal(joined.toarray(), X)
    assert join_objects([["a"], ["b", "c"]]) == ["a", "b", "c"]
