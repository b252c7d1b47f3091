"""Matrices with a known signature or with known eigenvalues of either sign."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from skproxy.datasets._arguments import check_count


def make_random_simplex(
    n_samples: int = 1000,
    *,
    n_positive: int = 100,
    n_negative: int = 900,
    random_state: int | np.random.RandomState | None = None,
) -> np.ndarray:
    r"""Make a simplex with nearly equal sides and one long, negative axis.

    Points of a pseudo-Euclidean space, and their signed squared dissimilarities

    .. math:: D_{ij} = \sum_{l \le p} (x_{il} - x_{jl})^2
        - \sum_{p < l \le p + q} (x_{il} - x_{jl})^2

    The positive coordinates are random and make all sides alike; almost all variation
    comes from the last coordinate, which is negative. Methods that drop negative
    eigenvalues lose it.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    n_positive : int, default=100
        Number p of positive coordinates, uniform in [0, sqrt(1 / p)].
    n_negative : int, default=900
        Number q of negative coordinates: q - 1 uniform in [0, sqrt(0.05 / (q - 1))],
        and a last one equal to 0.3 i / n_samples for point i.
    random_state : int, RandomState instance or None, default=None
        Determines the random coordinates.

    Returns
    -------
    D : ndarray of shape (n_samples, n_samples)
        *Squared* dissimilarities, symmetric with zero diagonal. With few positive
        coordinates some are negative and have no root: use them with ``power=1``.

    See Also
    --------
    make_signed_spectrum : Exactly prescribed eigenvalues.

    Notes
    -----
    O(n_samples**2 * (n_positive + n_negative)) time. The signature of ``-J D J / 2``
    is at most (n_positive, n_negative): exactly (p, q) when n_samples > p + q.

    These are the coordinates of the authors' code. The paper prints other ranges (0.01
    and sqrt(0.5 / 899)), with which every squared dissimilarity is negative and none
    of its results are found; with the ones here the root of STRESS at 100 components is
    28.47 (classical scaling), 3.503 (Neuc-MDS) and 1.417 (Neuc-MDS+), published 28.38,
    3.433 and 1.392.

    References
    ----------
    .. [1] C. Deng, J. Gao, K. Lu, F. Luo, H. Sun and C. Xin (2024). "Neuc-MDS:
       Non-Euclidean Multidimensional Scaling Through Bilinear Forms". Advances in
       Neural Information Processing Systems 37. arXiv:2411.10889. Appendix E.1,
       corrected.

    Examples
    --------
    >>> from skproxy.datasets import make_random_simplex
    >>> D = make_random_simplex(30, n_positive=5, n_negative=4, random_state=0)
    >>> D.shape
    (30, 30)
    """
    n_samples = check_count(n_samples, name="n_samples of make_random_simplex")
    n_positive = check_count(n_positive, name="n_positive of make_random_simplex")
    n_negative = check_count(n_negative, name="n_negative of make_random_simplex")
    rng = check_random_state(random_state)
    positive = rng.uniform(0.0, (1.0 / n_positive) ** 0.5, size=(n_samples, n_positive))
    n_noise = n_negative - 1
    width = (0.05 / n_noise) ** 0.5 if n_noise else 0.0
    noise = rng.uniform(0.0, width, size=(n_samples, n_noise))
    negative = np.column_stack([noise, 0.3 * np.arange(n_samples) / n_samples])
    squared = cdist(positive, positive, "sqeuclidean")
    squared -= cdist(negative, negative, "sqeuclidean")
    return squared


def make_signed_spectrum(
    eigenvalues: ArrayLike,
    n_samples: int | None = None,
    *,
    output: str = "similarity",
    random_state: int | np.random.RandomState | None = None,
) -> np.ndarray:
    r"""Make a symmetric matrix with prescribed, possibly negative, eigenvalues.

    The eigenvectors are random and orthonormal: :math:`S = Q \Lambda Q'`. With
    ``output="dissimilarity"`` they are orthogonal to the vector of ones as well, and
    returned is :math:`D_{ij} = S_{ii} + S_{jj} - 2 S_{ij}`, the squared dissimilarities
    whose double centring, ``-J D J / 2``, gives S back.

    Parameters
    ----------
    eigenvalues : array-like of shape (n_eigenvalues,)
        The eigenvalues that are not zero, in any order; in squared units of the metric.
    n_samples : int, default=None
        Number of objects; the other eigenvalues are zero. None takes the smallest
        possible: n_eigenvalues, or one more for dissimilarities.
    output : {"similarity", "dissimilarity"}, default="similarity"
        Return S, or the squared dissimilarities D that belong to it.
    random_state : int, RandomState instance or None, default=None
        Determines the eigenvectors, uniformly among all orthonormal ones.

    Returns
    -------
    matrix : ndarray of shape (n_samples, n_samples)
        Similarities; or *squared* dissimilarities with zero diagonal, negative for some
        pairs if eigenvalues are: use them with ``power=1``. Exactly symmetric.

    See Also
    --------
    sklearn.datasets.make_spd_matrix : A random positive definite matrix.

    Notes
    -----
    O(n_samples**2 * n_eigenvalues) time. Eigenvalues are met to rounding of the
    largest.

    References
    ----------
    .. [1] F. Mezzadri (2007). "How to Generate Random Matrices from the Classical
       Compact Groups". Notices of the AMS 54(5), 592-604. arXiv:math-ph/0609050. Signs
       of the QR factor, section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy.datasets import make_signed_spectrum
    >>> S = make_signed_spectrum([3.0, -1.0], 5, random_state=0)
    >>> np.abs(np.linalg.eigvalsh(S)).round(9).tolist()
    [1.0, 0.0, 0.0, 0.0, 3.0]
    """
    if output not in ("similarity", "dissimilarity"):
        msg = (
            'output of make_signed_spectrum must be "similarity" or "dissimilarity"; '
            f"got {output!r}. Choose what the matrix shall hold."
        )
        raise ValueError(msg)
    spectrum = np.array(eigenvalues, dtype=np.float64)
    if spectrum.ndim != 1 or not np.isfinite(spectrum).all():
        msg = (
            "eigenvalues of make_signed_spectrum must be a vector of finite numbers; "
            f"got {np.array2string(spectrum, threshold=6)}. List the eigenvalues."
        )
        raise ValueError(msg)
    n_constant = int(output == "dissimilarity")
    n_needed = max(1, len(spectrum) + n_constant)
    name = f"n_samples of make_signed_spectrum, for {len(spectrum)} eigenvalues,"
    n_samples = n_needed if n_samples is None else n_samples
    n_samples = check_count(n_samples, name=name, minimum=n_needed)
    rng = check_random_state(random_state)
    gaussian = rng.standard_normal((n_samples, len(spectrum)))
    if n_constant:
        gaussian = np.column_stack([np.ones(n_samples), gaussian])
    vectors, triangle = np.linalg.qr(gaussian)
    # LAPACK's choice of signs would favour one half of the directions
    vectors *= np.sign(np.diagonal(triangle))
    vectors = vectors[:, n_constant:]
    similarity = (vectors * spectrum) @ vectors.T
    similarity = 0.5 * (similarity + similarity.T)
    if output == "similarity":
        return similarity
    diagonal = np.diagonal(similarity)
    return (diagonal[:, None] + diagonal) - 2.0 * similarity
