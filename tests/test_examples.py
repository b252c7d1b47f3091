"""Every example runs, on a small part of its data, and does what examples promise."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
GALLERY = sorted(EXAMPLES.glob("**/plot_*.py"))

# The gallery's way to run a script: it shows its figures, and they stay open.
RUN_AND_COUNT = """
import runpy, sys
runpy.run_path(sys.argv[1], run_name="__main__")
from matplotlib import pyplot
figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
assert figures, "no picture"
for figure in figures:
    axes = [ax for ax in figure.axes if ax.has_data()]
    assert axes, "an empty picture"
    figure.canvas.draw()
"""

# Errors, but for those that pyparsing finds in matplotlib before 3.10 if it sees -W.
WARNINGS = ("-W", "error", "-W", "ignore:::pyparsing")


def run(script, tmp_path, *, how=()):
    """Run a script under Agg, with warnings as errors, away from the repository."""
    done = subprocess.run(
        [sys.executable, *WARNINGS, *how, str(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "SKPROXY_EXAMPLES_SMALL": "1", "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def test_quickstart_runs(tmp_path):
    """It ends without an error or a warning, prints a table and saves a picture."""
    assert run(EXAMPLES / "quickstart.py", tmp_path)
    assert (tmp_path / "quickstart.png").stat().st_size > 10_000


@pytest.mark.parametrize("script", GALLERY, ids=lambda path: path.stem)
def test_example_answers_its_question(script, tmp_path):
    """It asks one question, draws, and answers in its last lines, with numbers."""
    docstring = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8")))
    assert len(re.findall("^Question: ", docstring, re.MULTILINE)) == 1
    assert docstring.endswith("?")

    printed = run(script, tmp_path, how=("-c", RUN_AND_COUNT)).splitlines()
    answers = [i for i, line in enumerate(printed) if line.startswith("Answer: ")]
    assert len(answers) == 1
    assert answers[0] >= len(printed) - 3
    assert re.search(r"\d", " ".join(printed[answers[0] :]))


@pytest.mark.parametrize("script", GALLERY, ids=lambda path: path.stem)
def test_each_picture_is_begun_and_shown_in_one_cell(script):
    """The gallery takes a picture at the end of a cell: what came later is lost."""
    cells = re.split("^# %%", script.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for cell in cells:
        begun = re.findall(r"plt\.(?:figure|subplots)\(", cell)
        assert len(begun) == cell.count("plt.show()"), cell


@pytest.mark.parametrize("script", GALLERY, ids=lambda path: path.stem)
def test_answer_is_computed(script):
    """The numbers of the answer come from the run: none is written into its words."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    start = next(
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and str(node.value).startswith("Answer: ")
    )
    words = [
        part.value
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr) and node.end_lineno >= start
        for part in node.values
        if isinstance(part, ast.Constant)
    ]
    assert words
    assert not re.search(r"\d\.\d", " ".join(words))
