import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

from skproxy.inspection import (
    EmbeddingDisplay,
    LandmarkCurveDisplay,
    ShepardDisplay,
    SpectrumDisplay,
)
from skproxy.inspection._drawing import (
    class_style,
    count_colours,
    line_style,
    make_room_beside,
    open_axes,
    place_legend,
    place_legend_above,
    reference_colour,
)

DRAW = {
    "SpectrumDisplay": lambda ax=None: SpectrumDisplay.from_eigenvalues(
        [3.0, -1.0], ax=ax
    ),
    "ShepardDisplay": lambda ax=None: ShepardDisplay.from_dissimilarities(
        [1.0, 2.0], [1.0, 3.0], ax=ax
    ),
    "EmbeddingDisplay": lambda ax=None: EmbeddingDisplay.from_embedding(
        [[1.0, 2.0], [3.0, 4.0]], ax=ax
    ),
    "LandmarkCurveDisplay": lambda ax=None: LandmarkCurveDisplay.from_results(
        [1, 2], [0.5, 0.6], ax=ax
    ),
}


def luminance(colour):
    red, green, blue = to_rgb(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("display", DRAW)
def test_without_matplotlib_the_message_says_what_to_install(display, monkeypatch):
    """Missing matplotlib is an ImportError with the pip line and the display."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=rf"{display}.*pip install matplotlib"):
        DRAW[display]()


@pytest.mark.parametrize("display", DRAW)
def test_plot_draws_into_the_axes_given_and_returns_the_display(display):
    """No figure is made then, and drawing again, elsewhere, works."""
    figure, (left, right) = pyplot.subplots(1, 2)
    drawn = DRAW[display](left)
    assert drawn.ax_ is left
    assert drawn.figure_ is figure
    assert drawn.plot(right) is drawn
    assert drawn.ax_ is right
    assert pyplot.get_fignums() == [figure.number]


@pytest.mark.parametrize("display", DRAW)
def test_without_axes_a_new_figure_is_made(display):
    """Each time."""
    drawn = DRAW[display]()
    first = drawn.figure_
    assert drawn.ax_.figure is first
    assert drawn.plot().figure_ is not first


@pytest.mark.parametrize("display", DRAW)
def test_nothing_is_clipped(display):
    """All text of a new figure lies inside it."""
    drawn = DRAW[display]()
    drawn.figure_.canvas.draw()
    inside = drawn.figure_.bbox
    box = drawn.figure_.get_tightbbox().transformed(drawn.figure_.dpi_scale_trans)
    assert box.x0 >= inside.x0 - 1
    assert box.y0 >= inside.y0 - 1
    assert box.x1 <= inside.x1 + 1
    assert box.y1 <= inside.y1 + 1


def test_classes_differ_by_marker_or_colour_and_neighbours_by_both():
    """42 classes can be told apart; the first six without any colour."""
    styles = [class_style(j) for j in range(42)]
    assert len(set(styles)) == 42
    for (colour, marker), (next_colour, next_marker) in pairwise(styles):
        assert colour != next_colour
        assert marker != next_marker
    assert len({marker for _, marker in styles[:7]}) == 7


def test_lines_differ_by_dashes_too():
    """The first five by dashes alone."""
    assert len({str(line_style(j)["linestyle"]) for j in range(5)}) == 5


def test_counts_are_dark_where_many_and_visible_where_one():
    """The colours fall in luminance, and begin below white."""
    shades = [luminance(colour) for colour in count_colours()(np.linspace(0, 1, 20))]
    assert (np.diff(shades) < 0).all()
    assert shades[0] < 0.85


@pytest.mark.parametrize(("number", "beside"), [(2, False), (2, True), (9, False)])
def test_long_legends_stand_beside_the_axes(number, beside):
    """And so do those that are asked to; others inside."""
    ax, own = open_axes("test")
    handles = [ax.scatter([1], [j], label=str(j)) for j in range(number)]
    legend = place_legend(ax, handles, beside=beside)
    ax.figure.canvas.draw()
    outside = legend.get_window_extent().x0 >= ax.get_window_extent().x1
    assert own
    assert outside == (beside or number > 6)
    assert [text.get_text() for text in legend.get_texts()] == [
        str(j) for j in range(number)
    ]


def test_no_legend_without_handles():
    """Nothing to explain, no box."""
    ax, _ = open_axes("test")
    assert place_legend(ax, [], beside=True) is None
    assert ax.get_legend() is None


def test_the_reference_colour_is_that_of_the_text():
    """Seen on white and on black."""
    assert reference_colour() == "black"
    with pyplot.style.context("dark_background"):
        assert reference_colour() == "white"


@pytest.mark.parametrize("heights", [[3, 3, 3], [5, -5, 4], [-1, -1, -1], [9, 1, 1]])
def test_a_legend_above_hides_nothing(heights):
    """The axes are raised until what is drawn under the legend ends below it."""
    _, ax = pyplot.subplots(layout="constrained")
    bars = ax.bar([1, 2, 3], heights)
    label = "a label that reaches over more than one of them"
    handles = [Line2D([], [], label=label) for _ in range(3)]
    legend = place_legend_above(ax, handles, [1, 2, 3], np.maximum(heights, 0))
    ax.figure.canvas.draw()
    box = legend.get_window_extent()
    assert not any(box.overlaps(bar.get_window_extent()) for bar in bars)


def test_of_very_many_entries_the_first_and_the_last_are_shown():
    """With how many more there are."""
    _, ax = pyplot.subplots()
    handles = [Line2D([], [], label=f"class {i}") for i in range(100)]
    texts = [t.get_text() for t in place_legend(ax, handles, beside=True).get_texts()]
    assert len(texts) == 40
    assert texts[-3:] == ["class 37", "and 61 more", "class 99"]


def test_room_beside_is_made_for_wide_legends_alone():
    """The figure grows by as much as the legend takes."""
    for label, wide in (("a", False), ("a long name " * 4, True)):
        figure, ax = pyplot.subplots(layout="constrained")
        before = figure.get_figwidth()
        legend = place_legend(ax, [Line2D([], [], label=label)], beside=True)
        make_room_beside(legend)
        assert (figure.get_figwidth() > before) == wide


def test_one_axes_is_taken():
    """Not the array that subplots return."""
    _, axes = pyplot.subplots(1, 2)
    with pytest.raises(
        TypeError, match="ax of test must be one matplotlib Axes; got n"
    ):
        open_axes("test", axes)


NAMES = ["$\\frac{$", "a $ b", "$x$", "\\$", "_hidden$", "<b>&amp;$^$"]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_drawn_as_they_stand(name):
    """Dollars, backslashes and markup of a user are no formula, in any display."""
    Z = np.arange(8.0).reshape(4, 2)
    drawn = [
        EmbeddingDisplay.from_embedding(Z, [name, name, "b", "b"], labels=[name] * 4),
        EmbeddingDisplay.from_embedding(Z, pd.Series(Z[:, 0] / 3, name=name)),
        EmbeddingDisplay(
            embedding=Z,
            landmark_embedding=Z,
            landmark_name=name,
            axis_names=[name, name],
        ).plot(),
        SpectrumDisplay.from_eigenvalues([2.0, -1.0], [2.0, 1.0], correction=name),
        LandmarkCurveDisplay.from_results(
            [1, 2],
            {name: [[1.0, 2.0], [2.0, 3.0]], "b": [[1.0, 2.0], [2.0, 3.0]]},
            score_name=name,
            repeats_name=name,
        ),
    ]
    for display in drawn:
        display.figure_.canvas.draw()
    shown = [text for text in drawn[0].texts_ if text.get_text().strip()]
    assert shown
    for text in shown:
        plain, is_math = text._preprocess_math(text.get_text())
        assert not is_math
        assert plain == " ".join(name.split())


@pytest.mark.parametrize("values", [[1.0] * 60, [3.0, 2.0, -2.0, 1.0], [-1.0, -1.0]])
@pytest.mark.parametrize("size", [(6, 4)])
def test_a_legend_in_small_axes_hides_no_bar(values, size):
    """It shrinks to the width of the axes, or stands above them."""
    figure, axes = pyplot.subplots(2, 3, figsize=size, layout="constrained")
    values = np.array(values)
    display = SpectrumDisplay.from_eigenvalues(
        values, np.abs(values), correction="flip", ax=axes[1, 0]
    )
    figure.canvas.draw()
    box = display.legend_.get_window_extent()
    patches = [*display.positive_.patches, *display.negative_.patches]
    assert not any(box.overlaps(patch.get_window_extent()) for patch in patches)


def test_there_are_twenty_colours():
    """Each unlike all others, seen on white and on black."""
    colours = [class_style(j)[0] for j in range(20)]
    assert len(set(colours)) == 20
    assert class_style(20)[0] == colours[0]
    shades = [luminance(colour) for colour in colours]
    assert min(shades) > 0.05
    assert max(shades) < 0.9
