"""The only door to scikit-learn's private names.

Every private name of scikit-learn that skproxy relies on is imported here and nowhere
else, so that a change over there is mended in one file. All of them exist, unchanged in
meaning, from scikit-learn 1.6 on; callbacks from 1.9 on, and until then nothing calls
them.
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
    validate_parameter_constraints,
)

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands where scikit-learn has no callbacks: without `set_callbacks`."""


__all__ = [
    "KERNEL_PARAMS",
    "PAIRWISE_KERNEL_FUNCTIONS",
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "StrOptions",
    "begin_fit_task",
    "fit_context",
    "validate_parameter_constraints",
]

fit_context = _fit_context


def begin_fit_task(estimator, X, y):
    """Begin the task that is a whole fit, for the callbacks of an estimator.

    To be called once, within `fit_context`, which ends what is begun here.

    Parameters
    ----------
    estimator : estimator
    X, y : what fit was given

    Returns
    -------
    context : CallbackContext or None
        The root of the tree of tasks; None where no callback was set.
    """
    if not hasattr(estimator, "_skl_callbacks"):
        return None
    # The number of stages shows only as they come.
    context = estimator._init_callback_context(max_subtasks=None)
    return context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
