"""Held-out batches are let pass, far ones are not, for every estimator."""

from math import comb

import numpy as np
import pytest
from matplotlib import pyplot

from skproxy import (
    EBEKEmbedding,
    EigenCorrector,
    NeucMDS,
    NyIKFD,
    NyPCVM,
    Nystroem,
    NystromDissimilarity,
)
from skproxy.inspection import LandmarkFit, diagnose

RNG = np.random.RandomState(0)
X = RNG.normal(size=(300, 4))
Y = (X[:, 0] > 0).astype(int)
NEW, FAR = RNG.normal(size=(100, 4)), RNG.normal(size=(100, 4)) + 4.0
EVERYTHING = np.vstack([X, NEW, FAR])


def distances(rows, others=X):
    return np.abs(rows[:, None] - others).sum(axis=-1)


def gaussian(rows, others=X):
    return np.exp(-0.1 * np.square(rows[:, None] - others).sum(axis=-1))


MARKS = {"n_landmarks": 40, "random_state": 0}
OF_OBJECTS = [
    NystromDissimilarity("cityblock", **MARKS),
    NystromDissimilarity("cityblock", landmarks="kmeans", **MARKS),
    NystromDissimilarity("cityblock", landmarks="farthest", **MARKS),
    NystromDissimilarity("cityblock", landmarks="cholesky", **MARKS),
    NystromDissimilarity("cityblock", landmarks=np.arange(40)),
    Nystroem(gamma=0.1, n_components=40, random_state=0),
    Nystroem(gamma=0.1, n_components=40, center=True, random_state=0),
    Nystroem("tl1", gamma=6.0, n_components=40, random_state=0),
    NeucMDS(3, **MARKS),
    EBEKEmbedding(3, kernel="rbf", gamma=0.1, **MARKS),
    EBEKEmbedding(3, kernel="rbf", gamma=0.1, method="projection", **MARKS),
    NyIKFD(gamma=0.1, **MARKS),
    NyIKFD(metric="cityblock", **MARKS),
    NyPCVM(gamma=0.1, basis="training", max_iter=5000, **MARKS),
    NyPCVM(metric="cityblock", **MARKS),
]
OF_DISSIMILARITIES = [
    NystromDissimilarity("precomputed", **MARKS),
    EigenCorrector(input="dissimilarity", **MARKS),
    NeucMDS(3, metric="precomputed", **MARKS),
    NyIKFD(metric="precomputed", **MARKS),
]
OF_SIMILARITIES = [
    Nystroem("precomputed", n_components=40, random_state=0),
    EigenCorrector(input="similarity", **MARKS),
    EBEKEmbedding(3, kernel="precomputed", **MARKS),
]


def name_of(estimator):
    return type(estimator).__name__


@pytest.mark.parametrize("estimator", OF_OBJECTS, ids=name_of)
def test_objects(estimator):
    """Compared by a metric or a kernel."""
    estimator.fit(X, Y)
    near = diagnose(estimator, NEW, random_state=0)
    assert not near.is_outside
    assert near.share_beyond <= near.largest_expected_share
    far = diagnose(estimator, FAR, random_state=0)
    assert far.is_outside
    assert far.share_beyond > 0.5
    assert not diagnose(estimator, X, random_state=0).is_outside


@pytest.mark.parametrize(
    ("estimator", "compare"),
    [(e, distances) for e in OF_DISSIMILARITIES]
    + [(e, gaussian) for e in OF_SIMILARITIES],
    ids=lambda value: name_of(value) if hasattr(value, "fit") else "",
)
def test_precomputed(estimator, compare):
    """Rows of new objects, with columns of all objects fitted or of the landmarks."""
    estimator.fit(compare(X), Y)
    assert not diagnose(estimator, compare(NEW), random_state=0).is_outside
    far = diagnose(estimator, compare(FAR), random_state=0)
    assert far.is_outside
    marks = estimator._compared.landmarks.indices
    of_marks = diagnose(estimator, compare(FAR)[:, marks], random_state=0)
    assert of_marks.share_beyond == far.share_beyond


def test_landmark_columns():
    """A matrix of landmark columns is enough, in fit and for new objects."""
    marks = np.arange(40)
    nystrom = NystromDissimilarity("precomputed", landmarks=marks)
    nystrom.fit(distances(X)[:, :40])
    assert not diagnose(nystrom, distances(NEW)[:, :40]).is_outside
    assert diagnose(nystrom, distances(FAR)[:, :40]).is_outside


def test_held_out_batches_are_seldom_flagged():
    """Once in a thousand times by design: not in sixty, for uniform landmarks."""
    flagged = 0
    for seed in range(60):
        rng = np.random.RandomState(seed)
        points = rng.standard_t(3, size=(200, 3))
        nystrom = NystromDissimilarity(n_landmarks=20, random_state=seed)
        nystrom.fit(points[:120])
        flagged += diagnose(nystrom, points[120:], random_state=0).is_outside
    assert flagged <= 1


