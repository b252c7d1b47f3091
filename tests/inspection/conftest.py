"""Pictures are drawn without a screen, and closed."""

import matplotlib
import numpy as np
import pytest
from scipy.spatial.distance import cdist

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    """Close what a test has drawn."""
    from matplotlib import pyplot

    yield
    pyplot.close("all")


@pytest.fixture
def points(rng):
    """60 points in 4 dimensions, of decreasing spread, and three classes."""
    X = rng.standard_normal((60, 4)) * [8.0, 4.0, 2.0, 1.0]
    return X, np.arange(60) % 3


@pytest.fixture
def pseudo_euclidean(rng):
    """Squared dissimilarities of 40 points of two positive and a negative axis.

    Some of them are negative.
    """
    Z = rng.standard_normal((40, 3)) * [5.0, 3.0, 4.0]
    squared = cdist(Z[:, :2], Z[:, :2], "sqeuclidean")
    return squared - cdist(Z[:, 2:], Z[:, 2:], "sqeuclidean")
