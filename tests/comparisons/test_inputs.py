import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from skproxy.comparisons import (
    check_landmark_objects,
    check_objects,
    output_dtype,
    precomputed_rows,
    precomputed_table,
)
from skproxy.comparisons._comparisons import ColumnComparisons, SquareComparisons

try:
    import polars as pl
except ImportError:  # no part of the test environment; frames of pandas are
    pl = None

FRAMES = [pd.DataFrame] if pl is None else [pd.DataFrame, pl.DataFrame]


class Me(BaseEstimator):
    """What the checks know of an estimator: its name and what it saw in fit."""


def compare(a, b):
    return 0.0


FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})


@pytest.mark.parametrize(
    ("X", "dtype"),
    [
        (np.float32([[1]]), np.float32),
        (np.float64([[1]]), np.float64),
        (np.array([[1]]), np.float64),
        (np.array([[True]]), np.float64),
        (sparse.csr_matrix(np.float32([[1]])), np.float32),
        (FRAME, np.float64),
        (FRAME.astype(np.float32), np.float32),
        (FRAME.astype({"a": np.float32}), np.float64),
        (FRAME.astype(np.float32)["a"], np.float32),
        ([[1.0, 2.0]], np.float64),
        (["a", "b"], np.float64),
        (pd.Series(["a", "b"]), np.float64),
    ],
)
def test_float32_in_is_float32_out(X, dtype):
    """Everything else is float64."""
    assert output_dtype(X) == dtype


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_frames_have_the_dtype_of_all_their_columns(frame, dtype):
    """By name, since pandas and polars have dtypes of their own."""
    assert output_dtype(frame({"a": np.array([1.0], dtype=dtype)})) == dtype
    mixed = frame({"a": np.ones(1, dtype=dtype), "b": np.ones(1, dtype=np.float64)})
    assert output_dtype(mixed) == np.float64


@pytest.mark.parametrize(
    "X",
    [
        ["a", "bb"],
        ("a", "bb"),
        [np.arange(3), np.arange(5)],
        [[1, 2], [3]],
        [{"a": 1}, {"b": 2}],
        np.array(["a", "bb"]),
        np.array([None, "bb"], dtype=object),
        np.zeros((2, 5, 3)),
        pd.Series(["a", "bb"]),
        range(2),
    ],
)
def test_objects_for_a_callable_come_out_untouched(X):
    """No cast, no copy, no check of dimensions, no number of features."""
    me = Me()
    assert check_objects(me, X, compare, reset=True) is X
    assert check_objects(me, X, compare, reset=False) is X
    assert not hasattr(me, "n_features_in_")


@pytest.mark.parametrize("make", FRAMES)
def test_rows_of_a_frame_reach_a_callable_as_rows_of_an_array(make):
    """Names are remembered and compared."""
    me, frame = Me(), make(FRAME.to_dict("list"))
    X = check_objects(me, frame, compare, reset=True)
    np.testing.assert_array_equal(X, [[1, 3], [2, 4]])
    assert me.n_features_in_ == 2
    assert me.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        check_objects(me, frame[["b", "a"]], compare, reset=False)


def test_columns_of_an_earlier_fit_are_forgotten():
    """After vectors an estimator can be fitted to strings, and used on them."""
    me = Me()
    check_objects(me, FRAME, compare, reset=True)
    check_objects(me, ["a", "bb"], compare, reset=True)
    assert not hasattr(me, "n_features_in_")
    assert not hasattr(me, "feature_names_in_")


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok"])
def test_sparse_rows_for_a_callable_can_be_looked_up(kind):
    """Whatever the format was; a dok_matrix is no dict here."""
    X = sparse.random(5, 4, density=0.5, format=kind, random_state=0)
    checked = check_objects(Me(), X, compare, reset=True)
    assert checked.format == "csr"
    np.testing.assert_array_equal(checked.toarray(), X.toarray())


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ("abc", TypeError, "X of Me must be a sequence of objects .* got one str"),
        (b"abc", TypeError, "got one bytes. Put the objects into a list"),
        ({"a": 1}, TypeError, "got one dict"),
        ({"a"}, TypeError, "got one set"),
        (iter("abc"), TypeError, r"with a length and positions.*list\(\.\.\.\)"),
        (None, TypeError, "got NoneType"),
        (3, TypeError, "got int"),
        ([], ValueError, r"0 sample\(s\): X of Me must hold at least one object"),
        (np.array(3.0), ValueError, "at least one object"),
        (pd.Series([], dtype=object), ValueError, "at least one object"),
    ],
)
def test_what_is_no_sequence_of_objects_is_refused(X, error, message):
    """With what came and what to do."""
    with pytest.raises(error, match=message):
        check_objects(Me(), X, compare, reset=True)
    landmarks = message.replace("X of Me", "landmarks of Me")
    with pytest.raises(error, match=landmarks):
        check_landmark_objects(Me(), X, compare)


