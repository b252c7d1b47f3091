"""Embeddings: transformers that turn comparisons into vectors."""

from ._ebek import EBEKEmbedding
from ._eigen_corrector import EigenCorrector
from ._landmark_comparisons import LandmarkComparisons
from ._neuc_mds import NeucMDS
from ._nystroem import Nystroem
from ._nystrom_dissimilarity import NystromDissimilarity

__all__ = [
    "EBEKEmbedding",
    "EigenCorrector",
    "LandmarkComparisons",
    "NeucMDS",
    "Nystroem",
    "NystromDissimilarity",
]
