"""Medoids: the real objects that stand for clusters found in the vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, check_random_state

from ..comparisons import Comparer, Geometry
from ..comparisons._objects import count_objects

__all__ = ["medoid_indices"]


class _MedoidIndices(BaseEstimator):
    """Stands in messages for the function, and remembers what columns X has."""


def medoid_indices(
    labels: ArrayLike,
    Z: ArrayLike,
    X: Any,
    metric: str | Callable[..., Any] = "euclidean",
    *,
    metric_params: dict[str, Any] | None = None,
    n_candidates: int = 10,
    max_members: int = 100,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Return the object nearest to the centre of each cluster, truly compared.

    Clusters found in the vectors have centres that are no objects. Members near the
    centre are candidates, and the one whose mean dissimilarity to the members is least
    is the medoid.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Cluster of each object; negative ones are noise, as in scikit-learn.
    Z : array-like of shape (n_samples, n_components)
        Vectors, such as those of :class:`skproxy.NystromDissimilarity`.
    X : array-like, sparse matrix or sequence of n_samples objects
        What was compared; for ``metric="precomputed"`` an array of shape (n_samples,
        n_samples).
    metric : str, callable, BlockMetric or "precomputed", default="euclidean"
        How two objects are compared.
    metric_params : dict, default=None
        Keyword arguments of the metric. Never written to.
    n_candidates : int, default=10
        Number of members of each cluster, nearest to its centre in the vectors, that
        are compared. As many as the largest cluster has members, with as many
        `max_members`, give the medoids of all pairs.
    max_members : int, default=100
        Number of members that each candidate is compared with; a larger cluster is
        sampled.
    random_state : int, RandomState instance or None, default=None
        Decides the samples.
    n_jobs : int, default=None
        Number of parallel evaluations; the result does not depend on it.

    Returns
    -------
    indices : ndarray of shape (n_clusters,)
        Positions of the medoids, in the order of the sorted labels.

    Notes
    -----
    At most n_clusters n_candidates max_members comparisons.

    Examples
    --------
    >>> from skproxy.neighbors import medoid_indices
    >>> X = [[0.0], [1.0], [5.0], [20.0], [21.0], [22.0]]
    >>> medoid_indices([0, 0, 0, 1, 1, 1], X, X).tolist()
    [1, 4]
    """
    labels, Z = np.asarray(labels), np.asarray(Z, dtype=np.float64)
    check_consistent_length(labels, Z)
    if count_objects(X) != len(labels):
        msg = (
            f"labels of medoid_indices must be one for each object; got {len(labels)} "
            f"labels and {count_objects(X)} objects."
        )
        raise ValueError(msg)
    comparer = Comparer(
        parameter="metric",
        compare=metric,
        geometry=Geometry(is_similarity=False, power=1, centred=True),
        params=dict(metric_params or {}),
        n_jobs=n_jobs,
    )
    table, _ = comparer.table(_MedoidIndices(), X)
    rng = check_random_state(random_state)
    clusters = np.unique(labels)
    clusters = clusters[clusters >= 0]
    found = []
    for cluster in clusters:
        members = np.flatnonzero(labels == cluster)
        gaps = np.square(Z[members] - Z[members].mean(axis=0)).sum(axis=1)
        candidates = members[np.argsort(gaps, kind="stable")[:n_candidates]]
        compared = np.sort(rng.permutation(members)[:max_members])
        means = table.rectangle(np.sort(candidates), compared).mean(axis=1)
        found.append(np.sort(candidates)[means.argmin()])
    return np.array(found, dtype=np.intp)
