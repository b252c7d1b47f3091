"""medoid_indices: all pairs where all are asked for, words."""

import numpy as np
import pytest
from factories import CountedCalls
from scipy.spatial.distance import cdist

from skproxy import BlockMetric, NystromDissimilarity
from skproxy.neighbors import medoid_indices

RNG = np.random.RandomState(0)
LABELS = np.repeat([2, 0, -1, 5], [30, 50, 10, 40])
X = RNG.standard_t(3, size=(130, 3)) + LABELS[:, None]


def all_pairs(X, labels):
    found = []
    for cluster in np.unique(labels[labels >= 0]):
        members = np.flatnonzero(labels == cluster)
        sums = cdist(X[members], X[members], "cityblock").sum(axis=0)
        found.append(members[sums.argmin()])
    return found


@pytest.mark.parametrize("scale", [1e-3, 1e3])
@pytest.mark.parametrize("kind", ["name", "block", "precomputed"])
def test_with_all_candidates_and_members_they_are_those_of_all_pairs(kind, scale):
    """Least sum of dissimilarities, clusters sorted, noise left out."""
    objects, metric = scale * X, "cityblock"
    if kind == "block":
        metric = BlockMetric(lambda a, b: cdist(a, b, "cityblock"))
    elif kind == "precomputed":
        objects, metric = cdist(objects, objects, "cityblock"), "precomputed"
    found = medoid_indices(LABELS, X, objects, metric, n_candidates=50)
    np.testing.assert_array_equal(found, all_pairs(X, LABELS))


def test_few_candidates_are_nearly_as_good():
    """Ten candidates by the vectors: sums within 2 % of the least."""
    Z = NystromDissimilarity("cityblock", n_landmarks=30, random_state=0)
    found = medoid_indices(LABELS, Z.fit_transform(X), X, "cityblock", random_state=0)
    for mine, best in zip(found, all_pairs(X, LABELS), strict=True):
        members = X[LABELS[best] == LABELS]
        sums = cdist(X[[mine, best]], members, "cityblock").sum(axis=1)
        assert sums[0] <= 1.02 * sums[1]


def test_comparisons_are_bounded_and_draws_repeat():
    """n_clusters n_candidates max_members calls at most; one seed, one answer."""
    gap = CountedCalls(lambda a, b: float(np.abs(a - b).sum()))
    options = {"n_candidates": 3, "max_members": 7, "random_state": 1}
    found = medoid_indices(LABELS, X, list(X), gap, **options)
    assert gap.n_calls == 3 * 3 * 7
    again = medoid_indices(LABELS, X, list(X), gap, **options)
    np.testing.assert_array_equal(found, again)
    assert (LABELS[found] == [0, 2, 5]).all()


def test_as_many_labels_as_objects():
    """Else ValueError with both numbers."""
    with pytest.raises(ValueError, match="130 labels and 129 objects"):
        medoid_indices(LABELS, X, X[:-1])
