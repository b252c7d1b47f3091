"""What is uploaded holds what people need, and works where there is no clone."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import skproxy

ROOT = Path(__file__).resolve().parent.parent
#: What the build reads; nothing that it or the tests have made.
SOURCES = [
    ".ci",
    *("CITATION.cff", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "README.md"),
    *("SECURITY.md", "docs", "examples", "pyproject.toml", "setup.cfg", "skproxy"),
    "tests",
]
MADE = shutil.ignore_patterns("__pycache__", "_build", "auto_examples", "generated")
BUILD = """
import sys
from setuptools import build_meta
dist = sys.argv[1]  # building writes over sys.argv
build_meta.build_sdist(dist)
build_meta.build_wheel(dist)
"""


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """Return a folder with a source distribution and a wheel of a copy of the clone."""
    pytest.importorskip("setuptools", minversion="77")
    if not (ROOT / "MANIFEST.in").exists():
        pytest.skip("not a whole source tree")
    source, dist = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=MADE)
        else:
            shutil.copy(ROOT / name, source / name)
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(dist)],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return dist


@pytest.fixture(scope="module")
def wheel(dist):
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return a folder that holds what a plain install adds to site-packages."""
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def files_of(folder):
    return {
        str(Path(folder, path.relative_to(ROOT / folder)).as_posix())
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not MADE(None, path.relative_to(ROOT).parts)
    }


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    """Modules, data with their licences, and the mark of typed packages."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == files_of("skproxy")
    assert "skproxy/py.typed" in names
    assert "skproxy/datasets/data/README.md" in names
    assert wheel.stat().st_size < 2_000_000


def test_the_source_distribution_holds_tests_docs_and_examples(dist):
    """Each with what it reads: helpers, pictures, the measured tables."""
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    for folder in (".ci", "skproxy", "tests", "docs", "examples"):
        assert not files_of(folder) - inside
    assert {name for name in SOURCES if (ROOT / name).is_file()} <= inside


def test_metadata_are_complete(installed):
    """What an index shows; every extra that a page or a message names is there."""
    (metadata,) = installed.glob("*.dist-info/METADATA")
    text = metadata.read_text(encoding="utf-8")
    for field in ("Summary", "Author", "License-Expression", "Keywords", "Classifier"):
        assert re.search(f"^{field}: .", text, re.MULTILINE), field
    extras = set(re.findall(r"^Provides-Extra: (.*)$", text, re.MULTILINE))
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.rst")]
    for page in [*pages, *(ROOT / "skproxy").rglob("*.py")]:
        for names in re.findall(
            r"pip install \"?(?:skproxy|\.)\[([\w,]+)\]", page.read_text("utf-8")
        ):
            assert set(names.split(",")) <= extras, page.name


def test_links_of_the_readme_are_whole(installed):
    """On an index page there is no repository beside the text."""
    (metadata,) = installed.glob("*.dist-info/METADATA")
    _, _, readme = metadata.read_text(encoding="utf-8").partition("\n\n")
    for target in re.findall(r"\]\(([^)#]+)\)", readme):
        assert target.startswith("https://"), target


SCRIPT = """
import sys, doctest
import skproxy, skproxy.datasets
assert skproxy.__file__.startswith(sys.argv[1]), skproxy.__file__
for name in skproxy.datasets.__all__:
    if name.startswith("load_"):
        getattr(skproxy.datasets, name)()
options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
for page in sys.argv[2:]:
    found = doctest.testfile(page, module_relative=False, optionflags=options)
    assert found.attempted > 0 and found.failed == 0, page
"""


def test_pages_run_after_a_plain_install(installed, tmp_path):
    """From the wheel, away from the clone, with what the package needs and no more."""
    pages = [ROOT / "docs" / "quickstart.rst", ROOT / "docs" / "glossary.rst"]
    pages = [str(page) for page in pages if ">>>" in page.read_text(encoding="utf-8")]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, str(installed), *pages],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_the_conda_recipe_asks_for_what_the_package_asks_for():
    """Name, bound and version of pyproject.toml and of the recipe agree."""
    recipe = ROOT / ".github" / "conda" / "meta.yaml"
    if not recipe.exists():
        pytest.skip("not a clone")
    text = recipe.read_text(encoding="utf-8")
    run = re.search(r"\n  run:\n((?:    - .*\n)+)", text)[1]
    asked = {line.strip("- ").replace(" ", "") for line in run.splitlines()}
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needed = re.search(r"\ndependencies = \[(.*?)\]", project, re.DOTALL)[1]
    python = re.search(r'requires-python = "(.*)"', project)[1]
    assert asked == set(re.findall(r'"(.*?)"', needed)) | {f"python{python}"}
    assert f'version = "{skproxy.__version__}"' in text
