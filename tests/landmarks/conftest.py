"""Tables of comparisons for the tests of landmark selectors."""

import numpy as np
import pytest

from skproxy.landmarks._select import _Choice


@pytest.fixture
def table_of():
    """Return a function that makes the table a selector gets from an estimator."""

    def make(X, **how):
        choice = _Choice(**how)
        comparer = choice._comparer()
        table, _ = comparer.table(choice, X)
        table.geometry = comparer.geometry
        return table

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
