"""Nearest neighbours and cluster centres for any measure, at linear cost.

Vectors from comparisons with landmarks say who might be near, true comparisons decide.
"""

from ._landmark_kneighbors import LandmarkKNeighborsTransformer
from ._medoids import medoid_indices

__all__ = ["LandmarkKNeighborsTransformer", "medoid_indices"]
