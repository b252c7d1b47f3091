"""One page for each benchmark, and `results` for what all of them claimed and reached.

In the repository ``docs/results.md`` is one page, which the tests compare with its
parts; as that it would be longer than anyone scrolls.
"""

import runpy
from pathlib import Path

COLLECTOR = (
    Path(__file__).resolve().parents[2]
    / "examples"
    / "benchmarks"
    / "collect_results.py"
)


def split(_app, docname, source):
    """Leave the head of `results`, with links, and make pages of the parts."""
    if docname != "results" and not docname.startswith("results/"):
        return
    collector = runpy.run_path(str(COLLECTOR))
    parts = collector["measured"]()
    if docname == "results":
        text = source[0].partition("\n## ")[0]
        for name, part in parts.items():
            title, _ = collector["section"](name, part)
            text = text.replace(f"\n| {title} |", f"\n| [{title}](results/{name}.md) |")
        entries = "\n".join(f"results/{name}" for name in parts)
        source[0] = f"{text}\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"
    else:
        name = docname.removeprefix("results/")
        source[0] = collector["section"](name, parts[name], level=1)[1]


def setup(app):
    """Change the pages as they are read."""
    app.connect("source-read", split)
    return {"parallel_read_safe": True}
