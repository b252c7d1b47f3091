"""How far embedded points are from the dissimilarities they stand for.

The three measures of the Neuc-MDS paper (Deng et al., 2024, Appendix E.2) see an
embedding through its squared dissimilarities only, so each is one or a few sums over
ordered pairs:

=========  =============================================================  ===========
symbol     meaning                                                        shape
=========  =============================================================  ===========
`D`        dissimilarities, raised to `power`                             (n, n)
`D^`       squared dissimilarities of the embedded points                 (n, n)
`Z`        coordinates of the points                                      (n, k)
`A`        diagonal matrix of the axis signs, +1, -1 or 0                 (k, k)
`q`        diagonal of Z A Z', so D^_ij = q_i + q_j - 2 (Z A Z')_ij       (n,)
=========  =============================================================  ===========

Where the paper writes D for squared dissimilarities, ours are `dissimilarities**2`.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skproxy.metrics._batch_median import mean_absolute_deviation
from skproxy.metrics._pairs import Pairs


def stress(
    D: ArrayLike,
    Z: ArrayLike,
    *,
    axis_signs: ArrayLike | None = None,
    power: float = 2,
    input: str = "coordinates",
    normalize: bool = False,
) -> float:
    r"""Return the STRESS of an embedding: its squared error over all ordered pairs.

    .. math:: \sum_{i, j} (\hat D_{ij} - D_{ij}^{power})^2, \quad
        \hat D_{ij} = \sum_l s_l (z_{il} - z_{jl})^2

    The error is measured on *squared* dissimilarities, so large ones dominate.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_samples)
        Dissimilarities, in the units of the metric, with a zero diagonal. Need not be
        symmetric: both directions are counted.
    Z : array-like of shape (n_samples, n_components) or (n_samples, n_samples)
        The embedding: coordinates, or squared dissimilarities; see `input`.
    axis_signs : array-like of shape (n_components,), default=None
        The signs :math:`s_l` of the axes, +1, -1 or 0, as in the attribute
        `axis_signs_` of estimators that hand out pseudo-Euclidean coordinates. None
        stands for +1 throughout: a Euclidean space.
    power : float, default=2
        What the dissimilarities are raised to: 2 for dissimilarities, 1 for values
        that are squared already (they may be negative).
    input : {"coordinates", "squared"}, default="coordinates"
        What `Z` is: coordinates, or a square matrix with the squared dissimilarities
        of the embedded points (its diagonal is not used).
    normalize : bool, default=False
        Divide by the sum of the squares of `D**power`, which makes the result
        dimensionless: for comparisons between data sets and between units.

    Returns
    -------
    float
        STRESS in the units of `D**(2 * power)`, or dimensionless with `normalize`.

    See Also
    --------
    additive_error : The root of it, after the best rescaling of the embedding.
    distortion : A relative error, to which small dissimilarities matter as much.

    Notes
    -----
    O(n_samples**2 * n_components) time, one pass, blocks of a few megabytes. With
    ``power=2`` the unit of the result is the fourth power of the metric's, which
    leaves the range of float64 when dissimilarities are near 1e77: the result is then
    infinite (zero below 1e-81), and `normalize` still right.

    References
    ----------
    .. [1] C. Deng, J. Gao, K. Lu, F. Luo, H. Sun and C. Xin (2024). "Neuc-MDS:
       Non-Euclidean Multidimensional Scaling Through Bilinear Forms". Advances in
       Neural Information Processing Systems 37. arXiv:2411.10889. STRESS as in
       the introduction, on squared dissimilarities, and the bilinear form.

    Examples
    --------
    >>> from skproxy.metrics import stress
    >>> D = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    >>> round(stress(D, [[0, 0], [3, 0], [0, 4]]), 9)
    0.0
    >>> round(stress(D, [[0], [3], [4]]), 9)  # 5**2 becomes 1, counted twice
    1152.0
    """
    pairs = Pairs.read(D, Z, axis_signs, power, input, function="stress")
    unit, given_factor, embedded_factor = pairs.common_unit()
    total = given_total = 0.0
    for given, embedded in pairs.blocks():
        given *= given_factor
        embedded *= embedded_factor
        given_total += _dot(given, given)
        embedded -= given
        total += _dot(embedded, embedded)
    if normalize:
        return _relative(total, given_total)
    return _ldexp(total, 2 * unit)


def kruskal_stress(
    D: ArrayLike,
    Z: ArrayLike,
    *,
    axis_signs: ArrayLike | None = None,
    power: float = 2,
    input: str = "coordinates",
) -> float:
    r"""Return Kruskal's stress-1: the relative error of the distances themselves.

    .. math:: \sqrt{\frac{\sum_{i, j} (\hat d_{ij} - D_{ij})^2}
        {\sum_{i, j} \hat d_{ij}^2}}

    The measure that maps are usually reported with: .2 is poor, .1 fair, .05 good and
    .025 excellent in Kruskal's words. Unlike :func:`stress` it does not square the
    distances, so that large ones do not dominate.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_samples)
        Dissimilarities, in the units of the metric, with a zero diagonal.
    Z : array-like of shape (n_samples, n_components) or (n_samples, n_samples)
        The embedding: coordinates, or squared dissimilarities; see `input`.
    axis_signs : array-like of shape (n_components,), default=None
        The signs of the axes, +1, -1 or 0. None stands for +1 throughout: the distances
        that a reader of the map sees.
    power : float, default=2
        What the dissimilarities were raised to when they were embedded; 1 for values
        that are squared already.
    input : {"coordinates", "squared"}, default="coordinates"
        What `Z` is.

    Returns
    -------
    float
        Dimensionless. A negative squared dissimilarity, which axes of negative sign can
        give, counts as its root with a minus sign.

    See Also
    --------
    stress : The error of squared dissimilarities, which NeucMDS lowers.

    Notes
    -----
    O(n_samples**2 * n_components) time, one pass, blocks of a few megabytes. The
    dissimilarities are taken as they are, without a monotone transformation.

    References
    ----------
    .. [1] J. B. Kruskal (1964). "Multidimensional scaling by optimizing goodness of fit
       to a nonmetric hypothesis". Psychometrika 29, 1-27. doi:10.1007/BF02289565.
       Stress as in section 2.

    Examples
    --------
    >>> from skproxy.metrics import kruskal_stress
    >>> D = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    >>> round(kruskal_stress(D, [[0, 0], [3, 0], [0, 4]]), 9)
    0.0
    >>> round(kruskal_stress(D, [[0], [3], [4]]), 3)  # 5 becomes 1
    0.784
    """
    pairs = Pairs.read(D, Z, axis_signs, power, input, function="kruskal_stress")
    _, given_factor, embedded_factor = pairs.common_unit()
    total = embedded_total = 0.0
    for given, embedded in pairs.blocks():
        given *= given_factor
        embedded *= embedded_factor
        given, embedded = _root(given, power), _root(embedded, power)
        embedded_total += _dot(embedded, embedded)
        embedded -= given
        total += _dot(embedded, embedded)
    return math.sqrt(_relative(total, embedded_total))


def _root(powered, power):
    """Return roots of the moduli, with the signs."""
    return np.sign(powered) * np.abs(powered) ** (1.0 / power)


def additive_error(
    D: ArrayLike,
    Z: ArrayLike,
    *,
    axis_signs: ArrayLike | None = None,
    power: float = 2,
    input: str = "coordinates",
    normalize: bool = False,
) -> float:
    r"""Return the scaled additive error: the error left by the best rescaling.

    .. math:: \min_c \|D^{power} - c \hat D\|_F, \quad
        c = \langle D^{power}, \hat D \rangle / \langle \hat D, \hat D \rangle

    Unlike STRESS it is a norm, not its square, and blind to a common factor of the
    embedding.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_samples)
        Dissimilarities, in the units of the metric, with a zero diagonal. Need not be
        symmetric: both directions are counted.
    Z : array-like of shape (n_samples, n_components) or (n_samples, n_samples)
        The embedding: coordinates, or squared dissimilarities; see `input`.
    axis_signs : array-like of shape (n_components,), default=None
        The signs of the axes, +1, -1 or 0. None stands for +1 throughout.
    power : float, default=2
        What the dissimilarities are raised to: 2 for dissimilarities, 1 for values
        that are squared already (they may be negative).
    input : {"coordinates", "squared"}, default="coordinates"
        What `Z` is: coordinates, or a square matrix with the squared dissimilarities
        of the embedded points (its diagonal is not used).
    normalize : bool, default=False
        Divide by the norm of `D**power`: between 0 (exact but for a factor) and 1 (no
        better than putting all points into one place), dimensionless.

    Returns
    -------
    float
        The norm of the error, in the units of `D**power`, or dimensionless with
        `normalize`.

    See Also
    --------
    stress : The same sum of squares without rescaling.

    Notes
    -----
    O(n_samples**2 * n_components) time, two passes, blocks of a few megabytes.

    References
    ----------
    .. [1] C. Deng, J. Gao, K. Lu, F. Luo, H. Sun and C. Xin (2024). "Neuc-MDS:
       Non-Euclidean Multidimensional Scaling Through Bilinear Forms". Advances in
       Neural Information Processing Systems 37. arXiv:2411.10889. The scaled additive
       error of Appendix E.2.

    Examples
    --------
    >>> from skproxy.metrics import additive_error
    >>> D = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    >>> round(additive_error(D, [[0, 0], [30, 0], [0, 40]]), 9)
    0.0
    >>> round(additive_error(D, [[0], [3], [4]], normalize=True), 3)
    0.773
    """
    pairs = Pairs.read(D, Z, axis_signs, power, input, function="additive_error")
    given_total = embedded_total = product = 0.0
    for given, embedded in pairs.blocks():
        given_total += _dot(given, given)
        embedded_total += _dot(embedded, embedded)
        product += _dot(given, embedded)
    scale = product / embedded_total if embedded_total else 0.0
    # a second pass: the closed form loses half of the digits of a good fit
    total = 0.0
    for given, embedded in pairs.blocks():
        embedded *= scale
        embedded -= given
        total += _dot(embedded, embedded)
    if normalize:
        return float(np.sqrt(_relative(total, given_total)))
    whole = int(np.floor(pairs.given_exponent))
    return _ldexp(np.sqrt(total) * 2.0 ** (pairs.given_exponent - whole), whole)


def distortion(
    D: ArrayLike,
    Z: ArrayLike,
    *,
    axis_signs: ArrayLike | None = None,
    power: float = 2,
    input: str = "coordinates",
    return_skipped: bool = False,
) -> Any:
    r"""Return the average geometric distortion: the typical factor of error.

    .. math:: \exp \operatorname{mean} |\log r_{ij} - \log \operatorname{median} r|,
        \quad r_{ij} = d_{ij} / \hat d_{ij}

    that is the geometric mean of max(r, 1/r) after dividing r by its median: 1 for an
    exact embedding up to a factor, 1.1 when dissimilarities are typically 10 % off.
    The ratio is one of dissimilarities, :math:`d = D^{power / 2}` and
    :math:`\hat d = \hat D^{1/2}`; every pair counts alike, small or large.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_samples)
        Dissimilarities, in the units of the metric, with a zero diagonal. Need not be
        symmetric: both directions are counted.
    Z : array-like of shape (n_samples, n_components) or (n_samples, n_samples)
        The embedding: coordinates, or squared dissimilarities; see `input`.
    axis_signs : array-like of shape (n_components,), default=None
        The signs of the axes, +1, -1 or 0. None stands for +1 throughout.
    power : float, default=2
        What the dissimilarities are raised to: 2 for dissimilarities, 1 for values
        that are squared already (they may be negative).
    input : {"coordinates", "squared"}, default="coordinates"
        What `Z` is: coordinates, or a square matrix with the squared dissimilarities
        of the embedded points (its diagonal is not used).
    return_skipped : bool, default=False
        Also return how many pairs of different objects had no ratio, because the
        squared dissimilarity given or embedded is not positive.

    Returns
    -------
    distortion : float
        At least 1, dimensionless.
    n_skipped : int
        Number of ordered pairs skipped. Only with `return_skipped`.

    See Also
    --------
    stress : An error dominated by large dissimilarities.

    Notes
    -----
    O(n_samples**2 * n_components) time and blocks of a few megabytes: two passes up to
    about 1,000 objects, at most six beyond, because the exact median is found without
    keeping the ratios. Embedded values that the rounding of the coordinates could have
    produced from zero are skipped as well.

    References
    ----------
    .. [1] C. Deng, J. Gao, K. Lu, F. Luo, H. Sun and C. Xin (2024). "Neuc-MDS:
       Non-Euclidean Multidimensional Scaling Through Bilinear Forms". Advances in
       Neural Information Processing Systems 37. arXiv:2411.10889. The average
       geometric distortion of Appendix E.2.

    Examples
    --------
    >>> from skproxy.metrics import distortion
    >>> D = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    >>> round(distortion(D, [[0, 0], [30, 0], [0, 40]]), 9)
    1.0
    >>> round(distortion(D, [[0], [3], [4]]), 9)  # 5 becomes 1: cube root of 5
    1.709975947
    """
    pairs = Pairs.read(D, Z, axis_signs, power, input, function="distortion")
    n_samples = len(pairs.given)
    deviation, n_valid = mean_absolute_deviation(
        pairs.log_ratios, n_at_most=n_samples * (n_samples - 1)
    )
    if not n_valid:
        msg = (
            "D and Z of distortion must have a pair of objects with positive "
            f"dissimilarities in both; got none among {n_samples} objects. Use stress, "
            "which is defined for all values."
        )
        raise ValueError(msg)
    value = float(np.exp(deviation))
    if return_skipped:
        return value, n_samples * (n_samples - 1) - n_valid
    return value


def _dot(left, right):
    return float(np.vdot(left, right))


def _relative(total, reference):
    """Return total / reference, with 0 / 0 = 0 and no warning."""
    if reference:
        return total / reference
    return float("inf") if total else 0.0


def _ldexp(value, exponent):
    """Return value * 2**exponent, infinite where float64 ends."""
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return float("inf")
