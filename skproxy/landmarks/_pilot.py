"""The pilot embedding: vectors for any measure, in which selectors do their geometry.

A selector needs distances, means and norms; a measure offers comparisons, which may be
no metric at all. So a few objects drawn uniformly serve as landmarks of a *pilot*: a
signed Nystrom embedding, built by the core exactly like that of an estimator, of a
bounded sample of *candidates*. Negative eigenvalues are flipped (or all are squared,
for vectors whose inner products are those of ``S S'``), and what comes out are plain
vectors in which k-means, distances and leverage scores mean something.

The sample bounds the price: c candidates and q pilot landmarks cost at most 2 c q
comparisons (c q with the landmarks, as many again for the core), whatever N is.
"""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from .._sklearn import Interval, StrOptions
from ..comparisons import SILENT, Geometry, Landmarks, Scale
from ..factor import Axes, Compared, factorize

__all__ = [
    "PILOT_CONSTRAINTS",
    "PilotEmbedding",
    "distinct",
    "draw_candidates",
    "embed_candidates",
    "embed_pilot",
]

#: Constraints of the parameters that mean the same in every geometric selector.
PILOT_CONSTRAINTS = {
    "n_pilot": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    "max_candidates": [
        Interval(Integral, 1, None, closed="left"),
        StrOptions({"auto"}),
    ],
    "spectrum": [StrOptions({"flip", "square"})],
}

# Squared distances below this many roundings of the largest squared norm are zero:
# objects that near are copies of each other.
_ROUNDINGS = 100.0


@dataclass(frozen=True, eq=False)
class PilotEmbedding:
    """Objects as vectors, for the selectors.

    Attributes
    ----------
    candidates : ndarray of shape (c,)
        Positions of the objects embedded, increasing.
    coordinates : ndarray of shape (c, k)
        Their vectors, about the mean of the candidates where the geometry is centred.
    eps : float
        Relative rounding of the comparisons.
    table, landmarks, geometry, scale, axes
        What is needed to embed other objects.
    """

    candidates: np.ndarray
    coordinates: np.ndarray
    eps: float
    table: Any
    landmarks: Landmarks
    geometry: Geometry
    scale: Scale
    axes: Axes

    @property
    def negligible(self):
        """Squared distance up to which two objects are the same."""
        squares = np.einsum("ij,ij->i", self.coordinates, self.coordinates)
        return _ROUNDINGS * self.eps * float(squares.max(initial=0.0))

    def columns(self):
        """Return what each candidate would add as a landmark.

        That is its column of comparisons with all candidates, in an orthonormal basis.
        For similarities these are the columns of S, which are the vectors themselves
        where the spectrum is squared. Columns of centred dissimilarities are
        ``q - 2 s_j`` with ``q = diag(S)``, not those of S: m landmarks span only m - 1
        differences of these, and a direction more.

        Returns
        -------
        columns : ndarray of shape (c, k or k + 1)
            For dissimilarities divided by -2.
        """
        Z = self.coordinates
        if self.geometry.is_similarity:
            return Z
        sizes = np.abs(self.axes.eigenvalues)
        E = Z / np.where(sizes > 0, sizes, np.inf)
        q = np.square(E) @ self.axes.eigenvalues
        q = q - q.mean()
        along = E.T @ q
        beside = np.linalg.norm(q - E @ along)
        return np.column_stack(
            [Z - along * self.axes.signs / 2, np.full(len(Z), beside / 2)]
        )

    def embed(self, rows):
        """Return the vectors of any objects of the table.

        Parameters
        ----------
        rows : ndarray of shape (a,)
            Positions.

        Returns
        -------
        coordinates : ndarray of shape (a, k)
            a q comparisons.
        """
        coordinates = np.empty((len(rows), self.coordinates.shape[1]))
        landmarks, start = self.landmarks, 0
        for _, block in self.table.blocks(rows, landmarks.objects, landmarks.indices):
            stop = start + len(block)
            self.geometry.check(
                block,
                self.scale.unit,
                self.table.name,
                rows[start:stop],
                landmarks.indices,
            )
            coordinates[start:stop] = self.axes.of_scaled(self.scale.apply(block))
            start = stop
        return coordinates


def draw_candidates(n_objects, max_candidates, n_landmarks, rng):
    """Draw the objects among which landmarks are chosen.

    Parameters
    ----------
    n_objects : int
    max_candidates : int or "auto"
        "auto" is ten per landmark, but at least 1000.
    n_landmarks : int
        So many candidates there are at least.
    rng : RandomState

    Returns
    -------
    candidates : ndarray of shape (c,)
        Positions, in random order.
    """
    if max_candidates == "auto":
        max_candidates = max(1000, 10 * n_landmarks)
    return rng.permutation(n_objects)[: max(max_candidates, n_landmarks)]


