"""STRESS itself, minimised: exact weights, then refined coordinates.

Selection minimises a lower bound of STRESS. What it leaves out is that dropped axes
make the self-similarities of objects err unequally, and that part is the largest one on
strongly non-Euclidean data. Two steps mend it, neither of which can raise STRESS: the
weights that minimise it exactly for given eigenvectors, a k x k linear system, and
L-BFGS steps on all coordinates with the signs of the axes kept.

Neither needs a matrix of embedded dissimilarities. With ``M = B - Z A Z'``, whose rows
sum to zero, and its diagonal m,

    STRESS = 4 |M|^2 + 4 (sum m)^2 + 2 n sum (m - mean m)^2

where the first two terms are the lower bound; |M|^2 and its gradient come from B Z.

======  =====================================================  ======
symbol  meaning                                                shape
======  =====================================================  ======
B       -1/2 J D J, in scaled units                            (n, n)
b       its diagonal                                           (n,)
U, l    eigenvectors kept and their eigenvalues                (n, k)
w       weights                                                (k,)
Z, A    coordinates ``U |w|^(1/2)`` and their signs            (n, k)
======  =====================================================  ======

References
----------
C. Deng et al. (2024), Neuc-MDS, Theorems 2 and 6. arXiv:2411.10889.
D. C. Liu, J. Nocedal (1989). On the limited memory BFGS method for large scale
optimization. Mathematical Programming 45, 503-528. doi:10.1007/BF01589116
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg, optimize

from ..factor import negligible

__all__ = [
    "AxisStress",
    "Descent",
    "FreeStress",
    "Refinement",
    "exact_weights",
    "minimize",
    "principal_axes",
    "refine_coordinates",
]

# L-BFGS-B compares decreases with max(|f|, 1): values are scaled far above 1.
_START_VALUE = 1e6
_MEMORY = 10


@dataclass(frozen=True, eq=False)
class AxisStress:
    """STRESS of weighted eigenvectors, from numbers that a fit knows anyway.

    Attributes
    ----------
    squared_norm : float
        |B|^2.
    self_similarities : ndarray of shape (n,)
        b.
    """

    squared_norm: float
    self_similarities: np.ndarray

    @property
    def total(self):
        """STRESS of the empty embedding: the sum of the squares of all entries of D."""
        b = self.self_similarities
        return 4.0 * self.squared_norm + 2.0 * (len(b) * (b @ b) + b.sum() ** 2)

    def parts(self, eigenvalues, squared_vectors, weights):
        """Return STRESS and its lower bound.

        Parameters
        ----------
        eigenvalues, weights : ndarray of shape (k,)
        squared_vectors : ndarray of shape (n, k)
            Squares of the entries of the eigenvectors.

        Returns
        -------
        stress, lower_bound : float
            Theorem 6 of Deng et al.; cost O(n k).
        """
        dropped = max(self.squared_norm - float(eigenvalues @ eigenvalues), 0.0)
        residual = dropped + float(np.square(eigenvalues - weights).sum())
        m = self.self_similarities - squared_vectors @ weights
        bound = 4.0 * residual + 4.0 * m.sum() ** 2
        return bound + self._unequal(m), bound

    def bound_of(self, stress, embedded):
        """Return the lower bound, given STRESS and embedded self-similarities."""
        return max(stress - self._unequal(self.self_similarities - embedded), 0.0)

    def _unequal(self, m):
        """Return what is left of STRESS above its bound."""
        return 2.0 * len(m) * float(np.square(m - m.mean()).sum())


def exact_weights(eigenvalues, squared_vectors, self_similarities):
    """Return the weights that minimise STRESS for given eigenvectors.

    Parameters
    ----------
    eigenvalues : ndarray of shape (k,)
    squared_vectors : ndarray of shape (n, k)
        H, squares of the entries of the eigenvectors.
    self_similarities : ndarray of shape (n,)

    Returns
    -------
    weights : ndarray of shape (k,)
        Solution of ``(4 I + 2 11' + 2n H'H) w = 4 l + 2 sum(b) 1 + 2n H'b``, which is
        always definite: the minimum of Theorem 6 with its third part. The more
        eigenvectors, the lower STRESS. Cost O(n k^2).
    """
    n, k = squared_vectors.shape
    system = 2.0 * n * (squared_vectors.T @ squared_vectors) + 2.0
    system[np.diag_indices(k)] += 4.0
    right = 4.0 * eigenvalues + 2.0 * n * (squared_vectors.T @ self_similarities)
    right += 2.0 * self_similarities.sum()
    return linalg.solve(system, right, assume_a="pos")


def principal_axes(coordinates, signs):
    """Return orthonormal vectors and weights with the same signed similarity.

    Parameters
    ----------
    coordinates : ndarray of shape (n, k)
        Z.
    signs : ndarray of shape (k,)
        Diagonal of A.

    Returns
    -------
    vectors : ndarray of shape (n, r)
        Eigenvectors of Z A Z', orthonormal.
    weights : ndarray of shape (r,)
        Its non-zero eigenvalues, largest modulus first; by Sylvester's law as many
        positive and negative ones as there are signs. Cost O(n k^2).
    """
    basis, triangle = linalg.qr(coordinates, mode="economic", check_finite=False)
    small = (triangle * signs) @ triangle.T
    weights, turn = linalg.eigh((small + small.T) / 2, check_finite=False)
    order = np.argsort(-np.abs(weights), kind="stable")
    order = order[~negligible(weights[order], len(coordinates))]
    return basis @ turn[:, order], weights[order]


@dataclass(frozen=True)
class Refinement:
    """How long coordinates are refined.

    Attributes
    ----------
    max_iter : int
    tol : float
        The end is where a step lowers the value by less than this share.
    report : callable, default=None
        Called after each step; may raise StopIteration.
    """

    max_iter: int
    tol: float
    report: Any = None


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a minimisation ended.

    Attributes
    ----------
    point : ndarray
        In the shape of the start.
    value : float
        Never above that of the start.
    n_iter : int
    converged : bool
        Whether it ended before the steps did.
    """

    point: np.ndarray
    value: float
    n_iter: int
    converged: bool


