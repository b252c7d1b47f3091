"""Measure the house: code lines by package, and what a fit runs through.

Run ``python tests/measure_house.py``. Code lines are those with code on them that is no
docstring. Depth, functions and files are those of skproxy that one fit passes.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

import numpy as np

import skproxy
from skproxy import NeucMDS, NyPCVM, Nystroem, NystromDissimilarity

PACKAGE = Path(skproxy.__file__).resolve().parent
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def docstring_lines(tree):
    """Return the numbers of the lines that docstrings stand on."""
    lines = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                lines.update(range(first.lineno, first.end_lineno + 1))
    return lines


def code_lines(path):
    """Return how many lines of a file hold code."""
    text = path.read_text(encoding="utf-8")
    found = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found - docstring_lines(ast.parse(text)))


def long_functions(most=40, most_parameters=6):
    """Yield functions of a longer body or more parameters, constructors aside."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = docstring_lines(tree)
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
                continue
            body = set(range(node.body[0].lineno, node.end_lineno + 1)) - docs
            given = node.args.args + node.args.kwonlyargs
            n_parameters = len([a for a in given if a.arg not in ("self", "cls")])
            if len(body) > most or n_parameters > most_parameters:
                where = path.relative_to(PACKAGE)
                yield f"{where}:{node.name}", len(body), n_parameters


def passed(fit):
    """Return files, functions and depth of skproxy that a call runs through."""
    files, functions, deepest, depth = set(), set(), 0, 0

    def watch(frame, event, _):
        nonlocal deepest, depth
        code = frame.f_code
        if not code.co_filename.startswith(str(PACKAGE)) or code.co_name.startswith(
            "<"
        ):
            return
        if event == "call":
            depth += 1
            deepest = max(deepest, depth)
            files.add(code.co_filename)
            functions.add(code)
        elif event == "return":
            depth -= 1

    sys.setprofile(watch)
    try:
        fit()
    finally:
        sys.setprofile(None)
    return len(files), len(functions), deepest


def main():
    """Print both measures."""
    counts = Counter()
    for path in PACKAGE.rglob("*.py"):
        counts[path.relative_to(PACKAGE).parts[0]] += code_lines(path)
    for name, count in sorted(counts.items()):
        print(f"{name:30s} {count:6d}")
    print(f"{'code lines':30s} {sum(counts.values()):6d}\n")
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(300, 4)), rng.randint(2, size=300)
    settings = {"n_landmarks": 20, "random_state": 0}
    fits = {
        "NystromDissimilarity.fit": lambda: NystromDissimilarity(**settings).fit(X),
        "NeucMDS.fit": lambda: NeucMDS(2).fit(X),
        "NyPCVM.fit": lambda: NyPCVM(**settings).fit(X, y),
        "Nystroem.fit_transform": lambda: Nystroem(
            n_components=20, random_state=0
        ).fit_transform(X),
    }
    for name, fit in fits.items():
        print("{:30s} {} files, {} functions, depth {}".format(name, *passed(fit)))
    print("\nover 40 lines or 6 parameters:")
    for name, lines, parameters in long_functions():
        print(f"  {name}: {lines} lines, {parameters} parameters")


if __name__ == "__main__":
    main()
