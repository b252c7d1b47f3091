"""Minimum enclosing balls of classes."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from skproxy import BlockMetric, Nystroem
from skproxy.classification import NyIKFD
from skproxy.datasets import make_three_gaussians
from skproxy.landmarks import MEBSelector, select_landmarks
from skproxy.landmarks._meb import _spread


def choose(X, y=None, n_landmarks=100, seed=0, metric="euclidean", **parameters):
    return select_landmarks(
        X,
        y,
        metric=metric,
        selector=MEBSelector(**parameters),
        n_landmarks=n_landmarks,
        random_state=seed,
    )


def smallest_ball(points):
    """Return centre and radius of the smallest ball, by many steps of a simple rule."""
    centre = points.mean(axis=0)
    for i in range(1, 20_000):
        gaps = points - centre
        centre = centre + gaps[np.square(gaps).sum(axis=1).argmax()] / (i + 1)
    return centre, np.linalg.norm(points - centre, axis=1).max()


@pytest.mark.parametrize("epsilon", [0.2, 0.01])
def test_balls_enclose_their_classes(cloud, epsilon):
    """The ball around a class's landmarks encloses the class within (1 + epsilon) R.

    Points in space, flipped: the pilot is an isometry, so balls are those of the data.
    """
    y = np.repeat([0, 1], [100, 50])
    chosen = choose(cloud, y, epsilon=epsilon, spectrum="flip")
    for label in (0, 1):
        own = chosen[y[chosen] == label]
        assert len(own) >= 2
        centre, radius = smallest_ball(cloud[own])
        reach = np.linalg.norm(cloud[y == label] - centre, axis=1).max()
        assert reach <= (1 + epsilon) * radius * 1.002


def test_squared_spectrum_is_the_ball_of_s_s(cloud):
    """With the squared spectrum the ball is that of inner products S S'."""
    D = pairwise_distances(cloud, metric="cityblock")
    J = np.eye(150) - 1 / 150
    S = -0.5 * J @ D**2 @ J
    chosen = choose(D, metric="precomputed", n_landmarks=150, n_pilot=150)
    centre, radius = smallest_ball(S[chosen])
    assert np.linalg.norm(S - centre, axis=1).max() <= 1.01 * radius * 1.005


@pytest.mark.parametrize("y", [None, np.linspace(0.1, 1.7, 150)])
def test_without_classes_there_is_one(cloud, y):
    """Without labels, or with continuous ones, all objects are one class."""
    np.testing.assert_array_equal(
        choose(cloud, y), choose(cloud, np.zeros(150, dtype=int))
    )


def test_two_landmarks_a_class_at_least():
    """Every class has two landmarks, unless it is one object or copies of one."""
    X = np.concatenate([np.zeros((9, 2)), np.random.RandomState(0).normal(size=(9, 2))])
    X = np.concatenate([X, [[5.0, 5.0]], [[1.0, 9.0], [1.0, 8.0]]])
    y = np.repeat(["same", "cloud", "one", "two"], [9, 9, 1, 2])
    labels = y[choose(X, y, epsilon=5.0, n_landmarks=20)].tolist()
    counts = {label: labels.count(label) for label in set(labels)}
    assert counts == {"same": 1, "cloud": 2, "one": 1, "two": 2}


def test_number_is_found_and_does_not_grow(cloud):
    """The number of landmarks depends on epsilon, not on the number of objects."""
    sizes = []
    for n in (300, 3000):
        X = np.random.RandomState(0).uniform(size=(n, 4))
        sizes.append(len(choose(X, np.arange(n) % 2, n_landmarks=200)))
    assert max(sizes) <= 40
    assert sizes[1] <= 2 * sizes[0]
    assert len(choose(cloud, epsilon=0.5)) < len(choose(cloud, epsilon=0.001))


def test_caps(cloud):
    """A cap a class and the number asked for both hold, and classes are cut alike."""
    y = np.arange(150) % 3
    chosen = choose(cloud, y, max_per_class=2)
    assert np.bincount(y[chosen]).tolist() == [2, 2, 2]
    cut = choose(cloud, y, n_landmarks=4)
    assert sorted(np.bincount(y[cut]).tolist()) == [1, 1, 2]
    np.testing.assert_array_equal(cut, choose(cloud, y)[:4])


