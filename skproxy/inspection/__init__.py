"""Looking at comparisons, and at what estimators make of them.

`diagnose` says in one call what kind of comparison someone has, what it costs and what
to do with it; with a fitted estimator, whether new objects are like those fitted.

Displays follow scikit-learn's: `from_estimator` (or `from_...` what you have) computes
and draws, `plot` draws again, into axes of yours if you pass `ax`; the axes, the figure
and all artists are attributes that end in ``_``. matplotlib is imported when something
is drawn: ``pip install matplotlib``.

- `SpectrumDisplay`: how much of it is not Euclidean, and what a correction does.
- `ShepardDisplay`: how true an embedding is, pair by pair.
- `EmbeddingDisplay`: a map.
- `LandmarkCurveDisplay`: how many landmarks, and which.
"""

from ._diagnose import diagnose
from ._diagnosis import Diagnosis
from ._embedding_display import EmbeddingDisplay
from ._landmark_curve_display import LandmarkCurveDisplay
from ._landmark_fit import LandmarkFit
from ._shepard_display import ShepardDisplay
from ._spectrum_display import SpectrumDisplay

__all__ = [
    "Diagnosis",
    "EmbeddingDisplay",
    "LandmarkCurveDisplay",
    "LandmarkFit",
    "ShepardDisplay",
    "SpectrumDisplay",
    "diagnose",
]
