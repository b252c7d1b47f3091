"""Elastic measures in plain Python, and stand-ins for the libraries that compute them.

The stand-ins keep the conventions of what they stand in for, which differ: aeon returns
sums of squares where dtaidistance returns roots, takes a window as a share of the
length where dtaidistance takes a number of points, and wants channels first.
"""

from types import ModuleType

import numpy as np


def accumulate(shape, start, moves):
    """Return the last cell of a table of cheapest paths.

    Parameters
    ----------
    shape : tuple of int
    start : dict of cell -> cost
    moves : callable
        ``moves(i, j)`` returns pairs of a cell before (i, j) and the cost from there.
    """
    costs = np.full(shape, np.inf)
    for i, j in np.ndindex(*shape):
        before = [costs[cell] + cost for cell, cost in moves(i, j) if min(cell) >= 0]
        costs[i, j] = start.get((i, j), min(before, default=np.inf))
    return costs[-1, -1]


def squared_dtw(x, y, radius=None, penalty=0.0, weights=None):
    """Return the smallest sum of squares along a path; x, y are (channels, time)."""
    local = np.square(x[:, :, None] - y[:, None, :]).sum(axis=0)

    def moves(i, j):
        if radius is not None and abs(i - j) > radius:
            return []
        cost = local[i, j] * (1.0 if weights is None else weights[abs(i - j)])
        return [
            ((i - 1, j - 1), cost),
            ((i - 1, j), cost + penalty),
            ((i, j - 1), cost + penalty),
        ]

    first = local[0, 0] * (1.0 if weights is None else weights[0])
    return accumulate(local.shape, {(0, 0): first}, moves)


def erp(x, y, g=0.0, total_at_the_border=False):
    """Return edit distance with real penalty (Chen and Ng 2004)."""
    own_x, own_y = (np.linalg.norm(s - g, axis=0) for s in (x, y))
    both = np.linalg.norm(x[:, :, None] - y[:, None, :], axis=0)
    start = {(0, 0): 0.0}
    if total_at_the_border:  # as aeon fills in row and column 0
        start |= {(i, 0): own_x.sum() for i in range(1, len(own_x) + 1)}
        start |= {(0, j): own_y.sum() for j in range(1, len(own_y) + 1)}

    def moves(i, j):
        yield (i - 1, j), own_x[i - 1]
        yield (i, j - 1), own_y[j - 1]
        if i and j:
            yield (i - 1, j - 1), both[i - 1, j - 1]

    return accumulate((len(own_x) + 1, len(own_y) + 1), start, moves)


def msm(x, y, c=1.0):
    """Return move-split-merge (Stefan, Athitsos and Das 2013), of one channel."""
    (x,), (y,) = x, y

    def change(new, before, other):
        if min(before, other) <= new <= max(before, other):
            return c
        return c + min(abs(new - before), abs(new - other))

    def moves(i, j):
        yield (i - 1, j - 1), abs(x[i] - y[j])
        yield (i - 1, j), change(x[i], x[i - 1], y[j])
        yield (i, j - 1), change(y[j], x[i], y[j - 1])

    return accumulate((len(x), len(y)), {(0, 0): abs(x[0] - y[0])}, moves)


def twe(x, y, nu=0.001, lmbda=1.0):
    """Return time warp edit (Marteau 2009, algorithm 1), of one channel."""
    (x,), (y,) = np.pad(x, ((0, 0), (1, 0))), np.pad(y, ((0, 0), (1, 0)))

    def moves(i, j):
        if not (i and j):
            return
        yield (i - 1, j), abs(x[i] - x[i - 1]) + nu + lmbda
        yield (i, j - 1), abs(y[j] - y[j - 1]) + nu + lmbda
        both = abs(x[i] - y[j]) + abs(x[i - 1] - y[j - 1])
        yield (i - 1, j - 1), both + 2 * nu * abs(i - j)

    return accumulate((len(x), len(y)), {(0, 0): 0.0}, moves)


