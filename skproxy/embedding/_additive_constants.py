"""Lingoes' and Cailliez' constants: dissimilarities made Euclidean by adding a number.

Both leave the diagonal alone and change every other entry by the same amount, the least
that makes all eigenvalues of the centred similarity non-negative.

======  =====================================================  ======
symbol  meaning                                                shape
======  =====================================================  ======
D       squared dissimilarities (powered ones for Lingoes)     (n, n)
d       dissimilarities                                        (n, n)
J       centring matrix                                        (n, n)
======  =====================================================  ======

References
----------
J. C. Lingoes (1971). Some boundary conditions for a monotone analysis of symmetric
matrices. Psychometrika 36, 195-203. doi:10.1007/BF02291398
F. Cailliez (1983). The analytical solution of the additive constant problem.
Psychometrika 48, 305-308, eq. 3. doi:10.1007/BF02294026
J. C. Gower, P. Legendre (1986). Metric and Euclidean properties of dissimilarity
coefficients. Journal of Classification 3, 5-48, theorems 7 and 8.
doi:10.1007/BF01896809
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ..factor import negligible, similarity_from_dissimilarity

__all__ = ["AddedConstant", "cailliez_constant", "lingoes_constant"]


def lingoes_constant(eigenvalues):
    """Return c1, the modulus of the most negative eigenvalue, or 0.

    Parameters
    ----------
    eigenvalues : ndarray of shape (n,)
        Of ``-1/2 J D J``, in squared units of the metric.

    Returns
    -------
    constant : float
        ``D + 2 c1`` off the diagonal is Euclidean.
    """
    return float(max(0.0, -eigenvalues.min(initial=0.0)))


def cailliez_constant(dissimilarities):
    """Return c2, the largest real eigenvalue of Cailliez' 2n x 2n matrix, or 0.

    Parameters
    ----------
    dissimilarities : ndarray of shape (n, n)
        d, not squared, with a zero diagonal.

    Returns
    -------
    constant : float
        ``d + c2`` off the diagonal is Euclidean. In the units of the metric; cost
        O(n^3) with a large constant.
    """
    size = len(dissimilarities)
    squared = similarity_from_dissimilarity(np.square(dissimilarities))
    eigenvalues = linalg.eigvalsh(squared)
    if not (eigenvalues[~negligible(eigenvalues, size)] < 0).any():
        return 0.0  # Euclidean already
    plain = similarity_from_dissimilarity(dissimilarities)
    block = np.zeros((2 * size, 2 * size))
    block[:size, size:] = 2.0 * squared
    block[size:, :size] = -np.eye(size)
    block[size:, size:] = -4.0 * plain
    roots = linalg.eigvals(block)
    # The wanted root is real; a pair split by rounding has a tiny imaginary part.
    real = np.abs(roots.imag) <= 1e-8 * np.abs(roots).max(initial=0.0)
    return float(max(0.0, roots.real[real].max(initial=0.0)))


def add_off_identity(rows, constant, itself):
    """Add a constant to the dissimilarities of each row, except of an object to itself.

    Parameters
    ----------
    rows : ndarray of shape (b, n)
        (Powered) dissimilarities of objects to the n objects fitted.
    constant : float
    itself : ndarray of shape (b,)
        Which of the n objects each row is of; -1 for a new object, whose
        dissimilarities all change.

    Returns
    -------
    changed : ndarray of shape (b, n)
        A new array.
    """
    changed = rows + constant
    own = np.flatnonzero(itself >= 0)
    changed[own, itself[own]] = 0.0
    return changed


@dataclass(frozen=True)
class AddedConstant:
    """A constant added between different objects.

    Attributes
    ----------
    rule : {"lingoes", "cailliez"}
        Whether twice the constant goes onto powered dissimilarities, or the constant
        onto the dissimilarities themselves, whose squares are the powered ones.
    constant : float
        In scaled units.
    """

    rule: str
    constant: float

    @classmethod
    def of(cls, powered, eigenvalues, rule):
        """Return the least constant for powered dissimilarities with such eigenvalues.

        Parameters
        ----------
        powered : ndarray of shape (n, n)
        eigenvalues : ndarray
            Of ``-1/2 J D J``, rounding left out.
        rule : {"lingoes", "cailliez"}
        """
        if rule == "lingoes":
            return cls(rule, lingoes_constant(eigenvalues))
        return cls(rule, cailliez_constant(np.sqrt(np.maximum(powered, 0.0))))

    def apply_among(self, powered):
        """Return the powered dissimilarities of the objects fitted, (n, n), changed."""
        if self.rule == "lingoes":
            changed = powered + 2.0 * self.constant
        else:
            changed = np.square(np.sqrt(powered) + self.constant)
        np.fill_diagonal(changed, 0.0)
        return changed

    def apply(self, powered, positions, among):
        """Return rows of powered dissimilarities with the constant added.

        Parameters
        ----------
        powered : ndarray of shape (b, n)
            A row of a fitted object is known by its zero and becomes what fitting made
            of it. Among several zeros the fitted object whose row it is decides; of
            equal ones, that at the position of the row, or else the first.
        positions : ndarray of shape (b,)
            Of the rows among all that are asked for.
        among : callable
            ``among(indices)`` returns the changed rows of fitted objects.
        """
        zero = powered == 0
        itself = np.where(zero.any(axis=1), zero.argmax(axis=1), -1)
        for row in np.flatnonzero(zero.sum(axis=1) > 1):
            itself[row] = self._identify(
                powered[[row]], np.flatnonzero(zero[row]), positions[row], among
            )
        return self._add(powered, itself)

    def _identify(self, row, candidates, position, among):
        alike = self._add(np.repeat(row, len(candidates), axis=0), candidates)
        gaps = np.abs(alike - among(candidates)).max(axis=1)
        nearest = candidates[gaps <= gaps.min() + 1e-8 * alike.max()]
        return position if position in nearest else nearest[0]

    def _add(self, powered, itself):
        if self.rule == "lingoes":
            return add_off_identity(powered, 2.0 * self.constant, itself)
        return np.square(add_off_identity(np.sqrt(powered), self.constant, itself))
