"""Objects and landmarks as one value: what is compared, in what order, and checked."""

import numpy as np
import pytest
from factories import dissimilarity_with
from joblib import Memory

from skproxy.comparisons import (
    ColumnComparisons,
    Geometry,
    Landmarks,
    Measure,
    MeasuredComparisons,
    SquareComparisons,
)
from skproxy.factor import Compared

SQUARED = Geometry(is_similarity=False, power=1, centred=True)


def table_of(matrix):
    return SquareComparisons(
        matrix, symmetrize=None, exactly_symmetric=True, name="matrix"
    )


def compared_of(matrix, indices, **options):
    table = table_of(matrix)
    landmarks = Landmarks(table.take(indices), np.asarray(indices))
    return Compared(SQUARED, landmarks, table, np.random.RandomState(0), **options)


@pytest.mark.parametrize("n_extra", [None, 5, 500])
def test_every_row_comes_once_whatever_is_known(n_extra, rng):
    """Landmarks, pilot sample, the rest: all comparisons, none evaluated twice."""
    D = dissimilarity_with([3.0, -2.0, 1.0], 1200, rng)
    indices = rng.permutation(1200)[:7]
    compared = compared_of(D, indices).with_square()
    pilot = compared.draw_pilot(n_extra)
    found, seen = np.full((1200, 7), np.nan), np.zeros(1200, dtype=int)
    for where, block in compared.blocks(pilot=pilot):
        found[where] = block
        seen[where] += 1
    np.testing.assert_array_equal(seen, 1)
    np.testing.assert_array_equal(found, D[:, indices])
    assert compared.table.n_evaluated == 7 * 8 // 2 + (1200 - 7) * 7
    if n_extra is None:
        assert len(pilot.indices) == 0


def test_used_blocks_are_those_yielded(rng):
    """In threads or not, every object is handed over with its own comparisons."""
    X = rng.normal(size=(3000, 3))
    measure = Measure("cityblock", is_similarity=False)
    table = MeasuredComparisons(X, measure, n_jobs=2, memory=Memory(None), name="x")
    geometry = Geometry(is_similarity=False, power=2, centred=True)
    compared = Compared(geometry, Landmarks(X[:9], np.arange(9)), table).with_square()
    yielded, used = np.empty((3000, 9)), np.empty((3000, 9))
    for where, block in compared.blocks():
        yielded[where] = block

    def take(where, block):
        used[where] = block

    compared.use_blocks(take)
    np.testing.assert_array_equal(used, yielded)


def test_rounding_on_the_diagonal_goes_and_more_is_refused(rng):
    """An object differs from itself by nothing; by more it is no dissimilarity."""
    D = dissimilarity_with([3.0, 1.0], 20, rng)
    D[4, 4] = 1e-13
    square = compared_of(D, [4, 6, 9]).with_square().square
    np.testing.assert_array_equal(np.diagonal(square), 0.0)
    D[6, 6] = 1e-3
    with pytest.raises(ValueError, match=r"zero for an object and itself.*\b6\b"):
        compared_of(D, [4, 6, 9]).with_square()


def test_landmarks_of_the_users_own_are_counted(rng):
    """They are compared among themselves, m (m + 1) / 2 comparisons."""
    X = rng.normal(size=(40, 3))
    measure = Measure("cityblock", is_similarity=False)
    table = MeasuredComparisons(X, measure, n_jobs=1, memory=Memory(None), name="x")
    geometry = Geometry(is_similarity=False, power=2, centred=True)
    marks = rng.normal(size=(6, 3))
    compared = Compared(geometry, Landmarks(marks, None), table).with_square()
    assert table.n_evaluated == 21
    expected = np.abs(marks[:, None] - marks[None]).sum(axis=2)
    np.testing.assert_allclose(compared.square, expected, atol=1e-12)
    assert compared.unit == expected.max()


def test_what_is_kept_of_a_fit_holds_no_objects(rng):
    """A fitted estimator does not carry its training data about."""
    compared = compared_of(dissimilarity_with([1.0], 9, rng), [1, 5]).with_square()
    kept = compared.without_objects()
    assert kept.table is kept.square is kept.rng is None
    assert kept.unit == compared.unit


@pytest.mark.parametrize(
    ("n_probes", "expected"), [("auto", 3), (0, None), (2, 2), (9, 4)]
)
def test_probes_are_counted_within_what_there_is(n_probes, expected):
    """At most the objects that are no landmarks; None asks for the papers' core."""
    D = np.ones((6, 6)) - np.eye(6)
    table = SquareComparisons(D, symmetrize=None, exactly_symmetric=True, name="X")
    landmarks = Landmarks(None, np.array([0, 5]))
    # e (e + 1) <= N m for "auto"
    compared = Compared(SQUARED, landmarks, table)
    assert compared.count_probes(n_probes) == expected


def test_landmark_columns_have_no_probes():
    """Other pairs are not in the matrix; asking for them is an error that says so."""
    marks = np.array([5, 0])
    table = ColumnComparisons(np.ones((6, 2)), None, name="X")
    landmarks = Landmarks(None, marks)
    compared = Compared(SQUARED, landmarks, table, columns_only=True)
    assert compared.count_probes("auto") is None
    assert compared.count_probes(0) is None
