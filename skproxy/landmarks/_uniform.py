"""Landmarks drawn uniformly."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._base import LandmarkSelector

__all__ = ["UniformSelector"]


class UniformSelector(LandmarkSelector):
    """Draw landmarks uniformly without replacement.

    No comparisons, no assumptions. The draw is the one that scikit-learn's ``Nystroem``
    makes, so the same seed gives the same landmarks.

    References
    ----------
    C. K. I. Williams, M. Seeger (2001). Using the Nystrom method to speed up kernel
    machines. NIPS 13, section 2.

    Examples
    --------
    >>> from skproxy import NystromDissimilarity
    >>> from skproxy.landmarks import UniformSelector
    >>> NystromDissimilarity(landmarks=UniformSelector())
    NystromDissimilarity(landmarks=UniformSelector())
    """

    def select(
        self,
        X: Any,  # noqa: ARG002
        y: ArrayLike | None,  # noqa: ARG002
        n_landmarks: int,
        proximity: Any,
        rng: np.random.RandomState,
    ) -> np.ndarray:
        """Choose landmarks; see `LandmarkSelector.select`."""
        return rng.permutation(proximity.n_objects)[:n_landmarks]
