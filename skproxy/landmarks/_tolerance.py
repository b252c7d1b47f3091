"""How many landmarks: as many as a tolerated error asks for.

Objects drawn uniformly, the tests, are compared among each other, and with landmarks as
these are added: the first 10, 20, 40 ... in the order of the selector. For each number
the core is fitted to the landmarks and three quarters of the tests, and judged on the
others, until the upper end of the interval is within the tolerance.
Numbers between the last two are tried, too: they need no further comparison. What was
compared is known in the pass.
"""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator

from ..comparisons import Scale
from ..comparisons._caller_warning import warn_caller
from ..comparisons._objects import draw_positions
from ..factor import double_center, probed_core

__all__ = [
    "ErrorTolerance",
    "KnownSquare",
    "check_tolerance",
    "enough_landmarks",
    "tolerance_of",
]

_FIRST, _TESTS, _FEWEST_TESTS, _FOLDS = 10, 200, 16, 4
# Shares of the last step, from the number before it, that are tried afterwards.
_BETWEEN = 1 / 8, 1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 7 / 8
# One test in so many is always fitted.
_FEW = 40
# Those flatter the error: it came out up to a tenth larger on fifteen sets.
_FLATTERED = 1.1
# Of the trace, so that leverages are those of more than rounding.
_RIDGE = 1e-6
# One-sided 95 % of a Gaussian: the upper end of a 90 % interval.
_DEVIATIONS = 1.645


class ErrorTolerance(BaseEstimator):
    """As many landmarks as a relative error of the similarity asks for.

    Pass it as ``n_landmarks=``; ``n_landmarks="auto"`` stands for it with its defaults.

    Parameters
    ----------
    tol : float, default=0.1
        Relative error of the approximated similarity matrix, in Frobenius norm, that
        the upper end of the 90 % interval is to reach.
    max_landmarks : int, default=500
        Most landmarks that are taken, and half of the objects at most; a warning says
        what was reached. Ten are taken at least, of as many objects.

    See Also
    --------
    skproxy.inspection.LandmarkCurveDisplay : What more landmarks are worth for a score.

    Notes
    -----
    Four objects for each landmark, the tests, are compared among each other and with
    the landmarks, as long as these comparisons are at most half of those of the pass
    (200 tests at least). None of them is made again in the pass. The error of
    objects that no sample holds, one far from all others, is not seen:
    ``estimate_error=True`` tells that of the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy import NystromDissimilarity
    >>> from skproxy.landmarks import ErrorTolerance
    >>> X = np.random.RandomState(0).normal(size=(500, 12)) * 2.0 ** -np.arange(12)
    >>> counts = []
    >>> for tol in (0.3, 0.1):
    ...     model = NystromDissimilarity(
    ...         "cityblock", n_landmarks=ErrorTolerance(tol), random_state=0)
    ...     counts.append(model.fit(X).n_landmarks_)
    >>> counts[0] < counts[1]
    True
    """

    def __init__(self, tol: float = 0.1, max_landmarks: int = 500) -> None:
        self.tol = tol
        self.max_landmarks = max_landmarks


def tolerance_of(n_landmarks):
    """Return what a parameter stands for; None where it is a number or None."""
    if isinstance(n_landmarks, str):  # "auto" alone is let pass
        return ErrorTolerance()
    return n_landmarks if isinstance(n_landmarks, ErrorTolerance) else None


def check_tolerance(tolerance, owner):
    """Raise ValueError for a tolerance or a number that cannot be."""
    tol, most = tolerance.tol, tolerance.max_landmarks
    if not isinstance(tol, Real) or not 0 < tol < 1:
        msg = (
            f"tol of n_landmarks of {owner} must be a number between 0 and 1; got "
            f"{tol!r}."
        )
        raise ValueError(msg)
    if not isinstance(most, Integral) or most < 1:
        msg = (
            f"max_landmarks of n_landmarks of {owner} must be a positive integer; got "
            f"{most!r}."
        )
        raise ValueError(msg)


