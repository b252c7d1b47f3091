"""The contract of a landmark selector: one method, indices out."""

from abc import ABCMeta, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

__all__ = ["LandmarkSelector"]


class LandmarkSelector(BaseEstimator, metaclass=ABCMeta):
    """Chooses which objects all others are compared with.

    A selector is a small scikit-learn estimator: it has parameters, a repr and can be
    cloned and searched over (``landmarks__epsilon``). Deriving from this class is
    convenient but not needed; any object with `select` serves.

    See Also
    --------
    select_landmarks : Uses a selector without an estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy.landmarks import LandmarkSelector, select_landmarks
    >>> class FirstSelector(LandmarkSelector):
    ...     def select(self, X, y, n_landmarks, proximity, rng):
    ...         return np.arange(n_landmarks)
    >>> select_landmarks(np.ones((9, 2)), selector=FirstSelector(), n_landmarks=3)
    array([0, 1, 2])
    """

    @abstractmethod
    def select(
        self,
        X: Any,
        y: ArrayLike | None,
        n_landmarks: int,
        proximity: Any,
        rng: np.random.RandomState,
    ) -> np.ndarray:
        """Choose landmarks.

        Parameters
        ----------
        X : collection of n_samples objects
            Array, sparse matrix or any sequence, as the user passed it.
        y : array-like of shape (n_samples,) or None
            Labels, if the user passed any.
        n_landmarks : int
            How many to choose, at most `n_samples`. A selector may return fewer when
            the rest would be redundant.
        proximity : object
            Compares the objects by position: ``proximity.rectangle(rows, columns)`` and
            ``proximity.square(indices)`` return comparisons in the units of the
            measure, ``proximity.n_objects`` is `n_samples`, and
            ``proximity.geometry`` says how to read them (`is_similarity`, `power`).
            Every comparison asked for is counted.
        rng : RandomState
            The only source of randomness.

        Returns
        -------
        indices : ndarray of int
            Distinct positions, in order of choice.
        """
