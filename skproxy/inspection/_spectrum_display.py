"""The spectrum of a proximity: which axes are negative, and what a correction makes."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..embedding import EigenCorrector, NeucMDS
from ..factor import negative_fraction, signature
from ._drawing import (
    NEGATIVE,
    POSITIVE,
    open_axes,
    place_legend_above,
    plain_text,
    reference_colour,
)
from ._estimator_reading import comparing_step
from ._report import percent

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["SpectrumDisplay"]

_MOST_BARS = 100
_MOST_HATCHED = 50  # white dots leave little of thinner bars
# Their eigenvectors are others than those before, so values pair by rank alone.
_MOVES_EIGENVECTORS = ("lingoes", "cailliez")


class SpectrumDisplay:
    """Signed eigenvalues, and what became of them.

    One bar for each axis, largest modulus first. Bars below zero are what no Euclidean
    space can hold: noise if they are short and many, structure if some are among the
    longest. Rings show the eigenvalues after correction.

    Use :meth:`from_estimator`, :meth:`from_eigenvalues` or :meth:`from_proximities`
    instead of the constructor.

    Parameters
    ----------
    eigenvalues : ndarray of shape (n,)
        Before correction, in any order, in (powered) units of the metric. Zeros, which
        stand for axes past the rank, are not drawn.
    corrected_eigenvalues : ndarray of shape (n,), default=None
        The same axes after correction.
    correction : str, default=None
        Its name, for the legend. Two are drawn in their own way: ``"square"``, whose
        values are in another unit, is scaled to the same largest modulus; ``"lingoes"``
        and ``"cailliez"``, which change the axes too, are paired by rank.
    n_eigenvalues : int, default=None
        Most eigenvalues that are drawn, the largest moduli; None stands for 100.
    whole_fraction : float, default=None
        Negative fraction of the whole spectrum, where `eigenvalues` are a part of it.

    Attributes
    ----------
    signature_ : tuple of three int
        How many eigenvalues are positive, negative and zero, drawn or not.
    negative_fraction_ : float
        Sum of the moduli of the negative ones over that of all, drawn or not; of the
        whole spectrum where that is known.
    positive_, negative_ : BarContainer
        The bars.
    corrected_ : Line2D or None
        The rings.
    handles_ : list of artists
        What a legend shows, with labels.
    legend_ : Legend or None
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    EmbeddingDisplay : The map that the first two axes span.
    skproxy.metrics.negative_fraction : The number in the legend.

    Notes
    -----
    Drawing costs nothing that grows with the number of objects;
    :meth:`from_proximities` decomposes a full matrix.

    References
    ----------
    E. Pekalska, R. P. W. Duin (2005). The Dissimilarity Representation for Pattern
    Recognition. World Scientific, section 3.3. doi:10.1142/5965

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skproxy.inspection import SpectrumDisplay
    >>> D = [[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]]
    >>> display = SpectrumDisplay.from_proximities(D, input="dissimilarity")
    >>> display.signature_, round(display.negative_fraction_, 3)
    ((2, 1, 1), 0.059)
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        eigenvalues: Any,
        corrected_eigenvalues: Any = None,
        correction: str | None = None,
        n_eigenvalues: int | None = None,
        whole_fraction: float | None = None,
    ) -> None:
        self.whole_fraction = whole_fraction
        self.eigenvalues = eigenvalues
        self.corrected_eigenvalues = corrected_eigenvalues
        self.correction = correction
        self.n_eigenvalues = n_eigenvalues

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        n_eigenvalues: int | None = None,
        ax: Any = None,
        **plot_kw: Any,
    ) -> Any:
        """Draw the spectrum that a fitted estimator found.

        Parameters
        ----------
        estimator : estimator
            Fitted, with `eigenvalues_`, and `corrected_eigenvalues_` or (NeucMDS)
            `weights_`; a pipeline with one in it; or a search over these.
        n_eigenvalues : int, default=None
            Most eigenvalues that are drawn; None stands for 100.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **plot_kw : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : SpectrumDisplay
        """
        owner = f"{cls.__name__}.from_estimator"
        estimator, _ = comparing_step(estimator, None, owner)
        check_is_fitted(estimator)
        if not hasattr(estimator, "eigenvalues_"):
            msg = (
                f"estimator of {owner} must have eigenvalues_; got "
                f"{type(estimator).__name__}, which has none. Fit NystromDissimilarity "
                "or Nystroem to the same objects, or use from_proximities."
            )
            raise TypeError(msg)
        corrected = getattr(estimator, "corrected_eigenvalues_", None)
        correction = getattr(estimator, "correction", None)
        if isinstance(estimator, NeucMDS):
            corrected, correction = estimator.weights_, estimator.method
        elif correction is None:  # then the two are equal
            corrected = None
        display = cls(
            eigenvalues=estimator.eigenvalues_,
            corrected_eigenvalues=corrected,
            correction=correction,
            n_eigenvalues=n_eigenvalues,
            whole_fraction=_known_fraction(estimator),
        )
        return display.plot(ax, **plot_kw)

    @classmethod
    def from_eigenvalues(
        cls,
        eigenvalues: ArrayLike,
        corrected_eigenvalues: ArrayLike | None = None,
        *,
        correction: str | None = None,
        n_eigenvalues: int | None = None,
        ax: Any = None,
        **plot_kw: Any,
    ) -> Any:
        """Draw eigenvalues.

        Parameters
        ----------
        eigenvalues : array-like of shape (n,)
            In any order.
        corrected_eigenvalues : array-like of shape (n,), default=None
            The same axes after correction.
        correction : str, default=None
            Its name.
        n_eigenvalues : int, default=None
            Most eigenvalues that are drawn; None stands for 100.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **plot_kw : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : SpectrumDisplay
        """
        owner = f"{cls.__name__}.from_eigenvalues"
        eigenvalues = _check_values(eigenvalues, f"eigenvalues of {owner}")
        if corrected_eigenvalues is not None:
            name = f"corrected_eigenvalues of {owner}"
            corrected_eigenvalues = _check_values(corrected_eigenvalues, name)
            if corrected_eigenvalues.shape != eigenvalues.shape:
                msg = (
                    f"{name} must be as many as the eigenvalues, {len(eigenvalues)}; "
                    f"got {len(corrected_eigenvalues)}. Correct the same eigenvalues."
                )
                raise ValueError(msg)
        display = cls(
            eigenvalues=eigenvalues,
            corrected_eigenvalues=corrected_eigenvalues,
            correction=correction,
            n_eigenvalues=n_eigenvalues,
        )
        return display.plot(ax, **plot_kw)

    @classmethod
    def from_proximities(
        cls,
        P: ArrayLike,
        *,
        input: str = "dissimilarity",
        power: float = 2,
        correction: str | None = None,
        symmetrize: str | None = None,
        n_eigenvalues: int | None = None,
        ax: Any = None,
        **plot_kw: Any,
    ) -> Any:
        """Draw the exact spectrum of a full matrix.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_samples)
            Dissimilarities, which are powered and centred, or similarities.
        input : {"dissimilarity", "similarity"}, default="dissimilarity"
            Which.
        power : float, default=2
            Exponent of the dissimilarities. Not used for similarities.
        correction : str, default=None
            A correction of :class:`skproxy.EigenCorrector`, whose effect is drawn too.
        symmetrize : {"average", "min", "max"}, default=None
            How the two directions of an asymmetric matrix are joined.
        n_eigenvalues : int, default=None
            Most eigenvalues that are drawn; None stands for 100.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **plot_kw : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : SpectrumDisplay

        Notes
        -----
        O(n_samples^3): for up to a few thousand objects. For more, fit an estimator
        with landmarks.
        """
        corrector = EigenCorrector(
            correction, input=input, power=power, symmetrize=symmetrize
        )
        return cls.from_estimator(
            corrector.fit(P), n_eigenvalues=n_eigenvalues, ax=ax, **plot_kw
        )

    def plot(
        self,
        ax: Any = None,
        *,
        legend: bool = True,
        bar_kw: dict[str, Any] | None = None,
        corrected_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.
        legend : bool, default=True
            Whether signs and correction are explained. In a grid of small axes one
            legend for all is better: ``figure.legend(handles=display.handles_)``.
        bar_kw : dict, default=None
            Passed to `Axes.bar`.
        corrected_kw : dict, default=None
            Passed to `Axes.plot`, for the rings.

        Returns
        -------
        self : SpectrumDisplay
        """
        owner = type(self).__name__
        eigenvalues, corrected = self._drawn(owner)
        self.ax_, _ = open_axes(owner, ax)
        self.figure_ = self.ax_.figure
        self.signature_ = signature(self.eigenvalues, len(self.eigenvalues))
        self.negative_fraction_ = negative_fraction(self.eigenvalues)
        if self.whole_fraction is not None:
            self.negative_fraction_ = self.whole_fraction
        axes = np.arange(1, len(eigenvalues) + 1)
        self._draw_bars(axes, eigenvalues, bar_kw or {})
        self.handles_ = self._explained(bar_kw or {})
        self.corrected_ = self.legend_ = None
        if corrected is not None:
            self._draw_rings(axes, corrected, corrected_kw or {})
        self._label(len(axes))
        if legend:
            tops = eigenvalues if corrected is None else np.fmax(eigenvalues, corrected)
            self.legend_ = place_legend_above(
                self.ax_, self.handles_, axes, np.maximum(tops, 0.0)
            )
        return self

    def _draw_bars(self, axes, eigenvalues, bar_kw):
        negative = eigenvalues < 0
        self.positive_ = self.ax_.bar(
            axes[~negative],
            eigenvalues[~negative],
            **{"color": POSITIVE, "linewidth": 0, **bar_kw},
        )
        # Dots as well as a colour of its own: told apart in grey, and where short.
        hatch = {} if len(axes) > _MOST_HATCHED else _HATCH
        self.negative_ = self.ax_.bar(
            axes[negative],
            eigenvalues[negative],
            **{"color": NEGATIVE, **hatch, **bar_kw},
        )
        self.ax_.axhline(0.0, color=reference_colour(), linewidth=0.8)

    def _draw_rings(self, axes, corrected, corrected_kw):
        rings = {
            "linestyle": "none",
            "marker": "o",
            "markerfacecolor": "none",
            "markeredgecolor": reference_colour(),
            "markersize": 5 if len(axes) <= 25 else 3,
        }
        label = "corrected"
        if self.correction is not None:
            label = plain_text(f"after {self.correction}")
        if self.correction == "square":
            label += " (scaled)"
        (self.corrected_,) = self.ax_.plot(
            axes, corrected, label=label, **{**rings, **corrected_kw}
        )
        self.handles_.append(self.corrected_)

    def _drawn(self, owner):
        """Return the eigenvalues that are drawn, before and after."""
        most = _MOST_BARS if self.n_eigenvalues is None else self.n_eigenvalues
        if not isinstance(most, Integral) or most < 1:
            msg = (
                f"n_eigenvalues of {owner} must be a positive integer or None; got "
                f"{self.n_eigenvalues!r}."
            )
            raise ValueError(msg)
        before = np.asarray(self.eigenvalues, dtype=np.float64)
        order = np.argsort(-np.abs(before), kind="stable")
        shown = order[before[order] != 0][:most]
        if self.corrected_eigenvalues is None:
            return before[shown], None
        after = np.asarray(self.corrected_eigenvalues, dtype=np.float64)
        if self.correction in _MOVES_EIGENVECTORS:
            return before[shown], np.sort(after)[::-1][: len(shown)]
        if self.correction == "square" and after.any():
            after = after * (np.abs(before).max() / np.abs(after).max())
        return before[shown], after[shown]

    def _explained(self, bar_kw):
        """Return what stands for the two signs in the legend, drawn or not."""
        from matplotlib.patches import Patch

        counts, share = self.signature_, percent(self.negative_fraction_, 2)
        part = "the moduli"
        if not np.isclose(negative_fraction(self.eigenvalues), self.negative_fraction_):
            part = "all moduli, not only of these"
        return [
            Patch(
                facecolor=bar_kw.get("color", POSITIVE),
                linewidth=0,
                label=f"positive: {counts[0]}",
            ),
            Patch(
                facecolor=bar_kw.get("color", NEGATIVE),
                label=f"negative: {counts[1]}, {share} of {part}",
                **{**_HATCH, **{k: v for k, v in bar_kw.items() if k in _HATCH}},
            ),
        ]

    def _label(self, n_drawn):
        from matplotlib.ticker import MaxNLocator

        n_nonzero = sum(self.signature_[:2])
        part = f" ({n_drawn} of {n_nonzero} shown)" if n_drawn < n_nonzero else ""
        self.ax_.set(
            xlabel=f"axis, largest modulus first{part}",
            ylabel="eigenvalue",
            xlim=(0.3, max(n_drawn, 1) + 0.7),
        )
        self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


# A hatch takes the colour of an edge, even of none.
_HATCH = {"edgecolor": "white", "linewidth": 0, "hatch": "...."}


def _known_fraction(estimator):
    """Return the negative fraction of all eigenvalues, or None if some are unknown."""
    fraction = getattr(estimator, "negative_fraction_", np.nan)
    return None if np.isnan(fraction) else fraction


def _check_values(values, name):
    values = np.array(values, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        what = f"shape {values.shape}" if values.ndim != 1 else "values"
        bad = values.size - int(np.isfinite(values).sum())
        msg = (
            f"{name} must be a vector of finite numbers, one at least; got {what}, "
            f"{values.size} in all, {bad} of them not finite. Pass eigenvalues_ of an "
            "estimator or numpy.linalg.eigvalsh of a matrix."
        )
        raise ValueError(msg)
    return values
