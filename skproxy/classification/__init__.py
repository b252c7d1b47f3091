"""Classifiers for objects that can only be compared.

Both take a similarity (``kernel=``) or a dissimilarity (``metric=``), definite or not,
compare every object with a few landmarks and are linear in the number of objects.

- `NyIKFD`, Fisher's discriminant in the space that the comparisons span, negative axes
  included. No iterations; streams by `partial_fit`; a prediction costs a comparison
  with every landmark. The first choice for accuracy.
- `NyPCVM`, a probit model that drops landmarks which tell little. A prediction costs
  only as many comparisons as landmarks remain: half of them by default, often five to
  thirty of a hundred with ``min_kept=1``. The first choice where comparisons are dear.

Where a classifier of scikit-learn's is wanted instead, put `Nystroem` or
`NystromDissimilarity` in front of it.
"""

from ._nyikfd import NyIKFD
from ._nypcvm import NyPCVM

__all__ = ["NyIKFD", "NyPCVM"]
