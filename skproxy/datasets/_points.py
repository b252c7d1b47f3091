"""Labelled points on which the choice of landmarks, or of a kernel, matters."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skproxy.datasets._arguments import check_count, check_counts, check_real

N_NOISE = 7


def make_three_gaussians(
    n_samples: Any = (500, 20, 20),
    *,
    spread: float = 3.0,
    separation: float = 3.0,
    noise: float = 0.1,
    random_state: int | np.random.RandomState | None = None,
) -> Any:
    """Make one large cloud and two small ones that few random landmarks would find.

    The large cloud is spread over two dimensions, with a little noise in seven others;
    the two small clouds lie on a third dimension, on either side of it. Landmarks drawn
    uniformly miss the small clouds, which are 7 % of the points; landmarks on the
    boundary of each class do not.

    Parameters
    ----------
    n_samples : sequence of 3 int, default=(500, 20, 20)
        Points of the large cloud and of the two small ones.
    spread : float, default=3.0
        Standard deviation of the large cloud in its two dimensions.
    separation : float, default=3.0
        The small clouds are centred at this distance from the large one.
    noise : float, default=0.1
        Standard deviation in the seven noise dimensions of the large cloud, and of the
        small clouds in theirs.
    random_state : int, RandomState instance or None, default=None
        Determines the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 10)
        Points: two dimensions of the large cloud, one of the small ones, seven of
        noise. Coordinates not mentioned for a cloud are zero.
    y : ndarray of shape (n_samples,)
        0 for the large cloud, 1 for both small ones; in blocks: shuffle before cutting
        into folds.

    See Also
    --------
    make_checkerboard : Two classes in alternating tiles.

    Notes
    -----
    O(n_samples) time. The small clouds being on opposite sides, no linear function
    separates the classes. The paper uses the kernel of an extreme learning machine on
    standardised columns and rows of unit length, ``2 / pi * arcsin((1 + x'y) / sqrt((g
    + 1 + x'x) * (g + 1 + y'y)))`` with g = 5e-11. There a kernel Fisher discriminant
    with its threshold half way between the classes gets all points right with about
    ten landmarks on the boundaries of the classes, and 85 % with ten uniform ones,
    less than the share of the large cloud, 92.6 %.

    References
    ----------
    .. [1] F.-M. Schleif, A. Gisbrecht and P. Tino (2016). "Probabilistic
       classifiers with low rank indefinite kernels". arXiv:1604.02264. The data with
       one large and two small Gaussians; widths are not given there and ours.

    Examples
    --------
    >>> from skproxy.datasets import make_three_gaussians
    >>> X, y = make_three_gaussians(random_state=0)
    >>> X.shape, int(y.sum())
    ((540, 10), 40)
    """
    counts = check_counts(n_samples, name="n_samples of make_three_gaussians")
    if len(counts) != 3:
        msg = (
            "n_samples of make_three_gaussians must be three numbers, one for each "
            f"cloud; got {len(counts)}. Write it like (500, 20, 20)."
        )
        raise ValueError(msg)
    spread = check_real(spread, name="spread of make_three_gaussians")
    separation = check_real(separation, name="separation of make_three_gaussians")
    noise = check_real(noise, name="noise of make_three_gaussians")
    rng = check_random_state(random_state)
    n_large, n_right, n_left = counts
    X = np.zeros((sum(counts), 3 + N_NOISE))
    X[:n_large, :2] = spread * rng.standard_normal((n_large, 2))
    X[:n_large, 3:] = noise * rng.standard_normal((n_large, N_NOISE))
    sides = np.repeat([separation, -separation], [n_right, n_left])
    X[n_large:, 2] = sides + noise * rng.standard_normal(n_right + n_left)
    return X, np.repeat([0, 1, 1], counts)


def make_checkerboard(
    n_samples: int = 400,
    *,
    n_tiles: int = 3,
    random_state: int | np.random.RandomState | None = None,
) -> Any:
    """Make points on a board of square tiles with alternating labels.

    Points are uniform in the square [0, n_tiles]^2, each tile of edge one, and two
    tiles that share an edge have different labels.

    Parameters
    ----------
    n_samples : int, default=400
        Number of points.
    n_tiles : int, default=3
        Tiles along each edge of the board.
    random_state : int, RandomState instance or None, default=None
        Determines the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points.
    y : ndarray of shape (n_samples,)
        1 on the tiles of the colour that has no corner at the origin, 0 on the others.
        The corner tiles of a 3 x 3 board are 0, as are five of its nine tiles.

    See Also
    --------
    sklearn.datasets.make_checkerboard : A matrix of blocks, for biclustering.

    Notes
    -----
    O(n_samples) time.

    References
    ----------
    .. [1] F.-M. Schleif, A. Gisbrecht and P. Tino (2016). "Probabilistic
       classifiers with low rank indefinite kernels". arXiv:1604.02264. The checker
       data.

    Examples
    --------
    >>> from skproxy.datasets import make_checkerboard
    >>> X, y = make_checkerboard(100, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 2), [0, 1])
    """
    n_samples = check_count(n_samples, name="n_samples of make_checkerboard")
    n_tiles = check_count(n_tiles, name="n_tiles of make_checkerboard")
    rng = check_random_state(random_state)
    X = rng.uniform(0.0, n_tiles, size=(n_samples, 2))
    return X, np.floor(X).astype(np.intp).sum(axis=1) % 2
