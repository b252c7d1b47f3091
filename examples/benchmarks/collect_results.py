"""Put the parts that the benchmarks wrote on one page, ``docs/results.md``.

Every ``bench_<name>.py`` writes its own part, ``docs/results/<name>.md``, and its
figures beside it. The page has one section for each: the question, which is the
docstring of the script, then the part. Nothing is measured here, and nothing is typed
in by hand. In the documentation each section is a page of its own.

Run ``python examples/benchmarks/collect_results.py`` to see the page, with ``--write``
to renew it. ``run_all.py --write`` measures everything again first.
"""

import argparse
import ast
import re
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent
PAGE = BENCHMARKS.parents[1] / "docs" / "results.md"

#: Sections in this order; benchmarks not named here follow by name.
ORDER = (
    "core",
    "new_objects",
    "nystroem",
    "measures",
    "landmarks",
    "landmarks_meb",
    "auto_landmarks",
    "classifiers",
    "classifiers_sets",
    "classifiers_scale",
    "papers",
    "neuc_mds",
    "ebek",
    "neighbors",
    "clusters",
    "diagnose",
    "regression",
    "scale",
)
HEADING = re.compile(r"^#+(?= )", re.MULTILINE)
#: A line of a part that says what was claimed beside what was reached.
CLAIM = re.compile(r"^[^|#\n].*\((?:claim|target)\b.*", re.MULTILINE)
MACHINE = re.compile(r"\d+ cores, [^;\n]*? skproxy \d+(\.\d+)+")


def benchmarks():
    """Return the names of all benchmarks, in order."""
    names = sorted(path.stem[6:] for path in BENCHMARKS.glob("bench_*.py"))
    return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else 99)


def question(name):
    """Return what a benchmark asks, in Markdown: its docstring, less how to run it."""
    source = (BENCHMARKS / f"bench_{name}.py").read_text(encoding="utf-8")
    text = ast.get_docstring(ast.parse(source))
    text = re.split(r"\s*\bRun (?:``python|with --)", text)[0]
    return text.replace("``", "`")


def machine(name, part):
    """Return the machine that a part says it was measured on."""
    found = MACHINE.search(part)
    if not found:
        msg = f"docs/results/{name}.md does not say on which machine"
        raise ValueError(msg)
    return found[0]


def claims(part):
    """Return what a part says of its claims, in one cell of a table."""
    found = [line.strip("- ").replace("**", "") for line in CLAIM.findall(part)]
    targets = "| quantity | target | reached |" in part
    return "<br>".join([*found, *(["see the tables of targets"] if targets else [])])


def section(name, part, level=2):
    """Return the title and the section of a benchmark."""
    marks = sorted(set(HEADING.findall(part)), key=len)
    # Levels below the page's title, none left out: "#", "###" become "##", "###".
    levels = {mark: "#" * (level + i) for i, mark in enumerate(marks)}
    part = HEADING.sub(lambda match: levels[match[0]], part)
    if level > 1:  # the page stands above the folder of the figures
        part = part.replace("](", "](results/").replace("](results/http", "](http")
    heading, body = part.strip().split("\n", 1)
    source = f"Script: `examples/benchmarks/bench_{name}.py`"
    title = heading.lstrip("# ")
    return title, "\n\n".join([heading, question(name), source, body.strip()])


def measured():
    """Return name -> part, in order, of the benchmarks that have been run."""
    paths = {name: PAGE.with_suffix("") / f"{name}.md" for name in benchmarks()}
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in paths.items()
        if path.exists()
    }


def collect():
    """Return the page made of the parts."""
    rows, sections, machines, parts = [], [], {}, measured()
    missing = [f"`bench_{name}.py`" for name in benchmarks() if name not in parts]
    for name, part in parts.items():
        title, text = section(name, part)
        sections.append(text)
        asked = question(name).splitlines()[0]
        rows.append(f"| {title} | {asked} | {claims(part)} |")
        machines.setdefault(machine(name, part), []).append(title)
    head = [
        "# Results",
        "<!-- Made by examples/benchmarks/collect_results.py; do not edit. -->",
        "Every number here was printed by a script of `examples/benchmarks`, named in "
        "its section. Targets and claims that are missed stand beside those that are "
        "reached. To measure everything again:",
        "```sh\npython examples/benchmarks/run_all.py --write\n```",
        "\n".join(
            [
                "| section | question or claim | claimed, and reached |",
                "|---|---|---|",
                *rows,
            ]
        ),
    ]
    for where, titles in machines.items():
        what = "" if len(machines) == 1 else f" ({'; '.join(titles)})"
        head.append(f"Measured on {where}{what}.")
    if missing:
        head.append(f"Not measured yet: {', '.join(missing)}.")
    return "\n\n".join([*head, *sections]) + "\n"


def main():
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="renew docs/results.md")
    page = collect()
    if parser.parse_args().write:
        PAGE.write_text(page, encoding="utf-8")
        print(f"wrote {PAGE}")
    else:
        print(page)


if __name__ == "__main__":
    main()
