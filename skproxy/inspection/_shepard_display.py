"""Shepard's diagram: dissimilarities given against dissimilarities embedded."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import spearmanr
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..comparisons._objects import count_objects
from ..embedding._signed_form import signed_dissimilarities
from ._drawing import (
    NEGATIVE,
    POSITIVE,
    count_colours,
    open_axes,
    place_legend,
    reference_colour,
)
from ._estimator_reading import (
    ObjectComparisons,
    check_has_coordinates,
    check_square_of,
    comparing_step,
    coordinate_signs,
    take_both,
    unpowered,
)

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ShepardDisplay"]

_MOST_DOTS = 1000  # more pairs than this hide each other
# Equal objects are embedded at a distance of rounding, whose root may be this large.
_ROUNDING = 1e-5


class ShepardDisplay:
    """What an embedding makes of dissimilarities, pair by pair.

    Each pair of objects is a point: how dissimilar they are, and how far apart their
    coordinates. On the line both are equal; below it pairs are drawn together, above it
    apart. Many pairs are counted in hexagons instead of drawn one over the other.

    Both are in the units of the metric. Axes of negative sign can make embedded squared
    dissimilarities negative; what is drawn is then the root of the modulus, with a
    minus sign.

    Use :meth:`from_estimator` or :meth:`from_dissimilarities` instead of the
    constructor.

    Parameters
    ----------
    given : ndarray of shape (n_pairs,)
        Dissimilarities given, in the units of the metric.
    embedded : ndarray of shape (n_pairs,)
        Dissimilarities embedded, in the same units.
    power : float, default=2
        To which STRESS raises both.
    n_comparisons : int, default=None
        Comparisons that were made, or looked up, for `given`.
    same_unit : bool, default=True
        Whether the two can be compared by size. If not (``correction="square"``)
        neither the line nor STRESS is drawn.

    Attributes
    ----------
    correlation_ : float
        Spearman's: 1 if the order of the pairs is kept. NaN where all are equal.
    stress_ : float or None
        STRESS of the pairs drawn, over the sum of the squares of ``given**power``, as
        :func:`skproxy.metrics.stress` with ``normalize=True``; dimensionless.
    dots_ : PathCollection or None
        The pairs, where there are few.
    hexagons_ : PolyCollection or None
        The counts of pairs, where there are many.
    colorbar_ : Colorbar or None
        Of the hexagons.
    identity_line_, zero_line_ : Line2D or None
        Where both are equal, and where embedded ones become negative.
    text_ : Text
        The two numbers, above the axes.
    legend_ : Legend or None
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    skproxy.metrics.stress : Of all pairs.
    SpectrumDisplay : Why dissimilarities do not fit.

    Notes
    -----
    :meth:`from_estimator` compares s objects drawn at random with each other,
    s (s + 1) / 2 comparisons, where s (s - 1) / 2 is at most `n_pairs`; and transforms
    them. 5,000 pairs take 100 objects, however many there are.

    References
    ----------
    R. N. Shepard (1962). The analysis of proximities: multidimensional scaling with an
    unknown distance function. Psychometrika 27, 125-140. doi:10.1007/BF02289630

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skproxy import NystromDissimilarity
    >>> from skproxy.inspection import ShepardDisplay
    >>> X = [[0, 0], [3, 0], [0, 4], [5, 5]]
    >>> nystrom = NystromDissimilarity(n_landmarks=4, random_state=0).fit(X)
    >>> display = ShepardDisplay.from_estimator(nystrom, X)
    >>> round(display.correlation_, 3), round(display.stress_, 3)
    (1.0, 0.0)
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        given: Any,
        embedded: Any,
        power: float = 2,
        n_comparisons: int | None = None,
        same_unit: bool = True,
    ) -> None:
        self.given = given
        self.embedded = embedded
        self.power = power
        self.n_comparisons = n_comparisons
        self.same_unit = same_unit

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        n_pairs: int = 5000,
        random_state: int | np.random.RandomState | None = None,
        ax: Any = None,
        **plot_kw: Any,
    ) -> Any:
        """Compare some objects with each other, and their coordinates.

        Parameters
        ----------
        estimator : estimator
            Fitted: NystromDissimilarity, NeucMDS, Nystroem, EBEKEmbedding,
            EigenCorrector with ``output="features"``; or a pipeline with one in it.
            Similarities S are read as dissimilarities,
            ``d^2 = S_ii + S_jj - 2 S_ij``.
        X : array-like, sparse matrix or sequence of n_samples objects
            Fitted or new ones. Precomputed, the (n_samples, n_samples) matrix that was
            fitted.
        n_pairs : int, default=5000
            Most pairs that are compared.
        random_state : int, RandomState instance or None, default=None
            Decides which objects are.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **plot_kw : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : ShepardDisplay
        """
        owner = f"{cls.__name__}.from_estimator"
        _check_pairs(n_pairs, owner)
        estimator, X = comparing_step(estimator, X, owner)
        check_is_fitted(estimator)
        check_has_coordinates(estimator, owner, signed=True)
        check_square_of(estimator, X, owner, "Use from_dissimilarities instead.")
        n_objects = count_objects(X)
        if n_objects < 2:
            msg = f"X of {owner} must hold at least two objects; got {n_objects}."
            raise ValueError(msg)
        # The largest s with s (s - 1) / 2 <= n_pairs.
        size = min(int((1 + np.sqrt(1 + 8 * n_pairs)) / 2), n_objects)
        rng = check_random_state(random_state)
        indices = np.sort(rng.permutation(n_objects)[:size])
        sample = ObjectComparisons.of(estimator, take_both(estimator, X, indices))
        everything = np.arange(n_objects)
        Z = estimator.transform(take_both(estimator, X, indices, everything))
        Z = np.asarray(Z, dtype=np.float64)
        embedded = signed_dissimilarities(Z, Z, coordinate_signs(estimator))
        pairs = np.triu_indices(size, 1)
        display = cls(
            given=unpowered(sample.powered()[pairs], sample.power),
            embedded=unpowered(embedded[pairs], sample.power),
            power=sample.power,
            n_comparisons=sample.n_comparisons,
            same_unit=getattr(estimator, "correction", None) != "square",
        )
        return display.plot(ax, **plot_kw)

    @classmethod
    def from_dissimilarities(
        cls,
        given: ArrayLike,
        embedded: ArrayLike,
        *,
        power: float = 2,
        ax: Any = None,
        **plot_kw: Any,
    ) -> Any:
        """Draw dissimilarities of the same pairs.

        Parameters
        ----------
        given : array-like of shape (n_pairs,) or (n_samples, n_samples)
            Dissimilarities given. Of a square matrix, each pair is drawn once, from the
            upper triangle.
        embedded : array-like of the same shape
            Dissimilarities embedded, in the same units.
        power : float, default=2
            To which STRESS raises both.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **plot_kw : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : ShepardDisplay
        """
        owner = f"{cls.__name__}.from_dissimilarities"
        given = _read_pairs(given, f"given of {owner}")
        embedded = _read_pairs(embedded, f"embedded of {owner}")
        if given.shape != embedded.shape:
            msg = (
                f"embedded of {owner} must belong to the pairs of given; got "
                f"{len(embedded)} pairs for {len(given)}. Pass two square matrices, or "
                "two vectors in the same order."
            )
            raise ValueError(msg)
        return cls(given=given, embedded=embedded, power=power).plot(ax, **plot_kw)

    def plot(
        self,
        ax: Any = None,
        *,
        kind: str = "auto",
        dot_kw: dict[str, Any] | None = None,
        hexagon_kw: dict[str, Any] | None = None,
        line_kw: Any = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.
        kind : {"auto", "dots", "hexagons"}, default="auto"
            ``"auto"`` draws dots for up to 1,000 pairs.
        dot_kw : dict, default=None
            Passed to `Axes.scatter`.
        hexagon_kw : dict, default=None
            Passed to `Axes.hexbin`.
        line_kw : dict, default=None
            Passed to `Axes.axline`, for the identity.

        Returns
        -------
        self : ShepardDisplay
        """
        owner = type(self).__name__
        if kind not in ("auto", "dots", "hexagons"):
            msg = (
                f'kind of {owner}.plot must be "auto", "dots" or "hexagons"; got '
                f"{kind!r}."
            )
            raise ValueError(msg)
        self.ax_, _ = open_axes(owner, ax)
        self.figure_ = self.ax_.figure
        self._measure()
        self.dots_ = self.hexagons_ = self.colorbar_ = None
        if kind == "hexagons" or (kind == "auto" and len(self.given) > _MOST_DOTS):
            self._draw_hexagons(hexagon_kw or {})
        else:
            dots = {"s": 12, "color": POSITIVE, "alpha": 0.5, "linewidths": 0}
            self.dots_ = self.ax_.scatter(
                self.given, self.embedded, **{**dots, **(dot_kw or {})}
            )
        self._draw_lines(line_kw or {})
        self.ax_.set(
            xlabel="dissimilarity given",
            ylabel="dissimilarity embedded"
            + ("" if self.same_unit else " (another unit)"),
        )
        return self

    def _measure(self):
        given, embedded = self.given, self.embedded
        constant = np.ptp(given) == 0 or np.ptp(embedded) == 0
        self.correlation_ = (
            float("nan") if constant else float(spearmanr(given, embedded).statistic)
        )
        self.stress_ = None
        if self.same_unit:
            largest = max(np.abs(given).max(), np.abs(embedded).max()) or 1.0
            given, embedded = (
                np.sign(d) * np.abs(d / largest) ** self.power
                for d in (given, embedded)
            )
            total = float(given @ given)
            error = float(np.square(embedded - given).sum())
            missed = float("inf") if error else 0.0
            self.stress_ = error / total if total else missed

    def _draw_hexagons(self, hexagon_kw):
        from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

        defaults = {
            "gridsize": 40,
            "mincnt": 1,
            "bins": "log",
            "cmap": count_colours(),
            "linewidths": 0.2,
        }
        shown = np.ones(len(self.given), dtype=bool)
        for name, values in (("x", self.given), ("y", self.embedded)):
            # Hexagons have to be made on the scale that they are seen on.
            if getattr(self.ax_, f"get_{name}scale")() == "log":
                defaults[f"{name}scale"] = "log"
                shown &= values > 0
        self.hexagons_ = self.ax_.hexbin(
            self.given[shown], self.embedded[shown], **{**defaults, **hexagon_kw}
        )
        self.colorbar_ = self.figure_.colorbar(
            self.hexagons_, ax=self.ax_, label="pairs"
        )
        if "bins" not in hexagon_kw:
            steps = LogLocator(subs=(1.0, 2.0, 5.0))
            self.colorbar_.ax.yaxis.set_major_locator(steps)
            whole = FuncFormatter(lambda count, _: f"{count:.0f}")
            self.colorbar_.ax.yaxis.set_major_formatter(whole)
            self.colorbar_.ax.yaxis.set_minor_locator(NullLocator())

    def _draw_lines(self, line_kw):
        self.identity_line_ = self.zero_line_ = None
        numbers = f"rank correlation {self.correlation_:.3f}"
        if self.same_unit:
            line = {"color": NEGATIVE, "linestyle": "--", "linewidth": 1.5}
            # Logarithmic axes have no origin, and take two points for a slope.
            scales = {self.ax_.get_xscale(), self.ax_.get_yscale()}
            through = {"xy1": (0, 0), "slope": 1}
            if scales != {"linear"}:
                through = {"xy1": (1, 1), "xy2": (2, 2)}
            self.identity_line_ = self.ax_.axline(
                **through, label="equal", **{**line, **line_kw}
            )
            numbers += f", relative STRESS {self.stress_:.2g}"
        below = self.embedded < -_ROUNDING * np.abs(self.embedded).max()
        if below.any():
            self.zero_line_ = self.ax_.axhline(
                0.0,
                color=reference_colour(),
                linewidth=0.8,
                label=f"embedded below zero: {100 * below.mean():.2g} %",
            )
        # Above the axes: inside there is no corner that is always free.
        self.text_ = self.ax_.set_title(numbers, loc="left", fontsize="medium")
        lines = [self.identity_line_, self.zero_line_]
        handles = [line for line in lines if line is not None]
        self.legend_ = place_legend(self.ax_, handles, beside=False, loc="upper left")


def _check_pairs(n_pairs, owner):
    if not isinstance(n_pairs, Integral) or n_pairs < 1:
        msg = f"n_pairs of {owner} must be a positive integer; got {n_pairs!r}."
        raise ValueError(msg)


def _read_pairs(values, name):
    values = np.asarray(values, dtype=np.float64)
    if values.ndim == 2 and values.shape[0] == values.shape[1]:
        values = values[np.triu_indices(len(values), 1)]
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        msg = (
            f"{name} must be finite dissimilarities, a vector with one for each pair "
            f"or a square matrix of two objects at least; got shape {values.shape}"
            + ("" if np.isfinite(values).all() else " with values that are not finite")
            + "."
        )
        raise ValueError(msg)
    return values
