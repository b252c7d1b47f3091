"""Elastic measures of time series, computed in blocks by aeon or dtaidistance.

X is an array (n, n_timepoints), an array (n, n_channels, n_timepoints), or a sequence
of n series of any lengths: one-dimensional, or (n_channels, n_timepoints).

A name means one thing, whichever library computes it. Libraries differ in whether a sum
of squares is rooted and in what a window is; here sums of squares are always rooted,
so that without warping ``"dtw"`` is the Euclidean distance and ``power=2`` the usual
choice, and a window is a radius.

References
----------
L. Chen, R. Ng (2004). On the marriage of Lp-norms and edit distance. VLDB, 792-803.
A. Stefan, V. Athitsos, G. Das (2013). The move-split-merge metric for time series. IEEE
Transactions on Knowledge and Data Engineering 25(6), 1425-1438.
P.-F. Marteau (2009). Time warp edit distance with stiffness adjustment for time series
matching. IEEE Transactions on Pattern Analysis and Machine Intelligence 31(2), 306-318.
"""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse

from ._caller_warning import warn_caller
from ._libraries import AEON, DTAIDISTANCE, load_one_of

__all__ = [
    "SERIES_MEASURES",
    "band_radius",
    "check_rows_are_series",
    "check_series",
    "compare_series",
    "is_array_of_series",
    "series_libraries",
]

#: name -> (arguments it takes, whether the library returns a sum of squares).
SERIES_MEASURES = {
    "dtw": ({"window"}, True),
    "ddtw": ({"window"}, True),
    "wdtw": ({"window", "g"}, True),
    "adtw": ({"window", "warp_penalty"}, True),
    "msm": ({"c"}, False),
    "erp": ({"g"}, False),
    "twe": ({"nu", "lmbda"}, False),
    "lcss": ({"epsilon"}, False),
}


def series_libraries(name):
    """Return the libraries that compute a measure, in order of preference."""
    return (AEON, DTAIDISTANCE) if name == "dtw" else (AEON,)


def is_array_of_series(X):
    """Tell whether series come as one array, which scikit-learn can check.

    Arrays and data frames of numbers do, and nested lists that would make one. Lists of
    arrays do not: the next ones may be longer.

    Parameters
    ----------
    X : what the user passed
    """
    if sparse.issparse(X):
        return True
    if isinstance(X, (list, tuple)):
        if not all(isinstance(one, (list, tuple)) for one in X):
            return False
        try:
            np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        return len(X) > 0
    return hasattr(X, "__array__") and np.asarray(X).dtype.kind in "fiubc"


def check_series(X, name):
    """Return series as an array, or as a list of arrays where X is none.

    Parameters
    ----------
    X : ndarray of shape (n, n_timepoints) or (n, n_channels, n_timepoints), or \
            sequence of n series
        Shorter ones may be filled up with NaN at the end.
    name : str
        For messages.

    Returns
    -------
    series : ndarray or list of n arrays
    """
    whole = isinstance(X, np.ndarray) and X.dtype != object and X.ndim in (2, 3)
    _check_axes(X, name)
    if whole and X.size and np.isfinite(X).all():
        return X
    arrays = X if whole else [_as_numbers(x, i, name) for i, x in enumerate(X)]
    series = [_without_padding(one) for one in arrays]
    channels = None
    for position, one in enumerate(series):
        if one.ndim not in (1, 2) or one.size == 0:
            msg = (
                f"{name} must hold series of shape (n_timepoints,) or (n_channels, "
                f"n_timepoints); got shape {one.shape} at position {position}."
            )
            raise ValueError(msg)
        if one.ndim == 2 and one.shape[1] == 1 < one.shape[0]:
            _raise_transposed(f"shape {one.shape} at position {position}", "x.T", name)
        if not np.isfinite(one).all():
            msg = (
                f"{name} must hold finite numbers; got NaN or infinity in the series "
                f"at position {position}. Shorter series may be filled up with NaN at "
                "the end, in all channels alike; gaps elsewhere must be "
                "filled in first. Input contains NaN or infinity."
            )
            raise ValueError(msg)
        found = one.shape[:-1]
        channels = found if channels is None else channels
        if found != channels:
            msg = (
                f"{name} must hold series of one number of channels; got shape "
                f"{one.shape} at position {position} after {series[0].shape}."
            )
            raise ValueError(msg)
    return series


