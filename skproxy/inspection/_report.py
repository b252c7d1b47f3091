"""Reports in plain words: aligned text for a terminal, an escaped table for a notebook.

A report is a title, sections of rows, sentences and code. Both renderings come from the
same rows, so that they cannot say different things.
"""

import textwrap
from dataclasses import dataclass
from html import escape

import numpy as np

__all__ = [
    "Report",
    "Section",
    "counted",
    "duration",
    "number",
    "percent",
    "quantity",
]

_WIDTH = 79


@dataclass(frozen=True)
class Section:
    """Rows under a heading.

    Attributes
    ----------
    heading : str
    rows : tuple of tuple of str
        A label first, then one cell or several, as many in each row.
    columns : tuple of str, default=()
        Headings of the cells.
    """

    heading: str
    rows: tuple
    columns: tuple = ()


@dataclass(frozen=True)
class Report:
    """What is printed.

    Attributes
    ----------
    title : str
    sections : tuple of Section
    sentences : tuple of str
        In plain words, each a paragraph.
    code : str
        To be pasted; empty for none.
    """

    title: str
    sections: tuple
    sentences: tuple
    code: str = ""

    def text(self):
        """Return the report as aligned text, at most 79 columns wide."""
        lines = textwrap.wrap(self.title, _WIDTH)
        labels = [row[0] for section in self.sections for row in section.rows]
        width = max(map(len, labels), default=0)
        for section in self.sections:
            lines += ["", *_aligned(section, width)]
        if self.sentences:
            lines += ["", "What to do"]
            for sentence in self.sentences:
                lines += textwrap.wrap(
                    sentence, _WIDTH, initial_indent="  - ", subsequent_indent="    "
                )
        if self.code:
            lines += ["", *("  " + line for line in self.code.splitlines())]
        return "\n".join(line.rstrip() for line in lines)

    def html(self):
        """Return the report as HTML; whatever comes from the user is escaped."""
        parts = ['<div class="skproxy-report">', f"<p><b>{escape(self.title)}</b></p>"]
        for section in self.sections:
            parts.append('<table style="text-align: left">')
            heading = (section.heading, *section.columns)
            parts.append(_html_row(heading, "th"))
            parts += [_html_row(row, "td") for row in section.rows]
            parts.append("</table>")
        if self.sentences:
            items = "".join(f"<li>{escape(s)}</li>" for s in self.sentences)
            parts.append(f"<p><b>What to do</b></p><ul>{items}</ul>")
        if self.code:
            parts.append(f"<pre>{escape(self.code)}</pre>")
        parts.append("</div>")
        return "\n".join(parts)


def _html_row(cells, tag):
    # The first column is as wide in all tables, so that what stands beside it aligns.
    widths = ["min-width: 12em", *["padding-right: 1.5em"] * (len(cells) - 1)]
    inner = "".join(
        f'<{tag} style="text-align: left; {width}">{escape(cell)}</{tag}>'
        for cell, width in zip(cells, widths, strict=True)
    )
    return f"<tr>{inner}</tr>"


def _aligned(section, label_width):
    """Return the lines of a section, its cells in columns."""
    rows = section.rows
    if section.columns:
        rows = (("", *section.columns), *rows)
    n_cells = max((len(row) for row in rows), default=1) - 1
    widths = [
        max(len(row[k + 1]) for row in rows if len(row) > k + 1) for k in range(n_cells)
    ]
    lines = [section.heading]
    for label, *cells in rows:
        if len(cells) == 1 and n_cells == 1:
            lines += _wrapped_cell(label, cells[0], label_width)
            continue
        padded = [
            cell.rjust(width) if k < n_cells - 1 else cell
            for k, (cell, width) in enumerate(zip(cells, widths, strict=False))
        ]
        lines.append(f"  {label:<{label_width}}  " + "  ".join(padded))
    return lines


def _wrapped_cell(label, cell, label_width):
    indent = " " * (label_width + 4)
    wrapped = textwrap.wrap(cell, _WIDTH - len(indent)) or [""]
    first = f"  {label:<{label_width}}  {wrapped[0]}"
    return [first, *(indent + line for line in wrapped[1:])]


def number(value):
    """Write a count with thousands separators, large ones in words."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e7, "million")):
        if value >= size:
            unit = 1e6 if word == "million" else size
            return f"{value / unit:,.3g} {word}"
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def counted(count, one, many=None):
    """Write how many there are of something: "1 pair", "2 pairs"."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def quantity(value):
    """Write a measured value in three digits, in powers of ten only where it must."""
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        digits = max(0, 2 - int(np.floor(np.log10(abs(value))))) if value else 0
        text = f"{value:,.{digits}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.1e}"


def percent(share, n_digits=3):
    """Write a share in percent, with "0 %" for nothing alone."""
    value = 100.0 * share
    if value == 0:
        return "0 %"
    if abs(value) < 0.01:
        return "under 0.01 %"
    if abs(value) >= 10 ** (n_digits - 1):
        return f"{value:,.0f} %"
    return f"{value:.2g} %" if abs(value) < 10 else f"{value:.{n_digits}g} %"


def duration(seconds):
    """Write a time in the unit that people would use."""
    for size, word in (
        (365.25 * 86400, "years"),
        (86400, "days"),
        (3600, "hours"),
        (60, "minutes"),
    ):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {word}"
    return f"{seconds:.1f} seconds" if seconds >= 0.1 else "under 0.1 seconds"
