"""The pipeline of estimators, as far as landmark selection goes."""

import numpy as np
import pytest
from sklearn.base import clone

from skproxy import (
    EBEKEmbedding,
    EigenCorrector,
    NeucMDS,
    NyIKFD,
    NyPCVM,
    Nystroem,
    NystromDissimilarity,
)
from skproxy.comparisons import (
    Geometry,
)
from skproxy.landmarks import LandmarkSelector, UniformSelector

SQUARED = Geometry(is_similarity=False, power=2, centred=True)


class Witness(LandmarkSelector):
    """Keeps what it is given."""

    def __init__(self, seen=None):
        self.seen = seen

    def select(self, X, y, n_landmarks, proximity, rng):
        self.seen.update(
            X=X, y=y, n_landmarks=n_landmarks, proximity=proximity, rng=rng
        )
        proximity.rectangle(np.arange(4), np.arange(3))
        return np.arange(n_landmarks)


def test_selectors_see_objects_labels_and_geometry(cloud):
    """A selector gets X, y, the number, a table with its geometry and a generator."""
    seen = {}
    y = np.arange(150) % 2
    model = NystromDissimilarity(
        "cityblock", power=1.5, n_landmarks=4, random_state=0
    ).set_params(landmarks=Witness(seen))
    model.fit(cloud, y)
    assert seen["n_landmarks"] == 4
    np.testing.assert_array_equal(seen["X"], cloud)
    assert seen["y"] is y
    geometry = seen["proximity"].geometry
    assert not geometry.is_similarity
    assert geometry.power == 1.5
    assert seen["proximity"].n_objects == 150
    assert isinstance(seen["rng"], np.random.RandomState)
    Nystroem(landmarks=Witness(seen), n_components=4, random_state=0).fit(cloud)
    assert seen["proximity"].geometry.is_similarity


def test_comparisons_of_the_selector_are_counted(cloud):
    """n_comparisons_ includes what the selector asked for."""
    counts = [
        NystromDissimilarity(n_landmarks=4, landmarks=landmarks, random_state=0)
        .fit(cloud)
        .n_comparisons_
        for landmarks in (Witness({}), [0, 1, 2, 3])
    ]
    assert counts[0] - counts[1] == 12


class Frame(np.ndarray):
    """Selects its columns, as polars' frames do."""

    def select(self, columns):
        return self[:, columns]


@pytest.mark.parametrize(
    "estimator", [EigenCorrector(), NeucMDS(), EBEKEmbedding(2, kernel="rbf")]
)
def test_who_can_do_without_landmarks_takes_them_where_a_number_comes_with_them(
    estimator, cloud
):
    """n_landmarks, or positions or objects, which are as many as they are."""
    X = cloud[:30]
    X = X @ X.T if isinstance(estimator, EigenCorrector) else X
    for selector in ("uniform", UniformSelector()):
        estimator.set_params(landmarks=selector, n_landmarks=None).fit(X)
        assert not estimator._wants_landmarks()
        estimator.set_params(n_landmarks=4).fit(X)
        assert estimator.n_landmarks_ == 4
    estimator.set_params(n_landmarks=None, landmarks=[0, 3, 7]).fit(X)
    assert estimator.n_landmarks_ == 3
    if not isinstance(estimator, EigenCorrector):
        estimator.set_params(landmarks=X[:3].view(Frame)).fit(X)
        assert estimator.n_landmarks_ == 3


class Broken:
    """City-block distances that give up after so many."""

    calls_left = np.inf

    def __call__(self, a, b):
        Broken.calls_left -= 1
        if Broken.calls_left < 0:
            raise KeyboardInterrupt
        return float(np.abs(a - b).sum())


@pytest.mark.parametrize("verbose", [0, 1])
@pytest.mark.parametrize(
    "estimator",
    [
        Nystroem(Broken(), n_components=5),
        NystromDissimilarity(Broken(), n_landmarks=5),
        NystromDissimilarity(Broken(), n_landmarks=5, landmarks="kmeans"),
        NeucMDS(metric=Broken()),
        NeucMDS(metric=Broken(), n_landmarks=5, method="stress"),
        EBEKEmbedding(2, kernel=Broken()),
        EBEKEmbedding(2, kernel=Broken(), n_landmarks=5),
        NyIKFD(metric=Broken(), n_landmarks=5),
        NyPCVM(metric=Broken(), n_landmarks=5),
    ],
)
def test_a_fit_that_is_broken_off_leaves_the_estimator_as_it_was(
    estimator, verbose, cloud
):
    """Not fitted, or fitted as before; new landmarks never meet old axes."""
    X, others = list(cloud[:40]), list(cloud[40:80] + 1)
    y = np.arange(40) % 2
    use = "decision_function" if hasattr(estimator, "predict") else "transform"
    Broken.calls_left = np.inf
    estimator = clone(estimator).set_params(random_state=0, verbose=verbose)
    settings = dict(vars(estimator))
    expected = getattr(clone(estimator).fit(X, y), use)(others)
    Broken.calls_left = 12
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y)
    assert vars(estimator) == settings
    for calls_left in (0, 12, 120):
        Broken.calls_left = np.inf
        landmarks = estimator.fit(X, y).components_
        Broken.calls_left = calls_left
        with pytest.raises(KeyboardInterrupt):
            getattr(estimator.fit(others, y), use)(X)
        Broken.calls_left = np.inf
        if estimator.components_ is not landmarks:  # only its use was broken off
            expected = getattr(clone(estimator).fit(others, y), use)(others)
        np.testing.assert_array_equal(getattr(estimator, use)(others), expected)