def _raise_transposed(got, turned, name):
    """Raise ValueError for series whose time points were put where channels are."""
    msg = (
        f"{name} must hold series as (n_channels, n_timepoints); got {got}: one time "
        f"point of many channels. Where time comes before channels, as in tslearn, "
        f"pass {turned}."
    )
    raise ValueError(msg)


def check_rows_are_series(X, name):
    """Raise ValueError for a data frame with a row for each time point."""
    index = getattr(X, "index", None)
    if getattr(index, "nlevels", 1) > 1:
        msg = (
            f"{name} must hold one series in each row; got a data frame whose index "
            f"has {index.nlevels} levels, a row for each time point as a rule. Pass a "
            "list of arrays: [g.to_numpy().T for _, g in frame.groupby(level=0)]."
        )
        raise ValueError(msg)


def _check_axes(X, name):
    """Raise, or warn, where the axes of an array seem to be in another order."""
    if not isinstance(X, np.ndarray) or X.ndim != 3:
        return
    n_channels, n_timepoints = X.shape[1:]
    if n_timepoints == 1 < n_channels:
        _raise_transposed(f"shape {X.shape}", "X.transpose(0, 2, 1)", name)
    if n_channels > 2 * n_timepoints:
        warn_caller(
            f"{name} of shape {X.shape} is read as {n_channels} channels of "
            f"{n_timepoints} time points. If time comes before channels, pass "
            "X.transpose(0, 2, 1)."
        )


def _without_padding(one):
    """Return a series without the NaN that it was filled up with at its end."""
    if one.dtype.kind != "f" or one.ndim == 0:
        return one
    blank = np.isnan(one) if one.ndim == 1 else np.isnan(one).all(axis=0)
    filled = np.flatnonzero(~blank)
    return one[..., : filled[-1] + 1] if len(filled) else one


def _as_numbers(one, position, name):
    if hasattr(one, "columns"):
        msg = (
            f"{name} must hold series of shape (n_channels, n_timepoints); got a data "
            f"frame at position {position}, whose rows are time points as a rule. Pass "
            "frame.to_numpy().T."
        )
        raise TypeError(msg)
    try:
        array = np.asarray(one)
        if array.dtype == object and array.ndim == 1 and np.ndim(array[0]) == 1:
            # A row of a data frame with a series in each cell, one column a channel.
            array = np.stack([np.asarray(channel) for channel in array])
            array = array[0] if len(array) == 1 else array
        return array if array.dtype.kind in "fiub" else array.astype(np.float64)
    except (TypeError, ValueError, IndexError) as error:
        msg = (
            f"{name} must hold series of numbers; got {type(one).__name__} at position "
            f"{position}, which is none ({error})."
        )
        raise TypeError(msg) from error


def band_radius(window, rows, others, name):
    """Return by how many positions a path may leave the diagonal; None for any.

    Parameters
    ----------
    window : int, float or None
        An int is the radius, a float its share of the length, rounded down.
    rows, others : list of arrays
        Of one length, unless the window is None: libraries disagree about where the
        diagonal of two lengths lies.
    name : str
        Of the measure.
    """
    if window is None:
        return None
    is_count = isinstance(window, Integral) and not isinstance(window, bool)
    is_share = isinstance(window, Real) and not isinstance(window, Integral)
    if not (is_count and window >= 0) and not (is_share and 0 <= window <= 1):
        msg = (
            f"window of metric={name!r} must be an int of at least 0, in time points, "
            f"or a float between 0 and 1, a share of the length; got {window!r}."
        )
        raise ValueError(msg)
    lengths = {one.shape[-1] for one in (*rows, *others)}
    if len(lengths) > 1:
        msg = (
            f"window of metric={name!r} needs series of one length; got lengths "
            f"{min(lengths)} to {max(lengths)}. Leave it out, or resample."
        )
        raise ValueError(msg)
    length = lengths.pop()
    # 0.29 * 100 is 28.999999999999996
    radius = int(window if is_count else window * length + 1e-9)
    return radius if radius < length - 1 else None


