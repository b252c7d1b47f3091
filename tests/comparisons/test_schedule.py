import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from skproxy import NystromDissimilarity
from skproxy.comparisons._schedule import (
    call_in_threads,
    evaluate_in_order,
    one_blas_thread,
)


def power(base, exponent):
    return base**exponent


def slow_first(position):
    time.sleep(0.05 if position == 0 else 0.0)
    return position


def fail_at_two(position):
    if position == 2:
        msg = f"object {position} cannot be compared"
        raise ValueError(msg)
    return position


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
@pytest.mark.parametrize("n_blocks", [0, 1, 7, 8, 20])
def test_results_come_in_the_order_of_their_arguments(n_jobs, n_blocks):
    """One or many workers, fewer or more blocks than workers take: one answer."""
    arguments = [(i, 2) for i in range(n_blocks)]
    results = evaluate_in_order(power, arguments, n_jobs=n_jobs, prefer="threads")
    assert list(results) == [i**2 for i in range(n_blocks)]


def test_a_slow_block_does_not_overtake():
    """Order is that of the arguments, not of completion."""
    results = evaluate_in_order(
        slow_first, [(i,) for i in range(5)], n_jobs=2, prefer="threads"
    )
    assert list(results) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_arguments_are_consumed_as_results_are(n_jobs):
    """Memory is bounded: arguments far ahead of the consumer are not made yet."""
    made = []

    def arguments():
        for i in range(1000):
            made.append(i)
            yield (np.float64(i), 1)

    results = evaluate_in_order(power, arguments(), n_jobs=n_jobs, prefer="threads")
    assert next(results) == 0
    assert len(made) <= 8
    results.close()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_of_a_block_reach_the_caller(n_jobs):
    """An error in a worker is the error the user sees."""
    results = evaluate_in_order(
        fail_at_two, [(i,) for i in range(5)], n_jobs=n_jobs, prefer="threads"
    )
    with pytest.raises(ValueError, match="object 2 cannot be compared"):
        list(results)


def test_calls_in_threads_reach_every_argument_and_raise():
    """Each argument is used once, whatever the number of threads; errors come out."""
    for workers in (None, 1, 2):
        seen = []
        call_in_threads(seen.append, list(range(50)), n_jobs=workers)
        assert sorted(seen) == list(range(50))

    def fail(argument):
        if argument == 7:
            msg = "seven"
            raise ValueError(msg)

    with pytest.raises(ValueError, match="seven"):
        call_in_threads(fail, list(range(20)), n_jobs=2)


def test_linear_algebra_is_limited_for_small_matrices_only():
    """Up to 256 columns one thread; the limit ends with the context."""

    def threads():
        pools = threadpool_info()
        return [p["num_threads"] for p in pools if p["user_api"] == "blas"]

    before = threads()
    with one_blas_thread(100):
        assert set(threads()) == {1}
    assert threads() == before
    with one_blas_thread(1000):
        assert threads() == before


def _blas_threads():
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return [pool["num_threads"] for pool in pools]


def test_overlapping_users_leave_linear_algebra_as_they_found_it():
    """Whoever comes last restores the threads, not what it found itself."""
    with threadpool_limits(2, user_api="blas"):
        one, two = one_blas_thread(), one_blas_thread()
        one.__enter__()
        two.__enter__()
        one.__exit__(None, None, None)
        assert set(_blas_threads()) == {1}
        two.__exit__(None, None, None)
        assert set(_blas_threads()) == {2}


def test_fits_in_threads_leave_linear_algebra_as_they_found_it():
    """Also if they all run at once."""

    def fit(seed):
        X = np.random.RandomState(seed).normal(size=(200, 3))
        return NystromDissimilarity(n_landmarks=20, random_state=0).fit(X)

    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(8) as pool:
        list(pool.map(fit, range(40)))
        assert set(_blas_threads()) == {2}
