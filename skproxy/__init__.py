"""Vectors, classifiers and maps for objects that can only be compared."""

from .core import BlockMetric
from .embedding import EigenCorrector, Nystroem, NystromDissimilarity

__all__ = [
    "BlockMetric",
    "EigenCorrector",
    "Nystroem",
    "NystromDissimilarity",
    "__version__",
]

__version__ = "0.1.0"
