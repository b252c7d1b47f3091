"""Comparisons: measures, and tables of comparisons among objects.

A *measure* says how two objects are compared: a name, a function of two objects, a
`BlockMetric` of two sequences. A *table* (`MeasuredComparisons`, `SquareComparisons`,
`ColumnComparisons`) answers "compare these with those", from a measure or from a
matrix, and counts what it was asked for. A `Geometry` says how comparisons are read.
"""

from ._block_metric import BlockMetric
from ._comparer import Comparer
from ._comparisons import (
    ColumnComparisons,
    MeasuredComparisons,
    SquareComparisons,
    check_direction,
    count_both_ways,
    for_each_block,
)
from ._dask import (
    PartitionedComparisons,
    Partitions,
    by_partition,
    is_partitioned,
)
from ._geometry import Geometry, Landmarks, Scale
from ._inputs import (
    check_landmark_objects,
    check_objects,
    output_dtype,
    precomputed_rows,
    precomputed_table,
)
from ._kernels import KERNEL_NAMES, kernel_arguments
from ._measure import Measure, block_kernel
from ._named_measures import NamedMeasure, check_kernel, check_measure, measure_by_name
from ._progress import SILENT, progress_of_fit, progress_of_use
from ._schedule import one_blas_thread

__all__ = [
    "KERNEL_NAMES",
    "SILENT",
    "BlockMetric",
    "ColumnComparisons",
    "Comparer",
    "Geometry",
    "Landmarks",
    "Measure",
    "MeasuredComparisons",
    "NamedMeasure",
    "PartitionedComparisons",
    "Partitions",
    "Scale",
    "SquareComparisons",
    "block_kernel",
    "by_partition",
    "check_direction",
    "check_kernel",
    "check_landmark_objects",
    "check_measure",
    "check_objects",
    "count_both_ways",
    "for_each_block",
    "is_partitioned",
    "kernel_arguments",
    "measure_by_name",
    "one_blas_thread",
    "output_dtype",
    "precomputed_rows",
    "precomputed_table",
    "progress_of_fit",
    "progress_of_use",
]
