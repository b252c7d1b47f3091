"""Comparisons of new objects with landmarks, counted and checked against numpy."""

import numpy as np
import pytest
from factories import CountedCalls
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skproxy import EigenCorrector, NeucMDS, NyIKFD, Nystroem, NystromDissimilarity
from skproxy.inspection._new_objects import (
    NewObjects,
    Yardstick,
    explained_shares,
    landmark_step,
)
from skproxy.landmarks import FarthestPointSelector


@pytest.fixture
def X(rng):
    return rng.normal(size=(80, 3))


def manhattan(a, b):
    return float(np.abs(a - b).sum())


def dot(a, b):
    return float(a @ b)


def yardstick_of(step, most=10**6):
    return Yardstick.of(step, most, np.random.RandomState(0))


def test_distances_are_those_of_the_metric(X):
    """To the nearest landmark, and from landmark to landmark."""
    nystrom = NystromDissimilarity("cityblock", n_landmarks=15, random_state=0)
    nystrom.fit(X[:60])
    yardstick = yardstick_of(nystrom)
    L = nystrom.components_
    among = np.abs(L[:, None] - L).sum(axis=-1)
    np.fill_diagonal(among, np.inf)
    np.testing.assert_allclose(yardstick.distances, among.min(axis=1))
    new = NewObjects.of(nystrom, X[60:], yardstick)
    to_landmarks = np.abs(X[60:, None] - L).sum(axis=-1)
    np.testing.assert_allclose(new.nearest, to_landmarks.min(axis=1))
    assert new.n_comparisons == 20 * 15


@pytest.mark.parametrize("given", ["objects", "matrix"])
def test_similarities_induce_distances(X, given):
    """The linear kernel gives Euclidean distances; of a matrix, within the span."""
    if given == "objects":
        train, new = X[:60], X[60:]
        nystroem = Nystroem("linear", n_components=15, random_state=0).fit(train)
        L = nystroem.components_
    else:
        K = X @ X.T
        train, new = K[:60, :60], K[60:, :60]
        nystroem = Nystroem("precomputed", n_components=15, random_state=0).fit(train)
        L = X[nystroem.component_indices_]
    yardstick = yardstick_of(nystroem)
    found = NewObjects.of(nystroem, new, yardstick)
    expected = np.linalg.norm(X[60:, None] - L, axis=-1).min(axis=1)
    np.testing.assert_allclose(found.nearest, expected, atol=1e-6)


@pytest.mark.parametrize(("metric", "kernel"), [(manhattan, None), (None, dot)])
@pytest.mark.parametrize("most", [1000, 100])
def test_comparisons_are_counted_and_bounded(X, metric, kernel, most):
    """Where all landmarks are too many for each other, some are held against all."""
    counted = CountedCalls(metric or kernel)
    if metric:
        step = NystromDissimilarity(counted, n_landmarks=15, random_state=0)
    else:
        step = Nystroem(counted, n_components=15, random_state=0)
    step.fit(X[:60])
    counted.n_calls = 0
    yardstick = yardstick_of(step, most)
    assert counted.n_calls == yardstick.n_comparisons <= most / 2
    assert len(yardstick.distances) == (15 if most == 1000 else len(yardstick.among))
    assert np.isfinite(yardstick.distances).all()
    new = NewObjects.of(step, X[60:], yardstick)
    total = yardstick.n_comparisons + new.n_comparisons
    assert counted.n_calls == total


def test_some_landmarks_measure_like_all(X):
    """A part of them has the distances that all of them have."""
    step = NystromDissimilarity("cityblock", n_landmarks=30, random_state=0).fit(X)
    every, some = yardstick_of(step), yardstick_of(step, 300)
    assert len(some.distances) == 5
    assert np.isin(some.distances.round(9), every.distances.round(9)).all()


@pytest.mark.parametrize(
    ("landmarks", "spread"),
    [
        ("uniform", True),
        ("kmeans", True),
        (FarthestPointSelector(), True),
        ("cholesky", False),
        ("entropy", False),
        (np.arange(10), False),
    ],
    ids=str,
)
def test_yardstick_depends_on_how_landmarks_were_chosen(X, landmarks, spread):
    """The nearest other landmark; or half of them, or the objects fitted."""
    step = NystromDissimilarity("cityblock", n_landmarks=10, landmarks=landmarks)
    step.set_params(random_state=0).fit(X)
    L = step.components_
    among = np.abs(L[:, None] - L).sum(axis=-1)
    among[np.eye(len(L), dtype=bool)] = np.nan
    yardstick = yardstick_of(step)
    assert yardstick.is_spread is spread
    expected = np.nanmin(among, axis=1)
    if not spread:
        from_fitted = np.sqrt(np.square(np.abs(L[:, None] - X).sum(axis=-1)).mean(1))
        expected = np.maximum(np.nanmedian(among, axis=1), from_fitted)
    np.testing.assert_allclose(yardstick.distances, expected)


