"""Warnings that point to the line of the user's code that caused them."""

import sys
import warnings
from pathlib import Path

import sklearn

__all__ = ["warn_caller"]

# Between a user's line and a check lie decorators of scikit-learn and of functools.
_INSIDE = tuple(
    str(Path(str(module.__file__)).parent)
    for module in (sys.modules[__name__.partition(".")[0]], sklearn)
)


def warn_caller(message, category=UserWarning):
    """Warn, naming the first line outside skproxy and scikit-learn as the place.

    Parameters
    ----------
    message : str
    category : type, default=UserWarning
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith(_INSIDE)
        or Path(frame.f_code.co_filename).name in ("contextlib.py", "functools.py")
    ):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
