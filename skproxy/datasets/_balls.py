"""Distances between the surfaces of balls.

Two large balls are both close to a third one without being close to each other, so
the triangle inequality fails although the balls are plain objects in a plain space.
"""

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from skproxy.datasets._arguments import check_count, check_counts, check_real

# Tries to place one ball before giving up.
MAX_TRIES = 1000


def make_balls(
    n_samples: Any = (300, 300),
    *,
    n_features: int = 3,
    radii: Any = None,
    cube: float = 100.0,
    random_state: int | np.random.RandomState | None = None,
) -> Any:
    r"""Make balls of one size per class and the distances between their surfaces.

    Classes differ in the radius alone: the centres are drawn from one and the same
    distribution, so all that tells classes apart is in the negative eigenvalues.
    Without overlap,

    .. math:: d_{ij} = \|x_i - x_j\| - r_i - r_j > 0.

    Parameters
    ----------
    n_samples : int or sequence of int, default=(300, 300)
        Balls of each class, or the total number, shared among the classes as evenly as
        possible: two classes, or as many as there are `radii`.
    n_features : int, default=3
        Dimension of the space. Fewer make the classes easier.
    radii : sequence of float of shape (n_classes,), default=None
        Radius of each class's balls. None stands for 1, 2, ..., n_classes.
    cube : float, default=100.0
        Centres are uniform in a cube with edges of this length.
    random_state : int, RandomState instance or None, default=None
        Determines the centres.

    Returns
    -------
    D : ndarray of shape (n_samples, n_samples)
        Surface distances, in the units of `cube`; symmetric, positive but for the zero
        diagonal. Use them with ``power=2``.
    y : ndarray of shape (n_samples,)
        Class of each ball, 0, 1, ..., in blocks: shuffle before cutting into folds.

    See Also
    --------
    make_euclidean_balls : Balls of many sizes, without classes.

    Notes
    -----
    A centre is drawn again until its ball overlaps none of those placed before;
    O(n_samples**2 * n_features) time as long as there is room. With the defaults the
    signature of ``-J D**2 J / 2`` is about (24, 575, 1) and its negative fraction
    about 3.5 %.

    References
    ----------
    .. [1] R. P. W. Duin and E. Pekalska (2010). "Non-Euclidean Dissimilarities: Causes
       and Informativeness". Structural, Syntactic, and Statistical Pattern
       Recognition, LNCS 6218. Springer.

    Examples
    --------
    >>> from skproxy.datasets import make_balls
    >>> D, y = make_balls((4, 2), random_state=0)
    >>> D.shape, y.tolist(), bool((D >= 0).all())
    ((6, 6), [0, 0, 0, 0, 1, 1], True)
    """
    counts = _class_counts(n_samples, radii)
    n_features = check_count(n_features, name="n_features of make_balls")
    cube = check_real(cube, name="cube of make_balls", positive=True)
    if radii is None:
        radii = np.arange(1, len(counts) + 1)
    name = "every entry of radii of make_balls"
    radii = np.repeat(
        [check_real(radius, name=name) for radius in np.ravel(radii)], counts
    )
    centres = np.empty((len(radii), n_features))
    rng = check_random_state(random_state)
    for i in range(len(radii)):
        centres[i] = _free_centre(centres[:i], radii[: i + 1], cube, rng)
    return _surface_distances(centres, radii), np.repeat(np.arange(len(counts)), counts)


