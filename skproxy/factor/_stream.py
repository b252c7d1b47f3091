"""A factor that grows: its core follows the objects of highest leverage.

A stream cannot wait for its end before it fits a core, and an object that comes later
may lie where no probe is. So the probes of the first batch are kept with their
comparisons; whenever the reservoir changes, objects in it that the fit extrapolates to
join them, only these are compared, and the core is fitted anew. What the stream
ends with depends on the objects seen and on the first batch, not on the order or size
of the later ones - nor on where they were seen: a stream `without_objects` can take in
some of them elsewhere and be merged.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg

from ..comparisons._objects import join_objects, take_objects
from ._approximation_error import estimate_error
from ._factor import SignedFactor
from ._factorize import Probes, compare_probes, map_of_probes, similarities_of
from ._probes import pivot
from ._sketch import Sketch, pass_over
from ._spectrum import negligible_below

__all__ = ["Stream"]

# Leverage of objects that the fit extrapolates to; that of its own is at most one.
_OUTSIDE = 1.0


@dataclass(frozen=True, eq=False)
class DrawnComparisons:
    """Comparisons among objects drawn, of which no pair is compared twice.

    Attributes
    ----------
    positions : ndarray of shape (t,)
    square : ndarray of shape (t, t)
        In the units of the metric.
    """

    positions: np.ndarray
    square: np.ndarray

    @classmethod
    def none(cls):
        """Return those of no objects."""
        return cls(np.empty(0, dtype=np.intp), np.empty((0, 0)))

    def extended(self, positions, objects, table):
        """Return comparisons among some objects, known ones and new.

        Parameters
        ----------
        positions : ndarray of shape (t,)
        objects : dict
            Collections of one object each, by position.
        table : comparisons of any objects
        """
        old = np.isin(positions, self.positions)
        order = np.argsort(self.positions, kind="stable")
        where = order[np.searchsorted(self.positions[order], positions[old])]
        square = np.empty((len(positions), len(positions)))
        square[np.ix_(old, old)] = self.square[np.ix_(where, where)]
        if not old.all():
            new = join_objects([objects[i] for i in positions[~old].tolist()])
            square[np.ix_(~old, ~old)] = table.among(new, positions[~old])
            if old.any():
                known = join_objects([objects[i] for i in positions[old].tolist()])
                beside = table.between(new, known)
                square[np.ix_(~old, old)] = beside
                square[np.ix_(old, ~old)] = beside.T
        return DrawnComparisons(positions, square)


@dataclass(frozen=True, eq=False)
class Stream:
    """What is kept of a stream of objects under a measure.

    Attributes
    ----------
    found : Sketch
        Of all objects seen; positions count through all batches.
    landmark_rows : ndarray of shape (m, m)
        Comparisons among the landmarks, in the units of the metric.
    base : Probes
        Of the first batch.
    base_objects : collection
        The same as objects.
    later : Probes
        `base` and the probes that came later, these first.
    later_objects : dict
        Collections of one object each, by position, of all in the reservoir, and of
        those drawn for an estimate of the error.
    factor : SignedFactor
    rank : {"auto", None}
    eps : float
        Relative rounding of the comparisons.
    seed : int
        Says which probes are left out where directions are chosen.
    drawn : DrawnComparisons, default=None
        Comparisons among the objects that the error is estimated from.
    """

    found: Sketch
    landmark_rows: np.ndarray
    base: Probes
    base_objects: Any
    later: Probes
    later_objects: dict
    factor: SignedFactor
    rank: str | None
    eps: float
    seed: int
    drawn: DrawnComparisons | None = None

    @classmethod
    def begin(cls, compared, n_extra, rank="auto"):
        """Return the stream after its first batch.

        Parameters
        ----------
        compared : Compared
            The first batch.
        n_extra : int
            Number of probes besides the landmarks.
        rank : {"auto", None}, default="auto"
        """
        table = compared.table
        pilot = compared.draw_pilot(n_extra)
        error_seed = compared.error_seed
        begun = Sketch.begin(pilot, compared.geometry, error_seed=error_seed)
        found, _ = pass_over(compared, begun, pilot)
        base = compare_probes(found, compared, pilot, n_extra)
        seed = int(compared.rng.randint(2**31 - 1))
        stream = cls(
            found,
            compared.square,
            base,
            table.take(base.positions),
            base,
            _objects_of(_remembered(found), table, 0, {}),
            None,
            rank,
            pilot.eps,
            seed,
            None if found.sample is None else DrawnComparisons.none(),
        )
        return stream._with_drawn(table)._fitted(compared.geometry)

    def absorb(self, compared):
        """Return the stream after one more batch of objects."""
        first, table = self.found.next_position, compared.table
        found, _ = pass_over(compared, self.found)
        objects = _objects_of(_remembered(found), table, first, self.later_objects)
        return self._after(found, objects, table, compared.geometry)

    def without_objects(self):
        """Return a stream on the same basis and base that has seen nothing yet."""
        return replace(
            self,
            found=self.found.without_objects(),
            later=self.base,
            later_objects={},
            factor=self.factor.without_objects(),
            drawn=self.drawn and DrawnComparisons.none(),
        )

    def merge(self, other, table, geometry):
        """Return the stream of the objects of both.

        Parameters
        ----------
        other : Stream
            On the same landmarks. From `without_objects` it has the same basis, and
            the result is that of taking in its objects here, up to rounding. If it
            began apart its moments are expressed in the basis of this one, exactly,
            and its probes and reservoir are offered to the reservoir.
        table : comparisons of any objects
            Evaluates those among probes.
        geometry : Geometry
        """
        move = self.found.next_position - other.found.start
        there, sample = other.found, other.found.sample
        if sample is not None:
            sample = replace(sample, positions=sample.positions + move)
        if self.found.shares_basis(there):
            positions = there.reservoir.positions
            moved = replace(there.reservoir, positions=positions + move)
            there = replace(there, reservoir=moved, sample=sample)
            found = self.found.merge(there)
            known = other.later_objects
        else:
            on_this = other.factor.on(self.factor.landmark_map).moments
            total = self.found.total.merge(on_this)
            positions, comparisons, known = other._remarkable()
            both = self.found.merged_sample(sample)
            found = replace(self.found, moments=(total,), sample=both)
            found = found.offer(positions + move, comparisons)
        objects = self.later_objects | {i + move: x for i, x in known.items()}
        objects = {i: objects[i] for i in _remembered(found).tolist()}
        return self._after(found, objects, table, geometry)

    def add(self, moments, geometry):
        """Return the stream with moments of objects of which nothing else is known."""
        total = self.found.total.merge(moments)
        found = replace(self.found, moments=(total,), sample=None)
        return replace(self, found=found)._fitted(geometry)

    def _remarkable(self):
        """Return positions, comparisons and objects of probes and of the reservoir."""
        reservoir, later = self.found.reservoir, self.later
        new = ~np.isin(later.positions, reservoir.positions)
        positions = np.concatenate([reservoir.positions, later.positions[new]])
        comparisons = np.concatenate([reservoir.comparisons, later.rows[new]])
        objects = {
            i: take_objects(self.base_objects, np.array([k]))
            for k, i in enumerate(self.base.positions.tolist())
        }
        return positions, comparisons, objects | self.later_objects

    def _after(self, found, objects, table, geometry):
        """Return the stream with what was found and the objects in the reservoir."""
        stream = replace(self, found=found, later_objects=objects)
        before, after = self.found.reservoir.positions, found.reservoir.positions
        if not np.array_equal(before, after):
            later = stream._compare_later(table, geometry)
            stream = replace(stream, later=later)
        return stream._with_drawn(table)._fitted(geometry)

    def _with_drawn(self, table):
        """Return the stream with the comparisons that its sample asks for."""
        sample = self.found.sample
        if sample is None:
            return replace(self, drawn=None)
        positions = sample.positions[: sample.drawn]
        drawn = self.drawn.extended(positions, self.later_objects, table)
        return replace(self, drawn=drawn)

    def _fitted(self, geometry):
        rng = np.random.RandomState(self.seed)
        count = self.found.total.count
        landmark_map = map_of_probes(
            self.found,
            self.later,
            geometry,
            self.eps,
            rng,
            n_objects=count,
            rank=self.rank,
        )
        factor = SignedFactor(landmark_map, self.found.total, geometry.centred)
        if self.drawn is not None:
            among = similarities_of(self.drawn.square, self.found, geometry)
            error = estimate_error(self.found.sample, factor, among)
            factor = replace(factor, landmark_map=replace(landmark_map, error=error))
        return replace(self, factor=factor)

    def _compare_later(self, table, geometry):
        """Return the base and those in the reservoir that condition the fit best."""
        base, reservoir = self.base, self.found.reservoir
        new = ~np.isin(reservoir.positions, base.positions)
        positions, rows = reservoir.positions[new], reservoir.comparisons[new]
        there = np.concatenate([self.landmark_rows, base.rows])
        by = self.found.pivot_rows(np.concatenate([there, rows]), geometry)
        outside = _leverages(by, len(there), geometry.centred) > _OUTSIDE
        positions, rows = positions[outside], rows[outside]
        by = np.concatenate([by[: len(there)], by[len(there) :][outside]])
        chosen = pivot(by, centred=geometry.centred, eps=self.eps) - len(there)
        chosen = np.sort(chosen[chosen >= 0])
        positions, rows = positions[chosen], rows[chosen]
        if len(positions) == 0:
            return base
        # Those compared already keep their comparisons; who is no longer chosen goes.
        still = np.isin(self.later.positions, [*positions, *base.positions])
        kept = _restricted(self.later, still)
        missing = ~np.isin(positions, kept.positions)
        if not missing.any():
            return kept
        return self._extended(kept, positions[missing], rows[missing], table, geometry)

    def _extended(self, kept, positions, rows, table, geometry):
        """Return the probes that are there and some more, compared with all of them."""
        m, scale = rows.shape[1], self.found.scale
        objects = join_objects([self.later_objects[i] for i in positions.tolist()])
        n_later = len(kept.positions) - len(self.base.positions)
        others = [self.later_objects[i] for i in kept.positions[:n_later].tolist()]
        if len(self.base.positions):
            others.append(self.base_objects)
        n_new, n_others = len(positions), len(kept.positions)
        n_pairs = n_new * n_others + n_new * (n_new + 1) // 2
        table.progress.begin("compare probes", n_pairs)
        beside = np.empty((n_new, 0))
        if others:
            beside = scale.apply(table.between(objects, join_objects(others)))
        square = scale.apply(table.among(objects, positions))
        rest = np.concatenate([scale.apply(rows).T, beside.T])
        among = np.block(
            [
                [kept.among[:m, :m], rest[:m], kept.among[:m, m:]],
                [rest[:m].T, square, rest[m:].T],
                [kept.among[m:, :m], rest[m:], kept.among[m:, m:]],
            ]
        )
        if not geometry.is_similarity:
            np.fill_diagonal(among, 0.0)
        return Probes(
            np.concatenate([positions, kept.positions]),
            np.concatenate([rows, kept.rows]),
            among,
            len(positions) + kept.n_pivots,
        )


def _leverages(rows, n_base, centred):
    """Return the leverages of the later rows in the fit to the first ones."""
    mean = rows[:n_base].mean(axis=0) if centred else 0.0
    rows = rows - mean
    root = linalg.qr(rows[:n_base], mode="r", check_finite=False)[0]
    _, sizes, directions = linalg.svd(root, full_matrices=False, check_finite=False)
    floor = negligible_below(sizes, n_base) or 1.0
    whitened = rows[n_base:] @ (directions.T / np.maximum(sizes, floor))
    return np.square(whitened).sum(axis=1)


def _restricted(probes, which):
    """Return some of the probes; all that are no pivots are among them."""
    m = probes.rows.shape[1]
    mask = np.concatenate([np.ones(m, dtype=bool), which])
    n_gone = len(which) - int(which.sum())
    return Probes(
        probes.positions[which],
        probes.rows[which],
        probes.among[np.ix_(mask, mask)],
        probes.n_pivots - n_gone,
    )


def _remembered(found):
    """Return the positions of objects that later batches may be compared with."""
    if found.sample is None:
        return found.reservoir.positions
    drawn = found.sample.positions[: found.sample.drawn]
    return np.union1d(found.reservoir.positions, drawn)


def _objects_of(positions, table, first, known):
    """Return objects by position: of the batch that begins at `first`, or known."""
    return {
        i: known[i] if i < first else table.take(np.array([i - first]))
        for i in positions.tolist()
    }
