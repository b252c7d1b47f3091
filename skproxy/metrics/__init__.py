"""How well, and how honestly, dissimilarities are represented.

Two questions are answered here, each by small functions that take one matrix.

*How good is an embedding?* :func:`stress`, :func:`kruskal_stress`,
:func:`additive_error` and :func:`distortion` compare the dissimilarities with those of
embedded points. The points may live in a pseudo-Euclidean space: with the signs of its
axes a squared dissimilarity is a sum of squares with plus and minus signs, and may be
negative. All of them walk over blocks of rows, so no temporary of the size of the
matrix is made.

*What kind of proximity is it?* :func:`negative_fraction` and :func:`axis_shares`
read the eigenvalues, :func:`asymmetry` and :func:`triangle_violations` the metric
axioms.

Nothing given is written to. Matrices are read in their own type (integers, float32,
memory maps, data frames), block by block cast to float64 and rescaled by a power of
two before anything is squared, so that the unit of the measure changes no digit.
"""

from skproxy.metrics._axioms import asymmetry, triangle_violations
from skproxy.metrics._eigenvalues import axis_shares, negative_fraction
from skproxy.metrics._embedding_error import (
    additive_error,
    distortion,
    kruskal_stress,
    stress,
)

__all__ = [
    "additive_error",
    "asymmetry",
    "axis_shares",
    "distortion",
    "kruskal_stress",
    "negative_fraction",
    "stress",
    "triangle_violations",
]
