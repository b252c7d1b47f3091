import itertools

import numpy as np
from factories import CountedCalls

from skproxy import NyIKFD
from skproxy.classification._curved import is_clearly_less
from skproxy.datasets import make_balls


def test_only_a_clear_difference_decides():
    """Less by more than a standard error; weights are repetitions."""
    others = np.ones(100)
    wobble = np.where(np.arange(100) % 2, 1.0, -1.0)
    assert is_clearly_less(others - 0.2 + wobble, others)
    assert not is_clearly_less(others - 0.05 + wobble, others)
    assert not is_clearly_less(others, others)
    weights = np.full(100, 16.0)
    assert is_clearly_less(others - 0.05 + wobble, others, weights)


def test_kernel_features_cost_no_comparison(rng):
    """Two powers, columns and curved decisions come from the comparisons of one."""
    X = rng.normal(size=(70, 3))
    y = (np.abs(X[:, 0]) > 0.7).astype(int)

    def gap(a, b):
        return float(np.abs(a - b).sum())

    counts = []
    for features in ("linear", "kernel"):
        metric = CountedCalls(gap)
        clf = NyIKFD(metric=metric, n_landmarks=20, features=features, random_state=0)
        clf.fit(X, y)
        assert metric.n_calls == clf.n_comparisons_
        counts.append((metric.n_calls, clf.component_indices_.tolist()))
    assert counts[0] == counts[1]


def test_curved_decisions_are_found(rng):
    """A shell around a ball: kernel features tell them apart with few landmarks."""
    X = rng.normal(size=(600, 2))
    y = (np.hypot(*X.T) > 1.2).astype(int)
    scores = [
        NyIKFD(metric="cityblock", power=1, n_landmarks=5, features=f, random_state=0)
        .fit(X[:300], y[:300])
        .score(X[300:], y[300:])
        for f in ("linear", "kernel")
    ]
    assert scores[1] > 0.95
    assert scores[1] > scores[0]


def test_a_linear_kernel_is_added_where_small_axes_matter():
    """Balls differ by negative axes only: the linear kernel is there, and it helps."""
    D, y = make_balls((60, 60), random_state=0)
    clf = NyIKFD(metric="precomputed", n_landmarks=30, random_state=0)
    clf.fit(D[::2, ::2], y[::2])
    assert len(clf._curved.features.kernels) == 4
    assert clf.score(D[1::2, ::2], y[1::2]) > 0.9


def test_first_objects_decide_and_later_ones_stream(rng):
    """In pieces or at once after the same first batch: the same probabilities."""
    X = rng.normal(size=(300, 3)) * 1e3
    y = (np.abs(X[:, 0]) > 700).astype(int)
    found = []
    for cuts in ([100, 300], [100, 130, 131, 300]):
        clf = NyIKFD(metric="cityblock", n_landmarks=15, random_state=0)
        clf.partial_fit(X[: cuts[0]], y[: cuts[0]], classes=[0, 1])
        for begin, end in itertools.pairwise(cuts):
            clf.partial_fit(X[begin:end], y[begin:end])
        assert clf.n_samples_seen_ == 300
        found.append(clf.predict_proba(X))
    np.testing.assert_allclose(*found, atol=1e-9)


def test_units_of_the_metric_do_not_matter(rng):
    """Comparisons a thousand times smaller or larger give the same probabilities."""
    X = rng.standard_t(2, size=(120, 3))
    y = (np.abs(X[:, 0]) > 0.7).astype(int)
    found = [
        NyIKFD(metric="cityblock", n_landmarks=15, random_state=0)
        .fit(X * unit, y)
        .predict_proba(X * unit)
        for unit in (1e-3, 1.0, 1e3)
    ]
    np.testing.assert_allclose(found[0], found[1], atol=1e-8)
    np.testing.assert_allclose(found[2], found[1], atol=1e-8)


def test_probabilities_of_new_objects_are_honest():
    """Heavy-tailed noise, many landmarks: confidence is the rate of success."""
    gaps = []
    for seed in range(4):
        rng = np.random.RandomState(seed)
        X = rng.standard_t(3, size=(1000, 8))
        y = (np.abs(X[:, 0]) + rng.normal(size=1000) * 0.7 > 0.8).astype(int)
        clf = NyIKFD(metric="cityblock", n_landmarks=100, random_state=0)
        clf.fit(X[:200], y[:200])
        sure = clf.predict_proba(X[200:]).max(axis=1).mean()
        gaps.append(sure - clf.score(X[200:], y[200:]))
    assert abs(np.mean(gaps)) < 0.04
