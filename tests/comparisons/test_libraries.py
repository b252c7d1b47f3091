import sys
from pathlib import Path

import pytest

from skproxy.comparisons._libraries import (
    AEON,
    DTAIDISTANCE,
    RAPIDFUZZ,
    Library,
    load_one_of,
)

HERE = Library("json")
MISSING = Library("no_such_package")
ALSO_MISSING = Library("neither_this")


def test_the_first_library_that_is_installed_is_taken():
    """In order of preference."""
    assert load_one_of([HERE, MISSING], "metric='dtw'") is HERE
    assert load_one_of([MISSING, HERE], "metric='dtw'") is HERE


def test_a_missing_library_is_named_with_the_line_that_installs_it():
    """One line for each library that would do."""
    with pytest.raises(ImportError) as caught:
        load_one_of([MISSING, ALSO_MISSING], "metric of Me, 'dtw',")
    assert str(caught.value) == (
        "metric of Me, 'dtw', needs no_such_package or neither_this, which cannot be "
        "imported (No module named 'no_such_package'). Run: "
        "pip install no_such_package or: pip install neither_this"
    )


def test_a_folder_of_that_name_is_no_library(monkeypatch, tmp_path):
    """Python imports any folder: an environment, a checkout without its sources."""
    (tmp_path / "just_a_folder").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    folder = Library("just_a_folder", "just_a_folder.distances")
    assert load_one_of([folder, HERE], "metric='dtw'") is HERE
    monkeypatch.delitem(sys.modules, "just_a_folder")


def test_a_broken_library_says_what_is_wrong_with_it(monkeypatch, tmp_path):
    """Its own message is shown: installing it again would not help."""
    (tmp_path / "broken_package.py").write_text("import no_such_part")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match=r"imported \(No module named 'no_such_part"):
        load_one_of([Library("broken_package")], "metric='msm'")
    assert "broken_package" not in sys.modules


@pytest.mark.parametrize("library", [RAPIDFUZZ, AEON, DTAIDISTANCE])
def test_each_library_is_an_extra_of_the_package(library):
    """Whoever installs skproxy by name can ask for it there."""
    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8")
    extras = text.split("[project.optional-dependencies]")[1].split("\n[")[0]
    assert f' = ["{library.package}>=' in extras
