"""The only door to scikit-learn's private names.

Every private name of scikit-learn that skproxy relies on is imported here and nowhere
else, so that a change over there is mended in one file. All of them exist, unchanged in
meaning, from scikit-learn 1.6 on.
"""

from sklearn.base import _fit_context
from sklearn.metrics.pairwise import (
    KERNEL_PARAMS,
    PAIRWISE_KERNEL_FUNCTIONS,
)
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    StrOptions,
)

__all__ = [
    "KERNEL_PARAMS",
    "PAIRWISE_KERNEL_FUNCTIONS",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "StrOptions",
    "fit_context",
]

fit_context = _fit_context
