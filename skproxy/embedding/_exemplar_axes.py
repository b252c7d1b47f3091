"""Columns that belong to exemplars: of the best kernel, or of what exemplars rebuild.

======  =================================================================  ============
symbol  meaning                                                            shape
======  =================================================================  ============
F       readings of objects: features, or comparisons                      (n, w)
G       directions of the leading axes                                     (w, r)
S       similarities among the exemplars                                   (e, e)
P, D    Sylvester's ``P' S P = D``                                         (e, e), (e,)
C       similarities of objects with the exemplars                         (n, e)
O       turn of the axes towards the exemplars                             (r, m)
======  =================================================================  ============

- *Kernel* (the paper's embedding): ``W = F G O``. In the paper's letters, transposed,
  ``R P Sigma V'``: the frame ``A_E P`` of the exemplars is orthonormal, so that its R
  is the inverse of P up to the turn.
- *Projection*: ``W = C P``, the coordinates in that frame. Then ``W D W'`` is
  ``C S^-1 C'``, the kernel between projections onto the exemplars.

The inverse of S is never formed; where S is singular the columns of P that D gives zero
are left out.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from ._congruence import congruence
from ._turn import turn_towards

__all__ = ["ExemplarAxes", "fit_exemplar_axes"]


@dataclass(frozen=True, eq=False)
class ExemplarAxes:
    """Columns, one per exemplar.

    Attributes
    ----------
    frame : ndarray of shape (e, e)
        P; columns that D gives zero are zero.
    frame_signs : ndarray of shape (e,)
        D.
    signs : ndarray of shape (m,)
        Of the columns.
    weights : ndarray of shape (m, w)
        Columns are ``F @ weights.T``.
    coordinates : ndarray of shape (n_samples, m) or None
        Of the objects fitted, where comparisons at hand give them.
    """

    frame: np.ndarray
    frame_signs: np.ndarray
    signs: np.ndarray
    weights: np.ndarray
    coordinates: np.ndarray | None


def fit_exemplar_axes(reading, chosen, n_columns, method):
    """Give each exemplar its column.

    Parameters
    ----------
    reading : KernelReading
    chosen : ndarray of shape (e,)
        Exemplars, positions among the candidates.
    n_columns : int
        m.
    method : {"kernel", "projection"}

    Returns
    -------
    axes : ExemplarAxes
        For ``"projection"`` the readings F are features, or comparisons with the
        exemplars.
    """
    square = reading.similarities.among(chosen)
    frame, frame_signs = congruence(square, reading.eps)
    frame = frame * (frame_signs != 0)
    if method == "projection":
        return _project(reading, chosen, n_columns, frame, frame_signs)
    turn, signs = turn_towards(
        reading.axes.coordinates[chosen],
        reading.axes.signs,
        square @ frame,
        frame_signs,
        n_columns,
    )
    known = reading.coordinates
    return ExemplarAxes(
        frame=frame,
        frame_signs=frame_signs,
        signs=signs,
        weights=(reading.axes.directions @ turn).T,
        coordinates=None if known is None else known @ turn,
    )


def _project(reading, chosen, n_columns, frame, frame_signs):
    e = len(chosen)
    padded = np.zeros((n_columns, e))
    padded[:e] = frame.T
    coordinates = None
    if reading.whole:
        to_exemplars = reading.similarities.columns(chosen)
        coordinates = safe_sparse_dot(to_exemplars, padded.T, dense_output=True)
    readings = reading.similarities.readings(chosen)
    weights = safe_sparse_dot(padded, readings, dense_output=True)
    return ExemplarAxes(
        frame=frame,
        frame_signs=frame_signs,
        signs=np.pad(frame_signs, (0, n_columns - e)),
        weights=np.asarray(weights),
        coordinates=coordinates,
    )
