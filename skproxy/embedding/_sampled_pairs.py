"""What the whole matrix would say, estimated from pairs of objects drawn at random.

With landmarks most comparisons are never made. Three things are needed that depend on
all of them: the trace, from which selection and shift learn what is dropped; STRESS;
and the moment at which further fitting to the landmarks' columns begins to harm the
other pairs. Landmarks themselves are no sample: their comparisons are fitted better
than others, and whoever chooses them well chooses untypical objects. So some objects
are drawn uniformly and compared among each other.
"""

from dataclasses import dataclass

import numpy as np

from ..comparisons import ColumnComparisons

__all__ = ["SampledPairs", "sample_pairs"]

_SMALLEST_SAMPLE = 30
_HELD_OUT_SHARE = 5


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """Comparisons of some objects with some others.

    Attributes
    ----------
    vectors, others : ndarray of shape (a, r) and (b, r)
        Rows of the orthonormal eigenvectors of ``S^``.
    powered : ndarray of shape (a, b)
        Their powered, scaled comparisons.
    mask : ndarray of shape (a, b), dtype=bool
        Which are pairs of two objects.
    n_objects : int
        N, of all objects.
    held_out : ndarray of int
        Landmark columns that `powered` was read from; a fit has to leave them out.
    """

    vectors: np.ndarray
    others: np.ndarray
    powered: np.ndarray
    mask: np.ndarray
    n_objects: int
    held_out: np.ndarray

    def errors(self, coordinates, others, signs):
        """Return ``D - D^`` of the pairs, shape (number of pairs,)."""
        signed = coordinates * signs
        embedded = (signed * coordinates).sum(axis=1)[:, None]
        embedded = embedded + np.square(others) @ signs - 2.0 * signed @ others.T
        return (self.powered - embedded)[self.mask]

    def stress(self, axes, signs):
        """Estimate STRESS over all ordered pairs of the N objects.

        Parameters
        ----------
        axes : ndarray of shape (r, k)
            Coordinates are ``vectors @ axes``.
        signs : ndarray of shape (k,)
        """
        errors = self.errors(self.vectors @ axes, self.others @ axes, signs)
        if len(errors) == 0:
            return 0.0
        pairs = self.n_objects * (self.n_objects - 1.0)
        return pairs * float(errors @ errors) / len(errors)

    def trace(self, eigenvalues):
        """Estimate the trace of ``-1/2 J D J``.

        Parameters
        ----------
        eigenvalues : ndarray of shape (r,)
            Of ``S^``, whose own trace is exact; what it misses is the mean error.
        """
        scales = np.sqrt(np.abs(eigenvalues))
        errors = self.errors(
            self.vectors * scales, self.others * scales, np.sign(eigenvalues)
        )
        missing = float(errors.mean()) if len(errors) else 0.0
        return float(eigenvalues.sum()) + 0.5 * (self.n_objects - 1) * missing


def sample_pairs(table, landmarks, scale, vectors_of, landmark_vectors, rng):
    """Compare objects drawn uniformly.

    Parameters
    ----------
    table : comparisons of N objects
    landmarks : Landmarks
    scale : Scale
    vectors_of : callable
        Rows of the eigenvectors of ``S^`` for an array of positions.
    landmark_vectors : ndarray of shape (m, r)
        The same of the landmarks.
    rng : RandomState

    Returns
    -------
    pairs : SampledPairs
        p (p + 1) / 2 comparisons, p = max(m, 30); with landmark columns only, those of
        p objects with every fifth landmark.
    """
    n_objects, m = table.n_objects, landmarks.count
    size = min(n_objects, max(m, _SMALLEST_SAMPLE))
    rows = np.sort(rng.permutation(n_objects)[:size])
    if isinstance(table, ColumnComparisons):
        held_out = np.arange(0, m, _HELD_OUT_SHARE)
        columns = landmarks.indices[held_out]
        blocks = [block for _, block in table.blocks(rows, None, landmarks.indices)]
        powered = np.concatenate(blocks)[:, held_out]
        others = landmark_vectors[held_out]
    else:
        held_out = np.arange(0)
        columns = rows
        powered = table.square(rows)
        others = vectors_of(rows)
    return SampledPairs(
        vectors=np.asarray(vectors_of(rows), dtype=np.float64),
        others=np.asarray(others, dtype=np.float64),
        powered=scale.apply(powered),
        mask=rows[:, None] != columns,
        n_objects=n_objects,
        held_out=held_out,
    )
