"""Data and landmarks to a signed factor: the one pipeline that every estimator calls.

1. Compare a pilot sample with the landmarks, and the landmarks among themselves.
2. Choose probes in the pilot sample, compare them among themselves, fit the map.
3. Compare the remaining objects with the landmarks, block by block, and keep moments.

No comparison is made twice: the rows of the pilot sample are not evaluated again in the
pass. In all N m + (s - m)(s - m + 1) / 2 comparisons at most, with s probes.
"""

from dataclasses import dataclass

import numpy as np

from ..comparisons._facts import (
    check_zero_diagonal,
    rounding_tolerance,
)
from ..comparisons._geometry import Scale
from ..comparisons._schedule import one_blas_thread
from ._factor import SignedFactor
from ._landmark_map import LandmarkMap, fit_core, plain_core
from ._moments import Moments
from ._probes import pick_probes, pilot_size

__all__ = [
    "Pilot",
    "build_map",
    "compare_all",
    "compare_landmarks",
    "compare_pilot",
    "extend_pilot",
    "factorize",
    "factorize_groups",
]


@dataclass(frozen=True, eq=False)
class Pilot:
    """Comparisons of the landmarks, and of a uniform sample, with the landmarks.

    Attributes
    ----------
    landmark_rows : ndarray of shape (m, m)
        Comparisons among the landmarks, in the units of the metric.
    indices : ndarray of shape (p,)
        Positions of the other pilot objects, in random order.
    rows : ndarray of shape (p, m)
        Their comparisons with the landmarks.
    """

    landmark_rows: np.ndarray
    indices: np.ndarray
    rows: np.ndarray

    @property
    def eps(self):
        """Relative rounding of the comparisons."""
        return float(np.finfo(self.landmark_rows.dtype).eps)


def compare_landmarks(table, landmarks, geometry):
    """Compare the landmarks among themselves and check what must hold.

    Returns
    -------
    square : ndarray of shape (m, m)
        m (m + 1) / 2 comparisons, in the units of the metric.
    """
    if landmarks.indices is not None:
        square = table.square(landmarks.indices)
    else:
        square = table.square_among(landmarks.objects)
        table.n_evaluated += landmarks.count * (landmarks.count + 1) // 2
    if not geometry.is_similarity:
        scale = float(np.abs(square).max(initial=0.0))
        tolerance = rounding_tolerance(square.dtype)
        diagonal = np.diagonal(square)
        check_zero_diagonal(diagonal, scale, tolerance, table.name, landmarks.indices)
        # Rounding on the diagonal is known to be rounding, so it goes.
        square = square.copy()
        np.fill_diagonal(square, 0.0)
        geometry.check(square, scale, table.name, landmarks.indices, landmarks.indices)
    return square


def compare_pilot(table, landmarks, geometry, n_extra, rng):
    """Compare landmarks and, where probes are wanted, a uniform sample with them.

    Parameters
    ----------
    table : comparisons of N objects
    landmarks : Landmarks
    geometry : Geometry
    n_extra : int or None
        Number of probes besides the landmarks; without any the sample is empty.
    rng : RandomState

    Returns
    -------
    pilot : Pilot
    """
    square = compare_landmarks(table, landmarks, geometry)
    return extend_pilot(table, landmarks, geometry, square, n_extra, rng)


def extend_pilot(table, landmarks, geometry, square, n_extra, rng):
    """Return the pilot of landmarks already compared among themselves."""
    others = np.ones(table.n_objects, dtype=bool)
    if landmarks.indices is not None:
        others[landmarks.indices] = False
    others = np.flatnonzero(others)
    wanted = 0
    if n_extra:
        wanted = pilot_size(landmarks.count, n_extra) - landmarks.count
    others = rng.permutation(others)[:wanted]
    if len(others) == 0:
        rows = np.empty((0, landmarks.count), dtype=square.dtype)
        return Pilot(square, others, rows)
    rows = np.concatenate(
        [
            block
            for _, block in table.blocks(others, landmarks.objects, landmarks.indices)
        ]
    )
    scale = float(np.abs(rows).max(initial=0.0))
    geometry.check(rows, scale, table.name, others, landmarks.indices)
    return Pilot(square, others, rows)


def build_map(table, pilot, landmarks, geometry, n_extra):
    """Fit the landmark map to probes chosen in the pilot sample.

    Parameters
    ----------
    table : comparisons of N objects
    pilot : Pilot
    landmarks : Landmarks
    geometry : Geometry
    n_extra : int or None
        Number of probes besides the landmarks; None takes the papers' core W^+, 0 says
        that there are no objects besides the landmarks to probe.

    Returns
    -------
    landmark_map : LandmarkMap
    """
    raw = np.concatenate([pilot.landmark_rows, pilot.rows])
    scale = Scale.of(raw, geometry.power)
    rows = scale.apply(raw)
    m = landmarks.count
    if not n_extra:
        # The papers' core, W^+. Without any object but landmarks the same, taken about
        # their mean: exact, and for new objects what Gower's formula gives.
        square = geometry.similarities(rows[:m])
        whitener, signs = plain_core(
            square, centred=geometry.centred and n_extra == 0, eps=pilot.eps
        )
        reference = rows[:m].mean(axis=0) if geometry.centred else np.zeros(m)
        if not geometry.is_similarity:
            whitener = -0.5 * whitener  # core of similarities -D/2, but rows of D
    else:
        # Squares whatever the power: a search over powers then asks for the comparisons
        # of the same probes, and the fit loses nothing by it.
        squares = rows
        if not geometry.is_similarity and geometry.power != 2:
            squares = np.square(scale.ratio(raw))
        with one_blas_thread(m):
            probes = pick_probes(
                squares, m, n_extra, centred=geometry.centred, eps=pilot.eps
            )
        among = _compare_probes(table, pilot, rows, probes, geometry, scale)
        selected = np.concatenate([np.arange(m), probes])
        with one_blas_thread(m):
            reference, whitener, signs = fit_core(
                rows[selected],
                geometry.similarities(among),
                centred=geometry.centred,
                eps=pilot.eps,
            )
    return LandmarkMap(
        scale=scale,
        reference=reference,
        whitener=whitener,
        signs=signs,
        landmark_features=(rows[:m] - reference) @ whitener,
    )