@pytest.mark.parametrize("landmarks", ["cholesky", "entropy", "leverage", "meb"])
def test_landmarks_that_sit_together_flag_nobody(landmarks):
    """In a plane some selectors take landmarks from a few corners only."""
    for seed in range(3):
        points = np.random.RandomState(seed).uniform(size=(600, 2))
        y = (points[:, 0] > 0.5).astype(int)
        nystrom = NystromDissimilarity(
            n_landmarks=40, landmarks=landmarks, random_state=seed
        ).fit(points[:400], y[:400])
        assert not diagnose(nystrom, points[400:], random_state=0).is_outside
        assert diagnose(nystrom, points[400:] + 2.0, random_state=0).is_outside


def test_single_objects_far_away_are_named():
    """Though the batch as a whole is fine."""
    nystrom = NystromDissimilarity(**MARKS).fit(X)
    batch = NEW.copy()
    batch[[3, 50]] += 30.0
    found = diagnose(nystrom, batch, random_state=0)
    assert not found.is_outside
    assert found.far_indices.tolist() == [3, 50]
    assert "2 of them: 3, 50" in repr(found)
    assert "look at them before you trust" in repr(found)
    alone = diagnose(nystrom, batch[[3]], random_state=0)
    assert alone.far_indices.tolist() == [0]


def test_nothing_explained_is_no_negative_share():
    """What is off by more than there is reads as none."""
    nystrom = NystromDissimilarity("cityblock", **MARKS).fit(X)
    found = diagnose(nystrom, NEW + 100.0, random_state=0)
    assert found.explained < 0
    assert "self-similarity explained none, of" in " ".join(repr(found).split())


def test_chance_is_that_of_objects_and_landmarks_drawn_alike(rng):
    """More than the largest expected share are beyond the limit once in a thousand."""
    found = diagnose(NystromDissimilarity(**MARKS).fit(X), NEW, random_state=0)
    draws = 20_000
    limits = np.partition(rng.uniform(size=(draws, 40)), -2, axis=1)[:, -2]
    shares = rng.binomial(100, 1.0 - limits) / 100
    assert 0.0 < np.mean(shares > found.largest_expected_share) < 2e-3


@pytest.mark.parametrize("n_landmarks", [10, 25, 40])
def test_largest_expected_share_is_the_exact_quantile(n_landmarks):
    """Of the orders of landmarks and new objects, all of which are as probable.

    k of n new objects are beyond the r-th of m landmarks in ``C(k + m - r, k)
    C(n - k + r - 1, r - 1)`` of ``C(n + m, n)`` orders (Wilks 1941).
    """
    m, n = n_landmarks, len(NEW)
    step = NystromDissimilarity(n_landmarks=m, random_state=0).fit(X)
    found = diagnose(step, NEW, random_state=0)
    r = int((found.among_landmarks <= found.limit).sum())
    orders = [comb(k + m - r, k) * comb(n - k + r - 1, r - 1) for k in range(n + 1)]
    assert sum(orders) == comb(n + m, n)
    most = round(found.largest_expected_share * n)
    assert sum(orders[most + 1 :]) <= 1e-3 * sum(orders) < sum(orders[most:])


def test_cost_is_bounded():
    """As many new objects are looked at as the comparisons allow."""
    nystrom = NystromDissimilarity(**MARKS).fit(X)
    found = diagnose(nystrom, NEW, max_comparisons=2000, random_state=0)
    assert found.n_comparisons <= 2000
    assert 0 < len(found.indices) == len(found.nearest) < 100
    assert found.n_objects == 100
    assert found.limit == np.sort(found.among_landmarks)[-2]  # 95 % of 40 and one
    assert found.share_beyond == np.mean(found.nearest > found.limit)
    few = diagnose(nystrom, NEW, n_samples=7, random_state=0)
    assert len(few.indices) == 7


def test_text_html_and_picture():
    """A verdict in plain words; a picture with both distributions."""
    nystrom = NystromDissimilarity(**MARKS).fit(X)
    near, far = (diagnose(nystrom, batch, random_state=0) for batch in (NEW, FAR))
    assert isinstance(near, LandmarkFit)
    assert "of the kind that was fitted: go on" in repr(near)
    assert "their coordinates and predictions are extrapolation" in " ".join(
        repr(far).split()
    )
    assert max(map(len, repr(far).splitlines())) <= 79
    assert "NystromDissimilarity" in far._repr_html_()
    ax = far.plot()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["landmarks", "new objects"]
    assert far.plot(ax) is ax
    pyplot.close("all")
