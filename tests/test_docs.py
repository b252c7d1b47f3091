"""The documentation is complete, its code runs, a script printed its numbers."""

import importlib
import os
import re
import runpy
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
MADE_BY_SPHINX = {"_build", "auto_examples", "generated"}
PAGES = sorted(
    path
    for path in DOCS.rglob("*.rst")
    if not MADE_BY_SPHINX & set(path.relative_to(DOCS).parts)
    and "_templates" not in path.parts
)
ROOMS = ["landmarks", "neighbors", "inspection", "metrics", "datasets"]
#: Languages that a test cannot run: shells, and where people come from.
NOT_RUN = {"sh", "r", "matlab", "none", "text"}


def page_name(path):
    return str(path.relative_to(DOCS))


def resolve(dotted):
    """Return the object that a name in the reference stands for."""
    module, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(module), name)


def names_on_the_reference_page():
    pages = set((DOCS / "api").glob("*.rst")) - {DOCS / "api" / "index.rst"}
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    entries = re.findall(r"^   ([A-Za-z_][\w.]*)$", text, flags=re.MULTILINE)
    mentioned = re.findall(r"`(skproxy\.[\w.]+)`", text)
    return {f"skproxy.{entry}" for entry in entries} | {
        name for name in mentioned if not name.endswith(tuple(ROOMS))
    }


@pytest.mark.parametrize("module", ["skproxy", *(f"skproxy.{room}" for room in ROOMS)])
def test_every_public_name_is_on_the_reference_page(module):
    """Each name of each `__all__` stands in docs/api, there or where it is at home."""
    listed = {id(resolve(name)) for name in names_on_the_reference_page()}
    module = importlib.import_module(module)
    public = set(module.__all__) - {"__version__"}
    assert not {name for name in public if id(getattr(module, name)) not in listed}


def test_the_reference_page_lists_public_names_only():
    """What stands in docs/api is in the `__all__` of the room it is listed under."""
    for dotted in names_on_the_reference_page():
        module, _, name = dotted.rpartition(".")
        assert name in importlib.import_module(module).__all__, dotted


@pytest.fixture(scope="module")
def collector():
    return runpy.run_path(str(ROOT / "examples" / "benchmarks" / "collect_results.py"))


RESULTS = (DOCS / "results.md").read_text(encoding="utf-8")


def test_the_results_page_is_what_the_collector_makes(collector):
    """docs/results.md is renewed by collect_results.py --write, never by hand."""
    assert collector["collect"]() == RESULTS


def test_the_results_page_holds_every_measured_line(collector):
    """Each row of each part is on the page, and each part has its benchmark."""
    parts = sorted((DOCS / "results").glob("*.md"))
    assert {path.stem for path in parts} <= set(collector["benchmarks"]())
    for path in parts:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not line.startswith("|") or line in RESULTS, (path.name, line)


def test_every_figure_of_the_results_is_shown_once_and_exists():
    """Pictures on the page are the pictures in docs/results."""
    shown = re.findall(r"!\[[^]]*\]\(results/([^)]+)\)", RESULTS)
    assert sorted(shown) == sorted(p.name for p in (DOCS / "results").glob("*.png"))


def test_a_part_that_hides_its_machine_is_refused(collector):
    """A table without the machine it was measured on is not evidence."""
    with pytest.raises(ValueError, match=r"core\.md does not say on which machine"):
        collector["machine"]("core", "# The core\n\n| a |\n|---|\n| 1 |\n")


def test_headings_of_a_part_go_below_the_page_title_without_gaps(collector):
    """`#` and `###` become `##` and `###`, whatever levels a benchmark uses."""
    title, text = collector["section"]("core", "# A\n\n### B\n\n![c](d.png)\n")
    assert title == "A"
    assert text.startswith("## A\n\n")
    assert "\n### B\n" in text
    assert "![c](results/d.png)" in text


