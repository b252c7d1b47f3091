"""What the generators' numbers must be, said in one way."""

from numbers import Integral, Real

import numpy as np


def check_count(value, *, name, minimum=1):
    """Return `value` as an int of at least `minimum`, or raise."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < minimum:
        msg = (
            f"{name} must be an integer of at least {minimum}; got {value!r}. Give a "
            "larger whole number."
        )
        raise ValueError(msg)
    return int(value)


def check_counts(values, *, name):
    """Return a list of positive ints, one per group, or raise."""
    if isinstance(values, str) or not np.iterable(values):
        msg = (
            f"{name} must be a sequence of integers, one per group; got {values!r}. "
            "Write it as a tuple."
        )
        raise ValueError(msg)
    return [check_count(value, name=f"every entry of {name}") for value in values]


def check_real(value, *, name, positive=False, below=np.inf):
    """Return `value` as a finite float that is not negative, or raise."""
    sane = isinstance(value, Real) and 0 <= value < below
    if not sane or (positive and value == 0):
        what = "positive" if positive else "non-negative"
        limit = "" if below == np.inf else f" below {below:g}"
        msg = (
            f"{name} must be a finite {what} number{limit}; got {value!r}. Give such a "
            "number."
        )
        raise ValueError(msg)
    return float(value)
