"""What users pass as X, checked once: vectors, objects of any kind, or a matrix.

- With a *named* measure of vectors X is an array or sparse matrix, checked by
  scikit-learn; with one of strings or series, what that measure's own check lets pass.
- With a *callable* or a `BlockMetric` X is any sequence; its items reach the measure
  untouched: no cast, no check of dimensions.
- *Precomputed*, X is a matrix of comparisons, and what must hold for them is checked.
"""

from math import isqrt

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

from ._caller_warning import warn_caller
from ._comparisons import ColumnComparisons, SquareComparisons
from ._facts import (
    ASYMMETRY_TOLERANCE,
    check_finite,
    check_real,
    check_square,
    raise_asymmetric,
)
from ._gower import as_table
from ._labels import check_column_labels, check_square_labels, have_equal_labels
from ._named_measures import NamedMeasure, measure_by_name
from ._objects import short_repr
from ._series_measures import SERIES_MEASURES, check_rows_are_series
from ._string_measures import STRING_MEASURES, letters_of

__all__ = [
    "check_landmark_objects",
    "check_objects",
    "output_dtype",
    "precomputed_rows",
    "precomputed_table",
    "vectors_of_strings",
]

# scikit-learn's sparse Manhattan distances know 32-bit indices only.
_SMALL_SPARSE_ONLY = {"cityblock", "manhattan", "l1", "laplacian"}

_FEW = 10


def output_dtype(X):
    """Return float32 for float32 input and float64 for everything else."""
    dtypes = getattr(X, "dtypes", None)  # a data frame has one per column
    if dtypes is not None and np.ndim(dtypes) == 1:
        # By name: pandas and polars have dtypes of their own.
        single = all(str(dtype).lower() == "float32" for dtype in dtypes)
        return np.float32 if single else np.float64
    return np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64


def check_objects(estimator, X, compare, *, reset):
    """Check the objects that a measure compares.

    Parameters
    ----------
    estimator : estimator
        Its ``n_features_in_`` and ``feature_names_in_`` are set or compared, where X
        has columns.
    X : array-like, sparse matrix or sequence of n objects
    compare : str, callable or BlockMetric
    reset : bool
        True in fit.

    Returns
    -------
    X : collection of n objects
    """
    compare = measure_by_name(compare)
    name = f"X of {type(estimator).__name__}"
    X = vectors_of_strings(X, compare, name)
    named = isinstance(compare, (str, NamedMeasure))
    is_of_tables = isinstance(compare, NamedMeasure) and compare.is_of_tables
    if named and not is_of_tables:
        _check_unmasked(X, name)
        check_real(X, name)
    if reset and named:
        _warn_if_comparisons(X, name)
    if isinstance(compare, str):
        if reset:
            _check_table(X, name)
        try:
            return validate_data(
                estimator,
                X,
                accept_sparse="csr",
                accept_large_sparse=compare not in _SMALL_SPARSE_ONLY,
                ensure_all_finite=_finiteness(compare),
                reset=reset,
            )
        except ValueError as error:
            _raise_if_no_vectors(X, compare, name, error)
            _raise_if_not_finite(X, name, error)
            raise
    if isinstance(compare, NamedMeasure) and compare.name in SERIES_MEASURES:
        check_rows_are_series(X, name)
    if is_of_tables:
        X = as_table(X, name)
        return validate_data(estimator, X, skip_check_array=True, reset=reset)
    if isinstance(compare, NamedMeasure) and compare.is_array(X):
        X = validate_data(
            estimator, X, allow_nd=True, ensure_all_finite=False, reset=reset
        )
        return compare.check(X, name)
    X = _check_sequence(X, name)
    if len(getattr(X, "shape", ())) == 2:
        X = validate_data(estimator, X, skip_check_array=True, reset=reset)
        if isinstance(compare, NamedMeasure) and hasattr(X, "to_numpy"):
            X = X.to_numpy()
    elif reset:  # objects without columns, after a fit to some that had them
        for attribute in ("n_features_in_", "feature_names_in_"):
            if hasattr(estimator, attribute):
                delattr(estimator, attribute)
    return compare.check(X, name) if isinstance(compare, NamedMeasure) else X


def vectors_of_strings(X, compare, name):
    """Return the letters of strings that are compared by "hamming", else X."""
    if isinstance(compare, str) and compare == "hamming" and _is_text(X):
        return letters_of(X, name)
    return X


