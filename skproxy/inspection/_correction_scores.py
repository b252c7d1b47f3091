"""Which power and correction predict the targets best: cross-validated in the sample.

Two predictors that see corrections in different ways, ridge regression (weights of
axes) and nearest neighbours (distances), so that none is chosen for one method's sake.
The penalty is one that software has by default: a tuned one would hide what corrections
do to the many small axes, where noise sits. Each fold costs one decomposition, however
many corrections there are: the axes of the training objects diagonalise all of them.

======  =====================================================================  ======
symbol  meaning                                                                shape
======  =====================================================================  ======
a, U    eigenvalues and eigenvectors of the training objects' similarity       (r,)
E       eigenvector coordinates of the held-out objects                        (t, r)
a*      eigenvalues after correction                                           (r,)
Y       targets: an indicator for each class, or standardised numbers          (n, c)
======  =====================================================================  ======

References
----------
T. Hastie, R. Tibshirani, J. Friedman (2009). The Elements of Statistical Learning, 2nd
edition. Springer, sections 3.4.1 (ridge regression by its axes) and 13.3.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from sklearn.utils.multiclass import type_of_target

from ..factor import correct_eigenvalues, negligible, similarity_from_dissimilarity

__all__ = ["CorrectionScores"]

#: What may be recommended; "shift" lifts noise as much as what was measured.
_CANDIDATES = ("flip", "clip", "square")
_FOLDS, _REPEATS, _NEIGHBOURS = 5, 2, 5
_PENALTY = 0.1  # of the mean squared length of an object
_FEWEST_OBJECTS = 20
# A gain smaller than this, or than twice its own standard error, is none.
_LEAST_GAIN = 0.01


@dataclass(frozen=True)
class CorrectionScores:
    """Cross-validated scores of the powers and corrections that may be recommended.

    Attributes
    ----------
    name : {"accuracy", "R2"}
    power : float
        The first of those tried unless another is clearly better, after ``"flip"``.
    scores : dict of str to float
        With that power, the mean over the folds and over ridge regression and five
        nearest neighbours.
    by_power : dict of float to float
        Score after ``"flip"`` of each power tried.
    baseline : float
        Score of the largest class alone; 0 for numbers.
    best : {"flip", "clip", "square"}
        ``"flip"`` unless another is clearly better.
    """

    name: str
    power: float
    scores: dict
    by_power: dict
    baseline: float
    best: str

    @classmethod
    def of(cls, samples, y, known, rng):
        """Cross-validate, or return None where there are too few objects.

        Parameters
        ----------
        samples : sequence of CleanSample
            The same comparisons under the powers to try, the usual one first.
        y : ndarray of shape (n,)
            Targets.
        known : ndarray of shape (n,)
            Positions of the objects of the samples whose targets these are.
        rng : RandomState
            Draws the folds.
        """
        is_number = type_of_target(y) == "continuous"
        codes = np.zeros(len(y), dtype=int)
        kept = np.arange(len(y))
        if not is_number:
            _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
            kept = np.flatnonzero(counts[codes] > 1)  # one alone is not predicted
            _, codes = np.unique(codes[kept], return_inverse=True)
        if len(kept) < _FEWEST_OBJECTS or not (is_number or codes.any()):
            return None
        Y = np.eye(codes.max() + 1)[codes]
        if is_number:
            spread = float(y.std())
            Y = ((y - y.mean()) / (spread or 1.0))[:, None]
        compared = samples[0].square[np.ix_(known[kept], known[kept])]
        score = _r2 if is_number else _accuracy
        folds = list(_folds(codes, rng))
        tried = {
            sample.power: _scores_by_fold(sample, compared, Y, folds, score)
            for sample in samples
        }
        baseline = 0.0 if is_number else float(np.bincount(codes).max() / len(kept))
        flipped = {power: by_fold["flip"] for power, by_fold in tried.items()}
        power = _clearly_best(flipped, baseline)
        return cls(
            name="R2" if is_number else "accuracy",
            power=power,
            scores={name: float(np.mean(s)) for name, s in tried[power].items()},
            by_power={power: float(np.mean(s)) for power, s in flipped.items()},
            baseline=baseline,
            best=_clearly_best(tried[power], baseline),
        )


def _scores_by_fold(sample, compared, Y, folds, score):
    """Return the score of each fold after each correction."""
    by_fold = {name: [] for name in _CANDIDATES}
    for train, test in folds:
        fold = _Fold.of(sample, compared, Y, train, test)
        for name in _CANDIDATES:
            after = correct_eigenvalues(fold.a, name)
            predictions = fold.ridge(after), fold.neighbours(after)
            scores = [score(predicted, fold.truth) for predicted in predictions]
            by_fold[name].append(np.mean(scores))
    return by_fold


def _folds(codes, rng):
    """Yield training and test positions: every class is spread over the folds."""
    n = len(codes)
    for _ in range(_REPEATS):
        order = np.lexsort((rng.permutation(n), codes))
        fold = np.empty(n, dtype=int)
        fold[order] = np.arange(n) % _FOLDS
        for k in range(_FOLDS):
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)


@dataclass(frozen=True, eq=False)
class _Fold:
    """Axes of the training objects, and the held-out ones in them."""

    a: np.ndarray
    U: np.ndarray
    E: np.ndarray
    targets: np.ndarray
    truth: np.ndarray

    @classmethod
    def of(cls, sample, compared, Y, train, test):
        S = sample.scale.apply(compared[np.ix_(train, train)])
        rows = sample.scale.apply(compared[np.ix_(test, train)])
        if not sample.is_similarity:
            rows = -0.5 * (rows - S.mean(axis=0))  # U is centred, so E becomes so
            S = similarity_from_dissimilarity(S)
        a, U = linalg.eigh(S)
        kept = ~negligible(a, len(a), sample.eps)
        a, U = a[kept], U[:, kept]
        return cls(a, U, rows @ U / a, Y[train], Y[test])

    def ridge(self, after):
        """Return the predictions of ridge regression."""
        mean = self.targets.mean(axis=0)
        along = self.U.T @ (self.targets - mean)
        penalty = _PENALTY * after.sum() / len(self.U)
        # No penalty without axes; and then nothing to shrink.
        shrunk = after / (after + (penalty or 1.0))
        return self.E @ (shrunk[:, None] * along) + mean

    def neighbours(self, after):
        """Return the mean target of the nearest training objects."""
        Z, held_out = self.U * np.sqrt(after), self.E * np.sqrt(after)
        gaps = np.square(Z).sum(axis=1) - 2.0 * (held_out @ Z.T)
        nearest = np.argsort(gaps, axis=1, kind="stable")[:, :_NEIGHBOURS]
        votes = self.targets[nearest].mean(axis=1)
        # Where classes have as many votes the nearest object decides.
        return votes + 1e-6 * self.targets[nearest[:, 0]]


def _accuracy(predicted, truth):
    return float((predicted.argmax(axis=1) == truth.argmax(axis=1)).mean())


def _r2(predicted, truth):
    # Targets have unit variance. Worse than the mean is no worse than that.
    return max(0.0, 1.0 - float(np.square(predicted - truth).mean()))


def _clearly_best(by_fold, baseline):
    """Return the first candidate unless another gains more than chance would."""
    first, *others = by_fold
    best, gain = first, 0.0
    for name in others:
        gains = np.subtract(by_fold[name], by_fold[first])
        error = float(gains.std(ddof=1)) / np.sqrt(len(gains))
        guessed = np.mean(by_fold[name]) < baseline + _LEAST_GAIN
        if gains.mean() > max(_LEAST_GAIN, 2.0 * error, gain) and not guessed:
            best, gain = name, float(gains.mean())
    return best
