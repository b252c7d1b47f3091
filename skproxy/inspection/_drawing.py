"""What all pictures share: matplotlib on call, colours, markers, places of legends.

The colours are those of Okabe and Ito, which people who confuse red and green can tell
apart; without their yellow, too pale on white, and their black, which is kept for
landmarks and lines of reference. No colour stands alone: every class has a marker and
every line a dash pattern as well, so that a picture can be read in grey.

References
----------
M. Okabe, K. Ito (2008). Color Universal Design.
https://jfly.uni-koeln.de/color/
"""

__all__ = [
    "NEGATIVE",
    "NUMBER_COLOURS",
    "POSITIVE",
    "REFERENCE",
    "class_style",
    "count_colours",
    "import_pyplot",
    "line_style",
    "open_axes",
    "place_legend",
]

#: Okabe and Ito: blue, orange, green, purple, vermilion, sky.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
# Their number shares no factor with that of the colours, so 42 pairs are distinct.
_MARKERS = ("o", "^", "s", "D", "v", "P", "X")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))

POSITIVE, NEGATIVE, REFERENCE = "#0072B2", "#D55E00", "#000000"
#: Of numbers: dark to light for everybody, in grey too.
NUMBER_COLOURS = "cividis"
_MOST_INSIDE = 6  # entries of a legend that leave room for the data


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
            'with: pip install "skproxy[plot]"'
        )
        raise ImportError(msg) from error
    return pyplot


def open_axes(owner, ax=None):
    """Return the axes given, or those of a new figure, and whether they are new."""
    pyplot = import_pyplot(owner)
    if ax is not None:
        return ax, False
    # Constrained: legends and colour bars beside the axes are not cut off.
    _, ax = pyplot.subplots(layout="constrained")
    return ax, True


def class_style(position):
    """Return the colour and the marker of a class."""
    return _COLOURS[position % len(_COLOURS)], _MARKERS[position % len(_MARKERS)]


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
