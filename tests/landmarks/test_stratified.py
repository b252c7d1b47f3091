"""Landmarks drawn within each class."""

import numpy as np
import pytest

from skproxy.landmarks import StratifiedSelector, select_landmarks


def counts(y, n_landmarks, allocation):
    y = np.asarray(y)
    chosen = select_landmarks(
        np.arange(float(len(y))).reshape(-1, 1),
        y,
        selector=StratifiedSelector(allocation),
        n_landmarks=n_landmarks,
        random_state=0,
    )
    assert len(chosen) == n_landmarks == len(set(chosen.tolist()))
    return np.bincount(np.unique(y, return_inverse=True)[1][chosen]).tolist()


@pytest.mark.parametrize(
    ("allocation", "expected"), [("proportional", [16, 3, 1]), ("equal", [8, 8, 4])]
)
def test_shares(allocation, expected):
    """Proportional shares follow sizes, but one at least; equal ones fill up."""
    y = np.repeat(["a", "b", "c"], [80, 16, 4])
    assert counts(y, 20, allocation) == expected


@pytest.mark.parametrize("allocation", ["proportional", "equal"])
@pytest.mark.parametrize("n_landmarks", [1, 2, 3, 7, 40])
def test_number_is_met(allocation, n_landmarks):
    """As many come out as asked, and no class goes without while they reach."""
    found = counts(np.repeat([0, 1, 2], [30, 9, 1]), n_landmarks, allocation)
    assert sum(found) == n_landmarks
    if n_landmarks >= 3:
        assert min(found) >= 1


def test_without_labels_or_with_continuous_ones():
    """Without labels, or with continuous ones, all objects are one class."""
    X = np.arange(300.0).reshape(-1, 1)
    none, continuous = (
        select_landmarks(X, y, selector="stratified", n_landmarks=5, random_state=0)
        for y in (None, X[:, 0] / 7)
    )
    np.testing.assert_array_equal(none, continuous)


def test_no_comparisons(table_of, cloud):
    """A stratified draw compares nothing."""
    table = table_of(cloud)
    y = np.arange(len(cloud)) % 2
    StratifiedSelector().select(cloud, y, 9, table, np.random.RandomState(0))
    assert table.n_evaluated == 0


def test_unknown_allocation(cloud):
    """An unknown allocation is refused by name."""
    with pytest.raises(ValueError, match="allocation of StratifiedSelector must be"):
        select_landmarks(cloud, selector=StratifiedSelector("even"), n_landmarks=3)
