"""How far a proximity is from the axioms of a metric."""

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from skproxy.metrics._square_matrix import ROUNDING, as_numbers, read_square_matrix


def asymmetry(matrix: ArrayLike) -> float:
    r"""Return the share of a square matrix that is not symmetric.

    .. math:: \|A - A'\|_F \, / \, \|A + A'\|_F

    Zero for a symmetric (or zero) matrix, one when every comparison is known in one
    direction only, infinite for a skew-symmetric matrix.

    Parameters
    ----------
    matrix : array-like of shape (n_samples, n_samples)
        Similarities or dissimilarities, in any unit.

    Returns
    -------
    float
        Ratio of Frobenius norms, dimensionless, not negative.

    See Also
    --------
    triangle_violations : The other axiom that measured dissimilarities break.

    Notes
    -----
    O(n_samples**2) time; works on blocks of rows and columns, a few megabytes.

    References
    ----------
    .. [1] E. Pekalska and R. P. W. Duin (2005). "The Dissimilarity Representation for
       Pattern Recognition". World Scientific. doi:10.1142/5965. The split of a matrix
       into its symmetric and skew-symmetric parts, whose norms are compared here.

    Examples
    --------
    >>> from skproxy.metrics import asymmetry
    >>> minutes = [[0, 4, 9, 7], [6, 0, 5, 8], [9, 5, 0, 2], [3, 8, 2, 0]]
    >>> round(asymmetry(minutes), 9)
    0.149403576
    """
    square = read_square_matrix(matrix, name="matrix of asymmetry")
    skew = symmetric = 0.0
    for block in square.blocks():
        rows, columns = square.rows(block), square.columns(block)
        symmetric += _sum_of_squares(rows + columns)
        skew += _sum_of_squares(rows - columns)
    if not skew:
        return 0.0
    return float(np.sqrt(skew / symmetric)) if symmetric else float("inf")


def triangle_violations(
    D: ArrayLike,
    *,
    max_objects: int | None = 250,
    random_state: int | np.random.RandomState | None = None,
) -> float:
    r"""Return the share of triples of objects that break the triangle inequality.

    Counted are the ordered triples of three different objects with

    .. math:: d_{ij} > d_{ik} + d_{kj}

    by more than rounding. A metric has none, whether it is Euclidean or not.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_samples)
        Dissimilarities, in the units of the metric: *not* powered, since squared
        dissimilarities break the inequality even when they come from a metric. The
        diagonal is not used. Need not be symmetric: both directions are counted.
    max_objects : int or None, default=250
        Triples are taken from a random subset of at most this many objects, without
        replacement, which bounds the cost. None takes all objects: for exact counts.
    random_state : int, RandomState instance or None, default=None
        Determines the subset; not used when all objects are taken.

    Returns
    -------
    float
        Violated triples over all triples, between 0 and 1, dimensionless. Zero when
        there are fewer than three objects.

    See Also
    --------
    asymmetry : How far the two directions of a comparison differ.
    negative_fraction : How far a dissimilarity is from Euclidean.

    Notes
    -----
    O(max_objects**3) time: 15 million triples, a few hundredths of a second, by
    default; O(max_objects**2) memory. Only the subset is read and checked. A gap below
    1e-8 of d_ij (or 16 units in the last place of the input's type, if more) is
    rounding.

    References
    ----------
    .. [1] E. Pekalska and R. P. W. Duin (2005). "The Dissimilarity Representation for
       Pattern Recognition". World Scientific. doi:10.1142/5965. The inequality is one
       of the axioms of a metric given there.

    Examples
    --------
    >>> from skproxy.metrics import triangle_violations
    >>> triangle_violations([[0, 1, 3], [1, 0, 1], [3, 1, 0]])  # 3 > 1 + 1
    0.3333333333333333
    """
    name = "D of triangle_violations"
    D = as_numbers(D, name=name)
    indices = _subset(len(D) if D.ndim else 0, max_objects, random_state)
    square = read_square_matrix(D, name=name, indices=indices)
    n = len(indices)
    if n < 3:
        return 0.0
    direct = square.submatrix(indices)
    detour = direct.copy()
    # i = j never violates, and no detour leads through i or j themselves
    np.fill_diagonal(direct, -np.inf)
    np.fill_diagonal(detour, np.inf)
    direct -= _tolerance(square.values.dtype) * np.abs(direct)
    violated = sum(
        int(np.count_nonzero(direct > detour[:, k, None] + detour[k])) for k in range(n)
    )
    return violated / (n * (n - 1) * (n - 2))


def _subset(n_samples, max_objects, random_state):
    """Return sorted indices of at most `max_objects` objects."""
    if max_objects is None:
        return np.arange(n_samples)
    if not isinstance(max_objects, Integral) or max_objects < 3:
        msg = (
            "max_objects of triangle_violations must be None or an integer of at least "
            f"3; got {max_objects!r}. A triple needs three objects."
        )
        raise ValueError(msg)
    if n_samples <= max_objects:
        return np.arange(n_samples)
    rng = check_random_state(random_state)
    return np.sort(rng.choice(n_samples, size=max_objects, replace=False))


def _tolerance(dtype):
    """Return the relative gap that the input's own type can be blamed for."""
    eps = np.finfo(dtype).eps if dtype.kind == "f" else 0.0
    return max(ROUNDING, 16.0 * float(eps))


def _sum_of_squares(array):
    return float(np.vdot(array, array))
