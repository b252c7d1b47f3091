"""Whether two fitted estimators compare with the same landmarks, and so can be merged.

Moments of objects compared with the same landmarks merge exactly, wherever they were
compared. What must agree is what comparisons mean: the measure, its power, the
landmarks. How the result is read - correction, number of columns - is the business of
the one that is kept.
"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..comparisons._objects import count_objects, iterate_objects, short_repr

__all__ = ["begin_part", "check_mergeable"]

# Comparisons among landmarks that were made twice agree to rounding, that of single
# precision included.
_TOLERANCE = 1e-5


def begin_part(estimator, **state):
    """Return a copy of a fitted estimator with another state and no comparisons.

    Parameters
    ----------
    estimator : fitted estimator
    **state
        Attributes that say what it has seen: nothing.
    """
    part = object.__new__(type(estimator))
    vars(part).update(vars(estimator), **state, n_samples_seen_=0, n_comparisons_=0)
    return part


def check_mergeable(one, other):
    """Raise where two estimators cannot be merged, and say what differs.

    Parameters
    ----------
    one, other : fitted estimators

    Raises
    ------
    TypeError
        If `other` is an estimator of another kind.
    ValueError
        If measures, powers or landmarks differ.
    """
    check_is_fitted(one)
    owner = type(one).__name__
    if type(other) is not type(one):
        msg = (
            f"other of {owner}.merge must be a fitted {owner}; got {short_repr(other)}."
        )
        raise TypeError(msg)
    check_is_fitted(other)
    mine, theirs = one._compared.comparer, other._compared.comparer
    _check_measures(owner, mine, theirs)
    for name in ("is_similarity", "power", "centred"):
        here, there = (getattr(c.geometry, name) for c in (mine, theirs))
        if here != there:
            _raise_different(owner, name, here, there)
    if mine.symmetrize != theirs.symmetrize:
        _raise_different(owner, "symmetrize", mine.symmetrize, theirs.symmetrize)
    if one.n_landmarks_ != other.n_landmarks_:
        _raise_different(owner, "n_landmarks_", one.n_landmarks_, other.n_landmarks_)
    at = _first_difference(one.components_, other.components_)
    if at is not None:
        msg = (
            f"landmarks of the models in {owner}.merge must be the same objects in the "
            f"same order; number {at} differs. Fit the others with "
            "landmarks=model.components_, or begin them by model.new_part()."
        )
        raise ValueError(msg)
    here, there = one._compared.unit, other._compared.unit
    if abs(here - there) > _TOLERANCE * here:
        what = "the largest comparison among landmarks"
        _raise_different(owner, what, here, there)


def _check_measures(owner, mine, theirs):
    name = mine.parameter
    here, there = mine.compare, theirs.compare
    named = [isinstance(compare, str) for compare in (here, there)]
    # Functions that travelled are other functions; landmarks tell them apart.
    if any(named) and not (all(named) and here == there):
        _raise_different(owner, name, short_repr(here), short_repr(there))
    for key in sorted({*mine.params, *theirs.params}):
        values = mine.params.get(key), theirs.params.get(key)
        if not _are_equal(*values):
            _raise_different(owner, f"{name} parameter {key}", *map(short_repr, values))


def _raise_different(owner, what, here, there):
    msg = (
        f"models in {owner}.merge must agree in {what}; got {here} and {there}. Only "
        "comparisons of one kind with the same landmarks add up."
    )
    raise ValueError(msg)


def _first_difference(mine, theirs):
    """Return the first position at which collections of objects differ, or None."""
    if hasattr(mine, "iloc"):
        mine = mine.to_numpy()
    if hasattr(theirs, "iloc"):
        theirs = theirs.to_numpy()
    if count_objects(mine) != count_objects(theirs):
        return min(count_objects(mine), count_objects(theirs))
    pairs = zip(iterate_objects(mine), iterate_objects(theirs), strict=True)
    return next((i for i, pair in enumerate(pairs) if not _are_equal(*pair)), None)


def _are_equal(a, b):
    """Tell whether two objects are equal; True for those that only know themselves.

    A graph that travelled to another machine is another object; comparisons among the
    landmarks tell then.
    """
    if a is b:
        return True
    if hasattr(a, "toarray") and hasattr(b, "toarray"):
        a, b = a.toarray(), b.toarray()
    if isinstance(a, (np.ndarray, list, tuple)):
        a, b = np.asarray(a), np.asarray(b)
        same = a.shape == b.shape
        return same and bool(np.all((a == b) | ((a != a) & (b != b))))
    if type(a).__eq__ is object.__eq__:
        return type(a) is type(b)
    equal = a == b
    return bool(equal) if isinstance(equal, (bool, np.bool_)) else True
