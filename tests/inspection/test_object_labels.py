import numpy as np
import pandas as pd
import pytest

from skproxy.inspection._object_labels import (
    are_quantities,
    check_labels,
    missing_labels,
    short_name,
)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0, 1, 1], False),
        ([0.0, 1.0, np.nan], False),
        ([0.5, 1.0], True),
        (list(range(20)), False),
        (list(range(21)), True),
        ([str(j) for j in range(30)], False),
        ([True, False], False),
        (pd.Series(["a", "b"], dtype="category"), False),
        (pd.Series([1.5, 2.0]), True),
    ],
)
def test_numbers_with_fractions_or_of_many_values_are_quantities(y, expected):
    """Names never are, however many."""
    assert are_quantities(y) is expected


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1.0, np.nan]),
        np.array(["a", None], dtype=object),
        np.array(["a", np.nan], dtype=object),
        np.array(["a", pd.NA], dtype=object),
        np.array([pd.Timestamp("2020-01-01"), pd.NaT], dtype=object),
    ],
)
def test_none_and_nan_are_no_labels(labels):
    """In arrays of numbers and of objects; pandas' NA too."""
    assert missing_labels(labels).tolist() == [False, True]


def test_other_arrays_miss_nothing():
    """A string "nan" is a name."""
    assert not missing_labels(np.array(["nan", "a"])).any()
    assert not missing_labels(np.array([1, 2])).any()


def test_a_label_for_each_object():
    """A Series stays one, for its name."""
    assert check_labels(None, 3, "owner") is None
    assert check_labels(["a", "b"], 2, "owner").tolist() == ["a", "b"]
    assert check_labels(pd.Series([1, 2], name="age"), 2, "owner").name == "age"
    with pytest.raises(ValueError, match=r"y of owner .* 3 objects; got shape \(2,\)"):
        check_labels([1, 2], 3, "owner")
    with pytest.raises(ValueError, match=r"got shape \(2, 1\)"):
        check_labels([[1], [2]], 2, "owner")


def test_long_names_lose_their_middle():
    """Beginnings and endings tell classes apart."""
    assert short_name("short") == "short"
    assert short_name(3) == "3"
    name = short_name("a rather long class name, the 12th")
    assert name == "a rather long...ame, the 12th"
    assert len(name) <= 29
