"""Embeddings: transformers that turn comparisons into vectors."""

from ._nystroem import Nystroem
from ._nystrom_dissimilarity import NystromDissimilarity

__all__ = ["Nystroem", "NystromDissimilarity"]
