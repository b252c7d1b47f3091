"""The result of a diagnosis: numbers, a text, a table and a picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..factor import correct_eigenvalues
from ._axioms import Axioms
from ._comparison_cost import ComparisonCost
from ._correction_effects import CorrectionEffects
from ._drawing import NEGATIVE, POSITIVE, import_pyplot, reference_colour
from ._recommendation import Measured, Recommendation
from ._report import Report, Section, counted, duration, number, percent, quantity
from ._sampled_spectrum import SHARES, SampledSpectrum
from ._spectrum_display import SpectrumDisplay

__all__ = ["Diagnosis"]


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """What kind of comparison it is, and what to do with it.

    Made by :func:`diagnose`. Print it, show it in a notebook, or read its parts, each
    of which holds numbers under names of their own.

    Attributes
    ----------
    n_objects : int
        Number of objects given.
    n_samples : int
        Number of objects that were compared with each other.
    n_comparisons : int
        Evaluations of the measure, exactly; 0 for a precomputed matrix.
    seconds : float
        Wall time of these.
    measured : Measured
        How they were compared: `compare`, `params`, `is_similarity`, `power`.
    dropped : ndarray of int
        Positions of objects of the sample that were left out of everything but
        `axioms`, because of missing comparisons.
    axioms : Axioms
        Facts about the comparisons: `n_missing`, `is_symmetric`, `asymmetry`,
        `not_positive`, `worst_pair`, `worst_values`, `n_nonzero_diagonal`,
        `n_negative`, `smallest`, `n_duplicates`, `duplicate_pair`,
        `triangle_violations`, `looks_inverted`.
    spectrum : SampledSpectrum
        `eigenvalues`, `signature`, `negative_fraction`, `negative_fraction_interval`,
        `negative_fraction_resampled`, `effective_rank`, `n_landmarks`,
        `landmark_errors`.
    corrections : CorrectionEffects
        `changes`, `alignments`, `scores`, `lingoes_constant`, `cailliez_constant`,
        `typical`, `n_unlabelled`.
    cost : ComparisonCost
        `comparisons_per_second`, `n_full`, `n_landmark_run`, `n_per_new_object`,
        `seconds_full`, `seconds_landmark_run`.
    recommendation : Recommendation
        `sentences`, `call`, `code`, `names`, `is_ready`, `plan`.

    See Also
    --------
    diagnose : Makes it.
    SpectrumDisplay : The left half of its picture.

    Examples
    --------
    >>> from skproxy.inspection import diagnose
    >>> D = [[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]]
    >>> diagnosis = diagnose(D, metric="precomputed", random_state=0)
    >>> diagnosis.spectrum.signature, diagnosis.axioms.is_symmetric
    ((2, 1, 1), True)
    """

    n_objects: int
    n_samples: int
    n_comparisons: int
    seconds: float
    measured: Measured
    dropped: np.ndarray
    axioms: Axioms
    spectrum: SampledSpectrum
    corrections: CorrectionEffects
    cost: ComparisonCost
    recommendation: Recommendation

    def __repr__(self):
        return self._report().text()

    def _repr_html_(self):
        return self._report().html()

    def plot(self, axes: Any = None) -> np.ndarray:
        """Draw the signed spectrum, and the error against the number of landmarks.

        Parameters
        ----------
        axes : sequence of two matplotlib Axes, default=None
            None makes a new figure.

        Returns
        -------
        axes : ndarray of two matplotlib Axes
        """
        pyplot = import_pyplot("Diagnosis.plot")
        if not len(self.spectrum.eigenvalues):
            msg = (
                "plot of Diagnosis must have objects with all their comparisons; got "
                f"none of {self.n_samples}. Fill in what is missing."
            )
            raise ValueError(msg)
        if axes is not None and np.size(axes) != 2:
            msg = f"axes of Diagnosis.plot must be two axes; got {axes!r}."
            raise ValueError(msg)
        if axes is None:
            _, axes = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
        left, right = axes
        spectrum, correction = self.spectrum, self.recommendation.plan.correction
        SpectrumDisplay.from_eigenvalues(
            spectrum.eigenvalues,
            correct_eigenvalues(spectrum.eigenvalues, correction),
            correction=correction,
            ax=left,
        )
        self._plot_landmarks(right)
        return np.array([left, right], dtype=object)

    def _plot_landmarks(self, ax):
        errors = self.spectrum.landmark_errors
        ax.plot(np.arange(len(errors)), errors, color=POSITIVE)
        # In a legend: next to the points, labels of a steep curve cover each other.
        for share, marker in zip(SHARES, "os^", strict=True):
            count = self.spectrum.n_landmarks[share]
            ax.plot(
                count,
                errors[count],
                marker,
                color=NEGATIVE,
                label=f"{100 * share:.0f} % of the similarity: {count}",
            )
        ax.axhline(0.0, color=reference_colour(), linewidth=0.8)
        ax.set(
            xlabel=f"uniform landmarks, of {counted(len(errors) - 1, 'object')}",
            ylabel="relative error of the similarity",
            ylim=(-0.03, 1.05),
        )
        ax.legend(loc="upper right")

    def _report(self):
        kind = "similarities" if self.measured.is_similarity else "dissimilarities"
        title = f"{counted(self.n_objects, 'object')}, {kind} by {self.measured.text}"
        sections = (
            Section("Looked at", self._looked_at()),
            Section("Comparisons", self._facts()),
            Section("Spectrum", self._spectrum_rows()),
            self._correction_table(),
            Section("Cost", self._cost_rows()),
        )
        return Report(
            title, sections, self.recommendation.sentences, self.recommendation.code
        )

    def _looked_at(self):
        every = self.n_samples == self.n_objects
        which = "all objects" if every else f"{number(self.n_samples)} drawn at random"
        rows = [("objects", which)]
        if self.n_comparisons:
            made = f"{number(self.n_comparisons)}, both ways of each pair, in "
            made += duration(self.seconds)
            rows.append(("comparisons made", made))
        else:
            rows.append(("comparisons made", "none: the matrix was given"))
        if len(self.dropped):
            left = f"{len(self.dropped)} for missing comparisons"
            rows.append(("objects left out", left))
        if self.corrections.n_unlabelled:
            left = f"{counted(self.corrections.n_unlabelled, 'object')} without one"
            rows.append(("targets", left))
        return tuple(rows)

    def _facts(self):
        axioms, similarity = self.axioms, self.measured.is_similarity
        rows = [("missing", _count(axioms.n_missing, "pair"))]
        if axioms.is_symmetric:
            rows.append(("symmetric", "yes"))
        else:
            pairs = counted(axioms.n_asymmetric, "pair")
            gap = f", asymmetry {percent(axioms.asymmetry)}" if axioms.asymmetry else ""
            rows.append(("symmetric", f"no: not for {pairs}{gap}"))
        if not similarity:
            bad = axioms.n_nonzero_diagonal
            verdict = f"no: not for {counted(bad, 'object')}" if bad else "yes"
            rows.append(("zero diagonal", verdict))
        elif len(axioms.not_positive):
            bad = counted(len(axioms.not_positive), "object")
            verdict = f"not positive for {bad}, as {int(axioms.not_positive[0])}"
            rows.append(("with themselves", verdict))
        rows.append(("negative values", _count(axioms.n_negative, "pair")))
        rows.append(("duplicates", self._duplicates()))
        if axioms.triangle_violations is not None:
            rows.append(("triangles violated", percent(axioms.triangle_violations)))
        return tuple(rows)

    def _duplicates(self):
        pair = self.axioms.duplicate_pair
        if pair is None:
            return "none"
        found = counted(self.axioms.n_duplicates, "pair")
        return f"{found} cannot be told apart, as {pair[0]} and {pair[1]}"

    def _spectrum_rows(self):
        spectrum = self.spectrum
        p, q, z = spectrum.signature
        low, high = spectrum.negative_fraction_interval
        share = percent(spectrum.negative_fraction)
        if np.isfinite(low) and spectrum.negative_fraction:
            share += f" (95 % interval {percent(low)} to {percent(high)})"
            halves = float(spectrum.negative_fraction_resampled.mean())
            if halves < min(low, 0.95 * spectrum.negative_fraction):
                share += f"; grows with the sample, {percent(halves)} of half of it"
        rank, landmarks = spectrum.effective_rank, spectrum.n_landmarks
        shares = "/".join(f"{100 * share:.0f}" for share in SHARES)
        part = "" if self.n_samples == self.n_objects else ", for the sample"
        return (
            ("eigenvalues", f"{p} positive, {q} negative, {z} zero"),
            ("negative part", share),
            (
                f"for {shares} %",
                " / ".join(str(rank[s]) for s in SHARES) + " axes",
            ),
            (
                "",
                " / ".join(str(landmarks[s]) for s in SHARES)
                + f" uniform landmarks{part}",
            ),
        )

    def _correction_table(self):
        effects = self.corrections
        columns = ["change"]
        if effects.alignments:
            columns.append("alignment")
        if effects.scores:
            columns.append(effects.scores.name)
        columns.append("")
        rows = []
        names = ["none", *effects.changes] if effects.alignments else effects.changes
        for name in names:
            cells = [name]
            change = effects.changes.get(name)
            cells.append("" if change is None else percent(change))
            if effects.alignments:
                cells.append(f"{effects.alignments[name]:.3f}")
            if effects.scores:
                score = effects.scores.scores.get(name)
                cells.append("" if score is None else f"{score:.3f}")
            cells.append(self._constant(name))
            rows.append(tuple(cells))
        return Section("Corrections", tuple(rows), tuple(columns))

    def _constant(self, name):
        effects, power = self.corrections, self.measured.power
        if name == "lingoes" and effects.lingoes_constant:
            powered = "d" if power == 1 else f"d**{power:g}"
            added = 2 * effects.lingoes_constant
            with np.errstate(over="ignore"):
                typical = np.float64(effects.typical) ** power
        elif name == "cailliez" and effects.cailliez_constant:
            powered, added, typical = "d", effects.cailliez_constant, effects.typical
        else:
            return ""
        return f"{powered} + {quantity(added)}, median {quantity(typical)}"

    def _cost_rows(self):
        cost, rows = self.cost, []
        if cost.comparisons_per_second is not None:
            rows.append(("speed", f"{number(cost.comparisons_per_second)} a second"))
        for label, count, seconds in (
            ("all pairs", cost.n_full, cost.seconds_full),
            ("with landmarks", cost.n_landmark_run, cost.seconds_landmark_run),
        ):
            time = "" if seconds is None else f", {duration(seconds)}"
            rows.append((label, f"{counted(count, 'comparison')}{time}"))
        rows.append(("each new object", counted(cost.n_per_new_object, "comparison")))
        return tuple(rows)


def _count(count, noun):
    return counted(count, noun) if count else "none"
