"""How one estimator compares: its measure, geometry and resources in one value.

Estimators describe themselves with a `Comparer` and get tables of comparisons back,
whether X holds vectors, objects or a precomputed matrix, in fit and for new objects.
"""

from dataclasses import dataclass, field
from typing import Any

from sklearn.utils.validation import check_memory

from ._comparisons import MeasuredComparisons
from ._dask import PartitionedComparisons, Partitions
from ._geometry import Geometry
from ._inputs import check_objects, precomputed_rows, precomputed_table
from ._kernels import kernel_arguments
from ._learnt_params import learnt_params
from ._measure import Measure, block_kernel
from ._named_measures import check_kernel, check_measure

__all__ = ["Comparer"]


@dataclass(frozen=True, eq=False)
class Comparer:
    """How an estimator compares objects.

    Attributes
    ----------
    parameter : str or None
        Name of the parameter that holds the measure, "metric" or "kernel"; None where
        X is a matrix always.
    compare : str, callable or BlockMetric
    params : dict
        Keyword arguments of the measure.
    geometry : Geometry
    symmetrize : {None, "average", "min", "max"}
    memory : str, joblib.Memory or None
    n_jobs : int or None
    """

    parameter: str | None
    compare: Any
    geometry: Geometry
    params: dict = field(default_factory=dict)
    symmetrize: str | None = None
    memory: Any = None
    n_jobs: int | None = None

    @classmethod
    def of_kernel(cls, estimator, *, centred=False):
        """Return how an estimator with the parameters of a kernel compares.

        Parameters
        ----------
        estimator : estimator
        centred : bool, default=False
            Whether the mean of the objects fitted is taken off.
        """
        params = kernel_arguments(
            type(estimator).__name__,
            estimator.kernel,
            estimator.kernel_params,
            gamma=estimator.gamma,
            coef0=estimator.coef0,
            degree=estimator.degree,
        )
        return cls(
            parameter="kernel",
            compare=block_kernel(estimator.kernel),
            geometry=Geometry(is_similarity=True, power=1, centred=centred),
            params=params,
            symmetrize=estimator.symmetrize,
            memory=estimator.memory,
            n_jobs=estimator.n_jobs,
        )

    @classmethod
    def of_metric(cls, estimator):
        """Return how an estimator with the parameters of a metric compares."""
        return cls(
            parameter="metric",
            compare=estimator.metric,
            geometry=Geometry(is_similarity=False, power=estimator.power, centred=True),
            params=dict(estimator.metric_params or {}),
            symmetrize=estimator.symmetrize,
            memory=estimator.memory,
            n_jobs=estimator.n_jobs,
        )

    @property
    def is_precomputed(self):
        """Whether X holds comparisons instead of objects."""
        return isinstance(self.compare, str) and self.compare == "precomputed"

    def name(self, estimator):
        """Return what comparisons come from, for messages."""
        owner = type(estimator).__name__
        if self.is_precomputed:
            # EigenCorrector takes nothing else, so it has no parameter to say so.
            how = f"({self.parameter}='precomputed')" if self.parameter else ""
            return f"X of {owner}{how}"
        return f"{self.parameter} of {owner}"

    def table(self, estimator, X, indices=None):
        """Return the comparisons among the objects given to fit.

        Parameters
        ----------
        estimator : estimator
            Takes ``n_features_in_`` and ``feature_names_in_``.
        X : what the user passed
        indices : ndarray of int or None
            Landmarks given as positions, if they were.

        Returns
        -------
        table : comparisons of N objects
        X : collection of N objects
        """
        if isinstance(X, Partitions):
            table = self._in_partitions(estimator, X, reset=True)
        elif not self.is_precomputed:
            if self.geometry.is_similarity:
                check_kernel(self.compare, self.name(estimator))
            else:
                check_measure(self.compare, self.params, self.name(estimator))
            X = check_objects(estimator, X, self.compare, reset=True)
            learnt = learnt_params(self.compare, self.params, X, self.name(estimator))
            self.params.update(learnt)  # a copy of the user's
            table = self.table_of(estimator, X)
        else:
            table = precomputed_table(
                estimator,
                X,
                indices,
                dissimilarity=not self.geometry.is_similarity,
                negative_allowed=self.geometry.is_similarity
                or self.geometry.power == 1,
                symmetrize=self.symmetrize,
                name=self.name(estimator),
            )
            X = table.matrix
        # Selectors ask the table how to read what it says.
        table.geometry = self.geometry
        return table, X

    def table_of_new(self, estimator, X, landmarks, columns_only):
        """Return the comparisons of new objects with the landmarks.

        Parameters
        ----------
        estimator : estimator
        X : what the user passed to transform or predict
        landmarks : Landmarks
        columns_only : bool
            Whether fit saw a precomputed matrix of landmark columns.

        Returns
        -------
        table : comparisons of n_new objects
        """
        if isinstance(X, Partitions):
            return self._in_partitions(estimator, X, reset=False)
        if not self.is_precomputed:
            X = check_objects(estimator, X, self.compare, reset=False)
            return self.table_of(estimator, X)
        return precomputed_rows(
            estimator,
            X,
            landmarks.indices,
            estimator.n_features_in_,
            columns_only=columns_only,
            dissimilarity=not self.geometry.is_similarity,
            name=self.name(estimator),
        )

    def _in_partitions(self, estimator, X, *, reset):
        name = self.name(estimator)
        if self.is_precomputed:
            msg = (
                f"{name} must lie in memory, or in a memory map; got a collection of "
                "Dask. Pass the objects and a measure instead, or fit parts of the "
                "matrix and merge them: see new_part."
            )
            raise ValueError(msg)
        check = check_kernel if self.geometry.is_similarity else check_measure
        check(self.compare, *([] if check is check_kernel else [self.params]), name)
        learnt = {"seuclidean": {"V"}, "mahalanobis": {"V", "VI"}}
        needed = learnt.get(self.compare if isinstance(self.compare, str) else "")
        if needed and not needed & self.params.keys():
            msg = (
                f"{name}, {self.compare!r}, learns from all objects at once; got a "
                f"collection of Dask. Pass metric_params with {sorted(needed)[-1]!r}."
            )
            raise ValueError(msg)
        return PartitionedComparisons(estimator, self, X, reset=reset)

    def table_of(self, estimator, X):
        """Return the comparisons among objects that have been checked already."""
        return MeasuredComparisons(
            X,
            Measure(
                self.compare,
                self.geometry.is_similarity,
                dict(self.params),
                self.symmetrize,
            ),
            n_jobs=self.n_jobs,
            memory=check_memory(self.memory),
            name=self.name(estimator),
        )
