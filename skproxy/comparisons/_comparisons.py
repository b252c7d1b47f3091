"""Tables of comparisons among n objects, evaluated or looked up on demand.

Landmark selection and factorisation ask for comparisons by position and need not know
whether these are computed from objects or read from a matrix. A table counts what it
was asked for, because comparisons are what people pay for, and tells its `progress`.

- `MeasuredComparisons`: objects and a measure.
- `SquareComparisons`: a precomputed n x n matrix.
- `ColumnComparisons`: a precomputed n x m matrix, one column per landmark.
"""

import numpy as np
from scipy import sparse

from ._evaluation import Evaluation
from ._facts import ASYMMETRY_TOLERANCE, check_finite, raise_asymmetric, worst_asymmetry
from ._measure import as_floats, evaluate_rectangle, symmetrized
from ._objects import (
    block_rows,
    consecutive_blocks,
    count_objects,
    index_blocks,
    take_objects,
)
from ._progress import SILENT, count_evaluated
from ._schedule import call_in_threads, evaluate_in_order

__all__ = [
    "ColumnComparisons",
    "MeasuredComparisons",
    "SquareComparisons",
    "check_direction",
    "count_both_ways",
    "for_each_block",
]


# Fewer comparisons by name are done before threads have started.
_WORTH_THREADS = 2**22
# Comparisons of a scalar measure in a block, and its fewest rows: it may take a
# millisecond for each, and what an interrupted block has done is lost.
_SCALAR_BLOCK = 2**12, 32
# And so many blocks at least, as long as there are rows.
_SCALAR_BLOCKS = 32
# Pairs that are compared both ways, to find out whether the direction matters.
_BOTH_WAYS = 10