def test_the_summary_quotes_what_parts_say_of_their_claims(collector):
    """Lines with a claim or a target beside what was reached, and nothing else."""
    part = "# A\n\nTime: 1.2 (claim: at most 1).\n\n| a (claim) |\n\nNo word.\n"
    assert collector["claims"](part) == "Time: 1.2 (claim: at most 1)."
    for name, part in collector["measured"]().items():
        assert f"| {collector['claims'](part)} |\n" in RESULTS, name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuch"], "no such benchmark: nosuch"),
        (["core", "--quick", "--write"], "--quick measures too little to be written"),
    ],
)
def test_run_all_refuses_what_would_spoil_the_results(arguments, message):
    """A mistyped name runs nothing; small sizes never replace measured tables."""
    script = ROOT / "examples" / "benchmarks" / "run_all.py"
    run = subprocess.run(
        [sys.executable, script, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert message in run.stderr


def documents():
    """Return the names that `:doc:` and `toctree` know, from the root of docs."""
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in PAGES}
    return pages | {"results", "auto_examples/index"}


def test_every_page_is_in_a_table_of_contents():
    """The index pages together name each page once."""
    named = ["index"]
    for index in (DOCS / folder / "index.rst" for folder in ("", "guide", "api")):
        _, _, entries = index.read_text(encoding="utf-8").partition(".. toctree::")
        folder = index.parent.relative_to(DOCS)
        pattern = r"^   (?:[^:\n]* <)?([\w/]+)>?$"
        for entry in re.findall(pattern, entries, re.MULTILINE):
            named.append((folder / entry).as_posix())
    assert sorted(named) == sorted(documents())


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_links_between_pages_lead_somewhere(path):
    """Every `:doc:` names a page, or an example of the gallery."""
    examples = {f"auto_examples/{p.stem}" for p in (ROOT / "examples").glob("*.py")}
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r":doc:`(?:[^`<]*<)?([^`>]+)>?`", text):
        base = DOCS if target.startswith("/") else path.parent
        found = os.path.relpath(base / target.lstrip("/"), DOCS)
        assert Path(found).as_posix() in documents() | examples, target


def test_the_bibliography_holds_every_source():
    """A DOI or arXiv number in the code or on a page is on references.rst."""
    listed = (DOCS / "references.rst").read_text(encoding="utf-8")
    sources = [*(ROOT / "skproxy").rglob("*.py"), *PAGES]
    for path in sources:
        text = path.read_text(encoding="utf-8")
        for key in re.findall(r"(?:doi:\s*|arXiv:\s*)([\w./()-]+[\w)])", text):
            assert key in listed, (path.name, key)


def directives(text):
    """Yield language and code of each `code-block`, and "plot" and that of `plot`."""
    pattern = r"^( *)\.\. (?:code-block|plot):: *(\w*)\n((?:\1 +.*\n|\s*\n)+)"
    for match in re.finditer(pattern, text + "\n", flags=re.MULTILINE):
        options, _, rest = match[3].partition("\n\n")
        body = rest if options.lstrip().startswith(":") else match[3]
        language = match[2].lower() if "code-block" in match[0] else "plot"
        yield language, textwrap.dedent(body)


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_python_blocks_run(path, tmp_path, monkeypatch):
    """The `code-block:: python` of a page run, one after the other."""
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for language, code in directives(path.read_text(encoding="utf-8")):
        if "import dask" in code:
            continue  # a script of its own: see test_more_than_one_machine
        if language in ("python", "py"):
            exec(compile(code, str(path), "exec"), namespace)
        elif language == "pycon":
            assert ">>>" in code  # a doctest: pytest runs it
        else:
            assert language in NOT_RUN | {"plot"}, language


