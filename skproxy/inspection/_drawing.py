"""What all pictures share: matplotlib on call, colours, markers, places of legends.

The first colours are those of Okabe and Ito, which people who confuse red and green can
tell apart; without their yellow, too pale on white, and their black, which is kept for
lines of reference. The others are as far from these, and from each other, as colours
seen on white and on black can be (CIELAB). No colour stands alone: every class has a
marker and every line a dash pattern as well, so that a picture can be read in grey.

References
----------
M. Okabe, K. Ito (2008). Color Universal Design.
https://jfly.uni-koeln.de/color/
"""

__all__ = [
    "NEGATIVE",
    "NUMBER_COLOURS",
    "N_COLOURS",
    "POSITIVE",
    "class_style",
    "count_colours",
    "import_pyplot",
    "line_style",
    "make_room_beside",
    "open_axes",
    "place_legend",
    "place_legend_above",
    "plain_text",
    "reference_colour",
]

# Okabe and Ito: blue, orange, green, purple, vermilion, sky. At least 35 units of
# CIELAB from each other: those that follow.
_COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#78960F"),
    *("#963CB4", "#785A0F", "#B4A5FF", "#A53C3C", "#5AD269", "#F0B487", "#FF005A"),
    *("#0069FF", "#FF00D2", "#00D200", "#C30078", "#6900FF", "#FF0000"),
)
N_COLOURS = len(_COLOURS)
# Their number shares no factor with that of the colours, so 140 pairs are distinct.
_MARKERS = ("o", "^", "s", "D", "v", "P", "X")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))

POSITIVE, NEGATIVE = "#0072B2", "#D55E00"
#: Of numbers: dark to light for everybody, in grey too.
NUMBER_COLOURS = "cividis"
_MOST_INSIDE = 6  # entries of a legend that leave room for the data
_MOST_BESIDE = 40  # of one beside them, in two columns; nobody reads more
_WIDE = 0.25  # of a figure's width
_LEAST_FREE = 0.5  # of the axes' height, below a legend inside
_SMALLEST = 5.0  # letters, in points
_GAP = 0.04  # of the axes' width or height, between legend and data


def import_pyplot(owner):
    """Return matplotlib.pyplot.

    Parameters
    ----------
    owner : str
        What is to be drawn, for the message.

    Raises
    ------
    ImportError
        Without matplotlib, with the line that installs it.
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        msg = (
            f"{owner} draws with matplotlib, which could not be imported. Install it "
            "with: pip install matplotlib"
        )
        raise ImportError(msg) from error
    return pyplot


def open_axes(owner, ax=None):
    """Return the axes given, or those of a new figure, and whether they are new."""
    pyplot = import_pyplot(owner)
    if ax is not None:
        if not hasattr(ax, "get_xlim"):
            msg = f"ax of {owner} must be one matplotlib Axes; got {type(ax).__name__}."
            raise TypeError(msg)
        return ax, False
    # Constrained: legends and colour bars beside the axes are not cut off.
    _, ax = pyplot.subplots(layout="constrained")
    return ax, True


def plain_text(text):
    """Return what is drawn as it stands: dollars of a user begin no formula."""
    return str(text).replace("$", r"\$")


def class_style(position):
    """Return the colour and the marker of a class."""
    return _COLOURS[position % len(_COLOURS)], _MARKERS[position % len(_MARKERS)]


def reference_colour():
    """Return the colour of the text: lines and rings are seen in dark styles too."""
    from matplotlib import rcParams

    return rcParams["text.color"]


def count_colours():
    """Return a colour map of counts: one is pale but not white, many are dark."""
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    shades = colormaps["Blues"]([0.27 + 0.06 * step for step in range(13)])
    return LinearSegmentedColormap.from_list("counts", shades)


def line_style(position):
    """Return the keyword arguments that tell one line from another."""
    colour, marker = class_style(position)
    return {
        "color": colour,
        "marker": marker,
        "linestyle": _DASHES[position % len(_DASHES)],
    }


def place_legend(ax, handles, *, beside, loc="best"):
    """Draw a legend: inside the axes, or beside them, where it hides no data.

    Of very many entries the first and the last are shown, with how many more there are:
    or nothing would be left of the picture.

    Parameters
    ----------
    ax : Axes
    handles : list of artists with labels
    beside : bool
        Beside the axes; a long one goes there anyway.
    loc : str, default="best"
        Where inside.

    Returns
    -------
    legend : Legend or None
        None without handles.
    """
    if not handles:
        return None
    if len(handles) > _MOST_BESIDE:
        from matplotlib.lines import Line2D

        shown = _MOST_BESIDE - 2
        more = f"and {len(handles) - shown - 1} more"
        rest = Line2D([], [], linestyle="none", label=more)
        handles = [*handles[:shown], rest, handles[-1]]
    if beside or len(handles) > _MOST_INSIDE:
        place = {
            "loc": "upper left",
            "bbox_to_anchor": (1.01, 1.0),
            "borderaxespad": 0.0,
            "frameon": False,
            "ncols": 1 + (len(handles) - 1) // 20,
        }
    else:
        place = {"loc": loc, "framealpha": 0.9}
    return ax.legend(handles=handles, **place)


def place_legend_above(ax, handles, positions, heights):
    """Draw a legend at the upper right, and raise the axes until it hides nothing.

    Parameters
    ----------
    ax : Axes
    handles : list of artists with labels
    positions, heights : sequences of float
        Of what is drawn. Where the legend would cover most of the axes it stands above
        them.

    Returns
    -------
    legend : Legend
    """
    legend = place_legend(ax, handles, beside=False, loc="upper right")
    ax.figure.draw_without_rendering()  # the layout decides how large the axes are
    box = legend.get_window_extent().transformed(ax.transAxes.inverted())
    if box.width > 1.0:  # than the axes
        for text in legend.get_texts():
            text.set_fontsize(max(_SMALLEST, text.get_fontsize() / (box.width + _GAP)))
        box = legend.get_window_extent().transformed(ax.transAxes.inverted())
    first, last = ax.get_xlim()
    left = first + (box.x0 - _GAP) * (last - first)
    hidden = [h for x, h in zip(positions, heights, strict=True) if x >= left]
    low, high = ax.get_ylim()
    free = box.y0 - _GAP
    if hidden and max(hidden) > low + free * (high - low):
        if free < _LEAST_FREE:  # no room in small axes
            legend.remove()
            place = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0)}
            return ax.legend(handles=handles, frameon=False, **place)
        ax.set_ylim(top=low + (max(hidden) - low) / free)
    return legend


def make_room_beside(legend):
    """Widen a figure of our own by as much as a wide legend beside its axes takes."""
    figure = legend.figure
    width = legend.get_window_extent().width / figure.dpi
    if width > _WIDE * figure.get_figwidth():
        figure.set_figwidth(figure.get_figwidth() + width)
