import numpy as np
import pytest
from sklearn.base import BaseEstimator

from skproxy.comparisons import (
    ColumnComparisons,
    Comparer,
    Geometry,
    Landmarks,
    MeasuredComparisons,
    SquareComparisons,
)


class Me(BaseEstimator):
    """What a comparer knows of its estimator."""


DISSIMILAR = Geometry(is_similarity=False, power=2, centred=True)
SQUARED = Geometry(is_similarity=False, power=1, centred=True)
SIMILAR = Geometry(is_similarity=True, power=1, centred=False)

D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))


def comparer(compare, geometry=DISSIMILAR, **settings):
    parameter = "kernel" if geometry.is_similarity else "metric"
    return Comparer(parameter, compare, geometry, **settings)


def test_messages_name_the_parameter_of_the_class():
    """X where it holds the comparisons, the measure where that makes them."""
    assert comparer("euclidean").name(Me()) == "metric of Me"
    assert comparer("precomputed").name(Me()) == "X of Me(metric='precomputed')"
    assert comparer("rbf", SIMILAR).name(Me()) == "kernel of Me"
    assert Comparer(None, "precomputed", SIMILAR).name(Me()) == "X of Me"


def test_objects_or_a_matrix_become_a_table():
    """Whatever X is, what comes back compares by position."""
    me = Me()
    points = np.arange(6.0).reshape(-1, 1)
    table, X = comparer("cityblock").table(me, points)
    assert isinstance(table, MeasuredComparisons)
    assert X is table.objects
    full, _ = comparer("precomputed").table(me, D)
    assert isinstance(full, SquareComparisons)
    for rows, columns in (([0, 5], [2]), ([3], [1, 2, 3])):
        np.testing.assert_allclose(
            table.rectangle(rows, columns), full.rectangle(rows, columns)
        )
    narrow, _ = comparer("precomputed").table(me, D[:, [5, 0]], np.array([5, 0]))
    assert isinstance(narrow, ColumnComparisons)


def test_new_objects_become_a_table_of_comparisons_with_landmarks():
    """Vectors, rows of a full matrix, or rows of landmark columns: one answer."""
    points = np.arange(6.0).reshape(-1, 1)
    marks = np.array([5, 0])
    answers = []
    for compare, X, new, columns_only in (
        ("cityblock", points, points, False),
        ("precomputed", D, D, False),
        ("precomputed", D, D[:, marks], False),
        ("precomputed", D[:, marks], D[:, marks], True),
    ):
        me, how = Me(), comparer(compare)
        table, _ = how.table(me, X, marks)
        landmarks = Landmarks(table.take(marks), marks)
        table = how.table_of_new(me, new, landmarks, columns_only)
        blocks = table.blocks(np.arange(6), landmarks.objects, marks)
        answers.append(np.concatenate([block for _, block in blocks]))
    for answer in answers:
        np.testing.assert_allclose(answer, D[:, marks])


def test_negative_values_are_for_similarities_and_squares():
    """power=1 and kernels may be negative, other dissimilarities may not."""
    squares = -D
    comparer("precomputed", SQUARED).table(Me(), squares)
    comparer("precomputed", SIMILAR).table(Me(), squares)
    with pytest.raises(ValueError, match=r"Negative values.*\(0, 5\).*power=1"):
        comparer("precomputed").table(Me(), squares)


@pytest.mark.parametrize("how", ["average", "min", "max"])
def test_directions_are_joined_as_told(how):
    """None refuses them."""
    directed = np.triu(2 * D) + np.tril(D)
    table, _ = comparer("precomputed", symmetrize=how).table(Me(), directed)
    expected = D * {"average": 1.5, "min": 1.0, "max": 2.0}[how]
    np.testing.assert_array_equal(table.square(range(6)), expected)
    with pytest.raises(ValueError, match=r"\(0, 5\) and 5.0 for \(5, 0\)"):
        comparer("precomputed").table(Me(), directed)


def test_parameters_of_the_measure_are_copied():
    """What a measure does to its keyword arguments stays there."""
    params = {"p": 3}
    table, _ = comparer("minkowski", params=params).table(Me(), D[:, 1:])
    table.measure.params["p"] = 4
    assert params == {"p": 3}


def test_nonsense_for_memory_is_refused_by_joblib():
    """Only a path or an object that caches will do."""
    with pytest.raises(ValueError, match="'memory' should be None"):
        comparer("euclidean", memory=3).table(Me(), D[:, 1:])


def test_estimators_with_the_parameters_of_a_kernel_or_a_metric_say_it_alike():
    """What the parameters hold, copies of the dicts, and a geometry."""
    settings = {"symmetrize": "min", "memory": None, "n_jobs": 2}
    me = Me()
    vars(me).update(settings, kernel="rbf", kernel_params={"a": 1})
    vars(me).update(gamma=2.0, coef0=1.0, degree=None)
    for centred in (False, True):
        kernel = Comparer.of_kernel(me, centred=centred)
        assert kernel.name(me) == "kernel of Me"
        assert kernel.params == {"a": 1, "gamma": 2.0}
        assert kernel.geometry == Geometry(True, 1, centred)
    vars(me).update(metric="cityblock", metric_params=None, power=1.5)
    metric = Comparer.of_metric(me)
    assert metric.name(me) == "metric of Me"
    assert metric.compare == "cityblock"
    assert metric.params == {}
    assert metric.geometry == Geometry(False, 1.5, True)
    for found in (kernel, metric):
        assert {name: getattr(found, name) for name in settings} == settings
    assert me.kernel_params == {"a": 1}
