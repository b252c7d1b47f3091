"""Axes of a map: which two, what they are called, and whether they count negatively."""

from numbers import Integral

import numpy as np

from ..embedding import EBEKEmbedding

__all__ = ["axis_names_of", "check_components", "numbered_axis"]

_DONE = {
    "flip": "flipped",
    "clip": "clipped",
    "square": "squared",
    "shift": "shifted",
    "lingoes": "corrected",
    "cailliez": "corrected",
}


def axis_names_of(estimator, n_axes):
    """Return what to call the columns of a fitted estimator.

    Parameters
    ----------
    estimator : fitted transformer
    n_axes : int

    Returns
    -------
    names : list of n_axes str
        "axis 2 (negative)"; with a correction "axis 2 (negative, flipped)"; of an
        EBEKEmbedding "exemplar 17", after its position.
    """
    signs = getattr(estimator, "axis_signs_", np.ones(n_axes))
    done = _DONE.get(getattr(estimator, "correction", None))
    names = [numbered_axis(j, sign, done) for j, sign in enumerate(signs)]
    if isinstance(estimator, EBEKEmbedding):
        exemplars = estimator.get_feature_names_out()
        for j, name in enumerate(exemplars[: estimator.n_exemplars_]):
            number = name.removeprefix("exemplar")
            names[j] = names[j].replace(f"axis {j + 1}", f"exemplar {number}")
    return names


def numbered_axis(position, sign, done=None):
    """Return the name of an axis.

    Parameters
    ----------
    position : int
        From zero; names count from one.
    sign : {-1, 0, 1}
    done : str, default=None
        What was done to negative ones.
    """
    name = f"axis {position + 1}"
    if sign < 0:
        return f"{name} (negative, {done})" if done else f"{name} (negative)"
    return name if sign > 0 else f"{name} (past the rank)"


def check_components(components, n_axes, owner):
    """Return two different positions of axes as a tuple of int."""
    valid = (
        isinstance(components, (tuple, list, np.ndarray))
        and len(components) == 2
        and all(isinstance(j, Integral) and 0 <= j < n_axes for j in components)
        and components[0] != components[1]
    )
    if valid:
        return int(components[0]), int(components[1])
    msg = (
        f"components of {owner} must be two different columns, from 0 to {n_axes - 1}; "
        f"got {components!r}." + (" One column makes no map." if n_axes == 1 else "")
    )
    raise ValueError(msg)
