import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skproxy.comparisons._objects import (
    block_rows,
    consecutive_blocks,
    count_objects,
    index_blocks,
    iterate_objects,
    keep_objects,
    short_repr,
    take_objects,
)

WORDS = ["a", "bb", "ccc", "dddd", "", "f"]


class Graphs:
    """A sequence that only counts and looks up, as users write them."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if not 0 <= i < self.n:
            raise IndexError(i)
        return ("graph", int(i))


COLLECTIONS = {
    "list": WORDS,
    "tuple": tuple(WORDS),
    "array of strings": np.array(WORDS),
    "array of objects": np.array(WORDS, dtype=object),
    "series with its own index": pd.Series(WORDS, index=[9, 8, 7, 7, 5, 4]),
    "categorical": pd.Series(WORDS).astype("category"),
    "index": pd.Index(WORDS),
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_collection_is_counted_taken_and_walked_by_position(name):
    """take, count and iterate agree with the list of the same items."""
    collection = COLLECTIONS[name]
    assert count_objects(collection) == 6
    assert list(iterate_objects(collection)) == WORDS
    taken = take_objects(collection, np.array([4, 0, 4, 2]))
    assert list(iterate_objects(taken)) == ["", "a", "", "ccc"]
    run = take_objects(collection, slice(1, 3))
    assert list(iterate_objects(run)) == ["bb", "ccc"]
    assert type(run) is type(collection)


def test_a_sequence_of_the_users_own_needs_length_and_positions_only():
    """Positions are looked up one by one, as Python integers."""
    assert count_objects(Graphs(5)) == 5
    assert take_objects(Graphs(5), np.array([3, 1])) == [("graph", 3), ("graph", 1)]
    assert list(iterate_objects(Graphs(2))) == [("graph", 0), ("graph", 1)]


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 2), (4, 0)])
def test_objects_of_an_array_are_its_rows(shape):
    """Arrays of any dimension hold one object per entry of the first axis."""
    array = np.arange(np.prod(shape), dtype=float).reshape(shape)
    assert count_objects(array) == 4
    assert [row.shape for row in iterate_objects(array)] == [shape[1:]] * 4
    assert take_objects(array, slice(1, 3)).base is not None  # a view


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_objects_of_a_sparse_matrix_are_sparse_rows(kind):
    """Rows stay sparse and two-dimensional."""
    matrix = kind(np.eye(4))
    rows = list(iterate_objects(matrix))
    assert count_objects(matrix) == len(rows) == 4
    assert all(sparse.issparse(row) and row.shape == (1, 4) for row in rows)
    taken = take_objects(matrix, np.array([2, 0])).toarray()
    np.testing.assert_array_equal(taken, np.eye(4)[[2, 0]])


@pytest.mark.parametrize("n", [0, 1, 7, 64, 65])
@pytest.mark.parametrize("size", [1, 3, 64, 1000])
def test_blocks_cover_everything_once_in_order(n, size):
    """Consecutive blocks and runs of indices partition what they were given."""
    everything = np.arange(n)
    blocks = [everything[run] for run in consecutive_blocks(n, size)]
    assert np.concatenate([*blocks, []]).tolist() == everything.tolist()
    indices = np.random.RandomState(0).permutation(n)
    runs = [everything[run] for run in index_blocks(indices, size)]
    assert np.concatenate([*runs, []]).tolist() == indices.tolist()
    assert all(len(run) <= size for run in [*blocks, *runs])


def test_runs_of_neighbours_become_slices():
    """Only increasing runs without gaps do: a slice has to mean the same objects."""
    runs = list(index_blocks([4, 5, 6, 7, 9, 8, 0, 2], 2))
    assert runs[:2] == [slice(4, 6), slice(6, 8)]
    assert [run.tolist() for run in runs[2:]] == [[9, 8], [0, 2]]


@pytest.mark.parametrize("n_columns", [0, 1, 10, 100, 10_000, 10**7])
def test_blocks_hold_about_a_megabyte(n_columns):
    """Between 64 and 512 rows, whatever the width."""
    rows = block_rows(n_columns)
    assert 64 <= rows <= 512
    assert rows == 64 or rows * n_columns * 8 <= 2**20


@pytest.mark.parametrize(
    "container",
    [np.asarray, sparse.csr_matrix, sparse.csr_array, pd.DataFrame, list, tuple],
)
def test_kept_objects_do_not_change_with_the_callers(container):
    """Rows of arrays and of frames, and arrays among the items, are copied."""
    X = np.arange(1.0, 7.0).reshape(3, 2)
    collection = container([X[0], X[1], X[2]]) if container in (list, tuple) else None
    collection = container(X) if collection is None else collection
    kept = keep_objects(collection)
    if sparse.issparse(collection):
        collection.data *= 0
    elif isinstance(collection, pd.DataFrame):
        collection.iloc[:, :] = 0
    else:
        X *= 0
    kept = kept.toarray() if sparse.issparse(kept) else np.array(kept)
    np.testing.assert_array_equal(kept, [[1, 2], [3, 4], [5, 6]])


def test_other_items_are_kept_as_they_are():
    """Strings, graphs and sequences that cannot be copied are not looked into."""
    assert keep_objects(WORDS) == WORDS
    assert keep_objects(WORDS) is not WORDS
    graphs = Graphs(WORDS)
    assert keep_objects(graphs) is graphs


class Unprintable:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "thing",
    ["a" * 10**6, b"a" * 10**6, [["a"] * 1000] * 1000, Unprintable(), {"a": "b" * 999}],
)
def test_messages_show_a_line_of_an_object_at_most(thing):
    """Whatever it is, and whether or not it can be printed."""
    assert 0 < len(short_repr(thing)) <= 200
    assert short_repr("abc") == "'abc'"
    assert short_repr(np.ones((3, 4))) == "an array of shape (3, 4)"
