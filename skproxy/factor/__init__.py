"""The factor: one symmetric, possibly indefinite, low-rank matrix read in many ways.

Everything skproxy does is one object: ``A J A'``, known only through comparisons with
landmarks.

1. A `LandmarkMap`, fitted to a few probes, turns comparisons into whitened rows A.
2. `Moments` of those rows are all that a pass over the data leaves; they merge.
3. A `SignedFactor`, map and moments together, is read as eigenvalues and as `Axes`:
   one linear map that serves training and new objects alike, for every correction.

`factorize` and its neighbours are the pipeline that every estimator calls.
"""

from ._approximation_error import ApproximationError
from ._centering import (
    dissimilarity_from_similarity,
    double_center,
    similarity_from_dissimilarity,
)
from ._compared import Compared, Pilot
from ._core import fit_core, plain_core, probed_core
from ._factor import Axes, LandmarkMap, SignedFactor, orientation
from ._factorize import absorb, factorize, map_of_pilot
from ._moments import Moments
from ._probes import count_extra_probes
from ._spectrum import (
    CORRECTIONS,
    axis_shares,
    correct_eigenvalues,
    is_psd,
    negative_fraction,
    negligible,
    signature,
)
from ._stream import Stream

__all__ = [
    "CORRECTIONS",
    "ApproximationError",
    "Axes",
    "Compared",
    "LandmarkMap",
    "Moments",
    "Pilot",
    "SignedFactor",
    "Stream",
    "absorb",
    "axis_shares",
    "correct_eigenvalues",
    "count_extra_probes",
    "dissimilarity_from_similarity",
    "double_center",
    "factorize",
    "fit_core",
    "is_psd",
    "map_of_pilot",
    "negative_fraction",
    "negligible",
    "orientation",
    "plain_core",
    "probed_core",
    "signature",
    "similarity_from_dissimilarity",
]
