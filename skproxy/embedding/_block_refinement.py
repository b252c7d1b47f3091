"""The refinement of STRESS where only comparisons with landmarks are known.

The coordinates of N objects fitted freely to m comparisons each would follow their
noise. So they remain linear in the comparisons - ``Z = E W`` with the eigenvectors E of
the signed factor - and what is fitted to the N x m block are the r k entries of W. New
objects are then placed by the same linear map, and objects fitted come out where they
were. Fitting ends when the error on pairs outside the block no longer falls.

======  =====================================================  ======
symbol  meaning                                                shape
======  =====================================================  ======
C       powered, scaled comparisons with the landmarks         (N, m)
E, L    eigenvectors of ``S^``: objects and landmarks          (N, r), (m, r)
W, A    axes in E, and their signs                             (r, k)
======  =====================================================  ======
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from ..comparisons._objects import consecutive_blocks
from ._stress_refinement import Descent, minimize

__all__ = ["KeptComparisons", "LandmarkBlock", "refine_axes"]

_ROWS_PER_BLOCK = 2048
# So many steps without a lower error on the held-out pairs end the fit.
_PATIENCE = 10


class KeptComparisons:
    """A table that keeps the comparisons with the landmarks as they pass.

    Parameters
    ----------
    table : comparisons of N objects
    landmarks : Landmarks
    square : ndarray of shape (m, m)
        Comparisons among the landmarks.
    """

    def __init__(self, table, landmarks, square):
        self._table, self._landmarks = table, landmarks
        self.rows = np.empty((table.n_objects, landmarks.count), dtype=square.dtype)
        if landmarks.indices is not None:
            self.rows[landmarks.indices] = square

    def __getattr__(self, name):
        return getattr(self._table, name)

    def blocks(self, rows, others, columns=None):
        """Yield what the table yields, and keep it."""
        for run, block in self._table.blocks(rows, others, columns):
            if others is self._landmarks.objects:
                self.rows[run] = block
            yield run, block


@dataclass(frozen=True, eq=False)
class LandmarkBlock:
    """The N x m comparisons that are fitted.

    Attributes
    ----------
    powered : ndarray of shape (N, m)
        C.
    vectors : ndarray of shape (N, r)
        E.
    landmark_vectors : ndarray of shape (m, r)
        L.
    """

    powered: np.ndarray
    vectors: np.ndarray
    landmark_vectors: np.ndarray

    def exact_weights(self, kept):
        """Return the weights of some eigenvectors that fit the block best.

        Parameters
        ----------
        kept : ndarray of int of shape (k,)

        Returns
        -------
        weights : ndarray of shape (k,)
            The least-squares solution of ``sum_l w_l (E_il - L_jl)^2 = C_ij``, from
            moments of E and L; cost O(N m k).
        """
        E, L = self.vectors[:, kept], self.landmark_vectors[:, kept]
        P, Q = np.square(E), np.square(L)
        n, m = self.powered.shape
        cross = 2.0 * (P.T @ E * L.sum(axis=0) + Q.T @ L * E.sum(axis=0))
        cross -= np.outer(P.sum(axis=0), Q.sum(axis=0))
        system = m * (P.T @ P) + n * (Q.T @ Q) + 4.0 * (E.T @ E) * (L.T @ L)
        system -= cross + cross.T
        right = P.T @ self.powered.sum(axis=1) + Q.T @ self.powered.sum(axis=0)
        right -= 2.0 * ((self.powered.T @ E) * L).sum(axis=0)
        return linalg.lstsq(system, right, check_finite=False)[0]

    def value_and_gradient(self, axes, signs):
        """Return the squared error of the block and its gradient in the axes.

        Parameters
        ----------
        axes : ndarray of shape (r, k)
        signs : ndarray of shape (k,)

        Returns
        -------
        value : float
        gradient : ndarray of shape (r, k)
            Cost O(N (m + r) k).
        """
        L = self.landmark_vectors @ axes
        signed_L = L * signs
        q_L = (signed_L * L).sum(axis=1)
        value, gradient = 0.0, np.zeros_like(axes)
        column_sums, products = np.zeros(len(L)), np.zeros_like(L)
        for rows in consecutive_blocks(len(self.powered), _ROWS_PER_BLOCK):
            vectors = self.vectors[rows]
            Z = vectors @ axes
            signed_Z = Z * signs
            error = signed_Z @ (-2.0 * L.T)
            error += (signed_Z * Z).sum(axis=1)[:, None]
            error += q_L
            error -= self.powered[rows]
            value += float(np.vdot(error, error))
            of_rows = error.sum(axis=1)[:, None] * signed_Z - error @ signed_L
            gradient += vectors.T @ of_rows
            column_sums += error.sum(axis=0)
            products += error.T @ signed_Z
        of_landmarks = column_sums[:, None] * signed_L - products
        gradient += self.landmark_vectors.T @ of_landmarks
        return value, 4.0 * gradient


def refine_axes(block, pairs, start, signs, refinement):
    """Fit the axes to the block, and end when other pairs no longer gain.

    Parameters
    ----------
    block : LandmarkBlock
    pairs : SampledPairs
    start : ndarray of shape (r, k)
    signs : ndarray of shape (k,)
    refinement : Refinement
        Whose report is called with the number of the step and the STRESS estimated from
        the pairs.

    Returns
    -------
    descent : Descent
        The axes with the lowest estimated STRESS, that of the start included, and this
        STRESS.
    """
    fitted = np.ones(block.powered.shape[1], dtype=bool)
    fitted[pairs.held_out] = False
    if not fitted.any():
        return Descent(start, pairs.stress(start, signs), 0, converged=True)
    if not fitted.all():
        block = LandmarkBlock(
            block.powered[:, fitted], block.vectors, block.landmark_vectors[fitted]
        )
    best = {"step": 0, "point": start, "value": pairs.stress(start, signs)}
    steps = 0

    def after_step(axes):
        nonlocal steps
        steps += 1
        value = pairs.stress(axes, signs)
        if refinement.report is not None:
            refinement.report(steps, value)
        if value < best["value"]:
            best.update(step=steps, point=axes.copy(), value=value)
        elif steps - best["step"] >= _PATIENCE:
            raise StopIteration

    descent = minimize(
        lambda axes: block.value_and_gradient(axes, signs),
        start,
        replace(refinement, report=after_step),
    )
    return Descent(best["point"], best["value"], steps, descent.converged)
