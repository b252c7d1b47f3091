"""Selectors used without an estimator."""

import numpy as np
import pytest

from skproxy import BlockMetric, Nystroem, NystromDissimilarity
from skproxy.landmarks import KMeansSelector, select_landmarks


@pytest.mark.parametrize("name", ["kmeans", "meb", "uniform"])
def test_choice_is_that_of_the_estimators(name, cloud):
    """Alone a selector chooses what it chooses within an estimator."""
    y = np.arange(150) % 2
    arguments = {"landmarks": name, "random_state": 4}
    model = NystromDissimilarity("cityblock", n_landmarks=9, **arguments).fit(cloud, y)
    alone = select_landmarks(
        cloud, y, metric="cityblock", selector=name, n_landmarks=9, random_state=4
    )
    np.testing.assert_array_equal(alone, model.component_indices_)
    model = Nystroem(gamma=0.1, n_components=9, **arguments).fit(cloud, y)
    alone = select_landmarks(
        cloud,
        y,
        kernel="rbf",
        kernel_params={"gamma": 0.1},
        selector=name,
        n_landmarks=9,
        random_state=4,
    )
    np.testing.assert_array_equal(alone, model.component_indices_)


def test_without_a_measure_vectors_are_euclidean(cloud):
    """Neither metric nor kernel stands for Euclidean distances."""
    np.testing.assert_array_equal(
        select_landmarks(cloud, n_landmarks=5, random_state=0),
        select_landmarks(cloud, metric="euclidean", n_landmarks=5, random_state=0),
    )


CALLS = []


def counted_gaps(rows, others):
    CALLS.append(len(rows))
    return np.abs(np.subtract.outer(rows, others))


def test_memory_spares_comparisons(tmp_path):
    """With memory= a second choice compares nothing again."""
    counts = []
    for _ in range(2):
        select_landmarks(
            list(range(40)),
            metric=BlockMetric(counted_gaps),
            n_landmarks=5,
            random_state=0,
            memory=str(tmp_path),
        )
        counts.append(len(CALLS))
    assert counts[0] == counts[1] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"selector": "best"}, "selector of select_landmarks must be one of"),
        ({"selector": [1, 2]}, "selector of select_landmarks must be one of"),
        ({"metric": "l1", "kernel": "rbf"}, "metric and kernel of select_landmarks"),
        ({"n_landmarks": 0}, "'n_landmarks' parameter of select_landmarks"),
        ({"power": -1}, "'power' parameter of select_landmarks"),
        ({"selector": KMeansSelector(max_iter=0)}, "'max_iter' parameter of KMeans"),
    ],
)
def test_wrong_arguments_are_named(arguments, words, cloud):
    """Errors say which argument is wrong."""
    with pytest.raises(ValueError, match=words):
        select_landmarks(cloud, **{"n_landmarks": 5, **arguments})