def test_small_classes_are_seen():
    """Two objects among thousands, of a class of their own, become landmarks."""
    rng = np.random.RandomState(0)
    X = np.concatenate([rng.normal(size=(3000, 5)), [[9.0] * 5, [-9.0] * 5]])
    y = np.repeat([0, 1], [3000, 2])
    assert {3000, 3001} <= set(choose(X, y).tolist())


def test_large_classes_are_searched_in_samples(table_of):
    """Samples enclose all but a tiny part of a class, at a price free of its size."""
    counts = []
    for n in (2000, 20_000):
        X = np.random.RandomState(1).normal(size=(n, 3))
        table = table_of(X)
        selector = MEBSelector(max_candidates=500, spectrum="flip", n_pilot=10)
        chosen = selector.select(X, None, 50, table, np.random.RandomState(0))
        centre, radius = smallest_ball(X[chosen])
        outside = np.linalg.norm(X - centre, axis=1) > 1.01 * radius * 1.002
        assert outside.mean() <= 3 / 500
        counts.append(table.n_evaluated)
        # The first sample with its core, and whole further samples of 500 x 10.
        assert (table.n_evaluated - counts[0]) % 5000 == 0
        assert table.n_evaluated <= 10_000 + 20 * 5000
    assert counts[1] < 20_000 * 10


def test_exhaustive_price(table_of, cloud):
    """Small classes cost one pilot of n_pilot landmarks over all objects."""
    table = table_of(cloud, metric="cityblock")
    y = np.arange(150) % 2
    MEBSelector(n_pilot=10).select(cloud, y, 50, table, np.random.RandomState(0))
    extra = 4 * 10 - 10
    expected = 10 * 11 // 2 + 140 * 10 + extra * (extra + 1) // 2
    assert table.n_evaluated == expected <= 2 * 150 * 10


def test_pilot_takes_two_of_each_class():
    """Two of each class come first, then others, as many as said or as needed."""
    owners = np.repeat([0, 1, 2], [50, 1, 9])
    rows = _spread(owners, 10, np.random.RandomState(0))
    assert len(rows) == len(set(rows.tolist())) == 10
    assert np.bincount(owners[rows[:5]]).tolist() == [2, 1, 2]
    assert len(_spread(owners, 2, np.random.RandomState(0))) == 5


def elm_kernel(rows, others, g=5e-11):
    """Return the kernel of an extreme learning machine."""
    sizes = [g + 1.0 + np.square(x).sum(axis=1) for x in (rows, others)]
    ratio = (1.0 + rows @ others.T) / np.sqrt(np.outer(*sizes))
    return 2.0 / np.pi * np.arcsin(np.clip(ratio, -1.0, 1.0))


def test_three_gaussians():
    """Twelve landmarks at most classify a large cloud and two small ones perfectly."""
    X, y = make_three_gaussians(random_state=0)
    model = make_pipeline(
        StandardScaler(),
        Normalizer(),
        NyIKFD(
            BlockMetric(elm_kernel), landmarks="meb", n_landmarks=12, random_state=0
        ),
    )
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    assert cross_val_score(model, X, y, cv=folds).min() == 1.0


def test_indefinite_kernels_serve(cloud):
    """An indefinite kernel, two classes: landmarks of both, and the kernel is kept."""
    y = (cloud[:, 0] > 0).astype(int)
    model = Nystroem("sigmoid", coef0=-1.0, landmarks=MEBSelector(1e-4), random_state=0)
    Z = model.fit_transform(cloud, y)
    assert set(y[model.component_indices_]) == {0, 1}
    assert model.n_landmarks_ < 100
    assert np.isfinite(Z).all()


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("epsilon", 0), ("max_per_class", 1), ("n_pilot", 0), ("max_candidates", 1)],
)
def test_wrong_parameters_are_named(parameter, value, cloud):
    """Errors say which parameter of MEBSelector is wrong."""
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of MEBSelector"):
        choose(cloud, **{parameter: value})