def test_vectors_for_a_name_are_checked_by_scikit_learn():
    """Finite, two-dimensional, with as many features as in fit."""
    me = Me()
    check_objects(me, FRAME.to_numpy(), "euclidean", reset=True)
    with pytest.raises(ValueError, match="2 features as input"):
        check_objects(me, [[1.0]], "euclidean", reset=False)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        check_objects(me, [[1.0, np.nan]], "euclidean", reset=False)
    with pytest.raises(ValueError, match="Expected 2D array"):
        check_objects(me, [1.0, 2.0], "euclidean", reset=True)
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        check_objects(me, np.empty((3, 0)), "euclidean", reset=True)
    with pytest.raises(ValueError, match=r"vectors of numbers .* the text 'a'"):
        check_objects(me, [["a"], ["b"]], "euclidean", reset=True)
    X = check_objects(me, [[1.0, np.nan]], "nan_euclidean", reset=True)
    assert np.isnan(X[0, 1])


def test_landmark_objects_are_checked_like_the_objects():
    """Same width, same treatment of NaN, frames as frames for a function."""
    me = Me()
    check_objects(me, FRAME.to_numpy(), "euclidean", reset=True)
    with pytest.raises(ValueError, match=r"landmarks of Me .* as X, 2; got 3"):
        check_landmark_objects(me, np.ones((2, 3)), "euclidean")
    with pytest.raises(ValueError, match="Input landmarks contains NaN"):
        check_landmark_objects(me, [[np.nan, 1.0]], "euclidean")
    marks = check_landmark_objects(me, [[np.nan, 1.0]], "nan_euclidean")
    assert np.isnan(marks[0, 0])
    assert check_landmark_objects(me, FRAME, compare) is FRAME
    words = ["a", "b"]
    assert check_landmark_objects(me, words, compare) is words


def table_of(X, indices=None, dissimilarity=True, symmetrize=None):
    return precomputed_table(
        Me(),
        X,
        indices,
        dissimilarity=dissimilarity,
        negative_allowed=not dissimilarity,
        symmetrize=symmetrize,
        name="X of Me",
    )


D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))


@pytest.mark.parametrize(
    "make", [np.array, np.asfortranarray, np.ndarray.tolist, *FRAMES]
)
def test_square_matrices_and_landmark_columns_make_tables(make):
    """Told apart by their shape, whatever holds the numbers."""
    table = table_of(make(D))
    assert isinstance(table, SquareComparisons)
    assert table.exactly_symmetric
    np.testing.assert_array_equal(table.square([0, 4]), [[0, 4], [4, 0]])
    table = table_of(make(D[:, [4, 1]]), np.array([4, 1]))
    assert isinstance(table, ColumnComparisons)
    np.testing.assert_array_equal(table.square(np.array([4, 1])), [[0, 3], [3, 0]])


def test_a_matrix_is_never_copied_or_written():
    """Not even a read-only one on disk has to be loaded."""
    matrix = D.copy()
    matrix.flags.writeable = False
    assert np.shares_memory(table_of(matrix).matrix, matrix)
    assert np.shares_memory(table_of(matrix[:, :2], np.array([0, 1])).matrix, matrix)


@pytest.mark.parametrize(
    ("X", "indices", "message"),
    [
        (D[:, :3], None, r"X of Me .* \(n, n\), n = 5 .* fit got shape \(5, 3\)"),
        (D[:, :3], np.array([1, 2]), r"or \(n, 2\) with one .* fit got shape \(5, 3\)"),
        (D[:3], None, r"n = 3 here.*fit got shape \(3, 5\)"),
    ],
)
def test_other_shapes_are_refused_in_fit(X, indices, message):
    """What came, what was expected, and at which step."""
    with pytest.raises(ValueError, match=message):
        table_of(X, indices)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", [np.float64, np.uint8, bool])
