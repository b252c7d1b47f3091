"""A pass over objects: what it leaves behind is all that a core can be fitted to.

Moments of the objects' basis rows, and the objects of highest leverage: both merge, in
any order, so that streams, threads and machines share one pass.
"""

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from ..comparisons._geometry import Scale
from ..comparisons._objects import block_rows, consecutive_blocks
from ._approximation_error import ErrorSample
from ._basis import Basis
from ._moments import Moments
from ._reservoir import Reservoir

__all__ = ["Sketch", "pass_over"]


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
    start : int, default=0
        Position of its first object; those before belong to the sketch it began from.
    sample : ErrorSample, default=None
        Objects for an estimate of the error, where one is wanted.
    """

    scale: Scale
    basis: Basis
    pivot_basis: Basis
    moments: tuple
    reservoir: Reservoir
    start: int = 0
    sample: ErrorSample | None = None

    @classmethod
    def begin(cls, pilot, geometry, n_groups=1, error_seed=None):
        """Return the sketch of no objects, on the basis of a pilot sample."""
        raw = pilot.all_rows
        scale = Scale.of(raw, geometry.power)
        options = {"centred": geometry.centred, "eps": pilot.eps}
        basis = pivot_basis = Basis.of(scale.apply(raw), **options)
        if not geometry.is_similarity and geometry.power != 2:
            pivot_basis = Basis.of(scale.squares(raw), **options)
        m, sample = raw.shape[1], None
        if error_seed is not None:
            sample = ErrorSample.empty(basis, len(raw), raw.dtype, error_seed)
        return cls(
            scale,
            basis,
            pivot_basis,
            (Moments.empty(m),) * n_groups,
            Reservoir.empty(2 * m, m, raw.dtype),
            sample=sample,
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
        sample = self.sample
        if sample is not None:
            drawing = self.scale.ratio(comparisons)  # draws have no unit
            sample = sample.offer(self.basis, rows, positions, comparisons, drawing)
        found = replace(self, moments=tuple(moments), sample=sample)
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
            start=self.next_position,
            sample=self.sample and self.sample.without_objects(),
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
            sample=self.merged_sample(other.sample),
        )

    def merged_sample(self, other):
        """Return the sample of both sets of objects; None if one was not sampled."""
        if self.sample is None or other is None:
            return None
        return self.sample.merge(other)

    @property
    def next_position(self):
        """Position of the first object that comes after these."""
        return self.start + int(self.total.count)

    @property
    def total(self):
        """Moments of all groups together."""
        return reduce(Moments.merge, self.moments)


def pass_over(compared, begun, pilot=None, *, groups=None, keep=None, also=None):
    """Pass over the objects once.

    Parameters
    ----------
    compared : Compared
        N objects.
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

    Returns
    -------
    sketch : Sketch
        Positions go on from those of the objects that it has seen.
    features : ndarray of shape (N, m) or None
        Basis rows, in the order of the objects.
    """
    landmarks, table = compared.landmarks, compared.table
    features = None
    if keep is not None:
        features = np.empty((table.n_objects, landmarks.count), dtype=keep)
    known = () if pilot is None else (landmarks.indices, pilot.indices)
    found, first = begun, begun.next_position
    for where, block in compared.blocks(begun.scale.unit, pilot):
        positions = where
        if isinstance(where, slice):
            positions = np.arange(where.start, where.stop)
        in_all = positions
        if not compared.is_partitioned:  # else they are positions in all
            in_all = table.everything[positions]
        codes = None if groups is None else groups[where]
        is_pilot = any(where is some for some in known)
        # Rows of the pilot sample come all at once.
        for part in consecutive_blocks(len(positions), block_rows(block.shape[1])):
            if also is not None:
                also(positions[part], block[part])
            found, rows = found.absorb(
                in_all[part] + first,
                block[part],
                None if codes is None else codes[part],
                is_pilot=is_pilot,
            )
            if features is not None:
                features[positions[part]] = rows
    if compared.is_partitioned:
        found = _pass_over_partitions(compared, found, begun, pilot, groups)
    return found, features


def _pass_over_partitions(compared, found, begun, pilot, groups):
    """Add what is not known of objects in partitions, compared where it lies."""
    labels = () if groups is None else (groups,)
    elsewhere = compared.table.reduce(
        _pass_over_one,
        Sketch.merge,
        replace(compared, table=None, rng=None),
        begun.without_objects(),
        known=compared.known(pilot),
        labels=labels,
    )
    return found if elsewhere is None else found.merge(elsewhere)


def _pass_over_one(table, *arguments):
    """Return the sketch of one partition."""
    *groups, compared, begun = arguments
    groups = np.asarray(groups[0]) if groups else None
    return pass_over(replace(compared, table=table), begun, groups=groups)[0]
