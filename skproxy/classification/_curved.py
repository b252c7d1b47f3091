"""From a pilot sample of comparisons to kernel features of any object.

The plumbing between `KernelFeatures`, which knows no landmarks, and the core, which
knows no classes.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..comparisons._objects import block_rows, consecutive_blocks
from ..factor import Moments, Pilot, SignedFactor, map_of_pilot
from ._class_moments import ClassMoments
from ._kernel_features import (
    KernelFeatures,
    LinearKernel,
    RadialKernel,
    column_map,
    n_centres,
    to_power,
)
from ._ridge_discriminant import (
    choose_ridge,
    choose_temperature,
    fit_ridge_discriminant,
)

__all__ = [
    "CurvedReader",
    "coordinate_maps",
    "kernel_candidates",
    "read_kept",
    "weighted_factor",
]


class _Known:
    """A table of the comparisons among the landmarks, which are there already."""

    def __init__(self, square, name):
        self.known, self.name = square, name

    def square(self, indices):
        return self.known[np.ix_(indices, indices)]


class _Remembering:
    """A table that evaluates the comparisons among the same objects once."""

    def __init__(self, table):
        self.table, self.squares = table, {}

    @property
    def name(self):
        return self.table.name

    def square(self, indices):
        key = np.asarray(indices).tobytes()
        if key not in self.squares:
            self.squares[key] = self.table.square(indices)
        return self.squares[key]


def coordinate_maps(core, rows, weights, correction, rank="auto"):
    """Return what is read from comparisons: coordinates for two powers, and columns.

    Parameters
    ----------
    core : tuple (compared, pilot, n_extra)
        As in `map_of_pilot`.
    rows : ndarray of shape (n, m)
        Comparisons of a sample of objects with the landmarks.
    weights : ndarray of shape (n,)
        Of these objects.
    correction : str or None
        Of the coordinates' eigenvalues.
    rank : {"auto", None}, default="auto"
        As in `map_of_pilot`.

    Returns
    -------
    maps : list of (power, mean, weights)
        As in `RadialKernel`.
    landmark_map : LandmarkMap
        Of the power asked for; its scale holds the unit of the comparisons.
    """
    compared, pilot, n_extra = core
    geometry, table = compared.geometry, _Remembering(compared.table)
    geometries = [geometry]
    # Values that may be negative have no smaller power.
    if not geometry.is_similarity and (geometry.power != 1 or rows.min() >= 0):
        geometries.append(replace(geometry, power=geometry.power / 2))
    maps, found = [], []
    for each in geometries:
        remembering = replace(compared, table=table, geometry=each)
        landmark_map = map_of_pilot(remembering, pilot, n_extra, rank)
        found.append(landmark_map)
        scaled = landmark_map.scale.apply(rows)
        features = landmark_map.features(scaled)
        factor = weighted_factor(landmark_map, features, weights, each.centred)
        axes = factor.axes(max(len(factor.eigenvalues), 1), correction)
        maps.append((each.power, axes.mean, axes.weights))
    least = geometries[-1].power
    ratios = found[0].scale.ratio(rows)
    maps.append((least, *column_map(to_power(ratios, least), weights)))
    return maps, found[0]


def weighted_factor(landmark_map, features, weights, centred):
    """Return the signed factor of objects with weights.

    Parameters
    ----------
    landmark_map : LandmarkMap
    features : ndarray of shape (n, m)
        Their basis rows.
    weights : ndarray of shape (n,)
        A weight of two is the object twice.
    centred : bool
    """
    total = weights.sum()
    if total == 0:
        return SignedFactor(landmark_map, Moments.empty(features.shape[1]), centred)
    mean = weights @ features / total
    gaps = (features - mean) * np.sqrt(weights)[:, None]
    return SignedFactor(landmark_map, Moments(total, mean, gaps.T @ gaps), centred)


def kernel_candidates(maps, comparisons, weights, rng):
    """Return features of radial kernels only, and with a linear one among them.

    Parameters
    ----------
    maps : list of (power, mean, weights)
        From `coordinate_maps`.
    comparisons : ndarray of shape (n, m)
        Of a sample of objects with the landmarks, over their unit.
    weights : ndarray of shape (n,)
        Of these objects.
    rng : RandomState
        Draws the centres.

    Returns
    -------
    candidates : list of two KernelFeatures
    """
    n_objects = len(comparisons)
    possible = np.flatnonzero(weights)
    drawn = rng.permutation(possible)[: n_centres(n_objects)]
    centres, copies = comparisons[drawn], weights[drawn]
    radial = [RadialKernel.of(one, centres, copies) for one in maps]
    linear = LinearKernel.of(maps[0], centres, copies)
    return [
        KernelFeatures.of(kernels, centres) for kernels in (radial, [*radial, linear])
    ]


def read_kept(compared, comparisons, useful, kept, codes, weights=None):
    """Return the reader of comparisons with some of the landmarks.

    The others are the probes of its core, known from the comparisons among landmarks:
    nothing is compared. They were left out by the labels, which leave-one-out does not
    see, so that probabilities may not be surer than those with all landmarks.

    Parameters
    ----------
    compared : Compared
        Its generator draws the sample that settings are chosen on, and the centres.
    comparisons : ndarray of shape (N, m)
        Of all objects, in the units of the metric.
    useful : ndarray of int
        Landmarks that say anything.
    kept : ndarray of int
        Which of them are read.
    codes : ndarray of shape (N,)
    weights : ndarray of shape (N,), default=None
        Of the objects.

    Returns
    -------
    reader : CurvedReader
        Of all objects.
    scale : Scale
        Of the comparisons that it reads.
    """
    rng, square = compared.rng, compared.square[np.ix_(useful, useful)]
    comparisons, kept = comparisons[:, useful], np.searchsorted(useful, kept)
    compared = replace(compared, table=_Known(square, compared.table.name))
    n_sampled = max(1000, 10 * len(square))
    sample = rng.permutation(len(codes))[:n_sampled]
    n_classes, temperature = int(codes.max()) + 1, 0.0
    weights = np.ones(len(codes)) if weights is None else weights
    for some in (np.arange(len(square)), kept):
        others = np.setdiff1d(np.arange(len(square)), some)
        pilot = Pilot(square[np.ix_(some, some)], others, square[np.ix_(others, some)])
        rows = comparisons[:, some]
        maps, landmark_map = coordinate_maps(
            (compared, pilot, len(others)), rows[sample], weights[sample], "flip"
        )
        ratios = landmark_map.scale.ratio(rows)
        candidates = kernel_candidates(maps, ratios[sample], weights[sample], rng)
        reader = CurvedReader.begin(
            candidates, ratios[sample], codes[sample], n_classes, weights[sample]
        )
        temperature = max(temperature, reader.temperature)
    reader = replace(reader, temperature=temperature)
    for rows in consecutive_blocks(
        len(codes), block_rows(len(reader.features.whitener))
    ):
        reader = reader.absorb(ratios[rows], codes[rows], weights[rows])
    return reader, landmark_map.scale


@dataclass(frozen=True, eq=False)
class CurvedReader:
    """Classes read from kernel features: what streams and what does not.

    Attributes
    ----------
    features : KernelFeatures
    moments : ClassMoments
        Of the features of all objects seen.
    ridge, temperature : float
        Chosen by leave-one-out in the pilot sample.
    """

    features: KernelFeatures
    moments: ClassMoments
    ridge: float
    temperature: float

    @classmethod
    def begin(cls, candidates, comparisons, codes, n_classes, weights=None):
        """Return the reader of no objects, its settings chosen on a pilot sample.

        Parameters
        ----------
        candidates : list of KernelFeatures
            Of which a later one is taken if its squared error on objects left out is
            smaller by more than its standard error.
        comparisons : ndarray of shape (p, m)
            Of the sample with the landmarks, over their unit.
        codes : ndarray of shape (p,)
        n_classes : int
        weights : ndarray of shape (p,), default=None
        """
        truth = np.eye(n_classes)[codes]
        best = None
        for features in candidates:
            rows = features.rows(comparisons)
            ridge, scores = choose_ridge(rows, codes, n_classes, weights)
            errors = np.square(truth - scores).sum(axis=1)
            if best is None or is_clearly_less(errors, best[0], weights):
                best = errors, features, ridge, scores
        _, features, ridge, scores = best
        temperature = choose_temperature(scores, codes, weights)
        empty = ClassMoments.empty(n_classes, features.whitener.shape[1])
        return cls(features, empty, ridge, temperature)

    def absorb(self, comparisons, codes, weights=None):
        """Return the reader after some more objects."""
        rows = self.features.rows(comparisons)
        n_classes = len(self.moments.counts)
        more = ClassMoments.of(rows, codes, n_classes, weights)
        return replace(self, moments=self.moments.merge(more))

    def without_objects(self):
        """Return the reader of no objects, with the same features."""
        n_classes, width = self.moments.means.shape
        return replace(self, moments=ClassMoments.empty(n_classes, width))

    def merge(self, other, owner):
        """Return the reader of the objects of both.

        Parameters
        ----------
        other : CurvedReader or None
            With the same features.
        owner : str
            Class name, for messages.
        """
        mine = self.features.whitener
        if other is None or not np.array_equal(mine, other.features.whitener):
            msg = (
                f"models in {owner}.merge must have the same kernel features, which "
                "are chosen on the first objects; got models fitted apart. Begin the "
                "others by model.new_part(), or fit all with features='linear'."
            )
            raise ValueError(msg)
        return replace(self, moments=self.moments.merge(other.moments))

    def read(self):
        """Return the `RidgeDiscriminant`."""
        return fit_ridge_discriminant(self.moments, self.ridge, self.temperature)


def is_clearly_less(errors, others, weights=None):
    """Tell whether a mean is less than another's by more than one standard error.

    A choice by leave-one-out alone takes the luckier of two equally good ones and is
    worse than none.
    """
    weights = np.ones(len(errors)) if weights is None else weights
    gaps = others - errors
    mean = np.average(gaps, weights=weights)
    variance = np.average(np.square(gaps - mean), weights=weights)
    return bool(mean > np.sqrt(variance / weights.sum()))
