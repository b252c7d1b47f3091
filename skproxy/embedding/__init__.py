"""Embeddings: transformers that turn comparisons into vectors."""

from ._eigen_corrector import EigenCorrector
from ._nystroem import Nystroem
from ._nystrom_dissimilarity import NystromDissimilarity

__all__ = ["EigenCorrector", "Nystroem", "NystromDissimilarity"]
