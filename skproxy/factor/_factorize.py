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
from functools import reduce

import numpy as np

from ..comparisons._facts import check_zero_diagonal, rounding_tolerance
from ..comparisons._geometry import Scale
from ..comparisons._objects import block_rows, consecutive_blocks
from ..comparisons._schedule import one_blas_thread
from ._basis import Basis
from ._core import column_core, plain_core, probed_core
from ._factor import LandmarkMap, SignedFactor
from ._moments import Moments
from ._probes import pick_probes, pilot_size
from ._reservoir import Reservoir

__all__ = [
    "Pilot",
    "Probes",
    "Sketch",
    "absorb",
    "compare_all",
    "compare_landmarks",
    "compare_pilot",
    "compare_probes",
    "factorize",
    "fit_map",
    "map_of_pilot",
    "map_of_probes",
    "sketch",
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

    @property
    def all_rows(self):
        """Comparisons of landmarks and sample with the landmarks, shape (m + p, m)."""
        return np.concatenate([self.landmark_rows, self.rows])


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
        _check_diagonal(square, scale, table.name, landmarks.indices)
        # Rounding on the diagonal is known to be rounding, so it goes.
        square = square.copy()
        np.fill_diagonal(square, 0.0)
        geometry.check(square, scale, table.name, landmarks.indices, landmarks.indices)
    return square


def _check_diagonal(square, scale, name, indices):
    tolerance = rounding_tolerance(square.dtype)
    check_zero_diagonal(np.diagonal(square), scale, tolerance, name, indices)


def compare_pilot(table, landmarks, geometry, square, n_extra, rng):
    """Compare a uniform sample of the other objects with the landmarks.

    Parameters
    ----------
    table : comparisons of N objects
    landmarks : Landmarks
    geometry : Geometry
    square : ndarray of shape (m, m)
        From `compare_landmarks`.
    n_extra : int or None
        Number of probes besides the landmarks; without any the sample is empty.
    rng : RandomState

    Returns
    -------
    pilot : Pilot
    """
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
    blocks = table.blocks(others, landmarks.objects, landmarks.indices)
    rows = np.concatenate([block for _, block in blocks])
    scale = float(np.abs(rows).max(initial=0.0))
    geometry.check(rows, scale, table.name, others, landmarks.indices)
    return Pilot(square, others, rows)


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
    comparisons : ndarray of shape (len(where), m)
        In the units of the metric.
    """
    remaining = np.ones(table.n_objects, dtype=bool)
    if pilot is not None:
        if landmarks.indices is not None:
            remaining[landmarks.indices] = False
            yield landmarks.indices, pilot.landmark_rows
        if len(pilot.rows):
            remaining[pilot.indices] = False
            yield pilot.indices, pilot.rows
    remaining = np.flatnonzero(remaining)
    everything = np.arange(table.n_objects)
    for run, block in table.blocks(remaining, landmarks.objects, landmarks.indices):
        rows = everything[run]
        geometry.check(block, scale.unit, table.name, rows, landmarks.indices)
        yield run, block


@dataclass(frozen=True, eq=False)
class Sketch:
    """What a pass over objects leaves behind: all that a core can be fitted to.

    Two sketches on the same basis merge, in any order.

    Attributes
    ----------
    scale : Scale
    basis : Basis
        Of powered comparisons; rows of which the moments are.
    pivot_basis : Basis
        Of squared ones, whatever the power: by it probes are chosen, so that a search
        over powers asks for the comparisons of the same probes.
    moments : tuple of n_groups Moments
        Of the basis rows of the objects of each group.
    reservoir : Reservoir
        Objects outside the pilot sample.
    """

    scale: Scale
    basis: Basis
    pivot_basis: Basis
    moments: tuple
    reservoir: Reservoir

    @classmethod
    def begin(cls, pilot, geometry, n_groups=1):
        """Return the sketch of no objects, on the basis of a pilot sample."""
        raw = pilot.all_rows
        scale = Scale.of(raw, geometry.power)
        options = {"centred": geometry.centred, "eps": pilot.eps}
        basis = pivot_basis = Basis.of(scale.apply(raw), **options)
        if not geometry.is_similarity and geometry.power != 2:
            pivot_basis = Basis.of(scale.squares(raw), **options)
        m = raw.shape[1]
        return cls(
            scale,
            basis,
            pivot_basis,
            (Moments.empty(m),) * n_groups,
            Reservoir.empty(2 * m, m, raw.dtype),
        )

    def absorb(self, positions, comparisons, codes=None, *, is_pilot=False):
        """Return the sketch after some more objects, and their basis rows.

        Parameters
        ----------
        positions : ndarray of shape (b,)
        comparisons : ndarray of shape (b, m)
        codes : ndarray of shape (b,), default=None
            Their groups; None where there is one.
        is_pilot : bool, default=False
            Whether they belong to the pilot sample.
        """
        rows = self.basis.rows(self.scale.apply(comparisons))
        moments = list(self.moments)
        for group in [0] if codes is None else np.unique(codes):
            members = slice(None) if codes is None else codes == group
            moments[group] = moments[group].merge(Moments.of(rows[members]))
        found = replace(self, moments=tuple(moments))
        if not is_pilot:
            found = found.offer(positions, comparisons, rows)
        return found, rows

    def offer(self, positions, comparisons, rows=None):
        """Return the sketch after objects that may get into the reservoir.

        Parameters
        ----------
        positions : ndarray of shape (b,)
        comparisons : ndarray of shape (b, m)
        rows : ndarray of shape (b, m), default=None
            Their basis rows, where they are known.
        """
        if self.pivot_basis is not self.basis:
            rows = self.pivot_basis.rows(self.scale.squares(comparisons))
        elif rows is None:
            rows = self.basis.rows(self.scale.apply(comparisons))
        leverages = np.einsum("ij,ij->i", rows, rows)
        reservoir = self.reservoir.offer(positions, leverages, comparisons)
        return replace(self, reservoir=reservoir)

    def pivot_rows(self, comparisons, geometry):
        """Return basis rows by which probes are chosen, without mere rounding."""
        scaled = self.scale.apply if geometry.is_similarity else self.scale.squares
        return self.pivot_basis.clear(self.pivot_basis.rows(scaled(comparisons)))

    def without_objects(self):
        """Return the sketch of no objects, on the same basis."""
        reservoir = self.reservoir
        m = reservoir.comparisons.shape[1]
        return replace(
            self,
            moments=(Moments.empty(m),) * len(self.moments),
            reservoir=Reservoir.empty(
                reservoir.capacity, m, reservoir.comparisons.dtype
            ),
        )

    def shares_basis(self, other):
        """Tell whether another sketch is of the same basis rows."""
        return self.scale == other.scale and self.basis.equals(other.basis)

    def merge(self, other):
        """Return the sketch of both sets of objects; they must share the basis."""
        pairs = zip(self.moments, other.moments, strict=True)
        return replace(
            self,
            moments=tuple(one.merge(two) for one, two in pairs),
            reservoir=self.reservoir.merge(other.reservoir),
        )

    @property
    def total(self):
        """Moments of all groups together."""
        return reduce(Moments.merge, self.moments)


def sketch(
    table,
    landmarks,
    geometry,
    begun,
    pilot=None,
    *,
    groups=None,
    keep=None,
    also=None,
    first=0,
):
    """Pass over the objects once.

    Parameters
    ----------
    table : comparisons of N objects
    landmarks : Landmarks
    geometry : Geometry
    begun : Sketch
        What the objects are added to.
    pilot : Pilot, default=None
        Rows known already; they are not evaluated again.
    groups : ndarray of shape (N,), dtype=int, default=None
        Which group each object belongs to.
    keep : dtype, default=None
        Keep the basis rows of all objects, in this precision.
    also : callable, default=None
        ``also(positions, comparisons)``, called for each block, in the units of the
        metric.
    first : int, default=0
        Position of the first object among all that the sketch has seen.

    Returns
    -------
    sketch : Sketch
    features : ndarray of shape (N, m) or None
        Basis rows, in the order of the objects.
    """
    features = None
    if keep is not None:
        features = np.empty((table.n_objects, landmarks.count), dtype=keep)
    everything = np.arange(table.n_objects)
    in_pilot = np.zeros(table.n_objects, dtype=bool)
    if pilot is not None:
        in_pilot[pilot.indices] = True
        if landmarks.indices is not None:
            in_pilot[landmarks.indices] = True
    found = begun
    for where, block in compare_all(table, landmarks, geometry, begun.scale, pilot):
        positions = everything[where]
        codes = None if groups is None else groups[where]
        is_pilot = bool(in_pilot[positions[0]])
        # Rows of the pilot sample come all at once.
        for part in consecutive_blocks(len(positions), block_rows(block.shape[1])):
            if also is not None:
                also(positions[part], block[part])
            found, rows = found.absorb(
                positions[part] + first,
                block[part],
                None if codes is None else codes[part],
                is_pilot=is_pilot,
            )
            if features is not None:
                features[positions[part]] = rows
    return found, features


def map_of_pilot(table, geometry, pilot, n_extra, rng, *, rank="auto"):
    """Fit a landmark map to the pilot sample alone, for what has to know it before.

    It extrapolates to objects that the sample says nothing about: see `fit_map`.
    """
    begun = Sketch.begin(pilot, geometry)
    return fit_map(begun, table, geometry, pilot, n_extra, rng, rank=rank)


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


def fit_map(found, table, geometry, pilot, n_extra, rng, *, rank="auto"):
    """Choose probes among what a pass found, compare them and fit the core.

    Parameters
    ----------
    found : Sketch
    table : comparisons of N objects
    geometry : Geometry
    pilot : Pilot
    n_extra : int or None
        Number of probes besides the landmarks; None takes the papers' core W^+, 0 says
        that there are no objects besides the landmarks to probe.
    rng : RandomState
        Says which probes are left out where directions are chosen.
    rank : {"auto", None}, default="auto"

    Returns
    -------
    landmark_map : LandmarkMap
        (n_extra + 1) n_extra / 2 comparisons.
    """
    if n_extra is None:
        square = found.scale.apply(pilot.landmark_rows)
        core = plain_core(
            square,
            is_similarity=geometry.is_similarity,
            centred=False,
            eps=pilot.eps,
        )
        return _as_map(core, found, square)
    probes = compare_probes(found, table, geometry, pilot, n_extra)
    n_objects = found.total.count or len(pilot.all_rows)
    return map_of_probes(
        found, probes, geometry, pilot.eps, rng, n_objects=n_objects, rank=rank
    )


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


def map_of_columns(found, geometry, pilot):
    """Fit the core to the landmark columns themselves, from what a pass found.

    Parameters
    ----------
    found : Sketch
    geometry : Geometry
    pilot : Pilot

    Returns
    -------
    landmark_map : LandmarkMap
        No comparisons.
    """
    square = found.scale.apply(pilot.landmark_rows)
    at_landmarks = found.basis.rows(square)
    core, residual = column_core(
        found.basis, found.total, at_landmarks, geometry, pilot.eps
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


def compare_probes(found, table, geometry, pilot, n_extra):
    """Choose probes in the pilot sample and the reservoir, and compare them.

    Parameters
    ----------
    found, table, geometry, pilot
        As in `fit_map`.
    n_extra : int

    Returns
    -------
    probes : Probes
    """
    m = len(pilot.landmark_rows)
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
    compared = table.square(positions)
    if not geometry.is_similarity:
        _check_diagonal(compared, found.scale.unit, table.name, positions)
    geometry.check(compared, found.scale.unit, table.name, positions, positions)
    among = np.empty((m + len(rows), m + len(rows)))
    among[:m, :m] = square
    among[m:, :m] = found.scale.apply(rows)
    among[:m, m:] = among[m:, :m].T
    among[m:, m:] = found.scale.apply(compared)
    if not geometry.is_similarity:
        np.fill_diagonal(among, 0.0)
    return Probes(positions, rows, among, len(pivots))


def factorize(
    table,
    landmarks,
    geometry,
    square,
    n_extra,
    rng,
    *,
    rank="auto",
    columns_only=False,
    groups=None,
    n_groups=1,
    keep=None,
):
    """Pass over the objects once, fit the core, and return their signed factors.

    Parameters
    ----------
    table : comparisons of N objects
    landmarks : Landmarks
    geometry : Geometry
    square : ndarray of shape (m, m)
        From `compare_landmarks`.
    n_extra : int or None
        As in `fit_map`.
    rng : RandomState
    rank : {"auto", None}, default="auto"
        None keeps all directions of the core; "auto" those that lower the error on
        probes left out of the fit.
    columns_only : bool, default=False
        Fit the core to the landmark columns themselves, for want of other comparisons.
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
    pilot = compare_pilot(table, landmarks, geometry, square, n_extra, rng)
    found, features = sketch(
        table,
        landmarks,
        geometry,
        Sketch.begin(pilot, geometry, n_groups),
        pilot,
        groups=groups,
        keep=keep,
    )
    if columns_only:
        landmark_map = map_of_columns(found, geometry, pilot)
    else:
        landmark_map = fit_map(found, table, geometry, pilot, n_extra, rng, rank=rank)
    factors = [
        SignedFactor(landmark_map, moments, geometry.centred)
        for moments in found.moments
    ]
    return factors, features


def absorb(table, landmarks, geometry, factors, groups=None, pilot=None, *, also=None):
    """Pass over more objects and return the factors of old and new ones together.

    Parameters
    ----------
    table : comparisons of the new objects
    landmarks : Landmarks
    geometry : Geometry
    factors : list of n_groups SignedFactor
        Sharing one map.
    groups : ndarray of shape (n_new,), dtype=int, default=None
        Which group each new object belongs to.
    pilot : Pilot, default=None
        Rows known already; they are not evaluated again.
    also : callable, default=None
        As in `sketch`.

    Returns
    -------
    factors : list of n_groups SignedFactor
        On the same map.
    """
    fixed = factors[0].landmark_map
    m = landmarks.count
    begun = Sketch(
        fixed.scale,
        fixed.basis,
        fixed.basis,
        tuple(factor.moments for factor in factors),
        Reservoir.empty(0, m),
    )
    found, _ = sketch(
        table, landmarks, geometry, begun, pilot, groups=groups, also=also
    )
    return [SignedFactor(fixed, moments, geometry.centred) for moments in found.moments]