def compare_series(name, rows, others, window=None, **arguments):
    """Compare two collections of series.

    Parameters
    ----------
    name : str
        A name of `SERIES_MEASURES`.
    rows, others : collection of a and b series
    window : int, float or None, default=None
        See `band_radius`.
    **arguments
        Further ones that the measure takes.

    Returns
    -------
    block : ndarray of shape (a, b)
        In the units of the series ("dtw", "ddtw", "wdtw", "adtw", "msm", "erp", "twe"),
        or a share of the shorter series' length ("lcss").
    """
    rows, others = _channels_first(rows), _channels_first(others)
    if len(rows[0]) != len(others[0]):
        msg = (
            f"metric={name!r} compares series of one number of channels; got "
            f"{len(rows[0])} and {len(others[0])}. Pass new objects in the form of "
            "those fitted."
        )
        raise ValueError(msg)
    _check_numbers(arguments, name)
    shortest = min(one.shape[1] for one in (*rows, *others))
    if name == "ddtw" and shortest < 3:
        msg = (
            "metric='ddtw' compares slopes, and needs series of at least 3 time "
            f"points; got one of {shortest}. Use 'dtw'."
        )
        raise ValueError(msg)
    radius = band_radius(window, rows, others, name)
    library = load_one_of(series_libraries(name), f"metric={name!r}")
    if library is DTAIDISTANCE:
        return _dtaidistance_dtw(rows, others, radius)
    return _aeon(name, rows, others, radius, arguments)


def _check_numbers(arguments, name):
    """Raise unless parameters are numbers, of at least 0 where they are costs."""
    for parameter, value in arguments.items():
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        may_be_negative = (name, parameter) == ("erp", "g")  # a value of the series
        if not (is_number and np.isfinite(value) and (may_be_negative or value >= 0)):
            least = "" if may_be_negative else " of at least 0"
            msg = (
                f"{parameter} of metric={name!r} must be a finite number{least}; got "
                f"{value!r}."
            )
            raise ValueError(msg)


def _channels_first(collection):
    """Return series as fresh arrays (n_channels, n_timepoints) of doubles.

    numba compiles anew for each kind of array: read-only, single precision, strided.
    """
    arrays = [np.array(one, dtype=np.float64, order="C") for one in collection]
    return [one.reshape(-1, one.shape[-1]) for one in arrays]


def _aeon(name, rows, others, radius, arguments):
    from aeon import distances

    if name == "erp":
        # aeon charges the whole series for a gap at its beginning. A first point that
        # equals the gap costs nothing and moves the path off that border.
        gap = arguments.get("g", 0.0)
        rows, others = _prepend(rows, gap), _prepend(others, gap)
    if radius is not None:  # a share of the length, which aeon rounds down
        arguments = {**arguments, "window": (radius + 0.5) / rows[0].shape[1]}
    compare = getattr(distances, f"{name}_pairwise_distance")
    with warnings.catch_warnings():
        # numba's, when it compiles; nothing that a user could change.
        warnings.filterwarnings("ignore", message=".*unsafe cast from uint64")
        block = np.asarray(compare(rows, others, **arguments))
    _, squared = SERIES_MEASURES[name]
    return np.sqrt(block) if squared else block


def _prepend(series, value):
    return [np.pad(one, ((0, 0), (1, 0)), constant_values=value) for one in series]


def _dtaidistance_dtw(rows, others, radius):
    from dtaidistance import dtw, dtw_ndim

    a, b = len(rows), len(others)
    settings = {
        "block": ((0, a), (a, a + b)),
        "window": None if radius is None else radius + 1,  # 1 is the diagonal alone
        "use_c": dtw.try_import_c(),
        "parallel": False,
    }
    series = [*rows, *others]
    if rows[0].shape[0] == 1:
        block = dtw.distance_matrix([one[0] for one in series], **settings)
    else:
        series = [np.ascontiguousarray(one.T) for one in series]
        block = dtw_ndim.distance_matrix(series, series[0].shape[1], **settings)
    return np.asarray(block)[:a, a:]
