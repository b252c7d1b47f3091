"""Both ends of the spectrum of a large symmetric matrix.

Neuc-MDS keeps k eigenpairs of either sign, so it needs no more than the k largest and
the k smallest ones; what the others add up to is known from the trace. One Lanczos run
finds both ends, since a Krylov space approximates them alike.
"""

from contextlib import nullcontext

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from ..comparisons import one_blas_thread
from ..comparisons._objects import block_rows, consecutive_blocks
from ..factor import negligible

__all__ = ["extreme_eigenpairs"]

# Below, a direct decomposition takes a fraction of a second and is as quick.
_SMALLEST_LANCZOS = 1000
# Lanczos costs O(n^2) a step and O(n k) a reorthogonalisation; from k = n / 20 on a
# direct decomposition was found to be quicker.
_OBJECTS_PER_PAIR = 20
# A wide basis spares products with the matrix where many eigenvalues are alike.
_SMALLEST_BASIS = 80
_MAX_RESTARTS = 300


def extreme_eigenpairs(matrix, n_each):
    """Return the eigenpairs at both ends of the spectrum.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Symmetric, C-contiguous, float32 or float64. Written to, and restored.
    n_each : int
        How many pairs are wanted from each end.

    Returns
    -------
    eigenvalues : ndarray of shape (r,)
        Decreasing, without those that are rounding; at most ``2 * n_each``.
    vectors : ndarray of shape (n, r)
        In the dtype of the matrix.
    moduli : float
        Sum of the moduli of all n eigenvalues; NaN after Lanczos, which does not see
        the middle of the spectrum.

    Notes
    -----
    Cost O(n^2) times the 150 to 800 steps that Lanczos usually takes, or O(n^3). Memory
    O(n k) beside the matrix, or one more n x n array.
    """
    size = len(matrix)
    pairs = None
    if size > _SMALLEST_LANCZOS and _OBJECTS_PER_PAIR * n_each <= size:
        pairs = _lanczos(matrix, n_each)
    if pairs is None:
        # Two threads on so small a matrix wait longer than they work.
        with one_blas_thread() if size <= _SMALLEST_LANCZOS else nullcontext():
            pairs = _tridiagonal(matrix, n_each)
    eigenvalues, vectors, moduli = pairs
    eps = float(np.finfo(matrix.dtype).eps)
    order = np.argsort(-eigenvalues, kind="stable")
    order = order[~negligible(eigenvalues[order], size, eps)]
    if len(order) > 2 * n_each:
        order = np.concatenate([order[:n_each], order[-n_each:]])
    return eigenvalues[order].astype(np.float64), vectors[:, order], moduli


def _lanczos(matrix, n_each):
    """Return both ends, or None where Lanczos did not converge."""
    size, dtype = len(matrix), matrix.dtype
    (multiply,) = linalg.get_blas_funcs(("symv",), (matrix,))
    # symv reads half the matrix, and memory is what the product costs. The transposed
    # view is the same matrix in the order that BLAS reads without a copy.
    columns = matrix.T
    operator = LinearOperator(
        matrix.shape,
        matvec=lambda vector: multiply(1.0, columns, vector.ravel(), lower=0),
        dtype=dtype,
    )
    # Not from the estimator's generator: the answer does not depend on the start.
    start = np.random.RandomState(0).uniform(-1.0, 1.0, size=size).astype(dtype)
    try:
        eigenvalues, vectors = eigsh(
            operator,
            k=2 * n_each,
            which="BE",
            v0=start - start.mean(),
            ncv=max(_SMALLEST_BASIS, 4 * n_each + 1),
            maxiter=_MAX_RESTARTS,
            tol=size * float(np.finfo(dtype).eps),
        )
    except ArpackError:
        return None
    return eigenvalues, vectors, np.nan


def _tridiagonal(matrix, n_each):
    """Return both ends by way of a tridiagonal matrix; `matrix` is the work space.

    The drivers of `scipy.linalg.eigh` offer all eigenvectors or those of one end. Its
    three steps, taken one by one, offer both ends for half the time and memory.
    """
    size = len(matrix)
    if size == 1:
        return matrix[0], np.ones((1, 1), dtype=matrix.dtype), abs(float(matrix[0, 0]))
    reduce_, reduce_work, turn_back = linalg.get_lapack_funcs(
        ("sytrd", "sytrd_lwork", "ormqr"), (matrix,)
    )
    own = matrix.diagonal().copy()
    work = int(reduce_work(size, lower=1)[0])
    packed, diagonal, beside, scales, _ = reduce_(
        matrix.T, lower=1, lwork=work, overwrite_a=1
    )
    reflectors = np.asfortranarray(packed[1:, :-1])
    # Destroyed are the diagonal and, of the transposed view, what lies below it.
    for rows in consecutive_blocks(size, block_rows(size)):
        corner = np.tril(matrix[rows, rows], -1)
        matrix[rows, rows] = corner + corner.T
        matrix[rows, rows.stop :] = matrix[rows.stop :, rows].T
    np.fill_diagonal(matrix, own)

    ranges = [(0, n_each - 1), (size - n_each, size - 1)]
    if 2 * n_each >= size:
        ranges = [(0, size - 1)]
    ends = [_part_of_spectrum(diagonal, beside, end) for end in ranges]
    eigenvalues = np.concatenate([end[0] for end in ends])
    vectors = np.concatenate([end[1] for end in ends], axis=1)
    lower = np.asfortranarray(vectors[1:])
    work = int(turn_back("L", "N", reflectors, scales, lower, -1)[1][0])
    vectors[1:] = turn_back(
        "L", "N", reflectors, scales, lower, work, overwrite_c=True
    )[0]
    every = linalg.eigvalsh_tridiagonal(diagonal, beside, check_finite=False)
    every[negligible(every, size, float(np.finfo(matrix.dtype).eps))] = 0.0
    return eigenvalues, vectors, float(np.abs(every).sum())


def _part_of_spectrum(diagonal, beside, ends):
    """Return some eigenpairs of a tridiagonal matrix.

    Bisection needs no memory but theirs, and fails where many eigenvalues are equal.
    """
    part = {"select": "i", "select_range": ends, "check_finite": False}
    try:
        return linalg.eigh_tridiagonal(diagonal, beside, **part)
    except linalg.LinAlgError:
        return linalg.eigh_tridiagonal(diagonal, beside, **part, lapack_driver="stemr")
