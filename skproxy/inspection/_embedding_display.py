"""A map of objects: classes, names, landmarks, and axes that count negatively."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..embedding import EBEKEmbedding, NeucMDS
from ._drawing import (
    N_COLOURS,
    NUMBER_COLOURS,
    POSITIVE,
    class_style,
    make_room_beside,
    open_axes,
    place_legend,
    plain_text,
    reference_colour,
)
from ._estimator_reading import axis_shares_of, check_has_coordinates, comparing_step
from ._object_labels import are_quantities, check_labels, missing_labels, short_name
from ._report import percent

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["EmbeddingDisplay"]

_UNLABELLED, _OTHERS = "#777777", "#999999"
_DONE = {
    "flip": "flipped",
    "clip": "clipped",
    "square": "squared",
    "shift": "shifted",
    "lingoes": "corrected",
    "cailliez": "corrected",
}
# Where a name stands by its object, in order of preference: offset in points, anchors.
_PLACES = (
    ((5, 0), "left", "center"),
    ((-5, 0), "right", "center"),
    ((0, 5), "center", "bottom"),
    ((0, -5), "center", "top"),
)


class EmbeddingDisplay:
    """A map of objects, from two columns of their coordinates.

    Classes have colours and markers, the largest of them their own; numbers have a
    colour bar, landmarks a ring beneath. An axis that stands for a negative eigenvalue
    is named so: without correction, objects far apart along it are *less* dissimilar
    than the rest of the map says. Its share of the whole is in percent of the sum of
    all moduli, and negative. Both axes have the same scale.

    Use :meth:`from_estimator` or :meth:`from_embedding` instead of the constructor.

    Parameters
    ----------
    embedding : ndarray of shape (n_samples, n_components)
        Coordinates.
    y : ndarray of shape (n_samples,), default=None
        Labels, or numbers: those with fractions or of more than 20 different values are
        drawn on a scale. None and NaN are drawn grey.
    landmark_embedding : ndarray of shape (n_landmarks, n_components), default=None
        Coordinates of what is marked.
    landmark_name : str, default="landmarks"
        Its name in the legend.
    axis_names : sequence of n_components str, default=None
        Names of all axes; None numbers them, from 1.
    components : tuple of two int, default=(0, 1)
        The columns that are drawn.

    Attributes
    ----------
    scatters_ : list of PathCollection
        The objects: one of each class in the order of `classes_`, then those of all
        other classes, then those without label; a single one without classes.
    classes_ : ndarray of shape (n_classes,) or None
        The labels that have a colour of their own, the largest class first: all of
        them, or the largest twenty.
    landmarks_ : PathCollection or None
        The rings.
    texts_ : list of Annotation
        The names that found room.
    colorbar_ : Colorbar or None
        Of numbers.
    legend_ : Legend or None
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    SpectrumDisplay : How much of the whole two axes are.
    ShepardDisplay : How true the map is.

    Notes
    -----
    :meth:`from_estimator` transforms X, and, unless ``mark_landmarks=False``, the m
    landmarks: their m^2 comparisons once more.

    References
    ----------
    E. Pekalska, R. P. W. Duin (2005). The Dissimilarity Representation for Pattern
    Recognition. World Scientific, section 3.3, on pseudo-Euclidean maps.
    doi:10.1142/5965

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skproxy import NystromDissimilarity
    >>> from skproxy.inspection import EmbeddingDisplay
    >>> D = [[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]]
    >>> nystrom = NystromDissimilarity("precomputed", n_landmarks=4, correction=None)
    >>> display = EmbeddingDisplay.from_estimator(nystrom.fit(D), D, components=(0, 2))
    >>> display.ax_.get_ylabel()
    'axis 3 (negative, -5.9 %)'
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        embedding: Any,
        y: Any = None,
        landmark_embedding: Any = None,
        landmark_name: str = "landmarks",
        axis_names: Any = None,
        components: Any = (0, 1),
    ) -> None:
        self.embedding = embedding
        self.y = y
        self.landmark_embedding = landmark_embedding
        self.landmark_name = landmark_name
        self.axis_names = axis_names
        self.components = components

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None = None,
        *,
        components: Any = (0, 1),
        ax: Any = None,
        **plot_kw: Any,
    ) -> Any:
        """Draw the objects where a fitted estimator puts them.

        Parameters
        ----------
        estimator : estimator
            Fitted transformer of skproxy, or a pipeline with one in it.
        X : array-like, sparse matrix or sequence of n_samples objects
            Fitted or new ones, as for `transform`.
        y : array-like of shape (n_samples,), default=None
            Labels or numbers.
        components : tuple of two int, default=(0, 1)
            The columns that are drawn.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **plot_kw : dict
            Passed to :meth:`plot`. ``mark_landmarks=False`` also saves comparing
            landmarks.

        Returns
        -------
        display : EmbeddingDisplay
        """
        owner = f"{cls.__name__}.from_estimator"
        estimator, X = comparing_step(estimator, X, owner)
        check_is_fitted(estimator)
        check_has_coordinates(estimator, owner, signed=False)
        Z = np.asarray(estimator.transform(X), dtype=np.float64)
        marked, name = _landmarks_of(estimator)
        if not plot_kw.get("mark_landmarks", True):  # saves comparing them
            marked = None
        if marked is not None:
            with warnings.catch_warnings():
                # Landmarks are kept as arrays, also where X had names.
                warnings.filterwarnings("ignore", "X does not have valid feature names")
                marked = np.asarray(estimator.transform(marked), dtype=np.float64)
        display = cls(
            embedding=Z,
            y=check_labels(y, len(Z), owner),
            landmark_embedding=marked,
            landmark_name=name,
            axis_names=_axis_names_of(estimator, Z.shape[1]),
            components=_check_components(components, Z.shape[1], owner),
        )
        return display.plot(ax, **plot_kw)

    @classmethod
    def from_embedding(
        cls,
        Z: ArrayLike,
        y: ArrayLike | None = None,
        *,
        axis_signs: ArrayLike | None = None,
        axis_shares: ArrayLike | None = None,
        landmark_indices: int | ArrayLike | None = None,
        components: Any = (0, 1),
        ax: Any = None,
        **plot_kw: Any,
    ) -> Any:
        """Draw coordinates.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Coordinates.
        y : array-like of shape (n_samples,), default=None
            Labels or numbers.
        axis_signs : array-like of shape (n_components,), default=None
            +1, -1 or 0 for each axis; None stands for +1.
        axis_shares : array-like of shape (n_components,), default=None
            Share of the whole for each axis, as `axis_shares` of an estimator or of
            :mod:`skproxy.metrics`; None names none.
        landmark_indices : array-like of int, default=None
            Rows of Z that are marked as landmarks.
        components : tuple of two int, default=(0, 1)
            The columns that are drawn.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        **plot_kw : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : EmbeddingDisplay
        """
        owner = f"{cls.__name__}.from_embedding"
        Z = np.asarray(Z, dtype=np.float64)
        if Z.ndim != 2 or not Z.size or not np.isfinite(Z).all():
            msg = (
                f"Z of {owner} must be a table of finite coordinates, one row for each "
                f"object; got shape {Z.shape}"
                + (" with values that are not finite." if Z.ndim == 2 else ".")
            )
            raise ValueError(msg)
        signs = _of_axes(axis_signs, "axis_signs", Z, owner)
        shares = _of_axes(axis_shares, "axis_shares", Z, owner)
        names = _numbered_axes(np.ones(Z.shape[1]) if signs is None else signs, shares)
        marked = None
        if landmark_indices is not None:
            marked = Z[_check_indices(landmark_indices, len(Z), owner)]
        display = cls(
            embedding=Z,
            y=check_labels(y, len(Z), owner),
            landmark_embedding=marked,
            axis_names=names,
            components=_check_components(components, Z.shape[1], owner),
        )
        return display.plot(ax, **plot_kw)

    def plot(
        self,
        ax: Any = None,
        *,
        labels: Any = None,
        mark_landmarks: bool = True,
        legend: bool = True,
        scatter_kw: Any = None,
        landmark_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure, with the legend beside the map.
        labels : sequence of n_samples str, default=None
            Names that are written beside the objects, as far as there is room: none
            lies over another. Objects far from the others come first. None and empty
            ones are left out.
        mark_landmarks : bool, default=True
            Whether landmarks, where known, get rings.
        legend : bool, default=True
            Whether classes and landmarks are explained.
        scatter_kw : dict, default=None
            Passed to `Axes.scatter`, for objects.
        landmark_kw : dict, default=None
            Passed to `Axes.scatter`, for landmarks.

        Returns
        -------
        self : EmbeddingDisplay
        """
        self.ax_, own = open_axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        self.classes_ = self.colorbar_ = self.landmarks_ = self.legend_ = None
        scatter_kw = scatter_kw or {}
        style = _style_for(len(self.embedding), scatter_kw)
        if self.y is None:
            self.scatters_ = [self._scatter(slice(None), {"color": POSITIVE, **style})]
        elif are_quantities(self.y):
            self._draw_numbers(style)
        else:
            self._draw_classes(scatter_kw)
        handles = self.scatters_ if self.y is not None else []
        handles = [h for h in handles if not h.get_label().startswith("_")]
        if self.landmark_embedding is not None and mark_landmarks:
            self._mark_landmarks(style["s"], landmark_kw or {})
            handles = [*handles, self.landmarks_]
        self._label_axes()
        if legend:
            beside = own and self.colorbar_ is None
            self.legend_ = place_legend(self.ax_, handles, beside=beside)
            self._show_markers_in_full()
            if own and self.legend_ is not None:
                make_room_beside(self.legend_)
        self.texts_ = [] if labels is None else self._write_names(labels)
        return self

    def _points(self):
        return np.asarray(self.embedding, dtype=np.float64)[:, list(self.components)]

    def _scatter(self, which, style, **kw):
        return self.ax_.scatter(*self._points()[which].T, **{**style, **kw})

    def _draw_numbers(self, style):
        values = np.asarray(self.y, dtype=np.float64)
        known = np.isfinite(values)
        self.scatters_ = []
        if not known.all():
            unknown = {"color": _UNLABELLED, "label": "no value", **style}
            self.scatters_.append(self._scatter(~known, unknown))
        coloured = {"cmap": NUMBER_COLOURS, **style}
        self.scatters_.insert(0, self._scatter(known, coloured, c=values[known]))
        name = plain_text(getattr(self.y, "name", None) or "y")
        self.colorbar_ = self.figure_.colorbar(
            self.scatters_[0], ax=self.ax_, label=name
        )
        self.colorbar_.solids.set_alpha(1.0)

    def _draw_classes(self, scatter_kw):
        labels = np.asarray(self.y)
        missing = missing_labels(labels)
        classes, codes, counts = np.unique(
            labels[~missing], return_inverse=True, return_counts=True
        )
        order = np.argsort(-counts, kind="stable")
        self.classes_ = classes[order[:N_COLOURS]]
        position = np.full(len(labels), -1)
        position[~missing] = np.argsort(order)[codes]
        groups = []  # members, colour, marker, label
        for j, label in enumerate(self.classes_):
            groups.append((position == j, *class_style(j), short_name(label)))
        n_others = len(classes) - len(self.classes_)
        if n_others:
            label = f"other ({n_others} classes)" if n_others > 1 else "other (1 class)"
            groups.append((position >= N_COLOURS, _OTHERS, "o", label))
        if missing.any():
            groups.append((missing, _UNLABELLED, "*", "no label"))
        self.scatters_ = []
        for rank, (members, colour, marker, label) in enumerate(groups):
            is_class = rank < len(self.classes_)
            # By the size of the class: rare ones are not lost among many.
            alike = int(members.sum()) if is_class else None
            style = _style_for(len(labels), scatter_kw, alike)
            named = {"color": colour, "marker": marker, "label": plain_text(label)}
            # What has no colour of its own lies beneath, and large classes before.
            level = {} if is_class else {"zorder": 0.95}
            self.scatters_.append(self._scatter(members, {**named, **level, **style}))

    def _mark_landmarks(self, size, landmark_kw):
        marked = np.asarray(self.landmark_embedding)[:, list(self.components)]
        many = len(marked) > 50
        rings = {
            "s": 2.0 * size + (10 if many else 25),
            "facecolors": "none",
            "edgecolors": reference_colour(),
            "linewidths": 0.6 if many else 0.9,
            "zorder": 0.9,  # beneath the objects, which show what they are
            "label": plain_text(self.landmark_name),
        }
        self.landmarks_ = self.ax_.scatter(*marked.T, **{**rings, **landmark_kw})

    def _label_axes(self):
        names = self.axis_names
        if names is None:
            names = _numbered_axes(np.ones(np.shape(self.embedding)[1]))
        first, second = (plain_text(names[j]) for j in self.components)
        self.ax_.set(xlabel=first, ylabel=second)
        # "datalim": the frame keeps its place, the limits give way.
        self.ax_.set_aspect("equal", adjustable="datalim")

    def _show_markers_in_full(self):
        """Make markers in the legend opaque and large enough to tell."""
        for handle in [] if self.legend_ is None else self.legend_.legend_handles:
            handle.set_alpha(1.0)
            if hasattr(handle, "set_sizes"):
                handle.set_sizes([40])

    def _write_names(self, labels):
        """Write names beside their objects, each where it lies over no other."""
        points = self._points()
        if len(labels) != len(points):
            msg = (
                f"labels of {type(self).__name__}.plot must be one name for each of "
                f"the {len(points)} objects; got {len(labels)}."
            )
            raise ValueError(msg)
        labels = np.asarray(labels, dtype=object)
        named = np.flatnonzero(~missing_labels(labels) & (labels != ""))
        self.figure_.draw_without_rendering()  # the layout decides where room is
        pixels = self.ax_.transData.transform(points)
        frame, taken, texts = self.ax_.get_window_extent(), np.empty((0, 4)), []
        if self.legend_ is not None:
            taken = np.array([self.legend_.get_window_extent().extents])
        for i in named[np.argsort(-_isolation(points)[named], kind="stable")]:
            text = self.ax_.annotate(
                plain_text(short_name(labels[i]).strip()),
                points[i],
                xytext=(0, 0),
                textcoords="offset points",
                fontsize="small",
            )
            box = _free_place(text, frame, taken, pixels)
            if box is None:
                text.remove()
                continue
            taken = np.vstack([taken, box])
            texts.append(text)
        return texts


def _isolation(points):
    """Return how far each point is from its nearest neighbour."""
    if len(points) < 2:
        return np.zeros(len(points))
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=1).fit(points).kneighbors()[0].ravel()


def _free_place(text, frame, taken, points):
    """Move a text to where it lies over no other and fewest points; None for nowhere.

    Parameters
    ----------
    text : Annotation
    frame : Bbox
        Of the axes.
    taken : ndarray of shape (t, 4)
        Left, lower, right and upper edges of other texts, in pixels.
    points : ndarray of shape (n, 2)
        In pixels.

    Returns
    -------
    box : ndarray of shape (4,) or None
    """
    best, fewest = None, len(points) + 1
    for offset, horizontal, vertical in _PLACES:
        text.set(position=offset, ha=horizontal, va=vertical)
        box = text.get_window_extent().extents
        inside = (box[:2] >= frame.min).all() and (box[2:] <= frame.max).all()
        over = (box[:2] < taken[:, 2:]).all(axis=1) & (taken[:, :2] < box[2:]).all(
            axis=1
        )
        hidden = ((points > box[:2]) & (points < box[2:])).all(axis=1).sum()
        if inside and not over.any() and hidden < fewest:
            best, fewest = (offset, horizontal, vertical, box), hidden
    if best is None:
        return None
    text.set(position=best[0], ha=best[1], va=best[2])
    return best[3]


def _style_for(n_objects, scatter_kw, n_alike=None):
    """Return marker size and opacity: the more objects, the smaller and fainter."""
    n_alike = n_objects if n_alike is None else n_alike
    few = n_objects <= 500
    return {
        "s": 30 if few else float(np.clip(15000 / np.sqrt(n_objects * n_alike), 4, 30)),
        "alpha": 0.9 if few else 0.7 if n_alike <= 5000 else 0.4,
        "linewidths": 0.3 if few else 0.0,
        **({"edgecolors": "white"} if few else {}),
        "rasterized": n_objects > 5000,
        **scatter_kw,
    }


def _landmarks_of(estimator):
    """Return the objects that are marked, or None, and what they are called."""
    if isinstance(estimator, EBEKEmbedding):
        return estimator.exemplars_, "exemplars"
    if isinstance(estimator, NeucMDS) and not estimator._wants_landmarks():
        return None, "landmarks"  # all objects
    return getattr(estimator, "components_", None), "landmarks"


def _axis_names_of(estimator, n_axes):
    """Return what to call the columns of a fitted estimator.

    "axis 2 (negative, -4 %)", with a correction "axis 2 (negative, flipped, -4 %)"; of
    an EBEKEmbedding "exemplar 17", after its position.
    """
    signs = getattr(estimator, "axis_signs_", np.ones(n_axes))
    done = _DONE.get(getattr(estimator, "correction", None))
    names = _numbered_axes(signs, axis_shares_of(estimator), done)
    if isinstance(estimator, EBEKEmbedding):
        exemplars = estimator.get_feature_names_out()
        for j, name in enumerate(exemplars[: estimator.n_exemplars_]):
            number = name.removeprefix("exemplar")
            names[j] = names[j].replace(f"axis {j + 1}", f"exemplar {number}")
    return names


def _numbered_axes(signs, shares=None, done=None):
    """Return the names of all axes, counted from one, with sign and share."""
    names = []
    for j, sign in enumerate(signs):
        notes = ["negative", done] if sign < 0 else []
        if sign == 0:
            notes = ["past the rank"]
        elif shares is not None:
            notes.append(percent(np.copysign(shares[j], sign), 2))
        note = ", ".join(filter(None, notes))
        names.append(f"axis {j + 1} ({note})" if note else f"axis {j + 1}")
    return names


def _of_axes(values, name, Z, owner):
    """Return an array with a value for each axis, or None."""
    if values is None:
        return None
    values = np.asarray(values)
    if values.shape != (Z.shape[1],):
        msg = (
            f"{name} of {owner} must be one for each of the {Z.shape[1]} columns of Z; "
            f"got shape {values.shape}. Pass those of the estimator."
        )
        raise ValueError(msg)
    return values


def _check_components(components, n_axes, owner):
    """Return two different positions of axes as a tuple of int."""
    valid = (
        isinstance(components, (tuple, list, np.ndarray))
        and len(components) == 2
        and all(isinstance(j, Integral) and 0 <= j < n_axes for j in components)
        and components[0] != components[1]
    )
    if valid:
        return int(components[0]), int(components[1])
    msg = (
        f"components of {owner} must be two different columns, from 0 to {n_axes - 1}; "
        f"got {components!r}." + (" One column makes no map." if n_axes == 1 else "")
    )
    raise ValueError(msg)


def _check_indices(indices, n_objects, owner):
    indices = np.asarray(indices)
    integers = indices.ndim == 1 and indices.dtype.kind in "iu"
    if not integers or (
        len(indices) and not 0 <= indices.min() <= indices.max() < n_objects
    ):
        msg = (
            f"landmark_indices of {owner} must be positions from 0 to {n_objects - 1}; "
            f"got {np.array2string(indices, threshold=6)}."
        )
        raise ValueError(msg)
    return indices
