"""Fixtures of all tests."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from skproxy import NystromDissimilarity

# scikit-learn calls back from 1.9 on.
collect_ignore = []
if not hasattr(NystromDissimilarity, "set_callbacks"):
    collect_ignore.append("test_callbacks.py")

# Matrices of tests are small: threads of the linear algebra only wait for each other,
# on a busy machine for minutes.
threadpool_limits(1)


@pytest.fixture
def rng():
    """A generator with a fixed seed."""
    return np.random.RandomState(0)


@pytest.fixture(scope="module")
def cluster():
    """Return the client of two worker processes, as Dask's default scheduler."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            memory_limit=None,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
