"""Measures by name: which library computes them, and what they take.

``metric=`` takes the names of scikit-learn and SciPy, two more on vectors, and the
names of measures of strings and of time series that other libraries compute in blocks.
These are no dependencies: each comes with an extra, and is imported on first use.

The names of strings and series become `NamedMeasure`, a `BlockMetric` that knows its
library, checks what it is given and pickles as its name. Names on vectors stay names.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import distance_metrics

from ._block_metric import BlockMetric
from ._gower import as_table, gower
from ._kernels import KERNEL_NAMES
from ._libraries import load_one_of
from ._series_measures import (
    SERIES_MEASURES,
    check_series,
    compare_series,
    is_array_of_series,
    series_libraries,
)
from ._string_measures import (
    STRING_LIBRARIES,
    STRING_MEASURES,
    check_strings,
    compare_strings,
)
from ._vector_measures import NAMED_DISSIMILARITIES

__all__ = [
    "MEASURES",
    "NamedMeasure",
    "check_kernel",
    "check_measure",
    "measure_by_name",
    "metric_names",
]

#: Names that SciPy documents; it knows abbreviations besides.
SCIPY_NAMES = (
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "dice",
    "euclidean",
    "hamming",
    "jaccard",
    "jensenshannon",
    "mahalanobis",
    "minkowski",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "yule",
)


@dataclass(frozen=True)
class NamedMeasure(BlockMetric):
    """A dissimilarity of strings or series that a library computes in blocks.

    Attributes
    ----------
    func : callable
        ``func(rows, others, **params)`` returns an array of shape (a, b).
    name : str
    libraries : tuple of Library
        That can compute it, in order of preference.
    arguments : frozenset of str
        That ``metric_params`` may hold.
    check : callable
        ``check(X, name)`` returns X in the form in which objects are compared.
    is_array : callable
        ``is_array(X)`` tells whether X is for scikit-learn to check.
    is_of_tables : bool
        Whether objects are the rows of a table, and data frames stay what they are.
    """

    name: str = ""
    libraries: tuple = ()
    arguments: frozenset = frozenset()
    check: Any = None
    is_array: Any = None
    is_of_tables: bool = False

    # The libraries hold the interpreter while they compare.
    _prefers = "processes"

    def __reduce__(self):
        return measure_by_name, (self.name,)

    def __repr__(self):
        return repr(self.name)

    def require(self, params, owner):
        """Raise unless a library is installed and takes the parameters.

        Parameters
        ----------
        params : dict
        owner : str
            Parameter and class, for messages.
        """
        unknown = sorted(set(params) - self.arguments)
        if unknown:
            takes = f"{sorted(self.arguments)}" if self.arguments else "nothing"
            msg = (
                f"{owner}, {self.name!r}, takes {takes} as parameters; got {unknown}. "
                "Wrap a function of the library as BlockMetric for what it has besides."
            )
            raise ValueError(msg)
        if self.libraries:
            load_one_of(self.libraries, f"{owner}, {self.name!r},")


def _never(X):  # noqa: ARG001
    return False


def _strings(name):
    return NamedMeasure(
        partial(compare_strings, name),
        name=name,
        libraries=STRING_LIBRARIES,
        arguments=frozenset(STRING_MEASURES[name][1]),
        check=check_strings,
        is_array=_never,
    )


def _series(name):
    return NamedMeasure(
        partial(compare_series, name),
        name=name,
        libraries=series_libraries(name),
        arguments=frozenset(SERIES_MEASURES[name][0]),
        check=check_series,
        is_array=is_array_of_series,
    )


#: name -> NamedMeasure, of mixed tables, of strings and of series.
MEASURES = {
    "gower": NamedMeasure(
        gower,
        name="gower",
        arguments=frozenset({"weights"}),
        check=as_table,
        is_array=_never,
        is_of_tables=True,
    ),
    **{name: _strings(name) for name in STRING_MEASURES},
    **{name: _series(name) for name in SERIES_MEASURES},
}


def measure_by_name(compare):
    """Return the `NamedMeasure` of a name of strings or series, else what came.

    Parameters
    ----------
    compare : str, callable or BlockMetric
    """
    return MEASURES.get(compare, compare) if isinstance(compare, str) else compare


def metric_names():
    """Return all names that ``metric=`` takes, sorted."""
    theirs = {*distance_metrics(), *SCIPY_NAMES}
    return sorted({*theirs, *NAMED_DISSIMILARITIES, *MEASURES})


def check_measure(compare, params, owner):
    """Raise unless a dissimilarity is known, installed and takes the parameters.

    Parameters
    ----------
    compare : str, callable or BlockMetric
    params : dict
    owner : str
        Parameter and class, for messages.
    """
    compare = measure_by_name(compare)
    if isinstance(compare, NamedMeasure):
        compare.require(params, owner)
    elif isinstance(compare, str) and not _is_known(compare):
        if compare in KERNEL_NAMES:
            advice = "Kernels are passed as kernel= to Nystroem or a classifier."
        else:
            wanted = compare.lower().replace("-", "_").replace(" ", "_")
            close = get_close_matches(wanted, metric_names())
            advice = (
                f"Did you mean {' or '.join(map(repr, close))}?"
                if close
                else f"Names are {', '.join(metric_names())}."
            )
        msg = (
            f"{owner} must be a name that skproxy, scikit-learn or SciPy knows, a "
            f"function of two objects, or a BlockMetric; got {compare!r}. {advice}"
        )
        raise ValueError(msg)


def check_kernel(compare, owner):
    """Raise where a kernel is the name of a dissimilarity.

    Parameters
    ----------
    compare : object
        Whatever was given as a kernel.
    owner : str
        Parameter and class, for messages.
    """
    if not isinstance(compare, str) or compare in KERNEL_NAMES:
        return
    if compare in set(metric_names()) - {"precomputed"}:
        msg = (
            f"{owner} must be a similarity, large where objects are alike; got "
            f"{compare!r}, which is a dissimilarity. Pass it as metric= to "
            "NystromDissimilarity, NeucMDS or a classifier, or pass a function that "
            "turns it into a similarity."
        )
        raise ValueError(msg)


def _is_known(name):
    if name in metric_names():
        return True
    try:  # abbreviations
        cdist(np.eye(2), np.eye(2), metric=name)
    except ValueError as error:
        return "Unknown Distance Metric" not in str(error)
    return True