def test_sparse_similarities_are_taken_and_dissimilarities_refused(kind, dtype):
    """Missing means zero: alike for a similarity, equal for a dissimilarity."""
    K = sparse.coo_matrix(np.eye(5) + np.eye(5)[::-1]).astype(dtype).asformat(kind)
    table = table_of(K, dissimilarity=False)
    assert table.exactly_symmetric
    np.testing.assert_array_equal(table.square([0, 4]), K.toarray()[::4, ::4])
    with pytest.raises(TypeError, match=r"X of Me must be dense; .* \(5, 5\).*equal"):
        table_of(K)


@pytest.mark.parametrize("dtype", [np.float64, np.uint8])
def test_asymmetry_of_a_sparse_matrix_is_found_in_any_dtype(dtype):
    """The worst pair is the worst in numbers, not in bytes that wrapped round."""
    K = np.diag(np.arange(1, 6)).astype(dtype)
    K[0, 1], K[1, 0] = 9, 1
    K[2, 3], K[3, 2] = 3, 5
    with pytest.raises(ValueError, match=r"got 9.0 for the pair \(0, 1\) and 1.0"):
        table_of(sparse.csr_matrix(K), dissimilarity=False)
    table = table_of(sparse.csr_matrix(K), dissimilarity=False, symmetrize="max")
    np.testing.assert_array_equal(table.rectangle([0], [0, 1]), [[1, 9]])
    with pytest.raises(ValueError, match="symmetric"):
        table_of(sparse.csr_matrix(K > 1), dissimilarity=False)


def test_values_of_a_sparse_matrix_that_are_not_finite_are_named():
    """In row order, like those of a dense one."""
    K = np.eye(5)
    K[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"got nan for the pair \(3, 1\)"):
        table_of(sparse.csr_matrix(K), dissimilarity=False)


def rows_of(X, *, columns_only=False, dissimilarity=True, me=None, n_columns=5):
    return precomputed_rows(
        me or Me(),
        X,
        np.array([4, 1]),
        n_columns,
        columns_only=columns_only,
        dissimilarity=dissimilarity,
        name="X of Me",
    )


def fitted(X):
    me = Me()
    precomputed_table(
        me,
        X,
        None,
        dissimilarity=True,
        negative_allowed=False,
        symmetrize=None,
        name="X of Me",
    )
    return me


def read(table):
    return np.concatenate(
        [b for _, b in table.blocks(np.arange(table.n_objects), None, None)]
    )


def test_new_rows_hold_all_objects_or_the_landmarks():
    """Both give the landmark columns, in the order of the landmarks."""
    np.testing.assert_array_equal(read(rows_of(D, me=fitted(D))), D[:, [4, 1]])
    narrow = rows_of(D[:, [4, 1]], me=fitted(D))
    np.testing.assert_array_equal(read(narrow), D[:, [4, 1]])


def test_new_rows_of_another_width_are_refused():
    """Both widths that would do are named, and the step."""
    message = r"X of Me .*fitted \(5\) or per landmark \(2\); transform .*\(5, 3\)"
    with pytest.raises(ValueError, match=message):
        rows_of(D[:, :3], me=fitted(D))
    with pytest.raises(TypeError, match="X of Me must be dense"):
        rows_of(sparse.csr_matrix(D), me=fitted(D))


def test_names_of_landmark_columns_are_compared_too():
    """Columns of a frame in another order would be silently wrong otherwise."""
    names = list("vwxyz")
    frame = pd.DataFrame(D, index=names, columns=names)
    me = fitted(frame)
    np.testing.assert_array_equal(read(rows_of(frame, me=me)), D[:, [4, 1]])
    np.testing.assert_array_equal(read(rows_of(frame[["z", "w"]], me=me)), D[:, [4, 1]])
    np.testing.assert_array_equal(
        read(rows_of(frame[["z", "w"]].to_numpy(), me=me)), D[:, [4, 1]]
    )
    with pytest.raises(ValueError, match=r"order of the landmarks, \['z', 'w'\]"):
        rows_of(frame[["w", "z"]], me=me)
    with pytest.raises(ValueError, match="feature names should match"):
        rows_of(frame[names[::-1]], me=me)


