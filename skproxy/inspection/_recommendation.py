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
    sample. Where half the sample is not enough for 95 % more objects need more. More
    than half of the objects are not worth a thought: then all.
    """
    half = n_samples // 2
    m = max(counts[0.95], min(counts[0.99], half))
    if counts[0.95] > half and n_objects > n_samples:
        m = 2 * counts[0.95]
    m = min(max(_FEWEST, -(-m // 10) * 10), _MOST)
    return m if 2 * m <= n_objects else n_objects


@dataclass(frozen=True, eq=False)
class Findings:
    """What was found out about a sample.

    Attributes
    ----------
    axioms : Axioms
    spectrum : SampledSpectrum
    effects : CorrectionEffects
    cost : ComparisonCost
    dropped : ndarray of int
        Objects of the sample left out for missing comparisons.
    """

    axioms: Any
    spectrum: Any
    effects: Any
    cost: Any
    dropped: Any


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
    def of(cls, measured, plan, findings):
        """Put what was found into words.

        Parameters
        ----------
        measured : Measured
        plan : Plan
        findings : Findings
        """
        axioms, a = findings.axioms, findings.spectrum.eigenvalues
        obstacles, preparation, is_ready = _obstacles(
            measured, axioms, findings.dropped
        )
        sentences = [
            f"{ordinal}: {obstacle}"
            for ordinal, obstacle in zip(_ORDINALS, obstacles, strict=False)
        ]
        if len(a) >= 2 and not a.any():
            sentences.append("All objects compare alike: there is nothing to embed.")
        elif len(a) >= 2 and not axioms.looks_inverted:
            sentences += _about_triangles(measured, axioms)
            sentences += _about_power(findings.effects.scores)
            sentences += _about_spectrum(measured, plan, findings)
            sentences += _about_landmarks(measured, plan, findings)
            sentences += _about_a_map(measured, findings)
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
    if axioms.looks_inverted:
        missing = [_about_missing(axioms, dropped)] if axioms.n_missing else []
        return [*missing, _about_inversion(measured)], [], not missing
    sentences, preparation = [], []
    can_mend = measured.is_precomputed
    if axioms.n_missing:
        sentences.append(_about_missing(axioms, dropped))
    if axioms.n_nonzero_diagonal:
        sentences.append(_about_diagonal(axioms, can_mend))
        if can_mend:
            preparation = [
                "X = np.array(X, dtype=float)",
                "np.fill_diagonal(X, 0.0)",
            ]
    if not axioms.is_symmetric:
        sentences.append(_about_direction(axioms, can_mend))
    if not measured.is_similarity and axioms.n_negative:
        i, j = axioms.negative_pair
        sentences.append(
            f"{counted(axioms.n_negative, 'dissimilarity', 'dissimilarities')} below "
            f"zero, as for objects {i} and {j}. Perhaps these stand for missing ones. "
            "If not, they cannot be squared: all are read as squared already, power=1."
        )
    stuck = axioms.n_missing or (axioms.n_nonzero_diagonal and not can_mend)
    return sentences, preparation, not stuck


def _about_missing(axioms, dropped):
    found = counted(axioms.n_missing, "missing comparison")
    where = f"with {_listed(axioms.objects_with_missing)}"
    if len(dropped):
        where = f"left out here: {_listed(dropped)}"
    return (
        f"{found} (NaN or infinite), {where}. No estimator can guess: fill in what "
        "is missing, or drop objects."
    )


def _about_inversion(measured):
    other, said, are = "kernel", "dissimilarities", "similarities"
    if measured.is_similarity:
        other, said, are = "metric", are, said
    extreme = "smallest" if measured.is_similarity else "largest"
    return (
        f"these were read as {said}, but objects have their {extreme} value "
        f"with themselves, as {are} do. Say diagnose(X, {other}=...) instead; the "
        "spectrum above means nothing until then."
    )


def _about_diagonal(axioms, can_mend):
    how = "let the function return zero there"
    if can_mend:
        how = "the code below sets the diagonal to zero"
    return (
        "the dissimilarity of an object to itself is not zero for "
        f"{counted(axioms.n_nonzero_diagonal, 'object')}. If that means nothing, "
        f"{how}. If it does, subtract the average of both objects' own values from "
        "each dissimilarity."
    )


def _about_direction(axioms, precomputed):
    i, j = axioms.worst_pair
    forth, back = axioms.worst_values
    price = "" if precomputed else ", which doubles the cost"
    return (
        f"direction matters, most for objects {i} and {j} ({forth:.4g} one "
        f"way, {back:.4g} the other). If that is noise, average the two directions "
        f"as the code below does{price}. If it is what you study, this library "
        "loses it."
    )


def _listed(positions):
    shown = ", ".join(str(int(i)) for i in positions[:_SHOWN])
    more = f" and {number(len(positions) - _SHOWN)} more"
    noun = "object" if len(positions) == 1 else "objects"
    return f"{noun} {shown}{more if len(positions) > _SHOWN else ''}"


def _about_triangles(measured, axioms):
    """Say that it is no metric, where it is none."""
    if not axioms.triangle_violations:
        return []
    broken = percent(axioms.triangle_violations)
    many = axioms.triangle_violations > _MANY_TRIANGLES and measured.power != 1
    return [
        f"{broken[0].upper()}{broken[1:]} of all triangles have a detour shorter "
        "than the direct way, so this is no metric: do not use search trees (ball "
        f"tree, vantage points), which rely on it. Landmarks do not."
        f"{_SO_MANY if many else ''}"
    ]


def _about_power(scores):
    """Say which power the targets ask for, where it is not the usual one."""
    if scores is None or scores.power == next(iter(scores.by_power)):
        return []
    listed = ", ".join(f"{power:g}: {s:.2f}" for power, s in scores.by_power.items())
    return [
        f"The targets y are predicted better from power={scores.power:g} (cross-"
        f"validated {scores.name} by power: {listed}); what follows is of that power."
    ]


def _about_spectrum(measured, plan, findings):
    """Say what kind of comparison it is and what to do about negative eigenvalues."""
    share, effects = findings.spectrum.negative_fraction, findings.effects
    if share <= _EUCLIDEAN:
        what = (
            "a positive semi-definite kernel"
            if measured.is_similarity
            else "distances between points of an ordinary (Euclidean) space"
        )
        return [f"These are {what}: there is nothing to correct."]
    if share < _NEARLY_EUCLIDEAN:
        return [
            f"Only {percent(share)} of the spectrum is negative: next to Euclidean, so "
            f'that the correction hardly matters. "{plan.correction}" is safe.'
        ]
    untold = " Pass y to have corrections tried." if effects.alignments is None else ""
    sentences = [
        f"{percent(share)} of the spectrum is negative "
        f"({percent(effects.changes['clip'])} of the similarity): no points of an "
        "ordinary (Euclidean) space compare like this. Use "
        f'correction="{plan.correction}": {_REASONS[plan.correction]}.{untold}'
    ]
    if effects.alignments is not None:
        sentences.append(_about_targets(effects.scores))
    drowned = [
        f"{whose} constant would change it by {percent(effects.changes[name])}"
        for name, whose in (("lingoes", "Lingoes'"), ("cailliez", "Cailliez'"))
        if effects.changes.get(name, 0.0) > _DROWNED
    ]
    if drowned:
        sentences.append(
            "Adding a constant until all is Euclidean drowns the similarity: "
            f"{', '.join(drowned)}."
        )
    return sentences


def _about_a_map(measured, findings):
    """Say what a picture is made with, and what it leaves out."""
    if measured.is_similarity:
        return []
    left_out = findings.spectrum.map_error
    return [
        "For a picture, take NeucMDS(n_components=2) instead, of the same metric: two "
        f"axes leave out {percent(left_out)} of the similarity, a model sees the rest "
        "too."
    ]


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


def _about_landmarks(measured, plan, findings):
    """Say how many landmarks and what they cost."""
    spectrum, cost = findings.spectrum, findings.cost
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
