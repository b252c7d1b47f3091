"""Vectors, classifiers and maps for objects that can only be compared."""

from ._show_versions import show_versions
from .classification import NyIKFD, NyPCVM
from .comparisons import BlockMetric
from .embedding import (
    EBEKEmbedding,
    EigenCorrector,
    LandmarkComparisons,
    NeucMDS,
    Nystroem,
    NystromDissimilarity,
)

__all__ = [
    "BlockMetric",
    "EBEKEmbedding",
    "EigenCorrector",
    "LandmarkComparisons",
    "NeucMDS",
    "NyIKFD",
    "NyPCVM",
    "Nystroem",
    "NystromDissimilarity",
    "__version__",
    "show_versions",
]

__version__ = "0.1.0"
