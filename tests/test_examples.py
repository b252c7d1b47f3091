"""Every example runs, on a small part of its data."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SCRIPTS = sorted([EXAMPLES / "quickstart.py", *EXAMPLES.glob("**/plot_*.py")])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_runs(script, tmp_path):
    """It ends without an error or a warning and answers on its last lines."""
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "SKPROXY_EXAMPLES_SMALL": "1", "MPLBACKEND": "Agg"},
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.strip()