def _compare_probes(table, pilot, rows, probes, geometry, scale):
    """Return the powered, scaled comparisons among landmarks and other probes."""
    m = len(pilot.landmark_rows)
    extra = pilot.indices[probes - m]
    square = table.square(extra)
    if not geometry.is_similarity:
        tolerance = rounding_tolerance(square.dtype)
        check_zero_diagonal(
            np.diagonal(square), scale.unit, tolerance, table.name, extra
        )
    geometry.check(square, scale.unit, table.name, extra, extra)
    among = np.empty((m + len(probes), m + len(probes)))
    among[:m, :m] = rows[:m]
    among[m:, :m] = rows[probes]
    among[:m, m:] = rows[probes].T
    among[m:, m:] = scale.apply(square)
    if not geometry.is_similarity:
        np.fill_diagonal(among, 0.0)
    return among


def compare_all(table, landmarks, geometry, scale, pilot=None):
    """Yield the comparisons of all objects with the landmarks, each row once.

    Parameters
    ----------
    table : comparisons of N objects
    landmarks : Landmarks
    geometry : Geometry
    scale : Scale
    pilot : Pilot, default=None
        Rows known already; they are not evaluated again.

    Yields
    ------
    where : slice or ndarray of int
        Positions of the objects.
    scaled : ndarray of shape (len(where), m)
        C, powered and scaled.
    """
    remaining = np.ones(table.n_objects, dtype=bool)
    if pilot is not None:
        if landmarks.indices is not None:
            remaining[landmarks.indices] = False
            yield landmarks.indices, scale.apply(pilot.landmark_rows)
        if len(pilot.rows):
            remaining[pilot.indices] = False
            yield pilot.indices, scale.apply(pilot.rows)
    remaining = np.flatnonzero(remaining)
    everything = np.arange(table.n_objects)
    for run, block in table.blocks(remaining, landmarks.objects, landmarks.indices):
        rows = everything[run]
        geometry.check(block, scale.unit, table.name, rows, landmarks.indices)
        yield run, scale.apply(block)


def factorize(table, landmarks, geometry, landmark_map, pilot=None, *, keep=None):
    """Pass over the objects once and return their signed factor.

    Parameters
    ----------
    table : comparisons of N objects
    landmarks : Landmarks
    geometry : Geometry
    landmark_map : LandmarkMap
    pilot : Pilot, default=None
        Rows known already; they are not evaluated again.
    keep : dtype, default=None
        Keep the whitened rows A of all objects, in this precision.

    Returns
    -------
    factor : SignedFactor
    features : ndarray of shape (N, r) or None
        A, in the order of the objects.
    """
    everyone = np.zeros(table.n_objects, dtype=np.intp)
    factors, features = factorize_groups(
        table, landmarks, geometry, landmark_map, everyone, 1, pilot, keep=keep
    )
    return factors[0], features


def factorize_groups(
    table,
    landmarks,
    geometry,
    landmark_map,
    groups,
    n_groups,
    pilot=None,
    *,
    keep=None,
    also=None,
):
    """Pass over the objects once and return the signed factor of each group of them.

    The factors share the map, so that those of some groups, or of all, merge.

    Parameters
    ----------
    table, landmarks, geometry, landmark_map, pilot, keep
        As in `factorize`.
    groups : ndarray of shape (N,), dtype=int
        Which group, 0 ... n_groups - 1, each object belongs to.
    n_groups : int
    also : callable, default=None
        ``also(where, scaled)``, called for each block of powered, scaled comparisons.

    Returns
    -------
    factors : list of n_groups SignedFactor
        Without objects where a group has none.
    features : ndarray of shape (N, r) or None
    """
    m, r = landmark_map.whitener.shape
    features = None
    if keep is not None:
        # With room for one column per landmark: coordinates take the place of the rows.
        features = np.empty((table.n_objects, m), dtype=keep)[:, :r]
    states = [_Pass(Moments.empty(r), np.zeros(m))] * n_groups
    scale = landmark_map.scale
    for where, scaled in compare_all(table, landmarks, geometry, scale, pilot):
        rows = landmark_map.features(scaled)
        if also is not None:
            also(where, scaled)
        if features is not None:
            features[where] = rows
        codes = groups[where]
        first = int(codes[0])
        if (codes == first).all():
            states[first] = states[first].absorb(rows, scaled)
            continue
        for group in np.unique(codes):
            members = codes == group
            states[group] = states[group].absorb(rows[members], scaled[members])
    factors = [
        SignedFactor(landmark_map, state.moments, state.mean, geometry.centred)
        for state in states
    ]
    return factors, features


@dataclass(frozen=True, eq=False)
class _Pass:
    """What a pass over the objects carries along: moments of A and the mean of C."""

    moments: Moments
    mean: np.ndarray

    def absorb(self, rows, scaled):
        moments = self.moments.merge(Moments.of(rows))
        share = len(rows) / moments.count
        mean = self.mean + share * (scaled.mean(axis=0) - self.mean)
        return _Pass(moments, mean)
