"""What skproxy runs with, for a report of something that went wrong."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

__all__ = ["show_versions"]

_NEEDED = "numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl"
_OPTIONAL = (
    "matplotlib",
    "pandas",
    "rapidfuzz",
    "dtaidistance",
    "aeon",
    "umap-learn",
)


def show_versions() -> Any:
    """Print the versions of Python, of skproxy and of what it uses.

    Nothing is imported for it: packages that are not installed are said to be so.

    Examples
    --------
    >>> import skproxy
    >>> skproxy.show_versions()  # doctest: +ELLIPSIS
    python: ...
    """
    print(f"python: {sys.version.split()[0]} ({platform.platform()})")
    for name in ("skproxy", *_NEEDED, *_OPTIONAL):
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "not installed"
        print(f"{name}: {found}")
