"""Measures of vectors by name that neither scikit-learn nor SciPy has.

They are evaluated in blocks by a line or two of linear algebra. Everything else on
vectors (``"braycurtis"``, ``"jensenshannon"``, ``"canberra"`` ...) is SciPy's.

References
----------
L. Ralaivola, S. J. Swamidass, H. Saigo, P. Baldi (2005). Graph kernels for chemical
informatics. Neural Networks 18(8), 1093-1110, section 3.3.
doi:10.1016/j.neunet.2005.07.009
J. Aitchison (1986). The statistical analysis of compositional data. Chapman and Hall,
section 8.3.
"""

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from ._vectors import euclidean_block

__all__ = [
    "NAMED_DISSIMILARITIES",
    "aitchison",
    "as_real",
    "cosine",
    "ruzicka",
    "ruzicka_kernel",
    "tanimoto",
    "tanimoto_kernel",
]


def tanimoto_kernel(X, Y=None, gamma=None):  # noqa: ARG001
    r"""Compare fingerprints: what they share over what either of them has.

    .. math:: k(x, y) = \frac{x'y}{x'x + y'y - x'y}

    Positive semi-definite. On binary vectors it is Jaccard's similarity. Of counts it
    is the continuous form; the one of minima and maxima is `ruzicka_kernel`. Two
    vectors of zeros are equal.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (a, n_features)
    Y : ndarray or sparse matrix of shape (b, n_features), default=None
        None compares X with itself.
    gamma : None
        Takes no part; kernels by name are called with it.

    Returns
    -------
    K : ndarray of shape (a, b)
        1 for equal vectors; between 0 and 1 where no entry is negative.
    """
    # Fingerprints come as bool or uint8, whose products would wrap around.
    X = as_real(X)
    Y = X if Y is None else as_real(Y)
    products = np.asarray(safe_sparse_dot(X, Y.T, dense_output=True))
    norms = row_norms(X, squared=True)[:, None] + row_norms(Y, squared=True)
    with np.errstate(invalid="ignore"):  # two vectors of zeros
        kernel = products / (norms - products)
    kernel[norms == 0] = 1.0
    return kernel


def as_real(X):
    """Return X in float32 or float64: integers and half precision are cast."""
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def tanimoto(X, Y=None):
    """Return one minus the Tanimoto similarity, of shape (a, b).

    Its *square root* is a Euclidean distance: with ``power=1`` nothing is negative.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (a, n_features)
    Y : ndarray or sparse matrix of shape (b, n_features), default=None
    """
    gaps = 1.0 - tanimoto_kernel(X, Y)
    if Y is None:
        np.fill_diagonal(gaps, 0.0)
    return gaps


def ruzicka_kernel(X, Y=None, gamma=None):  # noqa: ARG001
    r"""Compare counts: the smaller ones over the larger ones, entry by entry.

    .. math:: k(x, y) = \frac{\sum_i \min(x_i, y_i)}{\sum_i \max(x_i, y_i)}

    Positive semi-definite; on binary vectors Jaccard's similarity, as is `tanimoto`,
    and the form in which count fingerprints are usually compared. Two vectors of zeros
    are equal.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (a, n_features)
        Nothing in it is negative.
    Y : ndarray or sparse matrix of shape (b, n_features), default=None
        None compares X with itself.
    gamma : None
        Takes no part; kernels by name are called with it.

    Returns
    -------
    K : ndarray of shape (a, b)
        Between 0 and 1; 1 for equal vectors.
    """
    X = as_real(X)
    Y = X if Y is None else as_real(Y)
    if min(X.min(), Y.min()) < 0:
        msg = (
            "X of 'ruzicka' must hold counts, or parts that are not negative; got "
            f"{min(X.min(), Y.min())}. Compare vectors of either sign by 'tanimoto'."
        )
        raise ValueError(msg)
    # min and max of two numbers are their sum minus and plus their gap, over two.
    gaps = manhattan_distances(X, Y)
    sums = _row_sums(X)[:, None] + _row_sums(Y)
    with np.errstate(invalid="ignore"):  # two vectors of zeros
        kernel = (sums - gaps) / (sums + gaps)
    kernel[sums == 0] = 1.0
    return kernel


def _row_sums(X):
    return np.asarray(X.sum(axis=1), dtype=np.float64).ravel()


def ruzicka(X, Y=None):
    """Return one minus the Ruzicka similarity, of shape (a, b).

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (a, n_features)
    Y : ndarray or sparse matrix of shape (b, n_features), default=None
    """
    gaps = 1.0 - ruzicka_kernel(X, Y)
    if Y is None:
        np.fill_diagonal(gaps, 0.0)
    return gaps


def cosine(X, Y=None):
    """Return one minus the cosine of the angle of two vectors, of shape (a, b).

    Vectors of one direction are at zero, not at rounding. Vectors of zeros have no
    direction: they are equal to each other, and at one from all others.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (a, n_features)
    Y : ndarray or sparse matrix of shape (b, n_features), default=None
    """
    rows = normalize(as_real(X))
    others = rows if Y is None else normalize(as_real(Y))
    gaps = 1.0 - safe_sparse_dot(rows, others.T, dense_output=True)
    gaps[gaps <= 16 * np.finfo(gaps.dtype).eps] = 0.0
    empty = row_norms(rows) == 0
    others_empty = empty if Y is None else row_norms(others) == 0
    if empty.any() and others_empty.any():
        gaps[np.ix_(empty, others_empty)] = 0.0
    return gaps


def aitchison(X, Y=None):
    """Return Euclidean distances of centred logarithms of compositions, shape (a, b).

    Parameters
    ----------
    X : ndarray of shape (a, n_features)
        Positive parts, in any unit: only their ratios count.
    Y : ndarray of shape (b, n_features), default=None
    """
    rows = _centred_logarithms(X)
    if Y is not None:
        return euclidean_block(rows, _centred_logarithms(Y))
    distances = euclidean_block(rows, rows)
    np.fill_diagonal(distances, 0.0)
    return distances


def _centred_logarithms(X):
    if sparse.issparse(X) or X.min() <= 0:
        msg = (
            "X of metric='aitchison' must be positive everywhere; got zeros or "
            "negative numbers. Replace zeros first, by adding a small pseudo-count."
        )
        raise ValueError(msg)
    logarithms = np.log(X, dtype=np.float64)
    return logarithms - logarithms.mean(axis=1, keepdims=True)


#: name -> function of two blocks of vectors.
NAMED_DISSIMILARITIES = {
    "aitchison": aitchison,
    "cosine": cosine,
    "ruzicka": ruzicka,
    "tanimoto": tanimoto,
}