def test_yardstick_of_a_kernel_is_the_distance_it_induces(X):
    """The root of the mean of s_ll + s_xx - 2 s_xl over the objects fitted."""
    step = Nystroem(gamma=0.1, center=True, landmarks=np.arange(10)).fit(X)
    squares = np.square(X[:10, None] - X).sum(axis=-1)
    from_fitted = np.sqrt((2.0 - 2.0 * np.exp(-0.1 * squares)).mean(axis=1))
    among = np.sqrt(2.0 - 2.0 * np.exp(-0.1 * squares[:, :10]))
    among[np.eye(10, dtype=bool)] = np.nan
    expected = np.maximum(np.nanmedian(among, axis=1), from_fitted)
    np.testing.assert_allclose(yardstick_of(step).distances, expected, rtol=1e-6)
    assert (expected == from_fitted).any()


def test_explained_share_of_a_plane(X):
    """Everything in the span of the landmarks; what is perpendicular to it is not."""
    flat = X * [1.0, 1.0, 0.0]
    step = NystromDissimilarity(n_landmarks=10, random_state=0).fit(flat)
    yardstick = yardstick_of(step)
    inside, in_fit = explained_shares(
        step, NewObjects.of(step, flat, yardstick), yardstick
    )
    assert inside == pytest.approx(1.0)
    assert in_fit == pytest.approx(1.0)
    lifted = flat + np.array([0.0, 0.0, 2.0])
    outside, _ = explained_shares(
        step, NewObjects.of(step, lifted, yardstick), yardstick
    )
    centred = np.square(flat - flat.mean(axis=0)).sum()
    assert outside == pytest.approx(centred / (centred + 4 * len(flat)))


def test_explained_share_does_not_depend_on_where_new_objects_are(X):
    """In the plane of the landmarks all is explained, far from the mean too.

    ``s_xx = D_xl - s_ll + 2 s_xl``: of objects about the mean the last term averages
    out.
    """
    flat = X * [1.0, 1.0, 0.0]
    step = NystromDissimilarity(n_landmarks=10, random_state=0).fit(flat)
    yardstick = yardstick_of(step)
    for place in ([3.0, 0.0, 0.0], [-1.0, 7.0, 0.0]):
        new = NewObjects.of(step, flat[:15] + place, yardstick)
        assert explained_shares(step, new, yardstick)[0] == pytest.approx(1.0)


@pytest.mark.parametrize("indefinite", [False, True])
def test_explained_share_of_kernels(X, indefinite):
    """Self-similarities of the approximation over the true ones."""
    kernel = "sigmoid" if indefinite else "rbf"
    step = Nystroem(kernel, n_components=12, random_state=0).fit(X[:60])
    yardstick = yardstick_of(step)
    new = NewObjects.of(step, X[60:], yardstick)
    share, _ = explained_shares(step, new, yardstick)
    assert 0.5 < share <= 1.0
    if not indefinite:
        Z = step.transform(X[60:])
        assert share == pytest.approx(np.square(Z).sum() / 20)


def test_pipelines_and_searches_are_searched_for_the_step(X):
    """New objects pass the steps before it; the classifier behind it is ignored."""
    y = X[:, 0] > 0
    pipeline = make_pipeline(
        StandardScaler(),
        NystromDissimilarity("cityblock", n_landmarks=10, random_state=0),
        LogisticRegression(),
    )
    search = GridSearchCV(
        pipeline, {"nystromdissimilarity__correction": ["flip", "clip"]}, cv=2
    ).fit(X, y)
    step, reached = landmark_step(search, X)
    assert step is search.best_estimator_[1]
    np.testing.assert_allclose(reached, search.best_estimator_[0].transform(X))
    classifier = NyIKFD(n_landmarks=10, random_state=0).fit(X, y)
    assert landmark_step(classifier, X)[0] is classifier


def test_words_of_errors(X):
    """What must hold and what to do."""
    with pytest.raises(TypeError, match=r"must compare with landmarks.*got PCA"):
        landmark_step(PCA().fit(X), X)
    with pytest.raises(TypeError, match="pipeline without such a step"):
        landmark_step(make_pipeline(PCA()).fit(X), X)
    nystrom = NystromDissimilarity(n_landmarks=10, random_state=0)
    with pytest.raises(ValueError, match="not fitted"):
        landmark_step(nystrom, X)
    with pytest.raises(ValueError, match="y of diagnose must be the new objects"):
        landmark_step(nystrom.fit(X), None)
    with pytest.raises(ValueError, match=r"max_comparisons .* at least 60"):
        yardstick_of(nystrom, 20)
    D = np.abs(X[:, None] - X).sum(axis=-1)
    for full in (
        NeucMDS(2, metric="precomputed").fit(D),
        EigenCorrector(input="dissimilarity").fit(D),
    ):
        with pytest.raises(ValueError, match="Set n_landmarks"):
            yardstick_of(full)
    one = NystromDissimilarity(n_landmarks=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="two landmarks at least"):
        yardstick_of(one)
