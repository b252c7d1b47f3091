"""Reports: aligned, short lines, escaped."""

import pytest

from skproxy.inspection._report import (
    Report,
    Section,
    counted,
    duration,
    number,
    percent,
    quantity,
)

REPORT = Report(
    "Title <b>",
    (
        Section("First", (("short", "value"), ("a longer label", "word " * 30))),
        Section("Second", (("x", "1", "a"), ("y", "100", "b")), ("number", "name")),
    ),
    ("Do <this> & " + "that " * 20,),
    'model = f("<lambda>")',
)


def test_text_is_aligned_and_narrow():
    """Cells start in one column; no line is wider than 79."""
    lines = REPORT.text().splitlines()
    assert max(map(len, lines)) <= 79
    assert all(line == line.rstrip() for line in lines)
    short = next(line for line in lines if "short" in line)
    longer = next(line for line in lines if "a longer" in line)
    assert short.index("value") == longer.index("word")
    x, y = (next(li for li in lines if li.startswith(f"  {c} ")) for c in "xy")
    assert x.index("1") == y.index("100") + 2


def test_html_is_escaped():
    """Nothing that the user named becomes markup; every row is there."""
    html = REPORT.html()
    for raw in ("<this>", "<lambda>", "Title <b>"):
        assert raw not in html
    assert "&lt;lambda&gt;" in html
    assert html.count("<tr>") == 2 + 4
    assert html.count("<table") == html.count("</table>") == 2


@pytest.mark.parametrize(
    ("function", "value", "text"),
    [
        (number, 1_125_750, "1,125,750"),
        (number, 76_100_000, "76.1 million"),
        (number, 2.5e12, "2.5 trillion"),
        (percent, 0.0, "0 %"),
        (percent, 1e-7, "under 0.01 %"),
        (percent, 0.259, "25.9 %"),
        (percent, 12.5, "1,250 %"),
        (quantity, 1210.4, "1,210"),
        (quantity, 0.0, "0"),
        (quantity, 0.45234, "0.452"),
        (quantity, 2.5e-9, "2.5e-09"),
        (duration, 0.01, "under 0.1 seconds"),
        (duration, 119.0, "119.0 seconds"),
        (duration, 3 * 86400.0, "3 days"),
    ],
)
def test_numbers_are_readable(function, value, text):
    """In the digits and units that people use."""
    assert function(value) == text


def test_nouns_agree_with_numbers():
    """One pair, two pairs."""
    assert counted(1, "pair") == "1 pair"
    assert counted(2, "pair") == "2 pairs"
    assert counted(0, "dissimilarity", "dissimilarities") == "0 dissimilarities"
