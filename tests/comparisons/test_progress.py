from io import StringIO

import numpy as np
import pytest

from skproxy.comparisons._progress import (
    SILENT,
    Progress,
    _duration,
    _Tasks,
    count_evaluated,
    progress_of_fit,
    progress_of_use,
)


class Clock:
    """Seconds that pass only when told."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Task:
    """Stands for a CallbackContext and writes down what happens."""

    def __init__(self, name, log, stop_at=None, max_subtasks=None):
        self.task_name, self.log, self.stop_at = name, log, stop_at
        self.max_subtasks, self.n_children = max_subtasks, 0

    def subcontext(self, task_name, max_subtasks=0):
        self.n_children += 1
        assert self.max_subtasks is None or self.n_children <= self.max_subtasks
        name = f"{task_name} {self.n_children}" if task_name == "part" else task_name
        return Task(name, self.log, self.stop_at, max_subtasks)

    def call_on_fit_task_begin(self, **kwargs):
        self.log.append(("begin", self.task_name, kwargs))

    def call_on_fit_task_end(self, **kwargs):
        self.log.append(("end", self.task_name, kwargs))
        return self.task_name == self.stop_at


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def lines():
    return []


@pytest.fixture
def progress(clock, lines):
    return Progress("Me", 1, clock=clock, write=lines.append)


def texts(lines):
    """Return what follows the dots."""
    return [line.split(". ", 1)[1] for line in lines]


def with_tasks(stop_at=None):
    log = []
    return Progress("Me", 0, _Tasks("me", Task("fit", log, stop_at), "X", "y")), log


def test_lines_tell_comparisons_rate_and_time_left(progress, clock, lines):
    """Done of the total, comparisons a second, and the rest at that rate."""
    progress.begin("compare objects", 1000)
    clock.now += 2.0
    progress.advance(100)
    clock.now += 2.0
    progress.advance(300)
    assert texts(lines) == [
        "compare objects: 100 of 1000, 50/s, 18.0s left",
        "compare objects: 400 of 1000, 100/s, 6.0s left",
    ]
    assert all(line.startswith("[Me] ...") and len(line) == 80 for line in lines)


def test_a_total_that_is_not_known_is_not_made_up(progress, clock, lines):
    """Without a total there is a rate and no time left."""
    progress.begin("choose landmarks")
    clock.now += 4.0
    progress.advance(100)
    assert texts(lines) == ["choose landmarks: 100 comparisons, 25/s"]


@pytest.mark.parametrize("seconds_a_block", [0.01, 0.3, 1.0, 7.0])
def test_lines_come_about_once_a_second(seconds_a_block, progress, clock, lines):
    """However fast blocks are there is at most one line a second, and one a block."""
    progress.begin("compare objects", 10**6)
    for _ in range(200):
        clock.now += seconds_a_block
        progress.advance(10)
    assert len(lines) <= 200 * min(seconds_a_block, 1.0) + 1
    assert len(lines) >= 200 * min(seconds_a_block, 1.0) / 2


def test_the_rate_is_that_of_the_last_seconds(progress, clock, lines):
    """Blocks from a cache, which took no time, are forgotten after ten seconds."""
    progress.begin("compare objects", 10**6)
    clock.now += 1.0
    progress.advance(500_000)
    for _ in range(40):
        clock.now += 0.5
        progress.advance(50)
    assert texts(lines)[-1].startswith("compare objects: 502000 of 1000000, 100/s")


def test_a_higher_verbosity_prints_whenever_it_advances(clock, lines):
    """verbose=2 does not look at the clock; details are appended."""
    progress = Progress("Me", 2, clock=clock, write=lines.append)
    progress.begin("refine", 9, step="step")
    for _ in range(3):
        progress.advance(detail="STRESS 7")
    assert texts(lines)[-1] == "refine: step 3 of at most 9, STRESS 7"
    assert len(lines) == 3


def test_the_end_tells_all_comparisons_and_the_time(progress, clock, lines):
    """Over all stages, steps not counted, like the lines of scikit-learn's Pipeline."""
    progress.begin("compare objects", 50)
    progress.advance(20)
    progress.advance(30)
    progress.begin("refine", 9, step="step")
    progress.advance()
    progress.begin("compare objects", 5)
    progress.advance(5)
    clock.now += 90.0
    progress.end()
    assert texts(lines) == ["55 comparisons, total=1.5min"]


def test_repeated_stages_are_numbered(clock, lines):
    """From the second on."""
    progress = Progress("Me", 2, clock=clock, write=lines.append)
    for _ in range(3):
        progress.begin("learn weights", 5, step="iteration")
        progress.advance()
    names = [text.split(":")[0] for text in texts(lines)]
    assert names == ["learn weights", "learn weights 2", "learn weights 3"]


