"""The code of the README runs and prints what it says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_blocks_print_what_their_comments_say(code):
    """Each `print(...)  # result` of a block prints that result."""
    expected = [
        line.split("  # ")[-1] for line in code.splitlines() if "print(" in line
    ]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[:-1] == expected


def test_the_two_commands_are_what_ci_runs():
    """The README's commands and the CI script's are the same."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").replace(" --quiet", "")
    commands = [block.split("#")[0].strip() for block in blocks("sh")]
    assert len(commands) == 2
    for command in commands:
        assert command in script
