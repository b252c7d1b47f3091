"""What to do with such comparisons: in plain words, and as code to paste."""

from dataclasses import dataclass
from typing import Any

from ._comparison_cost import count_landmark_run
from ._pasted_call import PastedCall, name_measure, write_params
from ._report import counted, duration, number, percent

__all__ = ["Measured", "Plan", "Recommendation"]

# Negative parts that no correction can make a difference to.
_EUCLIDEAN, _NEARLY_EUCLIDEAN = 1e-6, 0.01
# What targets must be predicted better by than the largest class is.
_GUESSED = 0.02
# Bounds of the number of landmarks recommended.
_FEWEST, _MOST = 20, 500
# Relative change from which a constant is a large part of what results.
_DROWNED = 0.5
# Share of broken triangles from which values are perhaps not what they are taken for.
_MANY_TRIANGLES = 0.1
_SO_MANY = (
    " So many: are the values squared already (then power=1), or do large ones mean "
    "alike (then kernel= instead of metric=)?"
)
_SHOWN = 5
_ORDINALS = "First", "Second", "Third", "Fourth"


@dataclass(frozen=True, eq=False)
class Measured:
    """How the objects were compared, as the user said it.

    Attributes
    ----------
    compare : str, callable or BlockMetric
    params : dict
        Keyword arguments of the measure.
    is_similarity : bool
    power : float
        Exponent of the dissimilarities.
    """

    compare: Any
    params: dict
    is_similarity: bool
    power: float

    @property
    def parameter(self):
        """The argument that holds the measure."""
        return "kernel" if self.is_similarity else "metric"

    @property
    def is_precomputed(self):
        """Whether X holds comparisons."""
        return isinstance(self.compare, str) and self.compare == "precomputed"

    @property
    def text(self):
        """The measure in an argument's words."""
        return f"{self.parameter}={name_measure(self.compare, self.parameter)[0]}"


@dataclass(frozen=True)
class Plan:
    """Which landmarks, how many and which correction.

    Attributes
    ----------
    n_landmarks : int
    landmarks : {"uniform", "kmeans", "cholesky"}
    correction : {"flip", "clip", "square"}
    """

    n_landmarks: int
    landmarks: str
    correction: str

    @classmethod
    def of(cls, measured, spectrum, effects, n_samples, n_objects):
        """Decide from what the sample said.

        Parameters
        ----------
        measured : Measured
        spectrum : SampledSpectrum
        effects : CorrectionEffects
        n_samples, n_objects : int
        """
        m = _count_landmarks(spectrum.n_landmarks, n_samples, n_objects)
        # The most accurate where its comparisons are there, else nearly as good.
        landmarks = "cholesky" if measured.is_precomputed and m <= 200 else "kmeans"
        price = count_landmark_run(n_objects, m, landmarks, probed=True)
        if 4 * m >= n_objects or price > n_objects * (n_objects + 1) // 2:
            landmarks = "uniform"  # choosing would cost as much as comparing all
        correction = "flip"  # loses nothing
        if effects.scores and spectrum.negative_fraction >= _NEARLY_EUCLIDEAN:
            correction = effects.scores.best
        return cls(m, landmarks, correction)


