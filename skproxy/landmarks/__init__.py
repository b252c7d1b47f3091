"""Landmarks: which objects all others are compared with.

A landmark costs one comparison per object in training and one per prediction for ever
after, so choosing landmarks well is the cheapest accuracy there is. A selector returns
positions in order of choice and knows objects only through their comparisons, so it
works for any measure.

- `UniformSelector` (``"uniform"``): no comparisons, hard to beat for the effort.
- `StratifiedSelector` (``"stratified"``): the same within each class.

In every estimator ``landmarks=`` also takes positions or objects of your own choice.
"""

from ._base import LandmarkSelector
from ._compares import LANDMARK_CONSTRAINTS, ComparesWithLandmarks
from ._resolve import SELECTORS
from ._stratified import StratifiedSelector
from ._uniform import UniformSelector

__all__ = [
    "LANDMARK_CONSTRAINTS",
    "SELECTORS",
    "ComparesWithLandmarks",
    "LandmarkSelector",
    "StratifiedSelector",
    "UniformSelector",
]