def for_each_block(table, rows, others, columns, consume):
    """Hand the comparisons of some objects with others to a function, block by block.

    Parameters
    ----------
    table : comparisons of n objects
    rows, others, columns
        As for its `blocks`.
    consume : callable
        ``consume(indices, block)``, perhaps in several threads at once: measures by
        name are evaluated where their blocks are used.
    """
    threaded = (
        isinstance(table, MeasuredComparisons)
        and isinstance(table.measure.compare, str)
        and not table.evaluation.is_kept
    )
    if not threaded:
        for run, block in table.blocks(rows, others, columns):
            consume(run, block)
        return
    width = count_objects(others)
    table.n_evaluated += len(rows) * width
    everything = table.everything

    def evaluate_and_consume(run):
        block = evaluate_rectangle(
            table.measure, take_objects(table.objects, run), others
        )
        check_finite(block, table.name, everything[run], columns)
        consume(run, block)

    # A twentieth of the rows at most, so that blocks take little memory beside what
    # becomes of them.
    size = int(np.clip(len(rows) // 20, 512, 2048))
    runs = list(index_blocks(rows, size))
    evaluated = count_evaluated(table.progress, (width * _length(run) for run in runs))
    if table.n_jobs is None and len(rows) * width < _WORTH_THREADS:
        for run in runs:
            evaluate_and_consume(run)
            evaluated(1)
    else:
        call_in_threads(
            evaluate_and_consume, runs, n_jobs=table.n_jobs, evaluated=evaluated
        )


def _length(run):
    return run.stop - run.start if isinstance(run, slice) else len(run)


class MeasuredComparisons:
    """Comparisons of n objects, evaluated by a measure when asked for.

    Parameters
    ----------
    objects : collection of n objects
    measure : Measure
    n_jobs : int or None
    memory : joblib.Memory
        Evaluated blocks are kept there.
    name : str
        What the comparisons come from, for messages.

    Attributes
    ----------
    progress : Progress
        Told of comparisons made.
    everything : ndarray of shape (n,)
        Positions of the objects in the collection that they are a part of, for
        messages.
    """

    is_precomputed = False
    progress = SILENT

    def __init__(self, objects, measure, *, n_jobs, memory, name):
        self.objects = objects
        self.measure = measure
        self.evaluation = Evaluation(measure, memory, name)
        self.n_jobs = n_jobs
        self.name = name
        self.n_objects = count_objects(objects)
        self.everything = np.arange(self.n_objects)
        self.n_evaluated = 0

    def take(self, indices):
        """Return the objects at some positions."""
        return take_objects(self.objects, indices)

    def rectangle(self, rows, columns):
        """Return the comparisons of some objects with others, shape (a, b)."""
        columns = np.asarray(columns, dtype=np.intp)
        blocks = self.blocks(rows, self.take(columns), columns)
        return np.concatenate([block for _, block in blocks])

    def blocks(self, rows, others, columns=None):
        """Yield comparisons of some objects with a collection of others, in blocks.

        Parameters
        ----------
        rows : ndarray of int
            Positions, in the order wanted.
        others : collection of b objects
        columns : ndarray of int, default=None
            Positions of `others` among the objects, for messages.

        Yields
        ------
        indices : slice or ndarray of int
        block : ndarray of shape (len(indices), b)
        """
        width = count_objects(others)
        size = block_rows(width)
        if self.measure.is_scalar:
            most, fewest_rows = _SCALAR_BLOCK
            size = min(size, max(most // max(width, 1), fewest_rows))
            # Few objects under a slow function are work for several processes as well.
            size = min(size, max(-(-len(rows) // _SCALAR_BLOCKS), 1))
        runs = list(index_blocks(rows, size))
        self.n_evaluated += self.measure.n_ways * len(rows) * width
        everything = self.everything
        results = evaluate_in_order(
            self.evaluation.rectangles(others),
            (
                (take_objects(self.objects, run), others, (everything[run], columns))
                for run in runs
            ),
            n_jobs=self.n_jobs,
            prefer=self.measure.prefers,
            evaluated=count_evaluated(
                self.progress, (width * _length(run) for run in runs)
            ),
        )
        for run, block in zip(runs, results, strict=True):
            check_finite(block, self.name, everything[run], columns)
            yield run, block

    def square(self, indices):
        """Return the comparisons of some objects among themselves, each pair once."""
        indices = np.asarray(indices, dtype=np.intp)
        return self.among(self.take(indices), indices)

    def between(self, objects, others):
        """Return the comparisons of two collections of any objects, shape (a, b)."""
        table = MeasuredComparisons(
            objects,
            self.measure,
            n_jobs=self.n_jobs,
            memory=self.evaluation.memory,
            name=self.name,
        )
        table.progress = self.progress
        blocks = table.blocks(np.arange(table.n_objects), others)
        block = np.concatenate([block for _, block in blocks])
        self.n_evaluated += table.n_evaluated
        return block

    def among(self, objects, indices=None):
        """Return the comparisons among a collection of objects, each pair once.

        Parameters
        ----------
        objects : collection of a objects
            Of the table or not.
        indices : ndarray of int, default=None
            Their positions, for messages.

        Returns
        -------
        square : ndarray of shape (a, a)
        """
        size = count_objects(objects)
        self.n_evaluated += self.measure.n_ways * (size * (size + 1) // 2)
        if isinstance(self.measure.compare, str):
            square = self.evaluation.square(objects)
            check_finite(square, self.name, indices, indices)
            self.progress.advance(size * (size + 1) // 2)
            return _averaged_in_place(square)
        # Row blocks against what lies right of them: eight for a block measure (9/16
        # of the square, in few calls); more where calls cost nothing and workers wait,
        # and where much would be at stake in one.
        n_wedges, most = (64, 2**14) if self.measure.is_scalar else (8, 2**16)
        fewest = 1 if self.measure.is_scalar else 4
        step = max(min(-(-size // n_wedges), most // max(size, 1)), fewest)
        wedges = list(consecutive_blocks(size, step))
        positions = np.arange(size) if indices is None else indices
        results = evaluate_in_order(
            self.evaluation.wedges(objects),
            (
                (
                    take_objects(objects, rows),
                    take_objects(objects, slice(rows.start, size)),
                    (positions[rows], positions[rows.start :]),
                )
                for rows in wedges
            ),
            n_jobs=self.n_jobs,
            prefer=self.measure.prefers,
            evaluated=count_evaluated(
                self.progress, (_pairs_of_wedge(rows, size) for rows in wedges)
            ),
        )
        square = None
        for rows, block in zip(wedges, results, strict=True):
            check_finite(block, self.name, positions[rows], positions[rows.start :])
            corner = block[:, : rows.stop - rows.start]
            _check_corner(corner, positions[rows], self.name)
            if square is None:
                square = np.empty((size, size), dtype=block.dtype)
            square[rows, rows.start :] = block
            square[rows.start :, rows] = block.T
            square[rows, rows] = (corner + corner.T) / 2
        return square


def count_both_ways(table, n_objects):
    """Return how many comparisons `check_direction` makes among so many objects."""
    measure = getattr(table, "measure", None)
    if measure is None or not measure.is_scalar or measure.symmetrize:
        return 0
    return max(min(n_objects - 1, _BOTH_WAYS), 0)


def check_direction(table, objects, square, positions=None):
    """Raise ValueError where a function of two objects is not symmetric.

    Each pair is compared one way only; the first object and a few others are compared
    the other way too, unless both ways are joined anyway.

    Parameters
    ----------
    table : comparisons of n objects
    objects : collection of a objects
    square : ndarray of shape (a, a)
        Their comparisons.
    positions : ndarray of shape (a,), default=None
        For messages.
    """
    n_pairs = count_both_ways(table, len(square))
    if n_pairs == 0:
        return
    first, others = (
        take_objects(objects, part) for part in (slice(0, 1), slice(1, n_pairs + 1))
    )
    forth, back = square[0, 1 : n_pairs + 1], table.between(others, first)[:, 0]
    worst = int(np.abs(forth - back).argmax())
    if abs(forth[worst] - back[worst]) > ASYMMETRY_TOLERANCE * np.abs(square).max():
        if positions is None:
            positions = np.arange(len(square))
        pair = (int(positions[0]), int(positions[worst + 1]))
        raise_asymmetric(pair, float(forth[worst]), float(back[worst]), table.name)


def _pairs_of_wedge(rows, size):
    """Return how many pairs some rows of an upper triangle hold."""
    n_rows = rows.stop - rows.start
    return n_rows * (size - rows.stop) + n_rows * (n_rows + 1) // 2


def _averaged_in_place(square):
    """Average a matrix with its mirror image, without a second one of its size."""
    if not square.flags.writeable:  # a memory-mapped cache
        square = square.copy()
    for rows in consecutive_blocks(len(square), 256):
        right = (square[rows, rows.start :] + square[rows.start :, rows].T) / 2
        square[rows, rows.start :] = right
        square[rows.start :, rows] = right.T
    return square


def _check_corner(corner, positions, name):
    i, j, gap = worst_asymmetry(corner, corner.T)
    if gap > ASYMMETRY_TOLERANCE * np.abs(corner).max(initial=0.0):
        pair = (int(positions[i]), int(positions[j]))
        raise_asymmetric(pair, float(corner[i, j]), float(corner[j, i]), name)


class SquareComparisons:
    """Comparisons looked up in a precomputed n x n matrix.

    Parameters
    ----------
    matrix : ndarray or sparse matrix of shape (n, n)
        Never written to and never copied as a whole.
    symmetrize : {None, "average", "min", "max"}
        How the two directions are joined. None averages them too: by then they were
        found equal up to rounding.
    exactly_symmetric : bool
        Spares the second look-up.
    name : str
        For messages.
    """

    is_precomputed = True
    progress = SILENT

    def __init__(self, matrix, *, symmetrize, exactly_symmetric, name):
        self.matrix = matrix
        self.symmetrize = symmetrize
        self.exactly_symmetric = exactly_symmetric
        self.name = name
        self.n_objects = matrix.shape[0]
        self.everything = np.arange(self.n_objects)
        self.n_evaluated = 0

    def take(self, indices):
        """Return rows of the matrix: all that is known of the objects."""
        return self.matrix[indices]

    def _look_up(self, rows, columns):
        if sparse.issparse(self.matrix):
            return as_floats(self.matrix[rows][:, columns].toarray())
        if isinstance(rows, slice):
            return as_floats(self.matrix[rows][:, columns])
        return as_floats(self.matrix[np.ix_(rows, columns)])

    def _count(self, n_comparisons):
        self.n_evaluated += n_comparisons
        self.progress.advance(n_comparisons)

    def rectangle(self, rows, columns):
        """Return the comparisons of some objects with others, shape (a, b)."""
        block = self._joined(rows, np.asarray(columns, dtype=np.intp))
        self._count(block.size)
        return block

    def _joined(self, rows, columns):
        forth = self._look_up(rows, columns)
        if self.exactly_symmetric:
            return forth
        if isinstance(rows, slice):
            rows = np.arange(rows.start, rows.stop)
        return symmetrized(forth, self._look_up(columns, rows).T, self.symmetrize)

    def blocks(self, rows, others, columns):  # noqa: ARG002
        """Yield comparisons of some objects with those at `columns`, in blocks."""
        for run in index_blocks(rows, block_rows(len(columns))):
            yield run, self.rectangle(run, columns)

    def square(self, indices):
        """Return the comparisons of some objects among themselves."""
        indices = np.asarray(indices, dtype=np.intp)
        square = self._joined(indices, indices)
        self._count(len(indices) * (len(indices) + 1) // 2)
        return (square + square.T) / 2


class ColumnComparisons:
    """Comparisons of n objects with landmarks only, looked up in a precomputed matrix.

    Parameters
    ----------
    matrix : ndarray or sparse matrix of shape (n, m) or (n, any)
    positions : ndarray of shape (m,) or None
        Columns of the matrix that belong to the landmarks; the others are never looked
        at. None when the matrix has no others.
    name : str
        For messages.
    """

    is_precomputed = True
    progress = SILENT

    def __init__(self, matrix, positions, *, name):
        self.matrix = matrix
        self.positions = positions
        self.name = name
        self.n_objects = matrix.shape[0]
        self.everything = np.arange(self.n_objects)
        self.n_evaluated = 0

    def take(self, indices):
        """Return rows of the matrix: all that is known of the objects."""
        return self.matrix[indices]

    def _count(self, n_comparisons):
        self.n_evaluated += n_comparisons
        self.progress.advance(n_comparisons)

    def blocks(self, rows, others, columns):  # noqa: ARG002
        """Yield comparisons of some objects with the landmarks, in blocks."""
        for run, block in self._look_up(rows, columns):
            self._count(block.size)
            yield run, block

    def _look_up(self, rows, columns):
        width = self.matrix.shape[1] if self.positions is None else len(self.positions)
        for run in index_blocks(rows, block_rows(width)):
            block = self.matrix[run]
            if self.positions is not None:
                block = block[:, self.positions]
            if sparse.issparse(block):
                block = block.toarray()
            block = as_floats(block)
            check_finite(block, self.name, np.arange(self.n_objects)[run], columns)
            yield run, block

    def square(self, indices):
        """Return the comparisons of the landmarks among themselves.

        Only the landmarks' own; other pairs are not in the matrix.
        """
        square = np.concatenate([block for _, block in self._look_up(indices, indices)])
        _check_corner(square, indices, self.name)
        self._count(len(indices) * (len(indices) + 1) // 2)
        return (square + square.T) / 2