def test_pages_import_what_they_say_must_be_installed():
    """Beside the package's own needs, what the first page of the guide names."""
    page = (DOCS / "guide" / "index.rst").read_text(encoding="utf-8")
    named = set(re.search(r"pip install (.*)", page)[1].split())
    plain = {"joblib", "numpy", "scipy", "skproxy", "sklearn"} | named
    for path in PAGES:
        # The page on Dask says how to install it, and is run where it is.
        known = set(plain)
        if path.stem == "many_machines":
            known |= {"dask", "distributed"}
        text = path.read_text(encoding="utf-8")
        scripts = [
            code for kind, code in directives(text) if kind in ("python", "plot")
        ]
        code = re.findall(r"^ *(?:>>>|\.\.\.) (.*)$", text, re.MULTILINE)
        for line in [*code, *"\n".join(scripts).splitlines()]:
            found = re.match(r"\s*(?:from|import) (\w+)", line)
            if found and found[1] not in sys.stdlib_module_names:
                assert found[1] in known, (path.name, line)


SCRIPTS = [
    pytest.param(code, id=f"{path.stem}-{number}")
    for path in PAGES
    for number, (language, code) in enumerate(directives(path.read_text("utf-8")))
    if language == "plot"
]


@pytest.mark.parametrize("code", SCRIPTS)
def test_scripts_draw_a_picture_in_six_lines(code, tmp_path, monkeypatch):
    """From a load to a picture, away from the clone, with warnings as errors."""
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    plt.close("all")
    try:
        exec(compile(code, "script", "exec"), {"__name__": "__main__"})
    except ImportError as error:
        # A measure that another library computes, and that is not asked for in tests.
        if "Run: pip install" not in str(error):
            raise
        pytest.skip(str(error))
    assert any(ax.has_data() for ax in plt.gcf().axes)
    plt.close("all")

    assert len([line for line in code.splitlines() if line.strip()]) <= 6


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_literal_blocks_are_doctests(path):
    """Code after `::` starts with >>>, or no test would see it."""
    text = path.read_text(encoding="utf-8")
    pattern = r"^(?! *\.\. ).*::\n\s*\n( +\S.*)"
    blocks = re.findall(pattern, text, flags=re.MULTILINE)
    for first in blocks:
        assert first.strip().startswith(">>>"), first


def prose(text):
    """Return a page without its code and without addresses."""
    text = re.sub(r"^\s*(>>>|\.\.\.) .*(\n(?!\s*\n| *>>>).*)*", "", text, flags=re.M)
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(
        r"^\.\. (code-block|plot)::.*\n((?: +.*|\s*)\n)+", "", text, flags=re.M
    )
    text = re.sub(r"``[^`]*``|`[^`]*`", "", text)
    text = re.sub(r"(doi:|arXiv:|https?://)\S+", "", text)
    return text


@pytest.mark.parametrize("path", [ROOT / "README.md", *PAGES], ids=lambda p: p.name)
def test_decimals_in_prose_were_printed(path):
    """A decimal in a sentence stands in the results or in an output on the page."""
    if path.name in ("references.rst", "whats_new.rst"):
        return  # volumes and versions
    page = path.read_text(encoding="utf-8")
    sentences = prose(page)
    for number in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)", sentences):
        whole = re.compile(rf"(?<![\d.]){re.escape(number)}(?!\d)")
        printed = len(whole.findall(page)) > len(whole.findall(sentences))
        required = number in ("1.6", "3.10")  # of scikit-learn and Python
        assert whole.search(RESULTS) or printed or required, number


def test_the_docs_extra_installs_what_conf_needs():
    """Extensions and theme of conf.py are named in the `docs` extra."""
    conf = (DOCS / "conf.py").read_text(encoding="utf-8")
    extensions = re.search(r"extensions = \[(.*?)\]", conf, re.DOTALL)[1]
    theme = re.search(r'html_theme = "(\w+)"', conf)[1]
    needed = {name.split(".")[0] for name in re.findall(r'"([\w.]+)"', extensions)}
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extra = re.search(r"^docs = \[(.*?)\]$", project, re.DOTALL | re.MULTILINE)[1]
    ours = {path.stem for path in (DOCS / "_ext").glob("*.py")}
    for name in (needed | {theme}) - ours:
        assert name.replace("_", "-") in extra