def test_steps_are_told_once_they_are_made(clock, lines):
    """All but the one in which the loop breaks off; silent ones are a plain range."""
    progress = Progress("Me", 2, clock=clock, write=lines.append)
    for number in progress.steps("iterate", 100, "iteration"):
        assert len(lines) == number
        if number == 3:
            break
    assert len(lines) == 3
    assert list(SILENT.steps("iterate", 4, "iteration")) == [0, 1, 2, 3]


@pytest.mark.parametrize("total", [0, 1, 7, 99, 100, 101, 12_345])
@pytest.mark.parametrize("block", [1, 30, 20_000])
def test_comparisons_are_hundredths_of_a_task(total, block):
    """All parts begin and end once, in order, at most a hundred, and so do stages."""
    progress, log = with_tasks()
    progress.begin("compare objects", total)
    for start in range(0, total, block):
        progress.advance(min(block, total - start))
    progress.begin("nothing more")
    progress.end()
    parts = [(what, name) for what, name, _ in log if name.startswith("part")]
    n_parts = min(total, 100)
    assert parts[: 2 * n_parts] == [
        (what, f"part {number}")
        for number in range(1, n_parts + 1)
        for what in ("begin", "end")
    ]
    stages = [(what, name) for what, name, _ in log if not name.startswith("part")]
    assert stages == [
        ("begin", "compare objects"),
        ("end", "compare objects"),
        ("begin", "nothing more"),
        ("end", "nothing more"),
        ("end", "fit"),
    ]


def test_ends_of_parts_bring_the_number_of_comparisons():
    """As metadata; the end of the fit brings X, y and the fitted estimator."""
    progress, log = with_tasks()
    progress.begin("compare objects", 1000)
    progress.advance(20)
    end = [kwargs for what, _, kwargs in log if what == "end"][-1]
    facts = {"n_comparisons": 20, "n_comparisons_total": 1000}
    assert end == {"estimator": "me", "metadata": facts}
    progress.end()
    assert log[-1][2] == {
        "estimator": "me",
        "reconstruction_attributes": {},
        "X": "X",
        "y": "y",
    }


def test_more_than_was_expected_does_no_harm():
    """Parts have ended by then."""
    progress, log = with_tasks()
    progress.begin("compare objects", 10)
    progress.advance(25)
    progress.advance(25)
    assert sum(what == "end" for what, _, _ in log) == 10


def test_callbacks_may_end_steps_but_not_comparisons():
    """A result without its comparisons would be none."""
    progress, _ = with_tasks(stop_at="part 3")
    progress.begin("compare objects", 10)
    assert [progress.advance() for _ in range(4)] == [False, False, True, False]
    assert not progress.stopped
    assert list(progress.steps("iterate", 10, "iteration")) == [0, 1, 2]
    assert progress.stopped


def test_blocks_are_counted_in_their_order():
    """count_evaluated takes the sizes of as many blocks as are there."""

    class Total:
        done = []

        def advance(self, count):
            self.done.append(count)

    total = Total()
    evaluated = count_evaluated(total, (size for size in (10, 20, 30, 40)))
    for n_blocks in (1, 2, 1):
        evaluated(n_blocks)
    assert total.done == [10, 50, 40]


def test_nobody_is_told_nothing(capsys):
    """Without verbose and callbacks progress is SILENT, which only ever says go on."""

    class Quiet:
        verbose = 0

    assert progress_of_fit(Quiet(), None, None) is SILENT
    assert progress_of_use(Quiet()) is SILENT
    SILENT.begin("compare objects", 10)
    assert SILENT.advance(3) is False
    assert not SILENT.stopped
    SILENT.end()
    assert capsys.readouterr().out == ""


def test_lines_are_printed(capsys):
    """By default where print prints."""

    class Loud:
        verbose = np.int64(2)

    progress = progress_of_use(Loud())
    progress.begin("compare objects", 10)
    progress.advance(3)
    assert "compare objects: 3 of 10" in capsys.readouterr().out


def test_lines_do_not_wait_in_a_buffer(monkeypatch):
    """Into a file or a pipe they come when they are written, not when the fit ends."""
    flushed = []

    class Pipe(StringIO):
        def flush(self):
            flushed.append(self.getvalue())

    monkeypatch.setattr("sys.stdout", Pipe())
    progress = Progress("Me", 2)
    progress.begin("compare objects", 10)
    progress.advance(3)
    assert "compare objects: 3 of 10" in flushed[-1]


def test_durations():
    """Seconds, minutes or hours, to a tenth."""
    found = [_duration(s) for s in (0.04, 59.9, 90.0, 6000.0, 36_000.0)]
    assert found == ["0.0s", "59.9s", "1.5min", "100.0min", "10.0h"]
