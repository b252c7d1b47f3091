"""The core: values and linear algebra on comparisons, no estimators.

Everything skproxy does is one object read in different ways: a symmetric, possibly
indefinite, low-rank matrix ``A J A'`` known only through comparisons with landmarks.

1. A *table* of comparisons (`MeasuredComparisons`, `SquareComparisons`,
   `ColumnComparisons`) answers "compare these with those", from a `Measure` or from a
   matrix.
2. A `LandmarkMap`, fitted to a few probes, turns comparisons into whitened rows A.
3. `Moments` of those rows are all that a pass over the data leaves; they merge.
4. A `SignedFactor`, map and moments together, is read as eigenvalues and as `Axes`:
   one linear map that serves training and new objects alike, for every correction.

`factorize` and its neighbours are the pipeline that every estimator calls.
"""

from ._block_metric import BlockMetric
from ._centering import (
    dissimilarity_from_similarity,
    double_center,
    similarity_from_dissimilarity,
)
from ._comparer import Comparer
from ._comparisons import (
    ColumnComparisons,
    MeasuredComparisons,
    SquareComparisons,
    for_each_block,
)
from ._factor import Axes, SignedFactor, orientation
from ._factorize import (
    Geometry,
    Landmarks,
    Pilot,
    build_map,
    compare_all,
    compare_landmarks,
    compare_pilot,
    extend_pilot,
    factorize,
    factorize_groups,
)
from ._inputs import (
    check_landmark_objects,
    check_objects,
    output_dtype,
    precomputed_rows,
    precomputed_table,
)
from ._kernels import KERNEL_NAMES, kernel_arguments
from ._landmark_map import LandmarkMap, Scale, fit_core, plain_core
from ._measure import Measure, block_kernel
from ._moments import Moments
from ._named_measures import (
    NamedMeasure,
    check_kernel,
    check_measure,
    measure_by_name,
)
from ._probes import count_extra_probes
from ._progress import SILENT, progress_of_fit, progress_of_use
from ._schedule import one_blas_thread
from ._spectrum import (
    CORRECTIONS,
    axis_shares,
    correct_eigenvalues,
    is_psd,
    negative_fraction,
    negligible,
    signature,
)

__all__ = [
    "CORRECTIONS",
    "KERNEL_NAMES",
    "SILENT",
    "Axes",
    "BlockMetric",
    "ColumnComparisons",
    "Comparer",
    "Geometry",
    "LandmarkMap",
    "Landmarks",
    "Measure",
    "MeasuredComparisons",
    "Moments",
    "NamedMeasure",
    "Pilot",
    "Scale",
    "SignedFactor",
    "SquareComparisons",
    "axis_shares",
    "block_kernel",
    "build_map",
    "check_kernel",
    "check_landmark_objects",
    "check_measure",
    "check_objects",
    "compare_all",
    "compare_landmarks",
    "compare_pilot",
    "correct_eigenvalues",
    "count_extra_probes",
    "dissimilarity_from_similarity",
    "double_center",
    "extend_pilot",
    "factorize",
    "factorize_groups",
    "fit_core",
    "for_each_block",
    "is_psd",
    "kernel_arguments",
    "measure_by_name",
    "negative_fraction",
    "negligible",
    "one_blas_thread",
    "orientation",
    "output_dtype",
    "plain_core",
    "precomputed_rows",
    "precomputed_table",
    "progress_of_fit",
    "progress_of_use",
    "signature",
    "similarity_from_dissimilarity",
]
