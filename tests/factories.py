"""Matrices with a prescribed spectrum, and measures that count."""

import os

import numpy as np


def orthonormal(n, k, rng, centred=False):
    """Return k orthonormal columns of length n, summing to zero if `centred`."""
    columns = rng.normal(size=(n, k))
    if centred:
        columns -= columns.mean(axis=0)
    return np.linalg.qr(columns)[0]


def similarity_with(eigenvalues, n, rng, centred=False):
    """Return a symmetric n x n matrix with these non-zero eigenvalues."""
    vectors = orthonormal(n, len(eigenvalues), rng, centred)
    matrix = (vectors * eigenvalues) @ vectors.T
    return (matrix + matrix.T) / 2


def dissimilarity_with(eigenvalues, n, rng):
    """Return squared dissimilarities whose centred similarity has this spectrum.

    Entries may be negative where the spectrum is indefinite: use ``power=1``.
    """
    similarity = similarity_with(np.asarray(eigenvalues, float), n, rng, centred=True)
    own = np.diagonal(similarity)
    squared = own[:, None] + own[None, :] - 2 * similarity
    np.fill_diagonal(squared, 0.0)
    return (squared + squared.T) / 2


def double_centred(squared):
    """Return ``-1/2 J D J``, the slow way."""
    n = len(squared)
    J = np.eye(n) - 1.0 / n
    return -0.5 * J @ squared @ J


class CountedCalls:
    """A scalar measure that counts how often it is called."""

    def __init__(self, function):
        self.function = function
        self.n_calls = 0

    def __call__(self, a, b, **params):
        self.n_calls += 1
        return self.function(a, b, **params)


class CountedBlocks:
    """A block measure that counts the comparisons and remembers block shapes."""

    def __init__(self, function):
        self.function = function
        self.n_evaluated = 0
        self.shapes = []

    def __call__(self, rows, others, **params):
        self.n_evaluated += len(rows) * len(others)
        self.shapes.append((len(rows), len(others)))
        return self.function(rows, others, **params)


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = (
                row[j],
                min(row[j] + 1, row[j - 1] + 1, previous + (x != y)),
            )
    return float(row[-1])


class CachedDistances:
    """Edit distances in blocks, counted on the class so that copies count too."""

    n_evaluated = 0

    def __call__(self, rows, others):
        CachedDistances.n_evaluated += len(rows) * len(others)
        return np.array([[edit_distance(a, b) for b in others] for a in rows])


class InterruptedDistances:
    """Edit distances that are interrupted once, in the call after so many.

    Counted on the class, so that what is known by it in a cache stays the same.
    """

    n_calls = 0
    calls_left = None

    @classmethod
    def start(cls, calls_left=None):
        cls.n_calls, cls.calls_left = 0, calls_left

    def __call__(self, a, b):
        if InterruptedDistances.n_calls == InterruptedDistances.calls_left:
            raise KeyboardInterrupt
        InterruptedDistances.n_calls += 1
        return edit_distance(a, b)


class InterruptedBlocks:
    """The same in blocks."""

    def __call__(self, rows, others):
        compare = InterruptedDistances()
        return np.array([[compare(a, b) for b in others] for a in rows])


# Functions that other processes have to find: those of a test module they do not.


def process_of(a, b):
    """Return the number of the process that compares two different objects."""
    return 0.0 if a == b else float(os.getpid())


def refuse_marks(a, b):
    """Compare lengths of strings, but none with a question mark."""
    return float(abs(len(a) - len(b))) / ("?" not in a + b)


def sum_of_gaps(a, b):
    """Return the cityblock distance of two rows."""
    return float(np.abs(a - b).sum())


def gaussian_of_gaps(a, b):
    return float(np.exp(-1e3 * np.square(np.asarray(a) - np.asarray(b)).sum()))


def die_once(a, b, marker, survivor):
    """Compare rows; the first process but one that does so leaves a marker and dies."""
    if os.getpid() != survivor:
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return sum_of_gaps(a, b)
        os._exit(1)
    return sum_of_gaps(a, b)


def total(table):
    """Return the sum of the comparisons of the words of a table with two others."""
    blocks = table.blocks(np.arange(table.n_objects), ["the", "fit"])
    return sum(block.sum() for _, block in blocks)


def rows_made_there(n_rows, seed):
    """Return rows, made where they are needed."""
    return np.random.RandomState(seed).standard_t(3, size=(n_rows, 4))


def nan_at_30(a, b):
    return float("nan") if 30 in (a, b) else float(abs(a - b))


def negative_at_30(a, b):
    return -1.0 if 30 in (a, b) and a != b else float(abs(a - b))