def minimize(value_and_gradient, start, refinement):
    """Take L-BFGS steps from a start.

    The curvature of STRESS along a column is that of its squared length, so steps are
    taken in coordinates times the column's length: without that, small axes would
    hardly move.

    Parameters
    ----------
    value_and_gradient : callable
        Of an array of the shape of `start`; returns a float and such an array.
    start : ndarray of shape (a, k)
        None of its columns zero.
    refinement : Refinement
        Whose report is called with the point.

    Returns
    -------
    descent : Descent
    """
    sizes = np.sqrt(np.square(start).sum(axis=0))
    column_sizes = sizes / sizes.max()
    value, _ = value_and_gradient(start)
    unit = value / _START_VALUE
    seen = {"steps": 0, "point": start, "value": value}

    def scaled(flat):
        point = flat.reshape(start.shape) / column_sizes
        value, gradient = value_and_gradient(point)
        if value < seen["value"]:
            seen["value"], seen["point"] = value, point
        return value / unit, (gradient / (column_sizes * unit)).ravel()

    def after_step(flat):
        seen["steps"] += 1
        if refinement.report is not None:
            refinement.report(flat.reshape(start.shape) / column_sizes)

    found = optimize.minimize(
        scaled,
        (start * column_sizes).ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        options={
            "maxiter": refinement.max_iter,
            "maxfun": 20 * refinement.max_iter,
            "maxcor": _MEMORY,
            "ftol": refinement.tol,
            "gtol": 0.0,
        },
    )
    return Descent(
        point=seen["point"],
        value=seen["value"],
        n_iter=seen["steps"],
        # 1 is the end of the steps; a line search without success ends at a minimum
        # up to rounding.
        converged=found.status != 1,
    )


@dataclass(frozen=True, eq=False)
class FreeStress:
    """STRESS as a function of all coordinates, for given signs of the axes.

    Attributes
    ----------
    similarity : FullSimilarity
        B.
    known : AxisStress
        |B|^2 and b.
    signs : ndarray of shape (k,)
    """

    similarity: Any
    known: AxisStress
    signs: np.ndarray

    def value_and_gradient(self, Z):
        """Return STRESS of the centred coordinates and its gradient.

        Parameters
        ----------
        Z : ndarray of shape (n, k)

        Returns
        -------
        value : float
        gradient : ndarray of shape (n, k)
            Cost O(n^2 k): one product with B.
        """
        known, signs, n = self.known, self.signs, len(Z)
        # On the space of centred coordinates, where alone the formula is STRESS.
        Z = Z - Z.mean(axis=0)
        product = self.similarity.times(Z)
        gram = signs[:, None] * (Z.T @ Z)
        m = known.self_similarities - np.square(Z) @ signs
        total = m.sum()
        residual = known.squared_norm - 2.0 * (signs @ (Z * product).sum(axis=0))
        residual += (gram * gram.T).sum()
        value = 4.0 * residual + 2.0 * n * (m @ m) + 2.0 * total * total
        gradient = -16.0 * (product - Z @ gram)
        gradient -= (8.0 * (n * m + total))[:, None] * Z
        gradient *= signs
        gradient -= gradient.mean(axis=0)
        return value, gradient


def refine_coordinates(similarity, known, start, signs, refinement):
    """Lower the STRESS of coordinates, all of them free, the signs of the axes kept.

    Parameters
    ----------
    similarity : FullSimilarity
        B.
    known : AxisStress
        |B|^2 and b.
    start : ndarray of shape (n, k)
        Coordinates whose columns sum to zero.
    signs : ndarray of shape (k,)
    refinement : Refinement
        Whose report is called with the number of the step and its STRESS, in scaled
        units.

    Returns
    -------
    descent : Descent
        Of coordinates whose columns sum to zero. Cost O(n^2 k) a step; memory O(n k).
    """
    free = FreeStress(similarity, known, signs)
    last = {"step": 0, "value": np.inf}

    def value_and_gradient(Z):
        last["value"], gradient = free.value_and_gradient(Z)
        return last["value"], gradient

    def after_step(_):
        last["step"] += 1
        refinement.report(last["step"], last["value"])

    report = None if refinement.report is None else after_step
    return minimize(value_and_gradient, start, replace(refinement, report=report))