def _is_text(X):
    """Tell a sequence of strings, or one column of them."""
    if sparse.issparse(X) or isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
        return False
    if len(X) == 0 or (len(getattr(X, "shape", (1,))) == 2 and X.shape[1] != 1):
        return False
    first = X.iloc[0] if hasattr(X, "iloc") else X[0]
    if len(getattr(X, "shape", (1,))) == 2:
        first = first.iloc[0] if hasattr(first, "iloc") else first[0]
    return isinstance(first, (str, bytes))


def _check_unmasked(X, name):
    """Raise ValueError for masked entries, which numpy would hand on as numbers."""
    if not isinstance(X, np.ma.MaskedArray) or not np.ma.getmaskarray(X).any():
        return
    first = tuple(int(i[0]) for i in np.nonzero(np.ma.getmaskarray(X)))
    msg = (
        f"{name} must not be masked; got {int(np.ma.count_masked(X))} masked entries, "
        f"the first at {first}. Fill them in, X.filled(value), or leave the objects "
        "out."
    )
    raise ValueError(msg)


def _check_table(X, name):
    """Raise ValueError for one number, or one row of them, with the ways out."""
    if sparse.issparse(X) or isinstance(X, (str, bytes)) or not np.isscalar(X):
        shape = getattr(X, "shape", None)
    else:
        shape = ()
    if shape is None or len(shape) > 1:
        return
    dtype = getattr(X, "dtype", None)
    if len(shape) == 1 and getattr(dtype, "kind", "O") not in "biuf":
        return  # strings, series in a column: told apart later
    msg = (
        f"{name} must be a table of numbers, one row for each object; got shape "
        f"{shape}. Expected 2D array, got {len(shape)}D array instead. "
        f"{_condensed(shape)}One number for each object is a table of one column, "
        "X.reshape(-1, 1)."
    )
    raise ValueError(msg)


def _condensed(shape):
    """Return advice where a shape is that of a condensed vector of n (n - 1) / 2."""
    n_pairs = shape[0] if len(shape) == 1 else 0
    n = (1 + isqrt(1 + 8 * n_pairs)) // 2
    if n < 3 or n * (n - 1) // 2 != n_pairs:
        return ""
    return (
        f"A condensed vector of the {n_pairs} pairs of {n} objects becomes a square "
        "matrix by scipy.spatial.distance.squareform(X), for 'precomputed'. "
    )


def _warn_if_comparisons(X, name):
    """Warn where vectors look like the comparisons of n objects with each other."""
    shape = getattr(X, "shape", ())
    if sparse.issparse(X) or len(shape) != 2 or shape[0] != shape[1] or shape[0] < 3:
        return
    reason = "its rows and columns carry the same labels"
    if not have_equal_labels(X):
        X = X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X)
        if X.dtype.kind not in "iuf" or np.diagonal(X).any() or not X.any():
            return
        if not (X.min() >= 0 and (X == X.T).all()):
            return
        reason = "it is square and symmetric, with a zero diagonal"
    warn_caller(
        f"{name} is read as vectors, yet looks like a matrix of comparisons: {reason}. "
        "If it is one, pass metric='precomputed' for dissimilarities, or "
        "kernel='precomputed' for similarities."
    )


def _raise_if_no_vectors(X, compare, name, error):
    """Tell what to do with strings and series where vectors were expected."""
    text = _first_text(X)
    if text is not None:
        msg = (
            f"{name} must hold vectors of numbers where they are compared by "
            f"{compare!r}; got the text {short_repr(text)}. Strings are compared by "
            f"metric={', '.join(map(repr, STRING_MEASURES))}, or by a function of two; "
            "text that stands for numbers or categories is turned into numbers first."
        )
        raise ValueError(msg) from error
    if "inhomogeneous" in str(error):
        msg = (
            f"{name} must hold vectors of one length where they are compared by "
            f"{compare!r}; got several. Series of different lengths are compared by "
            f"metric={', '.join(map(repr, SERIES_MEASURES))}, or by a function of two."
        )
        raise ValueError(msg) from error


def _raise_if_not_finite(X, name, error):
    """Say where the first gap is, beside what scikit-learn says of it."""
    if not any(word in str(error) for word in ("contains NaN", "contains infinity")):
        return
    try:
        values = np.asarray(X.tocoo().data if sparse.issparse(X) else X, dtype=float)
    except (TypeError, ValueError):
        return
    if values.ndim != 2 or np.isfinite(values).all():
        return
    rows, columns = np.nonzero(~np.isfinite(values))
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    msg = (
        f"{name} must hold finite numbers; got {values[rows[0], columns[0]]} in row "
        f"{rows[0]}, column {columns[0]}{more}. Fill it in, leave the row out, or pass "
        f"metric='nan_euclidean' or 'gower'. {error}"
    )
    raise ValueError(msg) from error


