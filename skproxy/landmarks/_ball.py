"""The smallest ball around points, exactly for few and nearly for many.

======  ==============================================  ======
symbol  meaning                                         shape
======  ==============================================  ======
P       points                                          (s, k)
w       weights of the centre ``c = w P``, sum 1        (s,)
R       radius                                          scalar
======  ==============================================  ======

The dual of "smallest R with |p - c| <= R for all p" is the concave problem

    max  sum_i w_i |p_i|^2 - |w P|^2,    w >= 0,  sum w = 1,

whose maximum is R^2. Few points are solved exactly by an active set; many by a core
set, a few of them whose ball holds all others within (1 + epsilon) R.

References
----------
M. Badoiu, K. L. Clarkson (2008). Optimal core-sets for balls. Computational Geometry
40(1), 14-22. doi:10.1016/j.comgeo.2007.04.002
"""

import numpy as np
from scipy import linalg

__all__ = ["CoreSet", "enclosing_ball"]

# Relative rounding of squared distances and weights.
_SLACK = 1e-10


def enclosing_ball(points, weights):
    """Return the weights of the centre of the smallest ball around few points.

    Parameters
    ----------
    points : ndarray of shape (s, k)
    weights : ndarray of shape (s,)
        Where to start: not negative, sum 1.

    Returns
    -------
    weights : ndarray of shape (s,)
        Optimal up to rounding; positive for at most k + 1 points, all on the sphere.
        Usually a handful of steps of O(s k + s^3).
    """
    weights = weights.copy()
    squares = np.einsum("ij,ij->i", points, points)
    scale = float(squares.max(initial=0.0))
    active = weights > 0
    for _ in range(50 * len(points)):
        step, bounded = _direction(points, squares, weights, active)
        limits = np.full(len(weights), np.inf)
        falling = active & (step < 0)
        limits[falling] = weights[falling] / -step[falling]
        first = int(limits.argmin())
        if limits[first] < 1.0 or not bounded:
            # Something reaches zero on the way: stop there and go on without it.
            weights = np.maximum(weights + limits[first] * step, 0.0)
            weights[first] = 0.0
            active[first] = False
            continue
        weights = np.maximum(weights + step, 0.0)
        weights /= weights.sum()
        gaps = points - weights @ points
        distances = np.einsum("ij,ij->i", gaps, gaps)
        radius = float(weights @ distances)
        outside = np.where(active, -np.inf, distances)
        farthest = int(outside.argmax())
        if outside[farthest] <= radius + _SLACK * scale:
            break
        active[farthest] = True
    return weights


def _direction(points, squares, weights, active):
    """Return the way to the best centre in the span of the active points.

    Returns
    -------
    step : ndarray of shape (s,)
        Sum 0, zero for points that are not active.
    bounded : bool
        False where the active points are affinely dependent: the way then leaves the
        centre where it is and only raises the dual, so it ends at a weight of zero.
    """
    rows = np.flatnonzero(active)
    step = np.zeros(len(weights))
    if len(rows) == 1:
        return step, True
    edges = points[rows[1:]] - points[rows[0]]
    left, sizes, _ = linalg.svd(edges, full_matrices=True, check_finite=False)
    rank = int((sizes > 1e-9 * sizes.max(initial=0.0)).sum())
    if rank < len(edges):
        null = left[:, rank]
        change = np.concatenate([[-null.sum()], null])
        if change @ squares[rows] < 0:
            change = -change
        step[rows] = change
        return step, False
    # Equidistant from all: 2 edges (c - p_0) = |edges|^2, with c - p_0 in their span.
    lengths = np.einsum("ij,ij->i", edges, edges)
    target = left @ ((left.T @ lengths) / sizes**2) / 2
    step[rows] = np.concatenate([[1.0 - target.sum()], target]) - weights[rows]
    return step, True


class CoreSet:
    """A few points whose smallest ball nearly holds all points shown so far.

    Parameters
    ----------
    epsilon : float
        Points within (1 + epsilon) of the radius are held.
    negligible : float
        Squared distance up to which two points are the same.
    max_size : int or None
        Grow to at most so many points on the sphere.
    """

    def __init__(self, epsilon, negligible, max_size=None):
        self.epsilon = epsilon
        self.negligible = negligible
        self.max_size = max_size
        self.names = []
        self.points = None
        self.weights = None

    @property
    def centre(self):
        """Centre of the ball, shape (k,)."""
        return self.weights @ self.points

    @property
    def squared_radius(self):
        """Square of the radius of the smallest ball around the core set."""
        gaps = self.points - self.centre
        return float(self.weights @ np.einsum("ij,ij->i", gaps, gaps))

    @property
    def members(self):
        """Names of the points that hold the ball, in the order they came."""
        held = self.weights > _SLACK
        return [name for name, on in zip(self.names, held, strict=True) if on]

    def grow(self, points, names):
        """Take in points until the ball holds all that are shown.

        Parameters
        ----------
        points : ndarray of shape (n, k)
        names : ndarray of shape (n,)

        Returns
        -------
        grown : bool
            Whether any was taken in. Cost O(n k) per point taken in, of which there are
            about 2 / epsilon at worst and a few dozen usually.
        """
        grown = False
        if self.points is None:
            # The farthest from the mean, then the farthest from that.
            self._add(points, names, _farthest(points, points.mean(axis=0))[0])
            grown = True
        while self.max_size is None or len(self.members) < self.max_size:
            farthest, squared = _farthest(points, self.centre)
            held = max((1 + self.epsilon) ** 2 * self.squared_radius, self.negligible)
            # A point of the core set itself can only be out by rounding.
            if squared <= held or names[farthest] in self.names:
                break
            self._add(points, names, farthest)
            grown = True
        return grown

    def _add(self, points, names, row):
        self.names.append(int(names[row]))
        if self.points is None:
            self.points, self.weights = points[[row]], np.ones(1)
            return
        old = self.centre
        self.points = np.vstack([self.points, points[row]])
        # About the old centre, where squares lose the fewest digits.
        weights = np.append(self.weights, 0.0)
        self.weights = enclosing_ball(self.points - old, weights)


def _farthest(points, centre):
    """Return the row farthest from a centre and its squared distance."""
    gaps = points - centre
    squares = np.einsum("ij,ij->i", gaps, gaps)
    row = int(squares.argmax())
    return row, float(squares[row])
