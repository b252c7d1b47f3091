"""Ways to compare points that are not Euclidean any more.

The perturbations with which papers on non-Euclidean scaling turn images, or any
vectors, into dissimilarities: hops in a graph of neighbours, and missing entries.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components, shortest_path
from sklearn.neighbors import kneighbors_graph
from sklearn.utils import check_array, check_random_state

from skproxy.datasets._arguments import check_count, check_real


def knn_graph_dissimilarity(
    X: Any,
    n_neighbors: int = 10,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    disconnected: str = "raise",
) -> np.ndarray:
    """Count the hops between objects in the graph of nearest neighbours.

    Two objects are joined when one is among the `n_neighbors` nearest of the other;
    the dissimilarity is the length of the shortest path, each edge counting one. It is
    a metric, but far from Euclidean.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Points, or their dissimilarities with ``metric="precomputed"``.
    n_neighbors : int, default=10
        Neighbours of each object; must be smaller than n_samples.
    metric : str or callable, default="euclidean"
        How neighbours are found, as in :class:`sklearn.neighbors.NearestNeighbors`.
    disconnected : {"raise", "max"}, default="raise"
        What to do when the graph falls apart, so that some objects are not joined by
        any path. "raise": an error that tells the sizes of the parts. "max": such pairs
        get one hop more than the longest of all shortest paths, which keeps all
        objects, and a metric.

    Returns
    -------
    D : ndarray of shape (n_samples, n_samples)
        Numbers of hops, as floats, all finite; symmetric with zero diagonal. Use them
        with ``power=2``.

    See Also
    --------
    sklearn.manifold.Isomap : Embeds such graphs, with edges as long as they are.

    Notes
    -----
    O(n_samples**2 * n_neighbors) time after the search for neighbours, and a matrix of
    n_samples**2 floats. To keep the largest part only, use "max" and leave out what is
    as far from it as the largest entry.

    References
    ----------
    .. [1] C. Deng, J. Gao, K. Lu, F. Luo, H. Sun and C. Xin (2024). "Neuc-MDS:
       Non-Euclidean Multidimensional Scaling Through Bilinear Forms". Advances in
       Neural Information Processing Systems 37. arXiv:2411.10889. Appendix E.2, second
       metric; it does not say what happens to graphs that fall apart.

    Examples
    --------
    >>> from skproxy.datasets import knn_graph_dissimilarity
    >>> knn_graph_dissimilarity([[0.0], [1.1], [2.0], [3.2]], 1)
    array([[0., 1., 2., 3.],
           [1., 0., 1., 2.],
           [2., 1., 0., 1.],
           [3., 2., 1., 0.]])
    """
    if disconnected not in ("raise", "max"):
        msg = (
            'disconnected of knn_graph_dissimilarity must be "raise" or "max"; got '
            f"{disconnected!r}. Say what to do with pairs that no path joins."
        )
        raise ValueError(msg)
    X = check_array(X)
    name = "n_neighbors of knn_graph_dissimilarity"
    n_neighbors = check_count(n_neighbors, name=name)
    if n_neighbors >= len(X):
        msg = (
            f"{name} must be smaller than the number of objects; got {n_neighbors} "
            f"for {len(X)} objects. An object is not its own neighbour."
        )
        raise ValueError(msg)
    graph = kneighbors_graph(X, n_neighbors, metric=metric, include_self=False)
    n_parts, part = connected_components(graph, directed=False)
    if n_parts > 1 and disconnected == "raise":
        sizes = np.sort(np.bincount(part))[::-1]
        shown = ", ".join(map(str, sizes[:5])) + (", ..." if n_parts > 5 else "")
        msg = (
            f"{name} must be large enough to join all objects; got {n_neighbors}, with "
            f"which the graph falls into {n_parts} parts of {shown} objects. Take more "
            'neighbours, or disconnected="max".'
        )
        raise ValueError(msg)
    hops = shortest_path(graph, method="D", directed=False, unweighted=True)
    if n_parts > 1:
        unreached = np.isinf(hops)
        hops[unreached] = hops[~unreached].max() + 1.0
    return hops


def missing_pixel_dissimilarity(
    X: Any,
    missing_rate: float = 0.1,
    *,
    random_state: int | np.random.RandomState | None = None,
) -> np.ndarray:
    r"""Compare points by the entries that both of them still have.

    Every entry goes missing with the same probability, independently. The
    dissimilarity is the Euclidean distance over the entries present in both,

    .. math:: d_{ij}^2 = \sum_{l \in P_i \cap P_j} (x_{il} - x_{jl})^2

    Since each pair has its own set of entries the triangle inequality is lost.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, such as the pixels of images.
    missing_rate : float, default=0.1
        Probability that an entry is missing, from 0 (Euclidean distances) to below 1.
    random_state : int, RandomState instance or None, default=None
        Determines the missing entries.

    Returns
    -------
    D : ndarray of shape (n_samples, n_samples)
        Distances over common entries, in the units of X, *not* rescaled to the full
        number of entries; symmetric with zero diagonal. Use them with ``power=2``.

    See Also
    --------
    sklearn.metrics.pairwise.nan_euclidean_distances : The same for entries that are
        missing already, rescaled to the full number of entries.

    Notes
    -----
    Three products of (n_samples, n_features) matrices, O(n_samples**2 * n_features)
    time. Distances below about 1e-8 of the largest are rounding. A pair without a
    common entry has no distance, and raises an error.

    References
    ----------
    .. [1] C. Deng, J. Gao, K. Lu, F. Luo, H. Sun and C. Xin (2024). "Neuc-MDS:
       Non-Euclidean Multidimensional Scaling Through Bilinear Forms". Advances in
       Neural Information Processing Systems 37. arXiv:2411.10889. Appendix E.2, third
       metric.

    Examples
    --------
    >>> from skproxy.datasets import missing_pixel_dissimilarity
    >>> missing_pixel_dissimilarity([[0.0, 0.0], [3.0, 4.0]], 0.0)
    array([[0., 5.],
           [5., 0.]])
    """
    X = check_array(X, dtype=np.float64)
    rate = check_real(missing_rate, name="missing_rate of missing_pixel_dissimilarity")
    if rate >= 1:
        msg = (
            "missing_rate of missing_pixel_dissimilarity must be below 1; got "
            f"{missing_rate!r}. Give the share of entries that go missing."
        )
        raise ValueError(msg)
    rng = check_random_state(random_state)
    present = (rng.uniform(size=X.shape) >= rate).astype(np.float64)
    _check_common_entries(present, rate)
    # centring changes no difference, and keeps the digits of small ones
    values = (X - X.mean(axis=0)) * present
    norms = values**2 @ present.T
    squared = norms + norms.T - 2.0 * (values @ values.T)
    distances = np.sqrt(np.maximum(0.5 * (squared + squared.T), 0.0))
    np.fill_diagonal(distances, 0.0)
    return distances


def _check_common_entries(present, rate):
    """Raise if two points have no entry in common."""
    alone = np.argwhere(present @ present.T < 0.5)
    if len(alone):
        i, j = map(int, alone[0])
        msg = (
            "missing_rate of missing_pixel_dissimilarity must leave every two points "
            f"an entry in common; got {rate:g}, which leaves none to the pair "
            f"{(i, j)}. Take a smaller rate, or points with more features."
        )
        raise ValueError(msg)
