"""Data and landmarks to a signed factor: pass first, core after.

1. Compare a pilot sample with the landmarks: it gives the `Basis`, which keeps every
   direction.
2. Pass over the objects, block by block: moments of their basis rows, and the objects
   of highest leverage.
3. Choose probes among what the pass found, compare them among each other, fit the core.

No comparison is made twice: the rows of the pilot sample are not evaluated again in the
pass. In all N m + e (e + 1) / 2 comparisons, with e probes besides the landmarks.

A core fitted before the pass extrapolates to objects that the pilot sample has not
seen, and the error of that has no bound: one object far from all others is enough.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..comparisons._schedule import one_blas_thread
from ._approximation_error import ErrorSample, estimate_error
from ._core import column_core, plain_core, probed_core
from ._factor import LandmarkMap, SignedFactor
from ._probes import pick_probes
from ._reservoir import Reservoir
from ._sketch import Sketch, pass_over

__all__ = [
    "Probes",
    "absorb",
    "compare_probes",
    "factorize",
    "fit_map",
    "map_of_pilot",
    "map_of_probes",
    "similarities_of",
]


def factorize(
    compared, n_probes="auto", *, rank="auto", groups=None, n_groups=1, keep=None
):
    """Pass over the objects once, fit the core, and return their signed factors.

    Parameters
    ----------
    compared : Compared
        N objects, the landmarks compared among themselves.
    n_probes : int or "auto"
        Number of probes besides the landmarks. 0 takes the papers' core W^+.
    rank : {"auto", None}, default="auto"
        None keeps all directions of the core; "auto" those that lower the error on
        probes left out of the fit.
    groups : ndarray of shape (N,), dtype=int, default=None
        Which group, 0 ... n_groups - 1, each object belongs to.
    n_groups : int, default=1
    keep : dtype, default=None
        Keep the basis rows of all objects, in this precision.

    Returns
    -------
    factors : list of n_groups SignedFactor
        Sharing one map, so that they merge; without objects where a group has none.
    features : ndarray of shape (N, m) or None
        Basis rows, in the order of the objects.
    """
    n_extra = compared.begin_probing(n_probes)
    pilot = compared.draw_pilot(n_extra)
    begun = Sketch.begin(pilot, compared.geometry, n_groups, compared.error_seed)
    found, features = pass_over(compared, begun, pilot, groups=groups, keep=keep)
    if compared.columns_only and n_probes == "auto":
        landmark_map = map_of_columns(found, compared, pilot)
    else:
        landmark_map = fit_map(found, compared, pilot, n_extra, rank)
    return _factors(landmark_map, found, compared), features


def absorb(compared, factors, groups=None, pilot=None, *, also=None):
    """Pass over more objects and return the factors of old and new ones together.

    Parameters
    ----------
    compared : Compared
        The new objects.
    factors : list of n_groups SignedFactor
        Sharing one map.
    groups : ndarray of shape (n_new,), dtype=int, default=None
        Which group each new object belongs to.
    pilot : Pilot, default=None
        Rows known already; they are not evaluated again.
    also : callable, default=None
        As in `pass_over`.

    Returns
    -------
    factors : list of n_groups SignedFactor
        On the same map.
    """
    fixed, sample = factors[0].landmark_map, None
    if compared.error_seed is not None and pilot is not None:
        n_pilot, dtype = len(pilot.all_rows), pilot.landmark_rows.dtype
        sample = ErrorSample.empty(fixed.basis, n_pilot, dtype, compared.error_seed)
    begun = Sketch(
        fixed.scale,
        fixed.basis,
        fixed.basis,
        tuple(factor.moments for factor in factors),
        Reservoir.empty(0, compared.landmarks.count),
        sample=sample,
    )
    found, _ = pass_over(compared, begun, pilot, groups=groups, also=also)
    return _factors(fixed, found, compared)


def _factors(landmark_map, found, compared):
    """Return the factor of each group, and estimate their common error if wanted."""
    centred = compared.geometry.centred
    error = None
    if found.sample is not None:
        compared.table.progress.begin("estimate the error")
        sample, whole = found.sample, SignedFactor(landmark_map, found.total, centred)
        positions = sample.positions[: sample.drawn]
        square = compared.among(positions, found.scale.unit)
        error = estimate_error(
            sample, whole, similarities_of(square, found, compared.geometry)
        )
    if error != landmark_map.error:
        landmark_map = replace(landmark_map, error=error)
    return [SignedFactor(landmark_map, moments, centred) for moments in found.moments]


def similarities_of(square, found, geometry):
    """Return scaled similarities from comparisons among objects."""
    scaled = found.scale.apply(square)
    if not geometry.is_similarity:
        np.fill_diagonal(scaled, 0.0)
    return geometry.similarities(scaled)


@dataclass(frozen=True, eq=False)
class Probes:
    """Objects compared among each other, besides the landmarks.

    Attributes
    ----------
    positions : ndarray of shape (e,)
    rows : ndarray of shape (e, m)
        Comparisons with the landmarks, in the units of the metric.
    among : ndarray of shape (m + e, m + e)
        Powered, scaled comparisons among landmarks and probes.
    n_pivots : int
        How many of the first ones are no uniform sample.
    """

    positions: np.ndarray
    rows: np.ndarray
    among: np.ndarray
    n_pivots: int


def fit_map(found, compared, pilot, n_extra, rank="auto"):
    """Choose probes among what a pass found, compare them and fit the core.

    Parameters
    ----------
    found : Sketch
    compared : Compared
        Its generator says which probes are left out where directions are chosen.
    pilot : Pilot
    n_extra : int or None
        Number of probes besides the landmarks; None takes the papers' core W^+, 0 says
        that there are no objects besides the landmarks to probe.
    rank : {"auto", None}, default="auto"

    Returns
    -------
    landmark_map : LandmarkMap
        (n_extra + 1) n_extra / 2 comparisons.
    """
    geometry = compared.geometry
    if n_extra is None:
        square = found.scale.apply(pilot.landmark_rows)
        core = plain_core(
            square,
            is_similarity=geometry.is_similarity,
            centred=False,
            eps=pilot.eps,
        )
        return _as_map(core, found, square)
    probes = compare_probes(found, compared, pilot, n_extra)
    n_objects = found.total.count or len(pilot.all_rows)
    return map_of_probes(
        found, probes, geometry, pilot.eps, compared.rng, n_objects=n_objects, rank=rank
    )


def map_of_pilot(compared, pilot, n_extra, rank="auto"):
    """Fit a landmark map to the pilot sample alone, for what has to know it before.

    It extrapolates to objects that the sample says nothing about: see `fit_map`.
    """
    begun = Sketch.begin(pilot, compared.geometry)
    return fit_map(begun, compared, pilot, n_extra, rank)


def map_of_probes(found, probes, geometry, eps, rng, *, n_objects, rank="auto"):
    """Fit the core to probes that have been compared; see `probed_core`."""
    m = found.basis.directions.shape[0]
    rows = probes.among[:, :m]
    with one_blas_thread(m):
        core = probed_core(
            rows,
            probes.among,
            geometry,
            eps,
            rng,
            n_objects=n_objects,
            n_pivots=probes.n_pivots,
            rank=rank,
        )
    return _as_map(core, found, rows[:m])


def map_of_columns(found, compared, pilot):
    """Fit the core to the landmark columns themselves, from what a pass found.

    No comparisons.
    """
    square = found.scale.apply(pilot.landmark_rows)
    at_landmarks = found.basis.rows(square)
    core, residual = column_core(
        found.basis, found.total, at_landmarks, compared.geometry, pilot.eps
    )
    return replace(_as_map(core, found, square), residual=residual)


def _as_map(core, found, square):
    """Express a core in the basis of a sketch."""
    return LandmarkMap(
        scale=found.scale,
        basis=found.basis,
        loadings=found.basis.of_comparisons(core.whitener),
        signs=core.signs,
        landmark_features=found.basis.rows(square),
    )


def compare_probes(found, compared, pilot, n_extra):
    """Choose probes in the pilot sample and the reservoir, and compare them.

    Parameters
    ----------
    found, compared, pilot
        As in `fit_map`.
    n_extra : int

    Returns
    -------
    probes : Probes
    """
    geometry, m = compared.geometry, len(pilot.landmark_rows)
    rows = np.concatenate([pilot.rows, found.reservoir.comparisons])
    positions = np.concatenate([pilot.indices, found.reservoir.positions])
    by = found.pivot_rows(np.concatenate([pilot.landmark_rows, rows]), geometry)
    with one_blas_thread(m):
        pivots, uniform = pick_probes(
            by,
            m,
            m + len(pilot.indices),
            n_extra,
            centred=geometry.centred,
            eps=pilot.eps,
        )
    chosen = np.concatenate([pivots, uniform]) - m
    positions, rows = positions[chosen], rows[chosen]
    square = found.scale.apply(pilot.landmark_rows)
    if len(chosen) == 0:
        return Probes(positions, rows, square, 0)
    square_of_probes = compared.among(positions, found.scale.unit)
    among = np.empty((m + len(rows), m + len(rows)))
    among[:m, :m] = square
    among[m:, :m] = found.scale.apply(rows)
    among[:m, m:] = among[m:, :m].T
    among[m:, m:] = found.scale.apply(square_of_probes)
    if not geometry.is_similarity:
        np.fill_diagonal(among, 0.0)
    return Probes(positions, rows, among, len(pivots))
