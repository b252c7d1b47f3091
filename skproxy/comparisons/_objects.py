"""Collections of objects: counting them and taking some, whatever they are.

Objects are rows of an array or of a sparse matrix, or items of any sequence (list,
tuple, pandas Series ...): strings, ragged series, graphs. Nothing here looks inside an
object.
"""

from reprlib import Repr

import numpy as np
from scipy import sparse
from sklearn.utils.random import sample_without_replacement

__all__ = [
    "block_rows",
    "consecutive_blocks",
    "count_objects",
    "draw_positions",
    "index_blocks",
    "iterate_objects",
    "join_objects",
    "keep_objects",
    "short_repr",
    "take_objects",
]

# Up to so many a draw is the beginning of a permutation, as in scikit-learn's Nystroem.
_PERMUTED = 2**20

_REPR = Repr()
_REPR.maxstring = _REPR.maxother = 60


def short_repr(thing):
    """Return what an object looks like in a message, never more than a line of it."""
    if isinstance(thing, np.ndarray):
        return f"an array of shape {thing.shape}"
    try:
        text = _REPR.repr(thing)
    except Exception:  # the user's own __repr__
        text = ""
    return text if 0 < len(text) <= 200 else f"an object of type {type(thing).__name__}"


def count_objects(collection):
    """Return the number of objects of a collection."""
    shape = getattr(collection, "shape", None)
    if shape:
        return int(shape[0])
    return len(collection)


def take_objects(collection, which):
    """Return some objects of a collection, as a collection of the same kind.

    Parameters
    ----------
    collection : array, sparse matrix, pandas object or sequence of n objects
    which : slice or ndarray of int
        Positions.
    """
    if hasattr(collection, "iloc"):
        return collection.iloc[which]
    if hasattr(collection, "shape"):
        return collection[which]
    if isinstance(which, slice):
        return collection[which]
    return [collection[i] for i in which]


def join_objects(collections):
    """Return the objects of some collections of one kind as one collection."""
    first = collections[0]
    if sparse.issparse(first):
        return sparse.vstack(collections, format="csr")
    if hasattr(first, "iloc"):
        import pandas as pd

        return pd.concat(collections)
    if isinstance(first, np.ndarray):
        return np.concatenate(collections)
    return [x for collection in collections for x in iterate_objects(collection)]


def keep_objects(collection):
    """Return a collection that does not change when the caller's is written to.

    Arrays among the items of a sequence are copied, too; other objects are not looked
    into.
    """
    if isinstance(collection, (list, tuple)):
        return [x.copy() if isinstance(x, np.ndarray) else x for x in collection]
    return collection.copy() if hasattr(collection, "copy") else collection


def draw_positions(n_objects, size, rng):
    """Draw positions uniformly without replacement, in random order.

    Parameters
    ----------
    n_objects : int
        Memory does not grow with it beyond a million.
    size : int
    rng : RandomState

    Returns
    -------
    positions : ndarray of shape (at most size,)
    """
    if n_objects <= _PERMUTED:
        return rng.permutation(n_objects)[:size]
    size = min(size, n_objects)
    return rng.permutation(
        sample_without_replacement(n_objects, size, random_state=rng)
    )


def iterate_objects(collection):
    """Yield the objects one by one: 1-d rows of arrays, items of sequences.

    Rows of a data frame are labelled: a Series of pandas, a dict of polars.
    """
    if sparse.issparse(collection):
        for i in range(collection.shape[0]):
            yield collection[[i]]
    elif hasattr(collection, "iterrows"):
        for _, row in collection.iterrows():
            yield row
    elif hasattr(collection, "iter_rows"):
        yield from collection.iter_rows(named=True)
    else:
        yield from collection


def block_rows(n_columns):
    """Return how many rows of `n_columns` comparisons make a block.

    One or two megabytes of float64 at most: small enough for the processor's cache,
    large enough that calls cost nothing (measured for 100 and 500 columns). It depends
    on nothing else, so neither do the results.
    """
    return int(np.clip(2**18 // max(n_columns, 1), 64, 512))


def consecutive_blocks(n_objects, block_size):
    """Yield slices of at most `block_size` positions that cover 0 ... n_objects."""
    for start in range(0, n_objects, block_size):
        yield slice(start, min(start + block_size, n_objects))


def index_blocks(indices, block_size):
    """Yield runs of at most `block_size` indices; consecutive ones become a slice.

    A slice lets arrays hand out views instead of copies.
    """
    indices = np.asarray(indices, dtype=np.intp)
    for block in consecutive_blocks(len(indices), block_size):
        run = indices[block]
        if run[-1] - run[0] + 1 == len(run) and (np.diff(run) == 1).all():
            yield slice(int(run[0]), int(run[-1]) + 1)
        else:
            yield run