@pytest.mark.parametrize(
    "words",
    [
        ["walk", "talk"],
        np.array(["walk", "talk"]),
        pd.Series(["walk", "talk"]),
        pd.DataFrame({"n": [1, 2], "word": ["walk", "talk"]}),
        [["walk", 1], ["talk", 2]],
    ],
)
@pytest.mark.parametrize("name", ["jaccard", "euclidean", "rbf"])
def test_text_where_vectors_are_wanted_is_answered_with_what_to_do(words, name):
    """'could not convert string to float' helps nobody who has words."""
    message = (
        rf"^X of Me must hold vectors of numbers .* by '{name}'; got the text 'walk'\."
        r" Strings are compared by metric=.*'levenshtein'.*function of two"
    )
    with pytest.raises(ValueError, match=message):
        check_objects(Me(), words, name, reset=True)


def test_series_of_several_lengths_are_no_vectors():
    """Measures that take them are named."""
    with pytest.raises(ValueError, match=r"vectors of one length .*'dtw'.*function"):
        check_objects(Me(), [[1.0, 2.0], [3.0]], "euclidean", reset=True)


GAPS = np.abs(np.subtract.outer([0.0, 2.0, 5.0, 9.0], [0.0, 2.0, 5.0, 9.0]))
NAMED = pd.DataFrame(np.eye(4) + 0.5, index=list("abcd"), columns=list("abcd"))


@pytest.mark.parametrize("X", [GAPS, pd.DataFrame(GAPS), NAMED, GAPS.astype(np.int64)])
def test_comparisons_read_as_vectors_are_doubted(X):
    """Square, symmetric and zero on the diagonal, or labelled alike on both sides."""
    with pytest.warns(UserWarning, match=r"X of Me .* vectors.*metric='precomputed'"):
        check_objects(Me(), X, "euclidean", reset=True)


@pytest.mark.parametrize("X", [np.eye(4), np.zeros((4, 4)), GAPS[:, 1:], GAPS[:2, :2]])
def test_square_tables_of_vectors_are_not_doubted(X):
    """Warnings are errors here."""
    assert check_objects(Me(), X, "euclidean", reset=True).shape == X.shape
    assert check_objects(Me(), GAPS, lambda a, b: 0.0, reset=True) is GAPS


@pytest.mark.parametrize("X", [np.ones(10), np.float64(3), pd.Series(np.ones(10)), 3.0])
def test_numbers_in_less_than_two_dimensions_are_told_the_ways_out(X):
    """A table of one column, or a square matrix of a condensed vector's pairs."""
    advice = r" 10 pairs of 5 objects .*squareform" if np.ndim(X) else ""
    with pytest.raises(ValueError, match=rf"X of Me .* a table.*{advice}.*reshape\(-1"):
        check_objects(Me(), X, "euclidean", reset=True)
    with pytest.raises(ValueError, match=rf"X of Me.* square .*{advice}") as caught:
        precomputed(X)
    assert "reshape" not in str(caught.value)


def test_masks_are_not_dropped():
    """numpy would hand on the numbers behind them."""
    X = np.ma.masked_array(GAPS, mask=np.eye(4)[::-1])
    message = r"4 masked entries, the first at \(0, 3\)"
    with pytest.raises(ValueError, match=message):
        precomputed(X)
    with pytest.raises(ValueError, match=message):
        check_objects(Me(), X, "euclidean", reset=True)
    check_objects(Me(), np.ma.masked_array(GAPS[:, 1:]), "euclidean", reset=True)


def test_complex_comparisons_are_refused():
    """They have no order, and numpy would drop their imaginary part."""
    with pytest.raises(ValueError, match=r"X of Me.* be real; .*np\.abs"):
        precomputed(GAPS * 1j)


def precomputed(X):
    return precomputed_table(
        Me(),
        X,
        None,
        dissimilarity=True,
        negative_allowed=False,
        symmetrize=None,
        name="X of Me(metric='precomputed')",
    )
