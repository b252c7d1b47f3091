"""The code of the pages is run outside the clone: it needs what a plain install has."""

import pytest


@pytest.fixture(autouse=True)
def _outside_the_clone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
