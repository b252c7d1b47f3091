"""Gower's dissimilarity of mixed tables: numbers, categories, some cells missing.

    d(i, j) = sum_k w_k there_ijk d_ijk / sum_k w_k there_ijk

over the columns k, where ``there`` is 1 if both cells are and 0 otherwise. Numbers, and
ranks of ordered categories, differ by ``|x - y|`` over the range of their column among
the objects of the fit; other categories and booleans by 0 or 1. As in R's
``cluster::daisy``: booleans are symmetric, and a column without a range counts as
agreement.

References
----------
J. C. Gower (1971). A general coefficient of similarity and some of its properties.
Biometrics 27(4), 857-871. doi:10.2307/2528823
L. Kaufman, P. J. Rousseeuw (1990). Finding Groups in Data. Wiley, section 2.6 (daisy).
"""

from collections.abc import Mapping
from hashlib import blake2b

import numpy as np
from scipy import sparse

from ._objects import short_repr

__all__ = ["as_table", "gower", "learn_columns"]

NUMBER, CATEGORY = "number", "category"


def as_table(X, name):
    """Return X as a data frame, if it is one, or as an array of two dimensions.

    Parameters
    ----------
    X : data frame of pandas or polars, array-like or sequence of rows
    name : str
        For messages.
    """
    if sparse.issparse(X) or isinstance(X, (str, bytes, dict)):
        msg = (
            f"{name} must be a table, a data frame or rows of cells, where it is "
            f"compared by 'gower'; got {type(X).__name__}."
        )
        raise TypeError(msg)
    if not _is_frame(X) and not isinstance(X, np.ndarray):
        X = np.array(list(X), dtype=object)
    if len(X.shape) != 2 or 0 in X.shape:
        msg = (
            f"{name} must be a table, one row of cells for each object and at least "
            f"one of both, where it is compared by 'gower'; got shape {X.shape}. Found "
            f"array with {X.shape[0]} sample(s)."
        )
        raise ValueError(msg)
    return X


def _is_frame(X):
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def learn_columns(X, params, owner):
    """Return what a fit learns of the columns.

    Parameters
    ----------
    X : table of n objects
    params : dict
        May hold ``weights``, one for each column or by name.
    owner : str
        Parameter and class, for messages.

    Returns
    -------
    learnt : dict
        ``kinds``, for each column "number", "category" or the tuple of its ordered
        categories; ``ranges`` and ``weights``, arrays of one number for each.
    """
    kinds = tuple(_kind_of(X, k, owner) for k in range(X.shape[1]))
    cells = _coded(X, kinds)
    there = ~np.isnan(cells)
    low = np.where(there, cells, np.inf).min(axis=0)
    high = np.where(there, cells, -np.inf).max(axis=0)
    ranges = np.where(high > low, high - low, 1.0)
    ranges[[kind == CATEGORY for kind in kinds]] = 1.0
    weights = _check_weights(params.get("weights"), X, owner)
    return {"kinds": kinds, "ranges": ranges, "weights": weights}


def gower(rows, others, *, kinds=None, ranges=None, weights=None):
    """Return Gower's dissimilarities of the rows of two tables, of shape (a, b).

    Parameters
    ----------
    rows, others : tables of a and b objects, with the same columns
    kinds, ranges, weights : default=None
        From `learn_columns`; None learns them from `rows`.

    Returns
    -------
    block : ndarray of shape (a, b)
        Between 0 and 1 for objects of the fit; NaN where two have no cell in common.
    """
    if kinds is None or ranges is None:
        learnt = learn_columns(rows, {"weights": weights}, "metric, 'gower',")
        kinds, ranges, weights = (learnt[k] for k in ("kinds", "ranges", "weights"))
    mine, theirs = _coded(rows, kinds), _coded(others, kinds)
    total, shared = np.zeros((2, len(mine), len(theirs)))
    for k, kind in enumerate(kinds):
        if weights[k] == 0:
            continue
        x, y = mine[:, k, None], theirs[:, k]
        gaps = (x != y) * 1.0 if kind == CATEGORY else np.abs(x - y) / ranges[k]
        there = ~(np.isnan(x) | np.isnan(y))
        shared += weights[k] * there
        total += np.where(there, weights[k] * gaps, 0.0)
    return np.divide(total, shared, out=np.full_like(total, np.nan), where=shared > 0)