def lcss(x, y, epsilon=1.0):
    """Return one minus the share of the shorter series that matches the other."""
    near = np.linalg.norm(x[:, :, None] - y[:, None, :], axis=0) <= epsilon
    length = np.zeros((near.shape[0] + 1, near.shape[1] + 1))
    for i, j in np.ndindex(*near.shape):
        longest = max(length[i, j + 1], length[i + 1, j])
        length[i + 1, j + 1] = length[i, j] + 1 if near[i, j] else longest
    return 1 - length[-1, -1] / min(near.shape)


def derivative(x):
    """Return the slope of Keogh and Pazzani (2001), two points shorter."""
    return ((x[:, 1:-1] - x[:, :-2]) + (x[:, 2:] - x[:, :-2]) / 2) / 2


def logistic_weights(length, g):
    """Return the weights of Jeong et al. (2011) for each distance to the diagonal."""
    return 1 / (1 + np.exp(-g * (np.arange(length) - length / 2)))


#: name -> the measure of two series (channels, time), as skproxy documents it.
ORACLES = {
    "dtw": lambda x, y, radius=None: np.sqrt(squared_dtw(x, y, radius)),
    "ddtw": lambda x, y: np.sqrt(squared_dtw(derivative(x), derivative(y))),
    "wdtw": lambda x, y, g=0.05: np.sqrt(
        squared_dtw(x, y, weights=logistic_weights(max(x.shape[1], y.shape[1]), g))
    ),
    "adtw": lambda x, y, warp_penalty=1.0: np.sqrt(
        squared_dtw(x, y, penalty=warp_penalty)
    ),
    "msm": msm,
    "erp": erp,
    "twe": twe,
    "lcss": lcss,
}


def like_aeon():
    """Return modules that behave as aeon does, by name."""

    def pairwise(compare):
        def compare_all(X, y, window=None, **arguments):
            rows = [np.atleast_2d(one) for one in X]
            others = [np.atleast_2d(one) for one in y]
            if window is not None:
                assert 0 <= window <= 1
                arguments["radius"] = int(window * rows[0].shape[1])
            return np.array(
                [[compare(a, b, **arguments) for b in others] for a in rows]
            )

        return compare_all

    def squared(name):
        return lambda x, y, **arguments: ORACLES[name](x, y, **arguments) ** 2

    distances = ModuleType("aeon.distances")
    for name, compare in ORACLES.items():
        if name in ("dtw", "ddtw", "wdtw", "adtw"):
            compare = squared(name)
        if name == "erp":
            compare = lambda x, y, g=0.0: erp(x, y, g, total_at_the_border=True)  # noqa: E731
        setattr(distances, f"{name}_pairwise_distance", pairwise(compare))
    aeon = ModuleType("aeon")
    aeon.distances = distances
    return {"aeon": aeon, "aeon.distances": distances}


def like_dtaidistance():
    """Return modules that behave as dtaidistance does, by name."""

    def distance_matrix(s, ndim=None, *, block, window, use_c, parallel):
        assert not use_c
        assert not parallel
        assert all(one.flags.c_contiguous for one in s)
        s = [one[None] if ndim is None else one.T for one in s]
        assert ndim is None or {len(one) for one in s} == {ndim}
        (top, bottom), (left, right) = block
        matrix = np.full((len(s), len(s)), np.inf)
        radius = None if window is None else window - 1
        for i in range(top, bottom):
            for j in range(left, right):
                if radius == 0:  # quick: scikit-learn's checks compare many
                    matrix[i, j] = np.linalg.norm(s[i] - s[j])
                else:
                    matrix[i, j] = np.sqrt(squared_dtw(s[i], s[j], radius))
        return matrix

    package = ModuleType("dtaidistance")
    package.dtw, package.dtw_ndim = ModuleType("dtw"), ModuleType("dtw_ndim")
    package.dtw.try_import_c = lambda: False
    package.dtw.distance_matrix = package.dtw_ndim.distance_matrix = distance_matrix
    return {"dtaidistance": package, "dtaidistance.dtw": package.dtw}
