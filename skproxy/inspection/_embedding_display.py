"""A map of objects: classes, landmarks, and axes that count negatively."""

import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..embedding import EBEKEmbedding, NeucMDS
from ._axis_names import axis_names_of, check_components, numbered_axis
from ._drawing import (
    NUMBER_COLOURS,
    POSITIVE,
    class_style,
    make_room_beside,
    open_axes,
    place_legend,
    reference_colour,
)
from ._estimator_reading import comparing_step
from ._object_labels import are_quantities, check_labels, missing_labels, short_name

__all__ = ["EmbeddingDisplay"]

_UNLABELLED = "#777777"


class EmbeddingDisplay:
    """A map of objects, from two columns of their coordinates.

    Classes have colours and markers, numbers a colour bar, landmarks a ring. An axis
    that stands for a negative eigenvalue is named so: without correction, objects far
    apart along it are *less* dissimilar than the rest of the map says. Both axes have
    the same scale.

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
        The objects: one of each class in the order of `classes_`, those without label
        last; a single one without classes.
    classes_ : ndarray of shape (n_classes,) or None
        The labels.
    landmarks_ : PathCollection or None
        The rings.
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
    >>> from skproxy import NeucMDS
    >>> from skproxy.inspection import EmbeddingDisplay
    >>> D = [[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]]
    >>> mds = NeucMDS(n_components=3, metric="precomputed").fit(D)
    >>> display = EmbeddingDisplay.from_estimator(mds, D, components=(0, 2))
    >>> display.ax_.get_ylabel()
    'axis 3 (negative)'
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        embedding,
        y=None,
        landmark_embedding=None,
        landmark_name="landmarks",
        axis_names=None,
        components=(0, 1),
    ):
        self.embedding = embedding
        self.y = y
        self.landmark_embedding = landmark_embedding
        self.landmark_name = landmark_name
        self.axis_names = axis_names
        self.components = components

    @classmethod
    def from_estimator(
        cls, estimator, X, y=None, *, components=(0, 1), ax=None, **plot_kw
    ):
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
        output = getattr(estimator, "output", "features")
        if not hasattr(estimator, "transform") or output != "features":
            got = type(estimator).__name__
            if output != "features":
                got += f" with output={output!r}"
            msg = (
                f"estimator of {owner} must transform objects to coordinates, as "
                "NystromDissimilarity, NeucMDS and EigenCorrector(output='features') "
                f"do; got {got}."
            )
            raise TypeError(msg)
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
            axis_names=axis_names_of(estimator, Z.shape[1]),
            components=check_components(components, Z.shape[1], owner),
        )
        return display.plot(ax, **plot_kw)

    @classmethod
    def from_embedding(
        cls,
        Z,
        y=None,
        *,
        axis_signs=None,
        landmark_indices=None,
        components=(0, 1),
        ax=None,
        **plot_kw,
    ):
        """Draw coordinates.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Coordinates.
        y : array-like of shape (n_samples,), default=None
            Labels or numbers.
        axis_signs : array-like of shape (n_components,), default=None
            +1, -1 or 0 for each column; None stands for +1.
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
        signs = np.ones(Z.shape[1]) if axis_signs is None else np.asarray(axis_signs)
        if signs.shape != (Z.shape[1],):
            msg = (
                f"axis_signs of {owner} must be one for each of the {Z.shape[1]} "
                f"columns of Z; got shape {signs.shape}. Pass axis_signs_ of the "
                "estimator."
            )
            raise ValueError(msg)
        marked = None
        if landmark_indices is not None:
            marked = Z[_check_indices(landmark_indices, len(Z), owner)]
        names = [numbered_axis(j, sign) for j, sign in enumerate(signs)]
        display = cls(
            embedding=Z,
            y=check_labels(y, len(Z), owner),
            landmark_embedding=marked,
            axis_names=names,
            components=check_components(components, Z.shape[1], owner),
        )
        return display.plot(ax, **plot_kw)

    def plot(
        self,
        ax=None,
        *,
        mark_landmarks=True,
        legend=True,
        scatter_kw=None,
        landmark_kw=None,
    ):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure, with the legend beside the map.
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
        self.classes_ = self.colorbar_ = None
        style = _style_for(len(self.embedding), scatter_kw or {})
        if self.y is None:
            self.scatters_ = [self._scatter(slice(None), {"color": POSITIVE, **style})]
        elif are_quantities(self.y):
            self._draw_numbers(style)
        else:
            self._draw_classes(scatter_kw or {})
        handles = self.scatters_ if self.y is not None else []
        handles = [h for h in handles if not h.get_label().startswith("_")]
        self.landmarks_ = None
        if self.landmark_embedding is not None and mark_landmarks:
            self._mark_landmarks(landmark_kw or {})
            handles = [*handles, self.landmarks_]
        self._label_axes()
        self.legend_ = None
        if legend:
            self.legend_ = place_legend(
                self.ax_, handles, beside=own and self.colorbar_ is None
            )
            self._show_markers_in_full()
            if own and self.legend_ is not None:
                make_room_beside(self.legend_)
        return self

    def _scatter(self, which, style, **kw):
        first, second = self.components
        points = self.embedding[which]
        return self.ax_.scatter(points[:, first], points[:, second], **{**style, **kw})

    def _draw_numbers(self, style):
        values = np.asarray(self.y, dtype=np.float64)
        known = np.isfinite(values)
        self.scatters_ = []
        if not known.all():
            unknown = {"color": _UNLABELLED, "label": "no value", **style}
            self.scatters_.append(self._scatter(~known, unknown))
        coloured = {"cmap": NUMBER_COLOURS, **style}
        self.scatters_.insert(0, self._scatter(known, coloured, c=values[known]))
        self.colorbar_ = self.figure_.colorbar(
            self.scatters_[0], ax=self.ax_, label=getattr(self.y, "name", None) or "y"
        )
        self.colorbar_.solids.set_alpha(1.0)

    def _draw_classes(self, scatter_kw):
        labels = np.asarray(self.y)
        missing = missing_labels(labels)
        self.classes_, codes = np.unique(labels[~missing], return_inverse=True)
        all_codes = np.full(len(labels), -1)
        all_codes[~missing] = codes
        counts = np.bincount(codes, minlength=len(self.classes_))
        drawn = {}
        if missing.any():
            grey = {"color": _UNLABELLED, "marker": "*", "label": "no label"}
            style = _style_for(len(labels), scatter_kw)
            drawn[-1] = self._scatter(missing, {**grey, **style})
        # The largest first, or it hides the others.
        for j in np.argsort(-counts, kind="stable").tolist():
            colour, marker = class_style(j)
            label = short_name(self.classes_[j])
            named = {"color": colour, "marker": marker, "label": label}
            # By the size of the class: rare ones are not lost among many.
            style = _style_for(len(labels), scatter_kw, counts[j])
            drawn[j] = self._scatter(all_codes == j, {**named, **style})
        self.scatters_ = [drawn[j] for j in range(len(counts))]
        self.scatters_ += [drawn[-1]] if missing.any() else []

    def _mark_landmarks(self, landmark_kw):
        first, second = self.components
        marked = np.asarray(self.landmark_embedding)
        rings = {
            "s": 60 if len(marked) <= 50 else 35,
            "facecolors": "none",
            "edgecolors": reference_colour(),
            "linewidths": 0.9,
            "label": self.landmark_name,
        }
        self.landmarks_ = self.ax_.scatter(
            marked[:, first], marked[:, second], **{**rings, **landmark_kw}
        )

    def _label_axes(self):
        names = self.axis_names
        if names is None:
            names = [numbered_axis(j, 1) for j in range(np.shape(self.embedding)[1])]
        first, second = self.components
        self.ax_.set(xlabel=names[first], ylabel=names[second])
        # "datalim": the frame keeps its place, the limits give way.
        self.ax_.set_aspect("equal", adjustable="datalim")

    def _show_markers_in_full(self):
        """Make markers in the legend opaque and large enough to tell."""
        for handle in [] if self.legend_ is None else self.legend_.legend_handles:
            handle.set_alpha(1.0)
            if hasattr(handle, "set_sizes"):
                handle.set_sizes([40])


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