def _column(X, k):
    """Return a column: a Series of a frame, or an array."""
    if hasattr(X, "iloc"):
        return X.iloc[:, k]
    return X[:, k]


def _name_of(X, k):
    return repr(str(X.columns[k])) if _is_frame(X) else str(k)


def _kind_of(X, k, owner):
    """Return what a column holds."""
    column = _column(X, k)
    dtype = column.dtype
    categories = getattr(dtype, "categories", None)
    if categories is not None and getattr(dtype, "ordered", False):
        return tuple(categories)
    text = str(dtype).lower()
    if text.startswith(("int", "uint", "float", "decimal")):
        return NUMBER
    if text.startswith(("datetime", "timedelta", "date", "duration", "complex")):
        msg = (
            f"{owner} compares numbers, categories and booleans; got {dtype} in column "
            f"{_name_of(X, k)}. Turn it into numbers, days for instance."
        )
        raise ValueError(msg)
    if text != "object":
        return CATEGORY
    cells = [cell for cell in column if not _is_missing(cell)]
    numbers = [isinstance(c, (int, float, np.number)) for c in cells]
    booleans = [isinstance(c, (bool, np.bool_)) for c in cells]
    return NUMBER if all(numbers) and not any(booleans) else CATEGORY


def _coded(X, kinds):
    """Return a table as numbers, NaN where a cell is missing."""
    cells = np.empty(X.shape)
    for k, kind in enumerate(kinds):
        column = _column(X, k)
        values = np.asarray(
            column.to_list() if hasattr(column, "to_list") else column, dtype=object
        )
        missing = np.array([_is_missing(value) for value in values], dtype=bool)
        cells[missing, k] = np.nan
        try:
            cells[~missing, k] = _numbers(values[~missing], kind)
        except (TypeError, ValueError) as error:
            msg = (
                f"column {_name_of(X, k)} of a table compared by 'gower' must hold "
                f"what it held in fit, {_described(kind)}; {error}."
            )
            raise ValueError(msg) from error
    return cells


def _numbers(values, kind):
    """Return cells that are there as numbers: equal ones for equal cells."""
    if kind == NUMBER:
        numbers = values.astype(np.float64)
        if np.isinf(numbers).any():
            msg = "got infinity"
            raise ValueError(msg)
        return numbers
    if kind == CATEGORY:
        codes = {value: _code_of(value) for value in set(values.tolist())}
    else:
        codes = {value: rank for rank, value in enumerate(kind)}
    unknown = [value for value in values if value not in codes]
    if unknown:
        msg = f"got {short_repr(unknown[0])}"
        raise ValueError(msg)
    return np.array([codes[value] for value in values], dtype=np.float64)


def _code_of(value):
    """Return a number that stands for a category, in any process."""
    digest = blake2b(str(value).encode("utf-8", "surrogatepass"), digest_size=6)
    return int.from_bytes(digest.digest(), "big")


def _described(kind):
    if isinstance(kind, str):
        return {NUMBER: "numbers", CATEGORY: "categories"}[kind]
    return f"the categories {short_repr(list(kind))}"


def _is_missing(cell):
    if cell is None:
        return True
    try:
        return not bool(cell == cell)
    except TypeError:  # pandas' NA is neither
        return True


def _check_weights(weights, X, owner):
    """Return one weight for each column, from numbers or names."""
    n_columns = X.shape[1]
    if isinstance(weights, Mapping):
        names = list(X.columns) if _is_frame(X) else list(range(n_columns))
        unknown = [name for name in weights if name not in names]
        if unknown:
            msg = (
                f"weights of {owner} must be by names of columns, {short_repr(names)}; "
                f"got {short_repr(unknown[0])}."
            )
            raise ValueError(msg)
        weights = [weights.get(name, 1.0) for name in names]
    found = np.ones(n_columns) if weights is None else np.asarray(weights, dtype=float)
    if found.shape != (n_columns,) or not (found >= 0).all() or not found.any():
        msg = (
            f"weights of {owner} must be {n_columns} numbers, one for each column, not "
            f"negative and not all zero; got {short_repr(weights)}."
        )
        raise ValueError(msg)
    return found
