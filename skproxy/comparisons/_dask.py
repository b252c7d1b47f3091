"""Collections of Dask: objects in partitions, perhaps on many machines.

An array, a bag, a data frame or a series of Dask is a plan for partitions. Only what is
small moves: landmarks, a pilot sample, probes and what a pass leaves behind come to the
client; each partition is compared where it lies. Dask is imported when a collection of
its own has come, so it is there; the scheduler is whatever Dask's default is, one with
processes on many machines once a ``distributed.Client`` has been made.

- `Partitions`: the objects (or labels), their number and a few of them by position.
- `PartitionedComparisons`: a table of their comparisons.
- `by_partition`: methods for new objects that return lazy arrays.
"""

import pickle
from copy import copy
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._inputs import check_objects, output_dtype
from ._objects import (
    consecutive_blocks,
    count_objects,
    join_objects,
    short_repr,
    take_objects,
)
from ._progress import SILENT

__all__ = [
    "PartitionedComparisons",
    "Partitions",
    "by_partition",
    "is_partitioned",
]

# Partials that are merged at once; the tree is as deep as the logarithm to this base.
_FAN_IN = 8
# Squares of so many objects are worth tasks, in so many strips.
_WORTH_TASKS, _STRIPS = 64, 8


def is_partitioned(X):
    """Tell a collection of Dask, by what it offers."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def _in_list(objects):
    """Return a partition of a bag, which may be an iterator, as a list."""
    return objects if hasattr(objects, "__len__") else list(objects)


def _count(objects):
    return count_objects(_in_list(objects))


def _take(objects, which):
    return take_objects(_in_list(objects), which)


def _constant(thing):
    """Return a value that all tasks share and that is no task itself."""
    import dask

    return dask.delayed(thing, traverse=False)


class _Parcel:
    """Something of a user's, opened within a task.

    What a worker cannot load would end the worker, and the fit would wait for ever;
    within a task it is an error like any other.
    """

    def __init__(self, thing):
        self.thing = thing

    def __getstate__(self):
        import cloudpickle

        if hasattr(self, "thing"):
            self.sealed = cloudpickle.dumps(self.thing)
        return {"sealed": self.sealed}

    def open(self):
        """Return what is inside."""
        if not hasattr(self, "thing"):
            try:
                self.thing = pickle.loads(self.sealed)
            except (ImportError, AttributeError) as error:
                msg = (
                    f"A worker of Dask cannot load the measure or estimator: {error}. "
                    "Define it in the script itself or in a module that workers can "
                    "import; Client.upload_file sends them one."
                )
                raise type(error)(msg) from error
        return self.thing


def _parcel(thing):
    """Return a value that all tasks share and open themselves."""
    return _constant(_Parcel(thing))


def _parts_of(collection):
    """Return the partitions as a list of Delayed, and their sizes, NaN if unknown."""
    chunks = getattr(collection, "chunks", None)
    if chunks is None:
        parts = list(collection.to_delayed())
        return parts, np.full(len(parts), np.nan)
    # A comparison needs whole objects.
    whole = dict.fromkeys(range(1, collection.ndim), -1)
    collection = collection.rechunk(whole) if whole else collection
    return collection.to_delayed().ravel().tolist(), np.array(collection.chunks[0])


def _apply(objects, function, *arguments):
    """Return what a function makes of a partition."""
    return function.open()(objects, *[each.open() for each in arguments])


class Partitions:
    """The objects of a collection of Dask, or something known of each.

    Parameters
    ----------
    collection : dask array, bag, data frame or series of n objects
        Persist it where making it costs much: every step of a fit asks for it.

    Attributes
    ----------
    parts : list of Delayed
    sizes : ndarray of shape (n_parts,)
        Number of objects of each.
    starts : ndarray of shape (n_parts + 1,)
        Position of the first object of each.
    """

    def __init__(self, collection):
        import dask

        self.parts, sizes = _parts_of(collection)
        if np.isnan(sizes).any():
            count = dask.delayed(_count)
            sizes = dask.compute(*[count(part) for part in self.parts])
        self.sizes = np.array(sizes, dtype=np.intp)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])

    def __len__(self):
        return self.n_objects

    @property
    def n_objects(self):
        """Number of objects."""
        return int(self.starts[-1])

    def __getitem__(self, positions):
        return self.take(positions)

    def beside(self, values, name):
        """Return values, one for each object, in the same partitions.

        Parameters
        ----------
        values : Partitions or sequence of n values
        name : str
            What they are, for messages.

        Returns
        -------
        partitions : Partitions
        """
        if not isinstance(values, Partitions):
            held = copy(self)
            ends = zip(self.starts[:-1], self.starts[1:], strict=True)
            held.parts = [_constant(values[i:j]) for i, j in ends]
        else:
            held = values
        if np.array_equal(self.sizes, held.sizes):
            return held
        msg = (
            f"{name} must lie in partitions of the same sizes as X; got "
            f"{short_repr(held.sizes.tolist())} for {short_repr(self.sizes.tolist())}. "
            "Make both from one collection, or rechunk one like the other."
        )
        raise ValueError(msg)

    def map(self, function, *arguments):
        """Return what a function makes of each partition, one value an object."""
        import dask

        mapped = copy(self)
        call = dask.delayed(_apply)
        held = [_parcel(each) for each in (function, *arguments)]
        mapped.parts = [call(part, *held) for part in self.parts]
        return mapped

    def each(self, function):
        """Return what a function makes of each partition, here."""
        import dask

        call, function = dask.delayed(_apply), _parcel(function)
        filled = np.flatnonzero(self.sizes)
        return dask.compute(*[call(self.parts[part], function) for part in filled])

    def by_part(self, positions):
        """Yield partitions and which of some positions lie there.

        Yields
        ------
        part : int
        which : ndarray of int
            Of `positions`.
        inside : ndarray of int
            Positions within the partition.
        """
        of_part = np.searchsorted(self.starts, positions, side="right") - 1
        for part in np.unique(of_part):
            which = np.flatnonzero(of_part == part)
            yield int(part), which, positions[which] - self.starts[part]

    def take(self, positions):
        """Return some objects, in the order of their positions."""
        import dask

        positions = np.asarray(positions, dtype=np.intp)
        if len(positions) == 0:
            return dask.compute(dask.delayed(_take)(self.parts[0], positions))[0]
        take, order, tasks = dask.delayed(_take), [], []
        for part, which, inside in self.by_part(positions):
            tasks.append(take(self.parts[part], inside))
            order.append(which)
        found = join_objects(dask.compute(*tasks))
        return take_objects(found, np.argsort(np.concatenate(order), kind="stable"))


@dataclass(frozen=True, eq=False)
class _Recipe:
    """How a worker makes a table of the objects that it has.

    Attributes
    ----------
    estimator : estimator
        Without what was fitted, but for what objects are checked against.
    comparer : Comparer
    """

    estimator: Any
    comparer: Any

    @classmethod
    def of(cls, estimator, comparer):
        light = object.__new__(type(estimator))
        checked = {"n_features_in_", "feature_names_in_"}
        for name, value in vars(estimator).items():
            if name in checked or not (name.startswith("_") or name.endswith("_")):
                setattr(light, name, value)
        # Workers report to nobody, and are sent the landmarks by themselves.
        light.landmarks, light.verbose = None, 0
        return cls(light, replace(comparer, n_jobs=None))

    def check(self, objects):
        """Return objects as the measure wants them."""
        return check_objects(
            self.estimator, objects, self.comparer.compare, reset=False
        )

    def table(self, objects, positions):
        """Return the comparisons of objects, with their positions for messages."""
        table = self.comparer.table_of(self.estimator, self.check(objects))
        table.everything = positions
        return table


def _compare_partition(objects, recipe, function, first, known, labels, *arguments):
    """Return what a function makes of the table of one partition, and what it cost."""
    recipe, function = recipe.open(), function.open()
    arguments = [each.open() for each in arguments]
    objects = _in_list(objects)
    new = np.delete(np.arange(count_objects(objects)), known)
    if len(known):
        objects = take_objects(objects, new)
        labels = [take_objects(_in_list(each), new) for each in labels]
    table = recipe.table(objects, first + new)
    return function(table, *labels, *arguments), table.n_evaluated


def _compare_some(objects, recipe, which, others, columns, first):
    """Return the comparisons of some objects of a partition, and their number."""
    recipe, others = recipe.open(), others.open()
    table = recipe.table(_take(objects, which), first + which)
    rows = np.arange(table.n_objects)
    blocks = [block for _, block in table.blocks(rows, others, columns)]
    return np.concatenate(blocks), table.n_evaluated


def _compare_strips(recipe, rows, others, positions):
    """Return the comparisons of two strips of objects, or of one with itself."""
    recipe, rows = recipe.open(), rows.open()
    table = recipe.comparer.table_of(recipe.estimator, rows)
    if others is None:
        return table.among(rows, positions), table.n_evaluated
    return table.between(rows, others.open()), table.n_evaluated


def _merge(merge, *partials):
    """Merge what partitions gave; one that has nothing gave None."""
    merge = merge.open()
    found, n_evaluated = partials[0]
    for value, count in partials[1:]:
        found, n_evaluated = merge(found, value), n_evaluated + count
    return found, n_evaluated


class PartitionedComparisons:
    """Comparisons of the objects of a collection of Dask.

    Parameters
    ----------
    estimator : estimator
        Takes ``n_features_in_`` and ``feature_names_in_``.
    comparer : Comparer
    partitions : Partitions
        Of the objects.
    reset : bool
        True in fit.

    Attributes
    ----------
    n_objects : int
    measure : Measure
    n_evaluated : int
        Comparisons made by all workers.
    is_reduced : bool
        Whether the partitions have been reduced already.
    """

    is_precomputed = False
    is_reduced = False
    progress = SILENT

    def __init__(self, estimator, comparer, partitions, *, reset):
        self.partitions = partitions
        self.n_objects = partitions.n_objects
        self.geometry = comparer.geometry
        self.name = comparer.name(estimator)
        self.n_evaluated = 0
        if self.n_objects == 0:
            msg = (
                f"X of {type(estimator).__name__} must hold at least one object; got "
                f"{len(partitions.parts)} empty partitions."
            )
            raise ValueError(msg)
        some = partitions.take(np.arange(min(self.n_objects, 2)))
        some = check_objects(estimator, some, comparer.compare, reset=reset)
        self.measure = comparer.table_of(estimator, some).measure
        self._recipe = _Recipe.of(estimator, comparer)
        self._comparer, self._estimator = comparer, estimator

    def take(self, indices):
        """Return the objects at some positions, here."""
        return self._recipe.check(self.partitions.take(indices))

    def here(self, indices):
        """Return a table of some objects, here."""
        table = self._comparer.table_of(self._estimator, self.take(indices))
        table.geometry, table.progress = self.geometry, self.progress
        return table

    def rectangle(self, rows, columns):
        """Return the comparisons of some objects with others, shape (a, b)."""
        columns = np.asarray(columns, dtype=np.intp)
        blocks = self.blocks(rows, self.take(columns), columns)
        return np.concatenate([block for _, block in blocks])

    def blocks(self, rows, others, columns=None):
        """Yield the comparisons of some objects, a bounded number, with others.

        Compared where they lie; see `MeasuredComparisons.blocks`.
        """
        import dask

        compare = dask.delayed(_compare_some)
        recipe, others = _parcel(self._recipe), _parcel(others)
        rows, order, tasks = np.asarray(rows, dtype=np.intp), [], []
        for part, which, inside in self.partitions.by_part(rows):
            first = self.partitions.starts[part]
            objects = self.partitions.parts[part]
            tasks.append(compare(objects, recipe, inside, others, columns, first))
            order.append(which)
        found = dask.compute(*tasks)
        block = np.empty((len(rows), found[0][0].shape[1]), dtype=found[0][0].dtype)
        for which, (some, n_evaluated) in zip(order, found, strict=True):
            block[which] = some
            self._count(n_evaluated)
        yield rows, block

    def square(self, indices):
        """Return the comparisons of some objects among themselves, each pair once."""
        indices = np.asarray(indices, dtype=np.intp)
        return self.among(self.take(indices), indices)

    def among(self, objects, indices=None):
        """Return the comparisons among any objects, each pair once.

        Many objects under a measure of one's own are compared by the workers.
        """
        import dask

        size = count_objects(objects)
        if isinstance(self._comparer.compare, str) or size < _WORTH_TASKS:
            table = self._comparer.table_of(self._estimator, objects)
            square = table.among(objects, indices)
            self._count(table.n_evaluated)
            return square
        indices = np.arange(size) if indices is None else indices
        strips = list(consecutive_blocks(size, -(-size // _STRIPS)))
        held = [_parcel(take_objects(objects, strip)) for strip in strips]
        recipe, compare = _parcel(self._recipe), dask.delayed(_compare_strips)
        pairs = [(i, j) for i in range(len(strips)) for j in range(i, len(strips))]
        tasks = [
            compare(recipe, held[i], None if i == j else held[j], indices[strips[i]])
            for i, j in pairs
        ]
        square = None
        for (i, j), (block, count) in zip(pairs, dask.compute(*tasks), strict=True):
            if square is None:
                square = np.empty((size, size), dtype=block.dtype)
            square[strips[i], strips[j]] = block
            square[strips[j], strips[i]] = block.T
            self._count(count)
        return square

    def between(self, objects, others):
        """Return the comparisons of two collections of any objects, shape (a, b)."""
        table = self._comparer.table_of(self._estimator, objects)
        block = table.between(objects, others)
        self._count(table.n_evaluated)
        return block

    def reduce(self, function, merge, *arguments, known=(), labels=()):
        """Return what the partitions leave behind, merged as a tree.

        Parameters
        ----------
        function : callable
            ``function(table, *labels, *arguments)`` of the table of what is not known
            of one partition, called where that lies. Picklable.
        merge : callable
            Of two such values; associative and commutative.
        *arguments : object
            The same for all partitions.
        known : ndarray of int
            Positions of objects that need no comparison.
        labels : sequence of Partitions
            Of which the function gets the part that belongs to the objects.

        Returns
        -------
        value : object
            None where no partition holds objects that are not known.
        """
        import dask

        if self.is_reduced:
            return None
        known = np.sort(np.asarray(known, dtype=np.intp))
        compare, merging = dask.delayed(_compare_partition), dask.delayed(_merge)
        held = [_parcel(each) for each in (self._recipe, *arguments)]
        recipe, function = held[0], _parcel(function)
        partials = []
        partitions = self.partitions
        for part, size in enumerate(partitions.sizes.tolist()):
            first, last = partitions.starts[part], partitions.starts[part + 1]
            here = known[np.searchsorted(known, first) : np.searchsorted(known, last)]
            if size == len(here):
                continue
            own = [each.parts[part] for each in labels]
            partials.append(
                compare(
                    partitions.parts[part],
                    recipe,
                    function,
                    first,
                    here - first,
                    own,
                    *held[1:],
                )
            )
        if not partials:
            return None
        partials = self._watched(partials, dask)
        merge = _parcel(merge)
        while len(partials) > 1:
            partials = [
                merging(merge, *partials[group])
                for group in consecutive_blocks(len(partials), _FAN_IN)
            ]
        value, n_evaluated = dask.compute(partials[0])[0]
        self._count(n_evaluated)
        return value

    def reduced(self):
        """Return the table of what is left to do here: reductions give None."""
        table = copy(self)
        table.is_reduced = True
        return table

    def _count(self, n_evaluated):
        self.n_evaluated += n_evaluated
        self.progress.advance(n_evaluated)

    def _watched(self, partials, dask):
        """Begin to evaluate partials, and tell the progress of those that are there.

        Dask's own dashboard shows them in any case; the printed lines need a client.
        """
        if self.progress is SILENT:
            return partials
        partials = dask.persist(*partials)
        try:
            from distributed import as_completed, futures_of
        except ImportError:
            return partials
        sizes = {}
        for future in as_completed(futures_of(partials)):
            sizes[future.key] = True
            self.progress.advance(0, f"{len(sizes)} of {len(partials)} partitions")
        return partials


def by_partition(method):
    """Decorate a method for new objects: of a collection of Dask it is lazy.

    Parameters
    ----------
    method : callable
        ``method(self, X)`` returns an array of a row or an entry for each object.

    Returns
    -------
    method : callable
        For a collection of Dask it returns a dask array, a chunk for each partition.
        Chunks of bags and data frames are of a length that shows when they are made.
    """

    @wraps(method)
    def by_parts(self, X, *args, **kwargs):
        if not is_partitioned(X):
            return method(self, X, *args, **kwargs)
        return _lazily(self, method.__name__, X, args, kwargs)

    return by_parts


def _lazily(estimator, name, X, args, kwargs):
    """Return the dask array of what a method gives for each partition."""
    import dask
    import dask.array as da

    check_is_fitted(estimator)
    parts, sizes = _parts_of(X)
    empty = _nothing_of(estimator, name, X)
    held = _parcel(copy(estimator))  # later fits change nothing
    partition = dask.delayed(_call)
    chunks = [
        da.from_delayed(
            partition(part, k, held, name, empty, args, kwargs),
            shape=(size if np.isnan(size) else int(size), *empty.shape[1:]),
            dtype=empty.dtype,
        )
        for k, (part, size) in enumerate(zip(parts, sizes, strict=True))
    ]
    return da.concatenate(chunks, allow_unknown_chunksizes=True)


def _nothing_of(estimator, name, X):
    """Return what a method gives for no objects: it says shape and dtype."""
    if name == "transform":
        width = len(estimator.get_feature_names_out())
        return np.empty((0, width), dtype=output_dtype(X))
    classes = getattr(estimator, "classes_", None)
    if name == "predict":
        return np.empty(0, dtype=np.float64 if classes is None else classes.dtype)
    if name == "decision_function" and len(classes) == 2:
        return np.empty(0)
    return np.empty((0, len(classes)))


def _call(objects, number, estimator, name, empty, args, kwargs):
    """Return what a method gives for one partition."""
    objects = _in_list(objects)
    if count_objects(objects) == 0:
        return empty
    try:
        method = getattr(estimator.open(), name)
        return np.asarray(method(objects, *args, **kwargs))
    except Exception as error:
        if hasattr(error, "add_note"):  # Python 3.11
            error.add_note(f"Positions are those in partition {number}.")
        raise
