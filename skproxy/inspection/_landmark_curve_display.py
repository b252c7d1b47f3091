"""Error or score against the number of landmarks, one line for each selector."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ..comparisons._objects import count_objects
from ._drawing import line_style, open_axes, place_legend, plain_text
from ._landmark_curve import (
    LandmarkParameters,
    check_counts,
    check_positive,
    check_selectors,
    count_fitted,
    cross_validated_scores,
    held_out_errors,
    label_of,
    name_of_score,
)

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LandmarkCurveDisplay"]

_ERROR_NAME = "relative error of held-out similarities"
_MOST_TICKS = 8


class LandmarkCurveDisplay:
    """What more landmarks, or better chosen ones, are worth.

    A line for each selector, through the medians; its band goes from the smallest to
    the largest value. Where lines flatten, more landmarks are comparisons wasted; where
    bands are wide, the choice of landmarks is a matter of luck.

    Use :meth:`from_estimator` or :meth:`from_results` instead of the constructor.

    Parameters
    ----------
    n_landmarks : dict of str to ndarray of shape (n_counts,)
        For each line, numbers of landmarks in increasing order.
    scores : dict of str to ndarray of shape (n_counts, n_repeats)
        For each line, its errors or scores.
    score_name : str, default="score"
        What they are.
    is_error : bool, default=False
        Whether less is better: then the scale begins at zero, or is logarithmic where
        errors differ tenfold.
    repeats_name : str, default="repeats"
        What the columns of `scores` are, in the plural.

    Attributes
    ----------
    lines_ : dict of str to Line2D
        Medians.
    bands_ : dict of str to PolyCollection or LineCollection
        Smallest to largest; a vertical line where a selector always takes as many.
    text_ : Text or None
        Above the axes: what lines and bands are.
    legend_ : Legend or None
        None for a single line.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    skproxy.landmarks : The selectors.
    SpectrumDisplay : How fast eigenvalues fall, and so how many landmarks are needed.

    Notes
    -----
    :meth:`from_estimator` fits as many estimators as there are selectors, numbers of
    landmarks and repeats (or folds). A `memory` of the estimator saves what these have
    in common.

    References
    ----------
    A. Gittens, M. W. Mahoney (2016). Revisiting the Nystrom method for improved
    large-scale machine learning. JMLR 17(117), section 4: errors of selectors against
    the number of landmarks.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_iris
    >>> from skproxy import NystromDissimilarity
    >>> from skproxy.inspection import LandmarkCurveDisplay
    >>> nystrom = NystromDissimilarity("cityblock")
    >>> display = LandmarkCurveDisplay.from_estimator(
    ...     nystrom, load_iris().data, n_landmarks=[5, 20], random_state=0)
    >>> bool(display.lines_["uniform"].get_ydata()[1] < 0.1)
    True
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        n_landmarks: Any,
        scores: Any,
        score_name: str = "score",
        is_error: bool = False,
        repeats_name: str = "repeats",
    ) -> None:
        self.n_landmarks = n_landmarks
        self.repeats_name = repeats_name
        self.scores = scores
        self.score_name = score_name
        self.is_error = is_error

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None = None,
        *,
        n_landmarks: int | ArrayLike | None = None,
        landmarks: Any = None,
        scoring: str | Callable[..., Any] | None = None,
        cv: Any = None,
        n_repeats: int = 5,
        n_held_out: int = 200,
        random_state: int | np.random.RandomState | None = None,
        ax: Any = None,
        **plot_kw: Any,
    ) -> Any:
        """Fit an estimator with different landmarks.

        A classifier, a pipeline that ends in one, or anything with `scoring` is
        cross-validated. Another estimator is fitted to four fifths of the objects at
        least; drawn is the relative error (Frobenius) of its signed similarities among
        the others, centred where it centres, without correction.

        Parameters
        ----------
        estimator : estimator
            With landmarks, or a pipeline with such a step. Cloned.
        X : array-like, sparse matrix or sequence of n_samples objects
            Precomputed, of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,), default=None
            Labels, for scores, and for selectors that use them.
        n_landmarks : array-like of int, default=None
            How many; None takes 10, 20, 50 and 100, as far as there are objects.
            Drawn is the median of `n_landmarks_`: selectors and NyPCVM may keep fewer.
        landmarks : str, selector or list of these, default=None
            One line for each; None takes the estimator's own.
        scoring : str or callable, default=None
            A scorer; None takes that of the estimator, where it has one.
        cv : int, splitter or iterable, default=None
            Folds of the cross-validation; None makes five.
        n_repeats : int, default=5
            Draws of the landmarks for each error. Not used for scores: their folds
            repeat the draw.
        n_held_out : int, default=200
            Most objects that errors are measured on, compared with each other once.
        random_state : int, RandomState instance or None, default=None
            Decides landmarks and which objects are held out.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **plot_kw : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : LandmarkCurveDisplay
        """
        owner = f"{cls.__name__}.from_estimator"
        parameters = LandmarkParameters.of(estimator, owner)
        selectors = check_selectors(landmarks, parameters, owner)
        check_positive(n_repeats, "n_repeats", owner)
        check_positive(n_held_out, "n_held_out", owner)
        rng = check_random_state(random_state)
        is_scored = scoring is not None or hasattr(estimator, "score")
        n_fitted = count_fitted(count_objects(X), None if is_scored else n_held_out, cv)
        counts = check_counts(n_landmarks, owner, n_fitted)
        if is_scored:
            if y is None and scoring is None:
                msg = (
                    f"y of {owner} must be given to score {type(estimator).__name__}; "
                    "got None. Pass labels, or an estimator without the last step."
                )
                raise ValueError(msg)
            seed = None if random_state is None else int(rng.randint(2**31 - 1))
            scores, used = cross_validated_scores(
                parameters,
                X,
                y,
                counts,
                selectors,
                scoring=scoring,
                cv=cv,
                seed=seed,
            )
            name = scoring if isinstance(scoring, str) else name_of_score(estimator)
            name, is_error = f"cross-validated {name.replace('_', ' ')}", False
        else:
            if parameters.prefix:
                msg = (
                    f"estimator of {owner} must be the step that compares itself, when "
                    f"there is nothing to score; got {type(estimator).__name__}. Pass "
                    "that step, or scoring."
                )
                raise TypeError(msg)
            scores, used = held_out_errors(
                parameters,
                X,
                y,
                counts,
                selectors,
                n_repeats=n_repeats,
                n_held_out=n_held_out,
                rng=rng,
                owner=owner,
            )
            name, is_error = _ERROR_NAME, True
        labels = _distinct([label_of(selector) for selector in selectors])
        return cls.from_results(
            dict(zip(labels, np.median(used, axis=-1), strict=True)),
            dict(zip(labels, scores, strict=True)),
            score_name=name,
            is_error=is_error,
            repeats_name="draws" if is_error else "folds",
            ax=ax,
            **plot_kw,
        )

    @classmethod
    def from_results(
        cls,
        n_landmarks: dict[str, Any] | ArrayLike,
        scores: str | dict[str, Any] | ArrayLike,
        *,
        score_name: str = "score",
        is_error: bool = False,
        repeats_name: str = "repeats",
        ax: Any = None,
        **plot_kw: Any,
    ) -> Any:
        """Draw errors or scores that are known.

        Parameters
        ----------
        n_landmarks : array-like of shape (n_counts,), or dict of these
            Numbers of landmarks, of all lines or for each.
        scores : dict of str to array-like, or array-like, of shape (n_counts, \
                n_repeats) or (n_counts,)
            For each line, its errors or scores. An array is a line without a name.
        score_name : str, default="score"
            What they are.
        is_error : bool, default=False
            Whether less is better.
        repeats_name : str, default="repeats"
            What the columns of scores are, in the plural.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **plot_kw : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : LandmarkCurveDisplay
        """
        owner = f"{cls.__name__}.from_results"
        if not isinstance(scores, dict):
            scores = {"": scores}
        if not isinstance(n_landmarks, dict):
            n_landmarks = dict.fromkeys(scores, n_landmarks)
        counts, values = {}, {}
        for label, given in scores.items():
            values[label], counts[label] = _check_line(
                given, n_landmarks.get(label), label, owner
            )
        display = cls(
            n_landmarks=counts,
            scores=values,
            score_name=score_name,
            is_error=is_error,
            repeats_name=repeats_name,
        )
        return display.plot(ax, **plot_kw)

    def plot(
        self,
        ax: Any = None,
        *,
        line_kw: Any = None,
        band_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.
        line_kw : dict, default=None
            Passed to `Axes.plot`.
        band_kw : dict, default=None
            Passed to `Axes.fill_between`.

        Returns
        -------
        self : LandmarkCurveDisplay
        """
        self.ax_, own = open_axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        self.lines_, self.bands_ = {}, {}
        for position, (label, scores) in enumerate(self.scores.items()):
            counts, style = self.n_landmarks[label], line_style(position)
            (self.lines_[label],) = self.ax_.plot(
                counts,
                np.median(scores, axis=1),
                **{
                    **style,
                    "label": plain_text(label),
                    "markersize": 5,
                    **(line_kw or {}),
                },
            )
            band = {"color": style["color"], "alpha": 0.18, "linewidth": 0}
            if counts[0] == counts[-1]:  # a band needs width
                self.bands_[label] = self.ax_.vlines(
                    counts[0], scores.min(), scores.max(), color=style["color"]
                )
                continue
            self.bands_[label] = self.ax_.fill_between(
                counts,
                scores.min(axis=1),
                scores.max(axis=1),
                **{**band, **(band_kw or {})},
            )
        self._scale_axes()
        self.ax_.set(xlabel="landmarks", ylabel=plain_text(self.score_name))
        repeats = {scores.shape[1] for scores in self.scores.values()}
        self.text_ = None
        if max(repeats) > 1:
            text = "median and range"
            if len(repeats) == 1:
                text += f" of {repeats.pop()} {plain_text(self.repeats_name)}"
            self.text_ = self.ax_.set_title(text, loc="left", fontsize="medium")
        named = [line for label, line in self.lines_.items() if label]
        self.legend_ = None
        if len(named) > 1:
            self.legend_ = place_legend(self.ax_, named, beside=own and len(named) > 4)
        return self

    def _scale_axes(self):
        from matplotlib.ticker import (
            FixedLocator,
            FuncFormatter,
            LogLocator,
            NullLocator,
            ScalarFormatter,
        )

        counts = np.unique(np.concatenate(list(self.n_landmarks.values())))
        if counts[-1] > 5 * counts[0]:
            self.ax_.set_xscale("log")
            if len(counts) > _MOST_TICKS:
                self.ax_.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            self.ax_.xaxis.set_minor_locator(NullLocator())
            self.ax_.xaxis.set_major_formatter(ScalarFormatter())
        if len(counts) <= _MOST_TICKS:
            self.ax_.xaxis.set_major_locator(FixedLocator(_apart(counts)))
        if not self.is_error:
            return
        values = np.concatenate([scores.ravel() for scores in self.scores.values()])
        if 0 < 10 * values.min() < values.max():
            self.ax_.set_yscale("log")
            plain = FuncFormatter(lambda value, _: f"{value:g}")
            self.ax_.yaxis.set_major_formatter(plain)
            if values.max() < 1000 * values.min():
                self.ax_.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
                self.ax_.yaxis.set_minor_locator(NullLocator())
        elif self.ax_.get_yscale() == "linear":
            self.ax_.set_ylim(bottom=0.0)


def _distinct(labels):
    """Give numbers to labels that occur more than once."""
    return [
        label if labels.count(label) == 1 else f"{label} {labels[: i + 1].count(label)}"
        for i, label in enumerate(labels)
    ]


def _apart(counts):
    """Return the counts whose labels do not touch, from the largest down."""
    place = np.log(counts) if counts[-1] > 5 * counts[0] else counts
    gap = 0.06 * (place[-1] - place[0])
    kept = [len(counts) - 1]
    for i in range(len(counts) - 2, -1, -1):
        if place[kept[-1]] - place[i] > gap:
            kept.append(i)
    return counts[kept[::-1]]


def _check_line(scores, counts, label, owner):
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim == 1:
        scores = scores[:, None]
    counts = np.asarray([] if counts is None else counts)
    if scores.ndim != 2 or not scores.size or counts.shape != scores.shape[:1]:
        line = f"of the line {label!r} " if label else ""
        msg = (
            f"scores {line}in {owner} must have a row for each of the numbers of "
            f"landmarks; got shape {scores.shape} for {counts.shape} numbers."
        )
        raise ValueError(msg)
    if not (counts > 0).all():
        msg = f"n_landmarks of {owner} must be positive; got {counts.tolist()}."
        raise ValueError(msg)
    order = np.argsort(counts, kind="stable")
    return scores[order], counts[order]
