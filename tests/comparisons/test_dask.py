"""Collections of Dask as tables of comparisons."""

import numpy as np
import pytest
from factories import edit_distance, total

from skproxy import NystromDissimilarity
from skproxy.comparisons import Comparer
from skproxy.comparisons._dask import PartitionedComparisons, Partitions, is_partitioned

da = pytest.importorskip("dask.array")
db = pytest.importorskip("dask.bag")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

WORDS = [
    "in",
    "the",
    "middle",
    "of",
    "a",
    "long",
    "fit",
    "one",
    "of",
    "the",
    "workers",
    "goes",
    "away",
    "for",
    "ever",
]


def collections_of(X):
    """Return arrays, frames, series and bags with the same objects."""
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    array = da.from_array(X, chunks=(7, 2))
    return {
        "array": array,
        "unknown chunks": array[array[:, 0] > -np.inf],
        "frame": dd.from_pandas(frame, npartitions=3),
        "bag": db.from_sequence(list(X), npartitions=3).filter(np.all),
    }


@pytest.mark.parametrize("kind", ["array", "unknown chunks", "frame", "bag"])
def test_objects_are_counted_and_taken(kind, rng):
    """take(positions) are the objects there, in that order."""
    X = rng.normal(size=(20, 3))
    collection = collections_of(X)[kind]
    assert is_partitioned(collection)
    assert not is_partitioned(X)
    partitions = Partitions(collection)
    assert len(partitions) == partitions.n_objects == 20
    positions = np.array([19, 0, 7, 6, 13, 1])
    np.testing.assert_array_equal(np.asarray(partitions.take(positions)), X[positions])
    assert len(partitions.take([])) == 0


def table_of(collection, metric, **options):
    estimator = NystromDissimilarity(metric, **options)
    comparer = Comparer.of_metric(estimator)
    partitions = Partitions(collection)
    return PartitionedComparisons(estimator, comparer, partitions, reset=True)


def test_a_table_compares_where_the_objects_lie():
    """Blocks, squares and reductions are those in memory, and are counted."""
    words = db.from_sequence(WORDS, npartitions=4)
    table = table_of(words, edit_distance)
    rows = np.array([13, 2, 7])
    ((where, block),) = table.blocks(rows, ["the", "fit"])
    np.testing.assert_array_equal(where, rows)
    expected = [[edit_distance(WORDS[i], w) for w in ("the", "fit")] for i in rows]
    np.testing.assert_array_equal(block, expected)
    assert table.n_evaluated == 6
    np.testing.assert_array_equal(
        table.rectangle([0], [1]), [[edit_distance("in", "the")]]
    )
    expected = [[edit_distance(a, b) for b in WORDS] for a in WORDS]
    before = table.n_evaluated
    np.testing.assert_array_equal(table.square(np.arange(15)), expected)
    assert table.n_evaluated == before + 15 * 16 // 2
    known = np.array([0, 14])
    found = table.reduce(total, np.add, known=known)
    expected = sum(edit_distance(w, v) for w in WORDS[1:-1] for v in ("the", "fit"))
    assert found == expected
    assert table.n_evaluated == before + 15 * 16 // 2 + 13 * 2
    assert table.reduce(total, np.add, known=np.arange(15)) is None


def test_large_squares_are_made_by_the_workers(rng):
    """Strips put together are the square, each pair counted once."""
    values = rng.normal(size=70)
    table = table_of(db.from_sequence(values, npartitions=3), lambda a, b: abs(a - b))
    expected = np.abs(values[:, None] - values)
    np.testing.assert_array_equal(table.square(np.arange(70)), expected)
    assert table.n_evaluated == 70 * 71 // 2


def test_nothing_at_all_is_refused():
    """All partitions empty."""
    nothing = db.from_sequence(WORDS, npartitions=2).filter(lambda word: False)
    with pytest.raises(ValueError, match="at least one object; got 2 empty"):
        table_of(nothing, edit_distance)


def test_labels_lie_where_the_objects_do(rng):
    """Values for each object, given as a sequence or in partitions of equal sizes."""
    partitions = Partitions(da.from_array(rng.normal(size=(10, 2)), chunks=(4, 2)))
    y = np.arange(10)
    held = partitions.beside(y, "y")
    np.testing.assert_array_equal(held.take([9, 0, 5]), [9, 0, 5])
    same = partitions.beside(Partitions(da.from_array(y, chunks=4)), "y")
    np.testing.assert_array_equal(same.map(np.negative).take([3, 8]), [-3, -8])
    with pytest.raises(ValueError, match="y must lie in partitions of the same sizes"):
        partitions.beside(Partitions(da.from_array(y, chunks=5)), "y")