def make_euclidean_balls(
    n_samples: int = 1000,
    *,
    n_features: int = 10,
    cube: float = 100.0,
    random_state: int | np.random.RandomState | None = None,
) -> np.ndarray:
    r"""Make balls of very different size and the distances between their surfaces.

    Centres are uniform in a cube. One ball after the other gets its radius: with
    probability 0.1 it grows to 0.8 of the distance to the nearest surface (of balls
    without a radius so far, to their centre), else it is uniform between 0 and 5. The
    few large balls make the many negative eigenvalues.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of balls, at least 2.
    n_features : int, default=10
        Dimension of the space.
    cube : float, default=100.0
        Centres are uniform in a cube with edges of this length.
    random_state : int, RandomState instance or None, default=None
        Determines centres and radii.

    Returns
    -------
    D : ndarray of shape (n_samples, n_samples)
        Surface distances, in the units of `cube`; symmetric, not negative, with zero
        diagonal. Use them with ``power=2``.

    See Also
    --------
    make_balls : Classes of balls of one size each.
    make_random_simplex : The other synthetic data of the same paper.

    Notes
    -----
    O(n_samples**2 * n_features) time. No radius exceeds the distance to the nearest
    surface, so balls never overlap: where there is so little room that the paper's
    radii would overlap, they are cut (which does not happen with its 1000 balls).
    About 890 of 1000 eigenvalues are negative.

    References
    ----------
    .. [1] C. Deng, J. Gao, K. Lu, F. Luo, H. Sun and C. Xin (2024). "Neuc-MDS:
       Non-Euclidean Multidimensional Scaling Through Bilinear Forms". Advances in
       Neural Information Processing Systems 37. arXiv:2411.10889. Appendix E.1.

    Examples
    --------
    >>> from skproxy.datasets import make_euclidean_balls
    >>> D = make_euclidean_balls(50, random_state=0)
    >>> D.shape, bool((D >= 0).all())
    ((50, 50), True)
    """
    name = "n_samples of make_euclidean_balls"
    n_samples = check_count(n_samples, name=name, minimum=2)
    name = "n_features of make_euclidean_balls"
    n_features = check_count(n_features, name=name)
    cube = check_real(cube, name="cube of make_euclidean_balls", positive=True)
    rng = check_random_state(random_state)
    centres = rng.uniform(0.0, cube, size=(n_samples, n_features))
    distances = cdist(centres, centres)
    np.fill_diagonal(distances, np.inf)
    radii = np.zeros(n_samples)
    for i in range(n_samples):
        gap = (distances[i] - radii).min()
        grown = rng.uniform() < 0.1
        radii[i] = 0.8 * gap if grown else min(rng.uniform(0.0, 5.0), gap)
    return np.maximum(_surface_distances(centres, radii), 0.0)


def _class_counts(n_samples, radii):
    """Return the number of balls of each class."""
    name = "n_samples of make_balls"
    n_classes = None if radii is None else np.size(radii)
    if np.iterable(n_samples):
        counts = check_counts(n_samples, name=name)
    else:
        total = check_count(n_samples, name=name)
        n_groups = n_classes or 2
        counts = [(total + n_groups - 1 - c) // n_groups for c in range(n_groups)]
    if n_classes not in (None, len(counts)):
        msg = (
            "radii of make_balls must be one radius for each class; got "
            f"{n_classes} radii for {len(counts)} classes. Give {len(counts)} radii, "
            "or n_samples as a single number."
        )
        raise ValueError(msg)
    return counts


def _free_centre(centres, radii, cube, rng):
    """Return a centre for a ball of the last radius that overlaps no other ball."""
    needed = radii[:-1] + radii[-1]
    for _ in range(MAX_TRIES):
        centre = rng.uniform(0.0, cube, size=centres.shape[1])
        if (np.linalg.norm(centres - centre, axis=1) > needed).all():
            return centre
    msg = (
        f"n_samples of make_balls must leave room for all balls; got {len(centres)} "
        f"balls placed, and {MAX_TRIES} tries without a place for the next, of radius "
        f"{radii[-1]:g}, in a cube of edge {cube:g}. Take fewer or smaller balls, a "
        "larger cube, or more features."
    )
    raise ValueError(msg)


def _surface_distances(centres, radii):
    """Return distances between surfaces, with an exact zero diagonal."""
    distances = cdist(centres, centres) - (radii[:, None] + radii)
    np.fill_diagonal(distances, 0.0)
    return distances
