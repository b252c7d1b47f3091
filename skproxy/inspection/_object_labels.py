"""What is known of objects beside their place: classes, quantities, or nothing.

Numbers may be names (of classes) or quantities. They are taken for quantities if some
have fractions, or if there are more of them than anyone tells apart by colour.
"""

import numpy as np

from ..comparisons._objects import count_objects

__all__ = ["are_quantities", "check_labels", "missing_labels", "short_name"]

_MOST_CLASSES = 20
_LONGEST_NAME = 29


def check_labels(y, n_objects, owner):
    """Return one label or number for each object, or None; a Series stays one."""
    if y is None:
        return None
    labels = y if hasattr(y, "name") else np.asarray(y)
    if np.ndim(labels) != 1 or count_objects(labels) != n_objects:
        msg = (
            f"y of {owner} must be one label or number for each of the {n_objects} "
            f"objects; got shape {np.shape(labels)}."
        )
        raise ValueError(msg)
    return labels


def are_quantities(y):
    """Tell numbers that are quantities from numbers that are names."""
    values = np.asarray(y)
    if values.dtype.kind not in "iuf":
        return False
    values = values[np.isfinite(values)]
    fractions = values.dtype.kind == "f" and (values != np.floor(values)).any()
    return bool(fractions) or len(np.unique(values)) > _MOST_CLASSES


def missing_labels(labels):
    """Tell None and NaN, in arrays of any kind."""
    if labels.dtype.kind in "fc":
        return np.isnan(labels)
    if labels.dtype.kind != "O":
        return np.zeros(len(labels), dtype=bool)
    # pandas' NA equals nothing, and its comparison is no bool either.
    return np.array([v is None or not _equals_itself(v) for v in labels])


def short_name(label):
    """Return the name of a class for a legend; the middle of a long one is left out."""
    name, half = " ".join(str(label).split()), _LONGEST_NAME // 2 - 1
    if name.startswith("_"):  # matplotlib keeps such names out of legends
        name = f" {name}"
    return name if len(name) <= _LONGEST_NAME else f"{name[:half]}...{name[-half:]}"


def _equals_itself(value):
    try:
        return bool(value == value)
    except TypeError:
        return False