class KnownSquare:
    """Comparisons of n objects, some of which are known among each other.

    Passes everything else on to the table.

    Parameters
    ----------
    table : comparisons of n objects
    positions : ndarray of shape (a,)
    square : ndarray of shape (a, a)
        Comparisons among the objects there.
    """

    def __init__(self, table, positions, square):
        self._table, self._square = table, square
        self._place = np.full(table.n_objects, -1)
        self._place[positions] = np.arange(len(positions))

    def __getattr__(self, name):
        return getattr(self._table, name)

    @property
    def n_evaluated(self):
        """Number of comparisons made."""
        return self._table.n_evaluated

    @n_evaluated.setter
    def n_evaluated(self, value):
        self._table.n_evaluated = value

    def square(self, indices):
        """Return the comparisons of some objects among themselves, each pair once."""
        indices = np.asarray(indices, dtype=np.intp)
        place = self._place[indices]
        old, new = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
        if len(new) == 0:
            return self._square[np.ix_(place, place)]
        among = self._table.square(indices[new])
        square = np.empty((len(indices), len(indices)), dtype=among.dtype)
        square[np.ix_(new, new)] = among
        square[np.ix_(old, old)] = self._square[np.ix_(place[old], place[old])]
        if len(old):
            across = self._table.rectangle(indices[new], indices[old])
            square[np.ix_(new, old)] = across
            square[np.ix_(old, new)] = across.T
        return square

    def rectangle(self, rows, columns):
        """Return the comparisons of some objects with others, shape (a, b)."""
        rows, columns = (np.asarray(x, dtype=np.intp) for x in (rows, columns))
        block = None
        place = np.full(self._table.n_objects, -1)
        place[rows] = np.arange(len(rows))
        for run, part in self.blocks(rows, self._table.take(columns), columns):
            if block is None:
                block = np.empty((len(rows), part.shape[1]), dtype=part.dtype)
            block[place[run]] = part
        return block

    def blocks(self, rows, others, columns=None):
        """Yield comparisons of some objects with others, those known first."""
        rows = np.asarray(rows, dtype=np.intp)
        if columns is None or (self._place[columns] < 0).any():
            yield from self._table.blocks(rows, others, columns)
            return
        known = self._place[rows] >= 0
        if known.any():
            old = rows[known]
            yield old, self._square[np.ix_(self._place[old], self._place[columns])]
        if not known.all():
            yield from self._table.blocks(rows[~known], others, columns)


