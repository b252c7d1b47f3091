"""Tables of comparisons for the tests of landmark selectors."""

import numpy as np
import pytest

from skproxy import Nystroem, NystromDissimilarity


@pytest.fixture
def table_of():
    """Return a function that makes the table a selector gets from an estimator."""

    def make(X, **how):
        estimator = Nystroem(**how) if "kernel" in how else NystromDissimilarity(**how)
        return estimator._comparer().table(estimator, X)[0]

    return make


@pytest.fixture
def cloud():
    """Return 150 points in three dimensions, which a pilot of 4 or more holds whole."""
    return np.random.RandomState(0).normal(size=(150, 3)) * [3.0, 2.0, 1.0]


@pytest.fixture
def rows_of_rank():
    """Return a function that makes rows with a decaying spectrum."""

    def make(n_rows, rank, seed=0):
        rng = np.random.RandomState(seed)
        return rng.normal(size=(n_rows, rank)) * 2.0 ** -np.arange(rank)

    return make
