"""Landmarks: which objects all others are compared with.

A landmark costs one comparison per object in training and one per prediction for ever
after, so choosing landmarks well is the cheapest accuracy there is. A selector returns
positions in order of choice and knows objects only through their comparisons, so it
works for any measure.

No comparisons:

- `UniformSelector` (``"uniform"``): hard to beat for the effort.
- `StratifiedSelector` (``"stratified"``): the same within each class.

Some comparisons, their number bounded however many objects there are, for vectors of a
pilot embedding in which they do their geometry:

- `PivotedCholeskySelector` (``"cholesky"``): the smallest error of the approximation.
- `KMeansSelector` (``"kmeans"``): nearly as good, at a quarter of the comparisons.
- `LeverageSelector` (``"leverage"``): random, by ridge leverage scores.
- `FarthestPointSelector` (``"farthest"``): covers every corner, outliers included.
- `EntropySelector` (``"entropy"``): spread evenly.
- `MEBSelector` (``"meb"``): the rim of every class; finds their number by itself.

In every estimator ``landmarks=`` also takes positions or objects of your own choice,
and any object with a method `select` (see `LandmarkSelector`). `select_landmarks`
chooses landmarks without an estimator. How many are taken is a number, or an
`ErrorTolerance`, ``n_landmarks="auto"``.
"""

from ._base import LandmarkSelector
from ._entropy import EntropySelector
from ._farthest_point import FarthestPointSelector
from ._kmeans import KMeansSelector
from ._leverage import LeverageSelector
from ._meb import MEBSelector
from ._pivoted_cholesky import PivotedCholeskySelector
from ._resolve import SELECTORS
from ._select import select_landmarks
from ._stratified import StratifiedSelector
from ._tolerance import ErrorTolerance
from ._uniform import UniformSelector

__all__ = [
    "SELECTORS",
    "EntropySelector",
    "ErrorTolerance",
    "FarthestPointSelector",
    "KMeansSelector",
    "LandmarkSelector",
    "LeverageSelector",
    "MEBSelector",
    "PivotedCholeskySelector",
    "StratifiedSelector",
    "UniformSelector",
    "select_landmarks",
]
