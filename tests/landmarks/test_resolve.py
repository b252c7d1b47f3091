"""From ``landmarks=`` to landmarks: names, selectors, positions, objects."""

import numpy as np
import pytest

from skproxy import NystromDissimilarity
from skproxy.landmarks import SELECTORS, KMeansSelector, LandmarkSelector
from skproxy.landmarks._resolve import given_indices


class Fixed(LandmarkSelector):
    """Returns what it is told."""

    def __init__(self, answer=(0,)):
        self.answer = answer

    def select(self, X, y, n_landmarks, proximity, rng):
        return self.answer


def fit(X, **parameters):
    return NystromDissimilarity(random_state=0, **parameters).fit(X)


def test_eight_names():
    """Every selector has a name, a class and defaults."""
    assert sorted(SELECTORS) == [
        "cholesky",
        "entropy",
        "farthest",
        "kmeans",
        "leverage",
        "meb",
        "stratified",
        "uniform",
    ]


@pytest.mark.parametrize(
    ("landmarks", "expected"),
    [
        ([3, 1], [3, 1]),
        (np.array([3, 1], dtype=np.int8), [3, 1]),
        ("uniform", None),
        (KMeansSelector(), None),
        ([0.5, 1.5], None),
        ([[3, 1]], None),
        (["a", "b"], None),
        ([[1], [2, 3]], None),
        ([], None),
    ],
)
def test_positions_are_integers_in_one_dimension(landmarks, expected):
    """Integers in one dimension are positions, nothing else is."""
    found = given_indices(landmarks)
    assert (found if found is None else found.tolist()) == expected


def test_positions_and_objects_of_your_own(cloud):
    """Positions and objects bring their own number and mean the same landmarks."""
    by_position = fit(cloud, landmarks=[5, 2, 9])
    assert by_position.component_indices_.tolist() == [5, 2, 9]
    by_object = fit(cloud, landmarks=cloud[[5, 2, 9]])
    assert by_object.component_indices_ is None
    np.testing.assert_array_equal(by_object.components_, by_position.components_)


@pytest.mark.parametrize("kind", [np.asarray, list, np.ndarray.tolist])
def test_a_mask_is_the_positions_where_it_holds(kind, cloud):
    """A boolean mask, an array or a list, means the positions where it is true."""
    mask = np.isin(np.arange(150), [9, 2, 5])
    model = fit(cloud, landmarks=kind(mask))
    assert model.component_indices_.tolist() == [2, 5, 9]


def test_fewer_landmarks_than_asked():
    """n_landmarks_ says how many distinct landmarks were found."""
    X = np.repeat(np.arange(3.0), 10).reshape(-1, 1)
    model = fit(X, n_landmarks=8, landmarks="farthest")
    assert model.n_landmarks_ == len(model.component_indices_) == 3


def test_more_landmarks_than_objects(cloud):
    """More landmarks than objects are lowered with one warning."""
    with pytest.warns(UserWarning, match="n_landmarks=20 of NystromDissimilarity"):
        model = fit(cloud[:7], n_landmarks=20, landmarks="kmeans")
    assert model.n_landmarks_ == 7


@pytest.mark.parametrize(
    ("landmarks", "error", "words"),
    [
        ("best", ValueError, "must be one of .*'cholesky'.*got 'best'"),
        (Fixed([0, 0]), ValueError, r"distinct positions; got \[0\] more than once"),
        (Fixed([0, 150]), ValueError, r"positions from 0 to 149.*got \[150\]"),
        (Fixed([0.5]), ValueError, "non-empty array of integer positions"),
        (Fixed([]), ValueError, "non-empty array of integer positions"),
        (np.ones(4, dtype=bool), ValueError, "one entry for each of the 150.*got 4"),
        ([True, False], ValueError, "one entry for each of the 150.*got 2"),
        (np.zeros(150, dtype=bool), ValueError, "non-empty array of integer positions"),
        (np.empty((0, 3)), ValueError, "at least one"),
        (np.ones((2, 5)), ValueError, "as many features as X, 3; got 5"),
    ],
)
def test_wrong_landmarks_are_explained(landmarks, error, words, cloud):
    """Errors name the class, what came and what is possible."""
    with pytest.raises(error, match=words):
        fit(cloud, landmarks=landmarks)


def test_objects_need_a_measure(cloud):
    """Landmark objects cannot be compared with a precomputed matrix."""
    D = np.abs(cloud[:, [0]] - cloud[:, 0])
    with pytest.raises(ValueError, match="cannot be compared without a measure"):
        fit(D, metric="precomputed", landmarks=D[:3])


@pytest.mark.parametrize("kind", ["array", "list", "positions", "selector"])
def test_landmarks_outlive_what_was_passed(kind, rng):
    """Writing to X or to landmarks= after fit changes no coordinate."""
    X = rng.normal(size=(30, 3))
    objects, new = [row.copy() for row in X], list(X[:4] + 1)
    passed = {
        "array": X[:6].copy(),
        "list": [row.copy() for row in X[:6]],
        "positions": np.arange(6),
        "selector": Fixed(np.arange(6)),
    }[kind]
    data = X.copy() if kind == "array" else objects
    metric = "euclidean" if kind == "array" else lambda a, b: np.abs(a - b).sum()
    nystrom = NystromDissimilarity(
        metric, n_landmarks=6, landmarks=passed, random_state=0
    ).fit(data)
    before = nystrom.transform(new)
    written = passed.answer if kind == "selector" else passed
    for row in [*data, *(passed if kind == "list" else [written])]:
        row *= 0
    np.testing.assert_array_equal(nystrom.transform(new), before)
    assert kind in ("array", "list") or nystrom.component_indices_.tolist() == [
        *range(6)
    ]
