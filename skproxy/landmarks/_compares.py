"""What every estimator that compares with landmarks shares: choosing and fitting them.

Transformers and classifiers alike check X, choose landmarks, fit the landmark map and
pass over the data once. This is that pipeline in the shape of a mixin; what is read
from the factor afterwards is their own business.
"""

from abc import ABCMeta, abstractmethod
from dataclasses import replace
from functools import wraps
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state

from .._sklearn import (
    CallbackSupportMixin,
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
)
from ..comparisons import (
    SILENT,
    check_kernel,
    check_landmark_objects,
    for_each_block,
    measure_by_name,
    progress_of_fit,
    progress_of_use,
)
from ..factor import (
    compare_landmarks,
    compare_pilot,
    count_extra_probes,
    factorize,
)
from ._resolve import given_indices, is_selector, resolve_landmarks

__all__ = ["LANDMARK_CONSTRAINTS", "ComparesWithLandmarks", "reported_fit"]

#: Constraints of the parameters that mean the same in every estimator.
LANDMARK_CONSTRAINTS = {
    "landmarks": [str, HasMethods("select"), "array-like", "sparse matrix"],
    "n_probes": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
    "symmetrize": [StrOptions({"average", "min", "max"}), None],
    "memory": [str, HasMethods("cache"), None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


def reported_fit(method):
    """Decorate a fit: check its parameters, tell how far it is, and do all or nothing.

    As long as the fit lasts, ``self._progress`` is to be told. A fit that is broken off
    leaves the estimator as it was: new landmarks beside the axes of old ones would give
    numbers that mean nothing, and no error.

    Parameters
    ----------
    method : callable
        ``method(self, X, ...)``: fit, fit_transform or partial_fit.

    Returns
    -------
    fit : callable
        With the same signature.
    """

    @fit_context(prefer_skip_nested_validation=True)
    @wraps(method)
    def checked(self, X, *args, **kwargs):
        y = args[0] if args else kwargs.get("y")
        progress = progress_of_fit(self, X, y)
        before = dict(vars(self))
        if progress is not SILENT:
            self._progress = progress
        try:
            result = method(self, X, *args, **kwargs)
        except BaseException:  # KeyboardInterrupt above all
            vars(self).clear()
            vars(self).update(before)
            raise
        if progress is not SILENT:
            del self._progress
            progress.end()
        return result

    @wraps(method)
    def fit(self, X, *args, **kwargs):
        # Before scikit-learn says what kernels there are: a dissimilarity is no typing
        # error, it belongs elsewhere.
        owner = f"kernel of {type(self).__name__}"
        check_kernel(getattr(self, "kernel", None), owner)
        return checked(self, X, *args, **kwargs)

    return fit


class ComparesWithLandmarks(CallbackSupportMixin, metaclass=ABCMeta):
    """Mixin of estimators whose objects are compared with landmarks.

    A subclass says how it compares (`_measure`, `_comparer`) and how many landmarks it
    wants (`_wanted_landmarks`), and has the parameters of `LANDMARK_CONSTRAINTS`.
    """

    _is_similarity = False
    _progress = SILENT

    @abstractmethod
    def _measure(self):
        """Return the parameter that holds the measure."""

    @abstractmethod
    def _comparer(self):
        """Return the `Comparer` that the parameters describe."""

    @abstractmethod
    def _wanted_landmarks(self):
        """Return the number of landmarks and the name of its parameter."""

    def _wants_landmarks(self):
        """Tell whether there are to be landmarks, for estimators that can do without.

        Positions and objects bring their own number; a selector needs one.
        """
        given = not isinstance(self.landmarks, str) and not is_selector(self.landmarks)
        return given or self.n_landmarks is not None

    def _choose_landmarks(self, X, y):
        """Check X and choose landmarks; return the table and the generator."""
        rng = check_random_state(self.random_state)
        comparer = self._comparer()
        table, X = self._table_of_fit(comparer, X, given_indices(self.landmarks))
        table.geometry = comparer.geometry
        self._progress.begin("choose landmarks")
        n_landmarks, parameter = self._wanted_landmarks()
        landmarks = resolve_landmarks(
            self.landmarks,
            table,
            X,
            y,
            n_landmarks,
            rng,
            owner=type(self).__name__,
            check_objects=lambda objects: check_landmark_objects(
                self, objects, comparer.compare
            ),
            parameter=parameter,
        )
        self._set_landmarks(comparer, table, landmarks)
        return table, rng

    def _table_of_fit(self, comparer, X, indices=None):
        table, X = comparer.table(self, X, indices)
        table.progress = self._progress
        return table, X

    def _set_landmarks(self, comparer, table, landmarks):
        self._fitted_comparer, self._landmarks = comparer, landmarks
        self._columns_only = getattr(table, "positions", 0) is None
        self.components_ = landmarks.objects
        self.component_indices_ = landmarks.indices
        self.n_landmarks_ = landmarks.count

    def _compare_landmarks(self, table):
        """Return the comparisons among the landmarks; they also fix the unit."""
        m = self._landmarks.count
        self._progress.begin("compare landmarks", m * (m + 1) // 2)
        square = compare_landmarks(
            table, self._landmarks, self._fitted_comparer.geometry
        )
        self._comparison_unit = float(np.abs(square).max(initial=0.0))
        return square

    def _factorize(self, table, square, rng, keep=None, n_probes=None, **options):
        """Fit the map and pass over the objects.

        Parameters
        ----------
        table : comparisons of N objects
        square : ndarray of shape (m, m)
            Comparisons among the landmarks.
        rng : RandomState
        keep : dtype, default=None
            Keep the basis rows of all objects, in this precision.
        n_probes : int, default=None
            Instead of the parameter of that name.
        **options
            `groups`, `n_groups` and `rank` of `factorize`.

        Returns
        -------
        factors : list of n_groups SignedFactor
        features : ndarray of shape (N, m) or None
        """
        geometry, landmarks = self._fitted_comparer.geometry, self._landmarks
        wanted = self.n_probes if n_probes is None else n_probes
        n_extra = self._begin_probing(table, wanted)
        return factorize(
            table,
            landmarks,
            geometry,
            square,
            n_extra,
            rng,
            columns_only=self._columns_only and wanted == "auto",
            keep=keep,
            **options,
        )

    def _draw_pilot(self, table, square, rng, n_probes=None):
        """Return the number of probes besides the landmarks, and a pilot sample."""
        geometry, landmarks = self._fitted_comparer.geometry, self._landmarks
        wanted = self.n_probes if n_probes is None else n_probes
        n_extra = self._begin_probing(table, wanted)
        pilot = compare_pilot(table, landmarks, geometry, square, n_extra or 1, rng)
        return n_extra, pilot

    def _begin_probing(self, table, n_probes):
        """Tell the progress what is to be compared; return the number of probes."""
        n_extra = _count_probes(self, table, self._landmarks, n_probes)
        n_among = (n_extra or 0) * ((n_extra or 0) + 1) // 2
        self._begin_comparing(table, known=self._landmarks.indices, besides=n_among)
        return n_extra

    def _begin_comparing(self, table, known=None, besides=0):
        """Begin to compare the objects of a table with the landmarks.

        Parameters
        ----------
        table : comparisons of N objects
        known : ndarray of int, default=None
            Objects that have been compared already.
        besides : int, default=0
            Comparisons of other objects.
        """
        n_new = table.n_objects - (0 if known is None else len(known))
        n_comparisons = n_new * self._landmarks.count + besides
        table.progress.begin("compare objects", n_comparisons)

    def _table_of_new(self, X):
        comparer = self._fitted_comparer
        if not comparer.is_precomputed:
            # What does not change the result is read when it is used.
            comparer = replace(comparer, n_jobs=self.n_jobs, memory=self.memory)
        table = comparer.table_of_new(self, X, self._landmarks, self._columns_only)
        in_fit = self._progress is not SILENT
        table.progress = self._progress if in_fit else progress_of_use(self)
        self._begin_comparing(table)
        return table

    def _compared_blocks(self, table):
        """Yield positions and checked comparisons with the landmarks, block by block.

        In the units of the measure; `table` comes from `_table_of_new`.
        """
        geometry, landmarks = self._fitted_comparer.geometry, self._landmarks
        rows = np.arange(table.n_objects)
        scale = self._comparison_unit
        for run, block in table.blocks(rows, landmarks.objects, landmarks.indices):
            geometry.check(block, scale, table.name, rows[run], landmarks.indices)
            yield run, block

    def _use_compared_blocks(self, table, consume):
        """Call ``consume(positions, block)`` for what `_compared_blocks` yields.

        Perhaps in several threads at once: blocks of measures by name are evaluated
        where they are used.
        """
        geometry, landmarks = self._fitted_comparer.geometry, self._landmarks
        rows = np.arange(table.n_objects)
        scale = self._comparison_unit

        def check_and_consume(run, block):
            geometry.check(block, scale, table.name, rows[run], landmarks.indices)
            consume(run, block)

        for_each_block(
            table, rows, landmarks.objects, landmarks.indices, check_and_consume
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Names of strings and series take neither tables nor sparse matrices.
        named = isinstance(measure_by_name(self._measure()), str)
        precomputed = named and self._measure() == "precomputed"
        similarities = self._is_similarity
        tags.input_tags.pairwise = precomputed
        tags.input_tags.sparse = named and (similarities or not precomputed)
        tags.input_tags.positive_only = precomputed and not similarities
        return tags


def _count_probes(estimator, table, landmarks, n_probes):
    """Return how many probes besides the landmarks to use; None for W^+."""
    if getattr(table, "positions", 0) is None:  # landmark columns only
        if n_probes not in ("auto", 0):
            msg = (
                f"n_probes of {type(estimator).__name__} must be 0 or 'auto' for a "
                "precomputed matrix of landmark columns, which holds no "
                f"comparisons among other objects; got {n_probes}. Pass the "
                "square matrix to use probes."
            )
            raise ValueError(msg)
        return None
    outside = landmarks.count if landmarks.indices is None else 0
    return count_extra_probes(n_probes, table.n_objects, landmarks.count, outside)
