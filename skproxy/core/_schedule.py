"""Evaluate blocks one after another or in parallel, in order and in bounded memory."""

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

__all__ = ["evaluate_in_order"]

# So many blocks per worker are handed out together. Results of a group wait in memory
# until they are consumed, so the number bounds memory; it is large enough to keep
# workers busy while the consumer reduces a block.
_BLOCKS_PER_WORKER = 4


def evaluate_in_order(function, argument_lists, *, n_jobs=None, prefer=None):
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

    Yields
    ------
    result : object
    """
    n_workers = effective_n_jobs(n_jobs)
    if n_workers == 1:
        for arguments in argument_lists:
            yield function(*arguments)
        return
    group = []
    with Parallel(n_jobs=n_jobs, prefer=prefer) as parallel:
        for arguments in argument_lists:
            group.append(delayed(function)(*arguments))
            if len(group) == n_workers * _BLOCKS_PER_WORKER:
                yield from parallel(group)
                group = []
        if group:
            yield from parallel(group)
