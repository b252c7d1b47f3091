"""What the eigenvalues of a proximity say: how indefinite, and which axis has what."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigvalsh

from skproxy.metrics._square_matrix import (
    as_numbers,
    binary_exponent,
    check_dissimilarities,
    check_power,
    clear_diagonal,
    read_square_matrix,
    symmetric_copy,
)

from ..factor import axis_shares as shares_of_axes
from ..factor import negative_fraction as fraction_of_negative
from ..factor import negligible


def negative_fraction(
    matrix: ArrayLike, *, input: str = "similarity", power: float = 2
) -> float:
    r"""Return the share of negative eigenvalues in a proximity.

    .. math:: \sum_{\lambda_i < 0} |\lambda_i| \, / \, \sum_i |\lambda_i|

    Zero for a positive semi-definite similarity, and for dissimilarities that are
    distances between points of a Euclidean space; one half when the negative part
    weighs as much as the positive one.

    Parameters
    ----------
    matrix : array-like of shape (n_samples, n_samples) or (n_eigenvalues,)
        A symmetric similarity or dissimilarity matrix, or eigenvalues; see `input`.
        Halves that differ by no more than 1e-6 of the largest entry are averaged.
    input : {"similarity", "dissimilarity", "eigenvalues"}, default="similarity"
        What `matrix` is. Similarities are used as they are, without centring.
        Dissimilarities are powered and double centred first, `-J D**power J / 2`.
        Take "eigenvalues" when they are known already, which costs nothing.
    power : float, default=2
        The power of the dissimilarities: 2 for dissimilarities, 1 for values that are
        squared already (they may be negative). Used only for dissimilarities.

    Returns
    -------
    float
        Between 0 and 1, dimensionless; 0.0 for a zero matrix.

    See Also
    --------
    axis_shares : The share of each single axis.

    Notes
    -----
    Exact: O(n_samples**3) time, a few float64 arrays of the size of the matrix.
    Eigenvalues of a matrix below n_samples * eps of the largest modulus are rounding
    and count as zero; eigenvalues given are used as they are.

    References
    ----------
    .. [1] E. Pekalska and R. P. W. Duin (2005). "The Dissimilarity Representation for
       Pattern Recognition". World Scientific. doi:10.1142/5965. The negative
       eigenfraction.

    Examples
    --------
    >>> from skproxy.metrics import negative_fraction
    >>> negative_fraction([3.0, 1.0, -1.0], input="eigenvalues")
    0.2
    >>> D = [[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]]
    >>> round(17 * negative_fraction(D, input="dissimilarity"), 9)
    1.0
    """
    if input == "eigenvalues":
        eigenvalues = _read_eigenvalues(matrix, name="matrix of negative_fraction")
    elif input in ("similarity", "dissimilarity"):
        eigenvalues = _matrix_eigenvalues(matrix, input == "dissimilarity", power)
    else:
        msg = (
            'input of negative_fraction must be "similarity", "dissimilarity" or '
            f'"eigenvalues"; got {input!r}. Say what `matrix` holds.'
        )
        raise ValueError(msg)
    return fraction_of_negative(eigenvalues)


def axis_shares(eigenvalues: ArrayLike, *, total: str = "absolute") -> np.ndarray:
    r"""Return the share of each axis in a stated total of the eigenvalues.

    With negative eigenvalues there are three totals, and summaries that do not say
    which one they use cannot be compared. Report `negative_fraction` next to shares.

    Parameters
    ----------
    eigenvalues : array-like of shape (n_eigenvalues,)
        Eigenvalues of either sign, in squared units of the metric, in any order. Pass
        all of them, or the shares are of the kept ones only.
    total : {"absolute", "positive", "signed"}, default="absolute"
        The denominator. "absolute": :math:`|\lambda_i| / \sum |\lambda_j|`, when
        negative axes are part of the picture. "positive":
        :math:`\max(\lambda_i, 0) / \sum \max(\lambda_j, 0)`, when they are clipped.
        "signed": :math:`\lambda_i / \sum \lambda_j`, the share of the trace, which
        sums to one but may exceed one or be negative for a single axis.

    Returns
    -------
    ndarray of shape (n_eigenvalues,)
        Shares in the order given, dimensionless, summing to one; zeros when the
        total is made of no eigenvalue at all.

    See Also
    --------
    negative_fraction : The sum of the negative axes' absolute shares.

    Notes
    -----
    O(n_eigenvalues) time and memory.

    References
    ----------
    .. [1] P. Legendre and L. Legendre (2012). "Numerical Ecology", 3rd edition.
       Elsevier. Section 9.3 on negative eigenvalues in principal coordinate analysis.

    Examples
    --------
    >>> from skproxy.metrics import axis_shares
    >>> axis_shares([3.0, 2.0, -1.0]).round(3)
    array([0.5  , 0.333, 0.167])
    >>> axis_shares([3.0, 2.0, -1.0], total="signed")
    array([ 0.75,  0.5 , -0.25])
    """
    values = _read_eigenvalues(eigenvalues, name="eigenvalues of axis_shares")
    if total == "signed":
        _check_trace(values)
    return shares_of_axes(values, values, total)


def _matrix_eigenvalues(matrix, is_dissimilarity, power):
    """Return the eigenvalues of a similarity, or of centred dissimilarities."""
    name = "matrix of negative_fraction"
    square = read_square_matrix(matrix, name=name)
    if is_dissimilarity:
        check_power(power, name="power of negative_fraction")
        check_dissimilarities(square, power, name=name)
    values = symmetric_copy(square, name=name)
    if is_dissimilarity:
        values = _double_centred(values, power)
    eigenvalues = eigvalsh(values, overwrite_a=True, check_finite=False)
    # a Euclidean matrix must read exactly zero, not 1e-16
    return np.where(negligible(eigenvalues, len(values)), 0.0, eigenvalues)


def _double_centred(values, power):
    """Return -J D**power J / 2, overwriting the dissimilarities."""
    if power != 1:
        np.maximum(values, 0.0, out=values)
        values **= power
    clear_diagonal(values, slice(0, len(values)))
    means = values.mean(axis=0)
    values -= means
    values -= (means - means.mean())[:, None]
    values *= -0.5
    return values


def _read_eigenvalues(eigenvalues, *, name):
    """Return a scaled float64 copy of a finite vector."""
    values = as_numbers(eigenvalues, name=name)
    if values.ndim != 1:
        msg = (
            f"{name} must be a vector of eigenvalues; got shape {values.shape}. Pass "
            "numpy.linalg.eigvalsh of a matrix."
        )
        raise ValueError(msg)
    values = values.astype(np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        first = int(np.flatnonzero(~finite)[0])
        msg = (
            f"{name} must be finite; got {values[first]} at position {first}. Look "
            "for missing comparisons in the matrix they come from."
        )
        raise ValueError(msg)
    return values * 2.0 ** -binary_exponent(np.abs(values).max(initial=0.0))


def _check_trace(values):
    """Raise when the signed total is lost in rounding, or negative."""
    modulus = np.abs(values).sum()
    if modulus and values.sum() <= len(values) * np.finfo(np.float64).eps * modulus:
        msg = (
            'eigenvalues of axis_shares must have a positive sum with total="signed"; '
            f"got {values.sum() / modulus:.3g} of their absolute sum. Use "
            'total="absolute".'
        )
        raise ValueError(msg)
