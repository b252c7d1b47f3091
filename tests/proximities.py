"""Proximities of a few points, and every kind of estimator that takes their matrix."""

import numpy as np

from skproxy import EigenCorrector, Nystroem, NystromDissimilarity

N = 20
POINTS = np.random.RandomState(0).normal(size=(N, 3))
D = np.abs(POINTS[:, None] - POINTS[None]).sum(axis=-1)
K = np.exp(-D)
MARKS = [3, 0, 8, 15, 11]


def on_dissimilarities(**settings):
    """Return one estimator of each kind that takes a matrix of dissimilarities."""
    return {
        "NystromDissimilarity": NystromDissimilarity(
            "precomputed", landmarks=MARKS, random_state=0, **settings
        ),
        "EigenCorrector": EigenCorrector(input="dissimilarity", **settings),
        "EigenCorrector with landmarks": EigenCorrector(
            input="dissimilarity", landmarks=MARKS, random_state=0, **settings
        ),
    }


def on_similarities(**settings):
    """Return one estimator of each kind that takes a matrix of similarities."""
    return {
        "Nystroem": Nystroem("precomputed", landmarks=MARKS, **settings),
        "centred Nystroem": Nystroem(
            "precomputed", landmarks=MARKS, center=True, random_state=0, **settings
        ),
        "EigenCorrector": EigenCorrector(**settings),
        "EigenCorrector with landmarks": EigenCorrector(
            landmarks=MARKS, random_state=0, **settings
        ),
    }


ON_MATRICES = [(estimator, D) for estimator in on_dissimilarities().values()] + [
    (estimator, K) for estimator in on_similarities().values()
]


def changed(matrix, *entries):
    """Return a copy with entries (row, column, value) set."""
    matrix = matrix.copy()
    for i, j, value in entries:
        matrix[i, j] = value
    return matrix


def name_of(estimator):
    return f"X of {type(estimator).__name__}"
