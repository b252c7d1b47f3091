"""What a report of something that went wrong begins with."""

import numpy as np

import skproxy


def test_versions_of_everything_are_shown(capsys):
    """Python and the dependencies with their versions, and what is not installed."""
    skproxy.show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("python: 3.")
    assert f"numpy: {np.__version__}" in lines
    names = [line.split(":")[0] for line in lines]
    assert {"scikit-learn", "rapidfuzz", "aeon"} <= set(names)
    assert all(line.split(": ")[1] for line in lines)