def _count_landmarks(counts, n_samples, n_objects):
    """Return how many landmarks to take.

    Enough for 95 % of the similarity, for 99 % if that is still no more than half the
    sample. Where half the sample is not enough for 95 % more objects need more.
    """
    half = n_samples // 2
    m = max(counts[0.95], min(counts[0.99], half))
    if counts[0.95] > half and n_objects > n_samples:
        m = 2 * counts[0.95]
    m = max(_FEWEST, -(-m // 10) * 10)
    # Leaving out a tenth is not worth a thought.
    return min(m, _MOST, n_objects) if 10 * m < 9 * n_objects else min(_MOST, n_objects)


@dataclass(frozen=True, eq=False)
class Recommendation:
    """What to do.

    Attributes
    ----------
    sentences : tuple of str
        In plain words, what must be done first at the beginning.
    call : str
        The constructor call to paste.
    code : str
        The same with imports, and with what must be done to the matrix X before.
    names : dict of str to object
        What the names in the call stand for: functions of yours.
    is_ready : bool
        Whether the estimator takes the data as they are, or as the code changes them.
    plan : Plan
    """

    sentences: tuple
    call: str
    code: str
    names: dict
    is_ready: bool
    plan: Plan

    @classmethod
    def of(cls, measured, plan, axioms, spectrum, effects, cost, dropped):
        """Put what was found into words.

        Parameters
        ----------
        measured : Measured
        plan : Plan
        axioms : Axioms
        spectrum : SampledSpectrum
        effects : CorrectionEffects
        cost : ComparisonCost
        dropped : ndarray of int
            Objects of the sample left out for missing comparisons.
        """
        obstacles, preparation, is_ready = _obstacles(measured, axioms, dropped)
        sentences = [
            f"{ordinal}: {obstacle}"
            for ordinal, obstacle in zip(_ORDINALS, obstacles, strict=False)
        ]
        if len(spectrum.eigenvalues) >= 2 and not spectrum.eigenvalues.any():
            sentences.append("All objects compare alike: there is nothing to embed.")
        elif len(spectrum.eigenvalues) >= 2 and not axioms.looks_inverted:
            sentences += _about_spectrum(measured, plan, axioms, spectrum, effects)
            sentences += _about_landmarks(measured, plan, spectrum, cost)
        pasted = _write_call(measured, plan, axioms, preparation)
        return cls(
            sentences=tuple(sentences),
            call=pasted.call,
            code=pasted.code,
            names=pasted.names,
            is_ready=is_ready,
            plan=plan,
        )


def _obstacles(measured, axioms, dropped):
    """Return what stops an estimator, code that mends X, and whether that suffices."""
    sentences, preparation, is_ready = [], [], True
    precomputed = measured.is_precomputed
    if axioms.n_missing:
        is_ready = False
        found = counted(axioms.n_missing, "missing comparison")
        where = f"with {_listed(axioms.objects_with_missing)}"
        if len(dropped):
            where = f"left out here: {_listed(dropped)}"
        sentences.append(
            f"{found} (NaN or infinite), {where}. No estimator can guess: fill in what "
            "is missing, or drop objects."
        )
    if axioms.looks_inverted:
        other = "metric" if measured.is_similarity else "kernel"
        said, are = "dissimilarities", "similarities"
        if measured.is_similarity:
            said, are = are, said
        extreme = "smallest" if measured.is_similarity else "largest"
        sentences.append(
            f"these were read as {said}, but objects have their {extreme} value "
            f"with themselves, as {are} do. Say diagnose(X, {other}=...) instead; the "
            "spectrum above means nothing until then."
        )
        return sentences, preparation, is_ready
    if axioms.n_nonzero_diagonal:
        how = "the code below sets the diagonal to zero"
        if precomputed:
            preparation = [
                "X = np.array(X, dtype=float)",
                "np.fill_diagonal(X, 0.0)",
            ]
        else:
            is_ready = False
            how = "let the function return zero there"
        sentences.append(
            "the dissimilarity of an object to itself is not zero for "
            f"{counted(axioms.n_nonzero_diagonal, 'object')}. If that means nothing, "
            f"{how}. If it does, subtract the average of both objects' own values from "
            "each dissimilarity."
        )
    if not axioms.is_symmetric:
        i, j = axioms.worst_pair
        forth, back = axioms.worst_values
        price = "" if precomputed else ", which doubles the cost"
        sentences.append(
            f"direction matters, most for objects {i} and {j} ({forth:.4g} one "
            f"way, {back:.4g} the other). If that is noise, average the two directions "
            f"as the code below does{price}. If it is what you study, this library "
            "loses it."
        )
    if not measured.is_similarity and axioms.n_negative:
        i, j = axioms.negative_pair
        sentences.append(
            f"{counted(axioms.n_negative, 'dissimilarity', 'dissimilarities')} below "
            f"zero, as for objects {i} and {j}. Perhaps these stand for missing ones. "
            "If not, they cannot be squared: all are read as squared already, power=1."
        )
    return sentences, preparation, is_ready


def _listed(positions):
    shown = ", ".join(str(int(i)) for i in positions[:_SHOWN])
    more = f" and {number(len(positions) - _SHOWN)} more"
    noun = "object" if len(positions) == 1 else "objects"
    return f"{noun} {shown}{more if len(positions) > _SHOWN else ''}"


def _about_spectrum(measured, plan, axioms, spectrum, effects):
    """Say what kind of comparison it is and what to do about negative eigenvalues."""
    sentences = []
    share = spectrum.negative_fraction
    if axioms.triangle_violations:
        broken = percent(axioms.triangle_violations)
        many = axioms.triangle_violations > _MANY_TRIANGLES
        sentences.append(
            f"{broken[0].upper()}{broken[1:]} of all triangles have a detour shorter "
            "than the direct way, so this is no metric: do not use search trees (ball "
            "tree, vantage points), which rely on it. Landmarks do not."
            + (_SO_MANY if many and measured.power != 1 else "")
        )
    if share <= _EUCLIDEAN:
        what = (
            "a positive semi-definite kernel"
            if measured.is_similarity
            else "distances between points of an ordinary (Euclidean) space"
        )
        sentences.append(f"These are {what}: there is nothing to correct.")
        return sentences
    if share < _NEARLY_EUCLIDEAN:
        sentences.append(
            f"Only {percent(share)} of the spectrum is negative: next to Euclidean, so "
            f'that the correction hardly matters. "{plan.correction}" is safe.'
        )
        return sentences
    untold = " Pass y to have corrections tried." if effects.alignments is None else ""
    sentences.append(
        f"{percent(share)} of the spectrum is negative "
        f"({percent(effects.changes['clip'])} of the similarity): no points of an "
        "ordinary (Euclidean) space compare like this. Use "
        f'correction="{plan.correction}": {_REASONS[plan.correction]}.{untold}'
    )
    if effects.alignments is not None:
        sentences.append(_about_targets(effects.scores))
    drowned = [
        percent(effects.changes[name])
        for name in ("lingoes", "cailliez")
        if effects.changes.get(name, 0.0) > _DROWNED
    ]
    if drowned:
        sentences.append(
            "Adding a constant until all is Euclidean (Lingoes, Cailliez) would change "
            f"the similarity by {' or '.join(drowned)}: much would be that constant."
        )
    return sentences


_REASONS = {
    "flip": '"flip" keeps what negative axes tell, "clip" throws it away',
    "clip": '"clip" throws negative axes away, which do not help to predict y',
    "square": '"square" weighs small axes less, negative ones too, where noise sits',
}


def _about_targets(scores):
    """Say which correction the targets ask for."""
    if scores is None:
        return (
            "There are too few targets y, or of each class, to choose a correction by."
        )
    listed = ", ".join(f'"{name}" {s:.2f}' for name, s in scores.scores.items())
    listed = f"cross-validated {scores.name}: {listed}"
    if max(scores.scores.values()) < scores.baseline + _GUESSED:
        return (
            "The targets y are predicted no better than by guessing, after any "
            f"correction ({listed}; guessed {scores.baseline:.2f}): they decide "
            "nothing here."
        )
    if scores.best == "flip":
        return (
            'No correction predicts the targets y clearly better than "flip" '
            f"({listed})."
        )
    return f'The targets y are predicted best after "{scores.best}" ({listed}).'


def _about_landmarks(measured, plan, spectrum, cost):
    """Say how many landmarks and what they cost."""
    m, N = plan.n_landmarks, round((2 * cost.n_full) ** 0.5 - 0.5)
    if m >= N:
        return [
            f"With {counted(N, 'object')} landmarks would save little: take all. Folds "
            "of a cross-validation have fewer, and say so."
        ]
    least, n_samples = spectrum.n_landmarks[0.95], len(spectrum.eigenvalues)
    give = "landmark gives" if least == 1 else "landmarks give"
    enough = f"{least} {give} 95 % of the similarities of the sample"
    more = ""
    if least < m <= n_samples:
        more = f", {m} give {percent(1.0 - spectrum.landmark_errors[m])}"
    enough += f"{more}."
    if n_samples // 2 < least and n_samples < N:
        enough = (
            f"{least} of the {n_samples} objects of the sample are needed for 95 % of "
            "its similarities: the spectrum falls slowly, and all objects need more. "
            "LandmarkCurveDisplay shows whether more than these pay."
        )
    saved = f"each new object needs {m} comparisons instead of {number(N)}"
    if measured.is_precomputed:
        return [f"{enough} Take {m}: {saved}."]
    if cost.n_landmark_run >= cost.n_full:
        return [
            f"{enough} Take {m}; with so few objects that saves nothing in fit, but "
            f"{saved}."
        ]
    price = (
        f"{number(cost.n_landmark_run)} comparisons instead of {number(cost.n_full)}"
    )
    if cost.seconds_full is not None and cost.seconds_full >= 1:
        price += (
            f" ({duration(cost.seconds_landmark_run)} instead of "
            f"{duration(cost.seconds_full)})"
        )
    return [f"{enough} Take {m}: {price}, then {m} for each new object."]


def _write_call(measured, plan, axioms, preparation):
    """Return the call that follows from the plan."""
    is_similarity = measured.is_similarity != axioms.looks_inverted
    class_name = "Nystroem" if is_similarity else "NystromDissimilarity"
    parameter = "kernel" if is_similarity else "metric"
    both_ways = not (axioms.is_symmetric or measured.is_precomputed)
    text, names = name_measure(measured.compare, parameter, both_ways=both_ways)
    arguments = [f"{parameter}={text}"]
    written, more = write_params(measured.params, measured.compare, parameter)
    arguments += written
    names = {**names, **more}
    if not (is_similarity or measured.is_similarity) and measured.power != 2:
        arguments.append(f"power={measured.power:g}")
    arguments.append(f'correction="{plan.correction}"')
    count = "n_components" if is_similarity else "n_landmarks"
    arguments.append(f"{count}={plan.n_landmarks}")
    if plan.landmarks != "uniform":
        arguments.append(f'landmarks="{plan.landmarks}"')
    if measured.is_precomputed and not axioms.is_symmetric:
        arguments.append('symmetrize="average"')
    arguments.append("random_state=0")
    return PastedCall.of(class_name, arguments, names, preparation)