def enough_landmarks(tolerance, owner, compared):
    """Take as few landmarks as the tolerance allows.

    Parameters
    ----------
    tolerance : ErrorTolerance
    owner : str
        Class name, for messages.
    compared : Compared
        With the most landmarks that may be taken, in the order of their choice.

    Returns
    -------
    count : int
        How many of them, the first ones, are enough.
    known : KnownSquare
        The table, which knows what was compared.
    """
    table, order = compared.table, compared.landmarks.indices
    n_objects = table.n_objects
    order = order[: max(n_objects // 2, 1)]
    rng = np.random.RandomState(compared.rng.randint(2**31 - 1))
    others = draw_positions(n_objects, len(order) + _most_tests(n_objects, order), rng)
    tests = rng.permutation(np.setdiff1d(others, order))
    if len(tests) < _FEWEST_TESTS:
        return len(order), table
    table.progress.begin("try numbers of landmarks")
    found = _Tried(compared.geometry, table, rng)
    count = before = 0
    while count < len(order):
        before, count = count, min(max(2 * count, _FIRST), len(order))
        n_tests = min(len(tests), _n_tests(n_objects, count))
        found.add(order[before:count], tests[found.n_tests : n_tests])
        if found.upper(count)[1] <= tolerance.tol:
            break
    for share in _BETWEEN:
        fewer = before + int(share * (count - before))
        if _FIRST <= fewer < count and found.upper(fewer)[1] <= tolerance.tol:
            count = fewer
            break
    error, upper = found.upper(count)
    if upper > tolerance.tol:
        warn_caller(
            f"n_landmarks of {owner} stopped at {count} landmarks: the relative error "
            f"of the similarity is {error:.2g} there, at most {upper:.2g}, above "
            f"tol={tolerance.tol:g}. Allow more by ErrorTolerance(max_landmarks=...), "
            "or tolerate more."
        )
    return count, KnownSquare(table, found.positions, found.square)


def _n_tests(n_objects, count):
    """Return how many tests judge some landmarks.

    Four for each landmark, as long as the comparisons among them are at most half of
    those of the pass, as the probes of the fit are.
    """
    return max(min(4 * count, int(np.sqrt(n_objects * count))), _TESTS)


def _most_tests(n_objects, order):
    return max(_n_tests(n_objects, count) for count in (_FIRST, len(order)))


class _Tried:
    """Landmarks and tests compared so far, and the errors that follow.

    Parameters
    ----------
    geometry : Geometry
    table : comparisons of n objects
    rng : RandomState

    Attributes
    ----------
    positions : ndarray of shape (a,)
        Of all of them, in the order in which they came.
    square : ndarray of shape (a, a)
        Their comparisons.
    """

    def __init__(self, geometry, table, rng):
        self.geometry, self._table = geometry, table
        self.positions, self.square = np.arange(0), np.empty((0, 0))
        self._is_test = np.zeros(0, dtype=bool)
        self._seed = rng.randint(2**31 - 1)

    @property
    def n_tests(self):
        """Number of tests."""
        return int(self._is_test.sum())

    def add(self, landmarks, tests):
        """Compare more landmarks and tests with those that are there."""
        new = np.concatenate([landmarks, tests])
        old, table = self.positions, self._table
        among = table.square(new)
        square = np.empty((len(old) + len(new),) * 2, dtype=among.dtype)
        square[: len(old), : len(old)] = self.square
        square[len(old) :, len(old) :] = among
        if len(old):
            across = table.rectangle(new, old)
            square[len(old) :, : len(old)] = across
            square[: len(old), len(old) :] = across.T
        self.positions, self.square = np.concatenate([old, new]), square
        marks = np.repeat([False, True], [len(landmarks), len(tests)])
        self._is_test = np.concatenate([self._is_test, marks])

    def upper(self, count):
        """Return the relative error with the first landmarks, and how large it may be.

        The error on tests left out of the fit, a quarter each time; its interval by the
        spread of what each test contributes. Landmarks themselves have none, and the
        few tests of highest leverage are always fitted: so are they in the pass, whose
        reservoir holds them.
        """
        geometry, eps = self.geometry, float(np.finfo(self.square.dtype).eps)
        powered = Scale.of(self.square, geometry.power).apply(self.square)
        if not geometry.is_similarity:
            np.fill_diagonal(powered, 0.0)
        landmarks = np.flatnonzero(~self._is_test)[:count]
        rng = np.random.RandomState(self._seed)
        tests = rng.permutation(np.flatnonzero(self._is_test))
        far = _of_highest_leverage(powered[np.ix_(tests, landmarks)])
        always, tests = tests[far], tests[~far]
        missed, whole = [], []
        for left_out in np.array_split(tests, _FOLDS):
            out = np.concatenate([left_out, always])
            probes = np.concatenate([landmarks, np.setdiff1d(tests, left_out), always])
            core = probed_core(
                powered[np.ix_(probes, landmarks)],
                powered[np.ix_(probes, probes)],
                geometry,
                eps,
                rng,
                n_objects=self._table.n_objects,
            )
            features = (
                powered[np.ix_(out, landmarks)] - core.reference
            ) @ core.whitener
            approximated = (features * core.signs) @ features.T
            true = geometry.similarities(powered[np.ix_(out, out)])
            if geometry.centred:
                true, approximated = double_center(true), double_center(approximated)
            missed.append(np.square(approximated - true).sum(axis=1))
            whole.append(np.square(true).sum(axis=1))
        missed, whole = np.concatenate(missed), np.concatenate(whole)
        others = _FLATTERED * (1.0 - count / self._table.n_objects)
        return tuple(others * error for error in _with_interval(missed, whole))


def _of_highest_leverage(rows):
    """Tell the few rows that a fit depends on most, shape (t,)."""
    rows = rows - rows.mean(axis=0)
    scatter = rows.T @ rows
    scatter[np.diag_indices(len(scatter))] += _RIDGE * np.trace(scatter) or 1.0
    leverages = np.einsum("ij,ij->i", rows, np.linalg.solve(scatter, rows.T).T)
    found = np.zeros(len(rows), dtype=bool)
    found[np.argsort(leverages)[-max(len(rows) // _FEW, 1) :]] = True
    return found


def _with_interval(missed, whole):
    """Return a relative error, and the upper end of its interval.

    Parameters
    ----------
    missed, whole : ndarray of shape (t,)
        Squared errors and squares of the rows of the tests.
    """
    if whole.sum() == 0:
        return 0.0, 0.0
    squared = missed.sum() / whole.sum()
    # Each test is in rows and in columns.
    gaps = 2.0 * (missed - squared * whole) / whole.sum()
    spread = np.sqrt(np.square(gaps).sum() * len(gaps) / max(len(gaps) - 1, 1))
    return float(np.sqrt(squared)), float(np.sqrt(squared + _DEVIATIONS * spread))
