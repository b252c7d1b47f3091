"""What each correction of the spectrum would change, and whether labels like it.

======  =====================================================================  ======
symbol  meaning                                                                shape
======  =====================================================================  ======
S       similarities of the sample, ``U diag(a) U'``                           (n, n)
a*      eigenvalues after correction                                           (n,)
Y       similarities of the targets: 1 in the same class, or products          (n, n)
H       centring matrix                                                        (n, n)
======  =====================================================================  ======

References
----------
C. Cortes, M. Mohri, A. Rostamizadeh (2012). Algorithms for learning kernels based on
centered alignment. JMLR 13, 795-828, definition 4.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.multiclass import type_of_target

from ..embedding._additive_constants import AddedConstant
from ..factor import correct_eigenvalues, double_center, similarity_from_dissimilarity
from ._correction_scores import CorrectionScores
from ._object_labels import missing_labels

__all__ = ["CorrectionEffects", "KnownTargets", "target_similarities"]

_SPECTRAL = ("clip", "flip", "square", "shift")


@dataclass(frozen=True, eq=False)
class CorrectionEffects:
    """What corrections would do to the similarities of the sample.

    Attributes
    ----------
    changes : dict of str to float
        Change of the similarity by each correction, in Frobenius norm, relative to the
        similarity. ``"square"`` changes the unit too, so its best multiple counts.
        ``"lingoes"`` and ``"cailliez"`` for dissimilarities.
    lingoes_constant : float or None
        c1: adding 2 c1 to all powered dissimilarities of the sample makes them
        Euclidean. All objects need at least as much. None for similarities.
    cailliez_constant : float or None
        c2, added to the dissimilarities themselves; None where ``power`` is not 2.
    typical : float
        Median comparison of two different objects, in the units of the measure, to
        hold the constants against.
    alignments : dict of str to float or None
        Centred kernel-target alignment after each correction, between -1 and 1, and
        under ``"none"`` before any; None without targets.
    scores : CorrectionScores or None
        How well targets are predicted after those that may be recommended; None without
        targets, and with too few.
    n_unlabelled : int
        Objects of the sample whose target is missing; they take no part in the two.
    """

    changes: dict
    lingoes_constant: float | None
    cailliez_constant: float | None
    typical: float
    alignments: dict | None
    scores: CorrectionScores | None = None
    n_unlabelled: int = 0

    @classmethod
    def of(cls, sample, targets, scores):
        """Correct the sample in every way.

        Parameters
        ----------
        sample : CleanSample
        targets : KnownTargets or None
            Of the objects of the sample.
        scores : CorrectionScores or None
        """
        if sample.n_samples < 2:  # nothing to change
            return cls({}, None, None, np.nan, None)
        kernels = {name: _corrected(sample, name) for name in (None, *_SPECTRAL)}
        before = kernels.pop(None)
        constants = _constants(sample)
        powered = sample.scale.apply(sample.square)
        for rule, added in constants.items():
            kernels[rule] = before
            if added.constant > 0:
                changed = added.apply_among(powered)
                kernels[rule] = similarity_from_dissimilarity(changed)
        alignments = None
        if targets is not None and targets.differ:
            known = np.ix_(targets.known, targets.known)
            wanted = target_similarities(targets.values)
            alignments = {
                name: _alignment(kernel[known], wanted)
                for name, kernel in {"none": before, **kernels}.items()
            }
        in_units = {
            "lingoes": sample.scale.squared,
            "cailliez": sample.scale.unit,
        }
        lingoes, cailliez = (
            constants[rule].constant * unit if rule in constants else None
            for rule, unit in in_units.items()
        )
        different = ~np.eye(sample.n_samples, dtype=bool)
        return cls(
            changes={
                name: _relative_change(before, kernel, rescale=name == "square")
                for name, kernel in kernels.items()
            },
            lingoes_constant=lingoes,
            cailliez_constant=cailliez,
            typical=float(np.median(sample.square[different])),
            alignments=alignments,
            scores=scores,
            n_unlabelled=0 if targets is None else targets.n_missing,
        )


@dataclass(frozen=True, eq=False)
class KnownTargets:
    """Targets of some objects, of which some may have none.

    Attributes
    ----------
    known : ndarray of int
        Positions of those that have one.
    values : ndarray of shape (n_known,)
    n_missing : int
    """

    known: np.ndarray
    values: np.ndarray
    n_missing: int

    @classmethod
    def of(cls, y):
        """Find None, NaN and infinities among targets."""
        missing = missing_labels(y)
        if y.dtype.kind == "f":
            missing |= ~np.isfinite(y)
        known = np.flatnonzero(~missing)
        values = np.array(y[known].tolist()) if y.dtype == object else y[known]
        return cls(known, values, int(missing.sum()))

    @property
    def differ(self):
        """Whether there is anything to predict."""
        return len(np.unique(self.values)) > 1


def _constants(sample):
    """Return the constants of dissimilarities, scaled, by rule."""
    if sample.is_similarity:
        return {}
    powered = sample.scale.apply(sample.square)
    rules = ("lingoes", "cailliez") if sample.power == 2 else ("lingoes",)
    return {rule: _constant(sample, powered, rule) for rule in rules}


def _constant(sample, powered, rule):
    """Return the constant of a rule; nothing, not rounding, where all is Euclidean."""
    if (sample.a >= 0).all():
        return AddedConstant(rule, 0.0)
    return AddedConstant.of(powered, sample.a, rule)


def _corrected(sample, correction):
    """Return the corrected similarity; rounding and zeros are left alone."""
    kept = sample.a != 0
    U = sample.U[:, kept]
    return (U * correct_eigenvalues(sample.a[kept], correction)) @ U.T


def _relative_change(before, after, *, rescale):
    size = np.linalg.norm(before)
    if size == 0.0:
        return 0.0
    factor = 1.0
    if rescale:
        factor = np.vdot(before, after) / np.vdot(after, after)
    return float(np.linalg.norm(factor * after - before) / size)


def _alignment(kernel, targets):
    kernel = double_center(kernel)
    size = np.linalg.norm(kernel) * np.linalg.norm(targets)
    return float(np.vdot(kernel, targets) / size) if size > 0 else 0.0


def target_similarities(y):
    """Return the centred similarities of targets, classes or numbers, (n, n)."""
    y = np.asarray(y)
    if type_of_target(y) == "continuous":
        centred = y - y.mean()
        return np.outer(centred, centred)
    return double_center((y[:, None] == y).astype(np.float64))