def _first_text(X):
    """Return the first string among the first few objects, or in them."""
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    if sparse.issparse(X) or not hasattr(X, "__getitem__"):
        return None
    for one in X[:_FEW]:
        for part in one if isinstance(one, (list, tuple, np.ndarray)) else [one]:
            if isinstance(part, (str, bytes)):
                return part if isinstance(part, bytes) else str(part)
    return None


def _finiteness(compare):
    return "allow-nan" if compare == "nan_euclidean" else True


def _check_sequence(X, name):
    if sparse.issparse(X):
        return X.tocsr()
    if isinstance(X, (str, bytes, dict, set, frozenset)):
        msg = (
            f"{name} must be a sequence of objects to compare; got one "
            f"{type(X).__name__}. Put the objects into a list."
        )
        raise TypeError(msg)
    if not hasattr(X, "__len__") or not hasattr(X, "__getitem__"):
        msg = (
            f"{name} must be a sequence of objects, with a length and positions; "
            f"got {type(X).__name__}. Wrap it in list(...)."
        )
        raise TypeError(msg)
    if len(getattr(X, "shape", (1,))) == 0 or len(X) == 0:
        msg = (
            f"Found array with 0 sample(s): {name} must hold at least one object; "
            "got none."
        )
        raise ValueError(msg)
    return X


def check_landmark_objects(estimator, objects, compare):
    """Check landmark objects given by the user like the objects themselves."""
    compare = measure_by_name(compare)
    if not isinstance(compare, str):
        name = f"landmarks of {type(estimator).__name__}"
        objects = _check_sequence(objects, name)
        if not isinstance(compare, NamedMeasure):
            return objects
        if compare.is_of_tables:
            return as_table(objects, name)
        if len(getattr(objects, "shape", ())) == 2 and hasattr(objects, "to_numpy"):
            objects = objects.to_numpy()
        return compare.check(objects, name)
    name = f"landmarks of {type(estimator).__name__}"
    objects = check_array(
        vectors_of_strings(objects, compare, name),
        accept_sparse="csr",
        ensure_all_finite=_finiteness(compare),
        input_name="landmarks",
        estimator=estimator,
    )
    if objects.shape[1] != estimator.n_features_in_:
        msg = (
            f"landmarks of {type(estimator).__name__} must have as many features as X, "
            f"{estimator.n_features_in_}; got {objects.shape[1]}. Positions in X are "
            "passed as a one-dimensional array of integers."
        )
        raise ValueError(msg)
    return objects


def precomputed_table(
    estimator, X, indices, *, dissimilarity, negative_allowed, symmetrize, name
):
    """Check a precomputed matrix given to fit and return it as a table.

    Parameters
    ----------
    estimator : estimator
    X : array-like or sparse matrix of shape (n, n), or (n, m) for m = len(indices)
    indices : ndarray of shape (m,) or None
        Landmarks given as positions, if they were.
    dissimilarity, negative_allowed : bool
    symmetrize : {None, "average", "min", "max"}
    name : str
        For messages.

    Returns
    -------
    table : SquareComparisons or ColumnComparisons
    """
    if sparse.issparse(X) and dissimilarity:
        msg = (
            f"{name} must be dense; got a sparse matrix of shape {X.shape}. A missing "
            "entry would mean zero, that is 'equal'. Fill in what is missing and pass "
            "an array."
        )
        raise TypeError(msg)
    shape = _shape_of(X)
    _check_matrix(X, shape, name)
    if len(shape) == 2 and shape[0] == shape[1]:
        check_square_labels(X, name)
    elif len(shape) == 2 and indices is not None and shape[1] == len(indices):
        check_column_labels(X, indices, name)
    X = validate_data(estimator, X, accept_sparse="csr", ensure_all_finite=False)
    if X.shape[0] == X.shape[1]:
        if sparse.issparse(X):
            exact = _check_sparse_square(X, name, symmetrize)
        else:
            _, exact = check_square(
                X,
                name,
                dissimilarity=dissimilarity,
                negative_allowed=negative_allowed,
                symmetrize=symmetrize,
            )
        return SquareComparisons(
            X, symmetrize=symmetrize, exactly_symmetric=exact, name=name
        )
    if indices is not None and X.shape[1] == len(indices):
        return ColumnComparisons(X, None, name=name)
    if not sparse.issparse(X):
        check_finite(X, name)
    wanted = f"(n, n), n = {X.shape[0]} here" + (
        f", or (n, {len(indices)}) with one column per landmark"
        if indices is not None
        else ", or (n, m) together with landmarks= the positions of the m columns"
    )
    msg = (
        f"{name} must be a square matrix of shape {wanted}; fit got shape {X.shape}. "
        "Objects that are still to be compared need a measure: metric= or kernel= of a "
        "class that has them, such as NystromDissimilarity and Nystroem."
    )
    raise ValueError(msg)