def embed_candidates(
    selector, table, n_landmarks, rng, *, per_landmark=1, at_least=1, spectrum=None
):
    """Embed candidates the way the parameters of a selector say.

    Parameters
    ----------
    selector : LandmarkSelector
        Has the parameters `n_pilot`, `max_candidates` and, unless given here,
        `spectrum`.
    table : comparisons of N objects
    n_landmarks : int
    rng : RandomState
    per_landmark, at_least : int
        Pilot landmarks, where `n_pilot` is "auto": so many per landmark wanted, and so
        many at least.
    spectrum : {"flip", "square"}, default=None

    Returns
    -------
    embedding : PilotEmbedding
    """
    candidates = draw_candidates(
        table.n_objects, selector.max_candidates, n_landmarks, rng
    )
    n_pilot = selector.n_pilot
    if n_pilot == "auto":
        n_pilot = max(per_landmark * n_landmarks, at_least)
    pilot = candidates[:n_pilot]
    return embed_pilot(
        table, np.sort(candidates), pilot, rng, spectrum=spectrum or selector.spectrum
    )


def distinct(coordinates, chosen, negligible):
    """Drop rows that are copies of rows chosen before them.

    Parameters
    ----------
    coordinates : ndarray of shape (c, k)
    chosen : ndarray of shape (m,)
        Row numbers, all different.
    negligible : float
        Squared distance up to which two rows are the same.

    Returns
    -------
    kept : ndarray of shape (at most m,)
        In the same order. Cost O(m^2 k).
    """
    gaps = euclidean_distances(coordinates[chosen], squared=True)
    # An earlier row within reach makes a row a copy.
    copies = np.tril(gaps <= negligible, k=-1).any(axis=1)
    return chosen[~copies]


def embed_pilot(table, candidates, pilot, rng, *, spectrum="flip"):
    """Embed candidates with some of them as landmarks.

    Parameters
    ----------
    table : comparisons of N objects
    candidates : ndarray of shape (c,)
        Positions of the objects to embed, increasing.
    pilot : ndarray of shape (q,)
        Positions of the landmarks of the embedding, all of them candidates.
    rng : RandomState
    spectrum : {"flip", "square"}
        What becomes of the eigenvalues: inner products of the vectors approximate
        ``|S|`` or ``S S'``.

    Returns
    -------
    embedding : PilotEmbedding
        c q comparisons and those among the probes, which are never more.
    """
    geometry = _geometry(table)
    landmarks = Landmarks(table.take(pilot), pilot)
    checks = _PartGeometry(
        geometry.is_similarity, geometry.power, geometry.centred, candidates
    )
    of_part = Landmarks(landmarks.objects, np.searchsorted(candidates, pilot))
    part = Compared(checks, of_part, _Part(table, candidates), rng).with_square()
    # Three per landmark, as many comparisons among them as with the landmarks at most:
    # selectors need an embedding, not the best one.
    q, c = landmarks.count, len(candidates)
    n_probes = max(min(3 * q, int(np.sqrt(2.0 * c * q)) - q), 0)
    (factor,), features = factorize(part, n_probes, rank=None, keep=np.float64)
    axes = factor.axes(max(len(factor.eigenvalues), 1), spectrum)
    return PilotEmbedding(
        candidates=candidates,
        coordinates=axes.of_kept(features),
        eps=float(np.finfo(part.square.dtype).eps),
        table=table,
        landmarks=landmarks,
        geometry=geometry,
        scale=factor.landmark_map.scale,
        axes=axes,
    )


def _geometry(table):
    geometry = getattr(table, "geometry", None)
    if geometry is None or not hasattr(table, "rectangle"):
        msg = (
            "proximity of a selector must compare any two objects and know its "
            f"geometry; got {type(table).__name__}, which does not. Landmarks of a "
            "precomputed matrix of landmark columns are given as positions; elsewhere "
            "use skproxy.landmarks.select_landmarks."
        )
        raise TypeError(msg)
    return geometry


@dataclass(frozen=True)
class _PartGeometry(Geometry):
    """A geometry whose messages name positions in the whole table."""

    members: np.ndarray

    def check(self, block, scale, name, rows=None, columns=None):
        super().check(block, scale, name, self.members[rows], self.members[columns])


class _Part:
    """Some objects of a table, as a table of their own."""

    progress = SILENT

    def __init__(self, table, members):
        self.table = table
        self.members = members
        self.n_objects = len(members)
        self.everything = np.arange(self.n_objects)
        self.name = table.name

    def blocks(self, rows, others, columns):
        start = 0
        members = self.members
        for _, block in self.table.blocks(members[rows], others, members[columns]):
            stop = start + len(block)
            yield rows[start:stop], block
            start = stop

    def square(self, indices):
        return self.table.square(self.members[indices])
