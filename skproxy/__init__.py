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
from .regression import NyGPRegressor

__all__ = [
    "BlockMetric",
    "EBEKEmbedding",
    "EigenCorrector",
    "LandmarkComparisons",
    "NeucMDS",
    "NyGPRegressor",
    "NyIKFD",
    "NyPCVM",
    "Nystroem",
    "NystromDissimilarity",
    "__version__",
    "show_versions",
]

__version__ = "0.1.0"

_ROOMS = {"datasets", "inspection", "landmarks", "metrics", "neighbors"}


def __getattr__(name):
    """Import a room when it is first asked for, as ``skproxy.inspection``."""
    if name in _ROOMS:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__():
    return sorted({*globals(), *_ROOMS})
