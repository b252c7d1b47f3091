"""Which eigenpairs to keep, and with which weights: four methods as pure functions.

All of them minimise a lower bound of STRESS, the two parts that need eigenvalues only:

    4 sum (l - w)^2 + 4 (sum (l - w))^2     (w = 0 for what is dropped)

The sum over everything that is dropped is the trace less what is kept, so that the
middle of the spectrum need not be known.

======  =====================================================  =====
symbol  meaning                                                shape
======  =====================================================  =====
l       eigenvalues of -1/2 J D J that are known               (r,)
w       weights of the pairs kept                              (k,)
H       sum of the eigenvalues not (yet) kept                  ()
======  =====================================================  =====

References
----------
C. Deng, J. Gao, K. Lu, F. Luo, H. Sun, C. Xin (2024). Neuc-MDS: Non-Euclidean
Multidimensional Scaling Through Bilinear Forms. NeurIPS 37. arXiv:2411.10889.
R. Sonthalia, G. Van Buskirk, B. Raichel, A. Gilbert (2021). How can classical
multidimensional scaling go wrong? NeurIPS 34. arXiv:2110.11430.
"""

import numpy as np

__all__ = ["SELECTION_METHODS", "select_eigenpairs", "weigh_eigenpairs"]

#: Methods that keep eigenvectors as they are.
SELECTION_METHODS = ("cmds", "lower", "neuc", "neuc+")


def select_eigenpairs(eigenvalues, n_components, trace, method):
    """Choose eigenpairs.

    Parameters
    ----------
    eigenvalues : ndarray of shape (r,)
        In any order, none of them zero: all, or `n_components` from each end.
    n_components : int
        How many pairs are wanted; fewer are returned where no more are of use.
    trace : float
        Sum of all eigenvalues, known or not.
    method : {"cmds", "lower", "neuc", "neuc+"}
        ``"cmds"`` and ``"lower"`` take the largest positive ones. ``"neuc"`` is
        EV-selection (Deng et al., Theorem 3): time and again the largest positive
        eigenvalue if the rest sums to more than zero, the most negative one if to
        less. ``"neuc+"`` takes whichever leaves the smaller bound once all kept
        eigenvalues have been shifted (Proposition 8).

    Returns
    -------
    kept : ndarray of int of shape (at most n_components,)
        Positions, in the order of choice; those for fewer components come first.
    """
    order = np.argsort(-eigenvalues, kind="stable")
    if method in ("cmds", "lower"):
        return order[: min(n_components, np.count_nonzero(eigenvalues > 0))]
    takes_positive = _shifted_bound_prefers if method == "neuc+" else _sum_prefers
    kept, rest = [], trace
    first, last = 0, len(eigenvalues) - 1
    while len(kept) < n_components and first <= last:
        largest, smallest = eigenvalues[order[[first, last]]]
        if largest > 0 > smallest:
            positive = takes_positive(largest, smallest, rest, len(kept) + 1)
        else:
            positive = largest > 0
        chosen = order[first] if positive else order[last]
        first, last = (first + 1, last) if positive else (first, last - 1)
        kept.append(chosen)
        rest -= eigenvalues[chosen]
    return np.array(kept, dtype=np.intp)


def _sum_prefers(largest, smallest, rest, n_kept):  # noqa: ARG001
    return rest > 0 or (rest == 0 and largest >= -smallest)


def _shifted_bound_prefers(largest, smallest, rest, n_kept):
    # The bound after the choice, less the squares of all that is not kept yet. The
    # paper divides by the number kept so far and one, its code by the final number.
    with_largest = (rest - largest) ** 2 / (n_kept + 1) - largest**2
    with_smallest = (rest - smallest) ** 2 / (n_kept + 1) - smallest**2
    return with_largest <= with_smallest


def weigh_eigenpairs(kept, trace, method):
    """Return the weights that minimise the bound for given pairs.

    Parameters
    ----------
    kept : ndarray of shape (k,)
        Eigenvalues of the pairs kept; decreasing for ``"lower"``.
    trace : float
        Sum of all eigenvalues, kept or not.
    method : {"cmds", "lower", "neuc", "neuc+"}
        ``"cmds"`` and ``"neuc"`` keep the eigenvalues; ``"neuc+"`` adds the dropped
        sum over k + 1 to each of them (Deng et al., Theorem 6); ``"lower"`` minimises
        under the condition that no weight is negative (Sonthalia et al.).

    Returns
    -------
    weights : ndarray of shape (k,)
        A weight may differ in sign from its eigenvalue.
    """
    if method in ("cmds", "neuc"):
        return kept.copy()
    if method == "neuc+":
        return kept + (trace - kept.sum()) / (len(kept) + 1)
    # w = max(l + s, 0) with s = trace - sum(w): for each number of positive weights
    # there is one s, and exactly one of them agrees with itself.
    counts = np.arange(len(kept) + 1)
    shifts = (trace - np.concatenate([[0.0], np.cumsum(kept)])) / (counts + 1)
    last_positive = np.concatenate([[np.inf], kept]) + shifts > 0
    return np.maximum(kept + shifts[np.flatnonzero(last_positive)[-1]], 0.0)
