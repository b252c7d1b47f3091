"""The leading axes of a kernel, signed: of vectors, of a matrix, of a signed factor.

All that an embedding of rank r needs from a kernel K: its r eigenvalues of largest
modulus, and linear functions of an object's *reading* (its features, or comparisons
with reference objects) whose values Y give the best kernel of rank r, ``Y J Y'``.

======  ======================================================================  ======
symbol  meaning                                                                 shape
======  ======================================================================  ======
F       readings: features X; rows of K; comparisons with landmarks             (n, w)
a, V    eigenvalues of K, largest modulus first, and unit eigenvectors          (r,)
J       signs of a                                                              (r,)
G       directions: right singular vectors of X, or ``V |a|^(1/2) / a``         (w, r)
Y       coordinates ``F G = V |a|^(1/2)``                                       (n, r)
======  ======================================================================  ======

Coordinates are always formed as ``F G``, also of the objects fitted: a randomised
subspace that has not converged would give them other coordinates than the same objects
get when they come again.

References
----------
N. Halko, P. G. Martinsson, J. A. Tropp (2011). Finding structure with randomness.
SIAM Review 53(2), 217-288: algorithms 4.4, 5.1 and 5.3. doi:10.1137/090771806
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.extmath import (
    randomized_range_finder,
    randomized_svd,
    safe_sparse_dot,
)

from ..factor import negligible

__all__ = ["LeadingAxes", "in_full"]

N_OVERSAMPLES = 10
N_POWER_ITERATIONS = 2
_SMALL = 500


def in_full(solver, shape, n_axes, *, thin_is_cheap):
    """Tell whether to decompose in full.

    ``"auto"`` does so where that takes milliseconds, or, for a dense rectangular
    matrix, where its short side is so short that a sketch saves nothing.
    """
    if solver != "auto":
        return solver == "full"
    sketch = n_axes + N_OVERSAMPLES
    return max(shape) <= _SMALL or (thin_is_cheap and min(shape) <= 5 * sketch)


@dataclass(frozen=True, eq=False)
class LeadingAxes:
    """The r leading axes of a kernel.

    Attributes
    ----------
    eigenvalues : ndarray of shape (r,)
        a, in the units of the kernel; none is rounding.
    directions : ndarray of shape (w, r)
        G.
    coordinates : ndarray of shape (n, r)
        Y of the candidates for exemplars.
    """

    eigenvalues: np.ndarray
    directions: np.ndarray
    coordinates: np.ndarray

    @property
    def signs(self):
        """J, shape (r,)."""
        return np.sign(self.eigenvalues)

    @classmethod
    def of_vectors(cls, X, n_axes, solver, rng):
        """Return the leading axes of X X', which is never formed.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n, d)
            In float64.
        n_axes : int
        solver : {"auto", "full", "randomized"}
        rng : RandomState
        """
        n_axes = min(n_axes, *X.shape)
        dense = not sparse.issparse(X)
        if in_full(solver, X.shape, n_axes, thin_is_cheap=dense):
            matrix = X if dense else X.toarray()
            _, s, directions = linalg.svd(
                matrix, full_matrices=False, check_finite=False
            )
        else:
            _, s, directions = randomized_svd(
                X,
                n_axes,
                n_oversamples=N_OVERSAMPLES,
                n_iter=N_POWER_ITERATIONS,
                power_iteration_normalizer="QR",
                flip_sign=False,
                random_state=rng,
            )
        kept = np.flatnonzero(~negligible(s, max(X.shape)))[:n_axes]
        directions = directions[kept].T
        coordinates = safe_sparse_dot(X, directions, dense_output=True)
        return cls(np.square(s[kept]), directions, coordinates)

    @classmethod
    def of_square(cls, square, n_axes, solver, rng, eps):
        """Return the leading axes of a kernel matrix, definite or not.

        Parameters
        ----------
        square : ndarray of shape (n, n)
            In float64.
        n_axes : int
        solver : {"auto", "full", "randomized"}
        rng : RandomState
        eps : float
            Relative rounding of its entries.
        """
        n = len(square)
        if in_full(solver, square.shape, n_axes, thin_is_cheap=False):
            a, vectors = linalg.eigh(square, check_finite=False)
        else:
            # Singular vectors mix the axes of +a and -a; Ritz vectors do not.
            basis = randomized_range_finder(
                square,
                size=min(n_axes + N_OVERSAMPLES, n),
                n_iter=N_POWER_ITERATIONS,
                power_iteration_normalizer="QR",
                random_state=rng,
            )
            core = basis.T @ square @ basis
            a, vectors = linalg.eigh((core + core.T) / 2, check_finite=False)
            vectors = basis @ vectors
        order = np.argsort(-np.abs(a), kind="stable")
        order = order[~negligible(a[order], n, eps)][:n_axes]
        a, vectors = a[order], vectors[:, order]
        directions = vectors * (np.sqrt(np.abs(a)) / a)
        return cls(a, directions, square @ directions)

    @classmethod
    def of_factor(cls, factor, n_axes):
        """Return the leading axes of a signed factor; landmarks are the candidates.

        Parameters
        ----------
        factor : SignedFactor
        n_axes : int

        Returns
        -------
        axes : LeadingAxes
            Directions are those of comparisons with the landmarks.
        to_axes : ndarray of shape (r', r)
            Coordinates of whitened rows A are ``A @ to_axes``.
        """
        read = factor.axes(n_axes, None)
        rank = int(np.count_nonzero(read.signs))
        to_axes = read.directions[:, :rank]
        axes = cls(
            read.eigenvalues[:rank],
            read.weights[:, :rank] / factor.landmark_map.scale.squared,
            factor.landmark_map.landmark_features @ to_axes,
        )
        return axes, to_axes
