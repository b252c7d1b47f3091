"""Evaluate blocks one after another or in parallel, in order and in bounded memory."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import ThreadpoolController

__all__ = ["call_in_threads", "evaluate_in_order", "one_blas_thread"]


def _nobody(n_results):
    """Hear of results, and do nothing."""


# So many blocks per worker are handed out together. Results of a group wait in memory
# until they are consumed, so the number bounds memory; it is large enough to keep
# workers busy while the consumer reduces a block.
_BLOCKS_PER_WORKER = 4

# Up to so many columns one thread of linear algebra is as fast as two on an idle
# machine (100 columns: faster; 500: up to 40 % slower).
_SMALL = 256


def evaluate_in_order(
    function, argument_lists, *, n_jobs=None, prefer=None, evaluated=_nobody
):
    """Yield ``function(*arguments)`` for each tuple of arguments, in their order.

    The blocks are the same whatever `n_jobs` is, and so are the results.

    Parameters
    ----------
    function : callable
        Picklable where processes are used.
    argument_lists : iterable of tuple
        Consumed lazily.
    n_jobs : int or None
        As everywhere in scikit-learn.
    prefer : {"threads", "processes"} or None
        Hint to joblib.
    evaluated : callable, optional
        Called in this thread with the number of results that are there, before they are
        yielded: one, or as many as workers evaluate together.

    Yields
    ------
    result : object
    """
    n_workers = effective_n_jobs(n_jobs)
    if n_workers == 1:
        for arguments in argument_lists:
            result = function(*arguments)
            evaluated(1)
            yield result
        return
    group = []
    with Parallel(n_jobs=n_jobs, prefer=prefer) as parallel:
        for arguments in argument_lists:
            group.append(delayed(function)(*arguments))
            if len(group) == n_workers * _BLOCKS_PER_WORKER:
                results = parallel(group)
                evaluated(len(group))
                yield from results
                group = []
        if group:
            results = parallel(group)
            evaluated(len(group))
            yield from results


@cache
def _controller():
    """Return what controls the threads of linear algebra; finding it costs 1 ms."""
    return ThreadpoolController()


class _SingleThread:
    """Linear algebra on one thread as long as anyone in the process asks for it.

    The number of threads belongs to the whole process. If each fit restored what it had
    found, two that overlap in threads would leave the process on one thread for ever.
    """

    def __init__(self):
        self.lock, self.users, self.limit = Lock(), 0, None

    def __enter__(self):
        with self.lock:
            self.users += 1
            if self.users == 1:
                self.limit = _controller().limit(limits=1, user_api="blas")

    def __exit__(self, *exception):
        with self.lock:
            self.users -= 1
            if self.users == 0:
                self.limit.restore_original_limits()


_single_thread = _SingleThread()


@contextmanager
def one_blas_thread(size=0):
    """Return a context in which linear algebra uses one thread.

    Matrices of a few hundred columns gain nothing from more, and on a busy machine the
    threads spend their time waiting for each other: fifty times the work, measured.

    Parameters
    ----------
    size : int, default=0
        Number of columns; beyond 256 nothing is limited.
    """
    if size > _SMALL:
        yield
        return
    with _single_thread:
        yield


def count_blas_threads():
    """Return how many threads linear algebra may use."""
    pools = [pool for pool in _controller().info() if pool["user_api"] == "blas"]
    return max((pool["num_threads"] for pool in pools), default=1)


def call_in_threads(function, arguments, *, n_jobs=None, evaluated=_nobody):
    """Call a function for each argument, for its effect, in threads of one block each.

    Whole blocks in parallel use a machine better than the linear algebra of small
    blocks does, so the threads that it would use are given blocks instead, as in
    scikit-learn's own pairwise reductions.

    Parameters
    ----------
    function : callable
        Must bear to run in several threads at once.
    arguments : list
    n_jobs : int, default=None
        Number of threads; None takes as many as the linear algebra may use.
    evaluated : callable, optional
        Called in this thread with 1 for each argument, in order.
    """
    n_threads = count_blas_threads() if n_jobs is None else effective_n_jobs(n_jobs)
    with one_blas_thread():
        if n_threads == 1 or len(arguments) == 1:
            for argument in arguments:
                function(argument)
                evaluated(1)
            return
        with ThreadPoolExecutor(n_threads) as pool:
            for _ in pool.map(function, arguments):
                evaluated(1)
