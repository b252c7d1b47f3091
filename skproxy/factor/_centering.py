"""Dissimilarities to similarities and back, dense.

The linear-cost forms, which never hold an n x n matrix, are `SignedFactor.similarity`
and `SignedFactor.dissimilarity`; these two are their dense counterparts and oracles.
"""

import numpy as np

__all__ = [
    "dissimilarity_from_similarity",
    "double_center",
    "similarity_from_dissimilarity",
]


def double_center(matrix):
    """Return ``J matrix J`` with ``J = I - 11'/n``.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Symmetric.

    Returns
    -------
    centred : ndarray of shape (n, n)
        A new array, symmetric, whose rows and columns sum to zero. Cost O(n^2).
    """
    # Two passes over rows and columns: the second removes what rounding of a large
    # common offset left over, at no cost that matters here.
    centred = matrix - matrix.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=0)
    return (centred + centred.T) / 2


def similarity_from_dissimilarity(powered):
    """Return the centred similarity ``-1/2 J D J`` of powered dissimilarities.

    Parameters
    ----------
    powered : ndarray of shape (n, n)
        Powered dissimilarities ``D = d**power`` (squared ones for ``power=2``).

    Returns
    -------
    similarity : ndarray of shape (n, n)
        Inner products about the mean, in the units of `powered`. Cost O(n^2).

    References
    ----------
    A. Gisbrecht, F.-M. Schleif (2015). Metric and non-metric proximity transformations
    at linear costs. Neurocomputing 167, section 2. doi:10.1016/j.neucom.2015.04.017
    """
    return -0.5 * double_center(powered)


def dissimilarity_from_similarity(similarity):
    """Return the powered dissimilarities ``D_ij = S_ii + S_jj - 2 S_ij``.

    Parameters
    ----------
    similarity : ndarray of shape (n, n)
        Symmetric similarities.

    Returns
    -------
    powered : ndarray of shape (n, n)
        Zero diagonal; negative entries where the similarity is indefinite enough.
        Translation is lost: only a centred similarity comes back from the round trip.

    References
    ----------
    A. Gisbrecht, F.-M. Schleif (2015), as above, section 2.
    """
    self_similarity = np.diagonal(similarity)
    powered = self_similarity[:, None] + self_similarity[None, :] - 2.0 * similarity
    np.fill_diagonal(powered, 0.0)
    return powered