def _shape_of(X):
    """Return the shape of X as an array; (n,) where its rows differ in length."""
    if hasattr(X, "shape"):
        return tuple(X.shape)
    try:
        return np.asarray(X).shape
    except ValueError:
        return (len(X),)


def _check_matrix(X, shape, name):
    """Raise where X cannot be a matrix of comparisons, whatever it holds."""
    _check_unmasked(X, name)
    if not sparse.issparse(X):
        check_real(X, name)
    if len(shape) < 2:
        msg = (
            f"{name} must be a square matrix of all pairs; got shape {shape}. Expected "
            f"2D array, got {len(shape)}D array instead. {_condensed(shape)}"
        )
        raise ValueError(msg.rstrip())


def _check_sparse_square(X, name, symmetrize):
    finite = np.isfinite(X.data)
    if not finite.all():
        entries = X.tocoo()
        first = int(np.flatnonzero(~finite)[0])
        pair = (int(entries.row[first]), int(entries.col[first]))
        msg = (
            f"{name} must give finite comparisons; got {X.data[first]} for the pair "
            f"{pair}. Input contains NaN or infinity."
        )
        raise ValueError(msg)
    X = X.astype(np.float64, copy=False)  # small integers wrap round, booleans raise
    gap = abs(X - X.T).tocoo()
    if gap.nnz == 0 or gap.data.max() == 0:
        return True
    if symmetrize is None and gap.data.max() > ASYMMETRY_TOLERANCE * abs(X).max():
        worst = int(gap.data.argmax())
        pair = sorted((int(gap.row[worst]), int(gap.col[worst])))
        forth, back = X[pair[0], pair[1]], X[pair[1], pair[0]]
        raise_asymmetric(tuple(pair), float(forth), float(back), name)
    return False


def precomputed_rows(
    estimator, X, indices, n_columns, *, columns_only, dissimilarity, name
):
    """Check rows of precomputed comparisons given to transform.

    Parameters
    ----------
    estimator : estimator
    X : array-like or sparse matrix of shape (n_new, n_columns) or (n_new, m)
    indices : ndarray of shape (m,)
        Positions of the landmarks among the objects fitted.
    n_columns : int
        Width of the matrix that was fitted.
    columns_only : bool
        Whether that matrix had landmark columns only.
    dissimilarity : bool
    name : str
        For messages.

    Returns
    -------
    table : ColumnComparisons
    """
    if sparse.issparse(X) and dissimilarity:
        msg = (
            f"{name} must be dense; got a sparse matrix of shape {X.shape}. A missing "
            "entry would mean zero, that is 'equal'."
        )
        raise TypeError(msg)
    n_landmarks = len(indices)
    _check_unmasked(X, name)
    if not sparse.issparse(X):
        check_real(X, name)
    checked = check_array(
        X,
        accept_sparse="csr",
        ensure_all_finite=False,
        input_name="X",
        estimator=estimator,
    )
    if checked.shape[1] == n_columns:
        validate_data(estimator, X, reset=False, skip_check_array=True)  # names only
        return ColumnComparisons(checked, None if columns_only else indices, name=name)
    if checked.shape[1] == n_landmarks:
        _check_landmark_names(estimator, X, indices, name)
        return ColumnComparisons(checked, None, name=name)
    X = checked
    if not sparse.issparse(X):
        check_finite(X, name)
    msg = (
        f"{name} must have one column per object fitted ({n_columns}) or per landmark "
        f"({n_landmarks}); transform got shape {X.shape}. X has {X.shape[1]} features, "
        f"but {type(estimator).__name__} is expecting {n_columns} features as input."
    )
    raise ValueError(msg)


def _check_landmark_names(estimator, X, indices, name):
    """Compare the column names of a frame of landmark columns with those fitted."""
    fitted = getattr(estimator, "feature_names_in_", None)
    columns = list(getattr(X, "columns", []))
    if fitted is None or not columns or not all(isinstance(c, str) for c in columns):
        return
    wanted = fitted[indices].tolist()
    if columns != wanted:
        msg = (
            f"{name} with one column per landmark must have them in the order of the "
            f"landmarks, {wanted[:5]} ...; transform got {columns[:5]} .... Feature "
            "names must be in the same order as they were in fit."
        )
        raise ValueError(msg)
