"""How far a fit is, for people who wait: as printed lines, and as tasks of callbacks.

A fit is a sequence of *stages* - choose landmarks, compare them, compare the objects,
iterate - of so many comparisons or steps each. Whoever knows what comes next begins a
stage; the tables of comparisons and the loops say when it advances. `Progress` makes of
that lines with the rate and the time left, and a tree of tasks for the callbacks of
scikit-learn:

    fit -> stages -> hundredths of its comparisons, or its single steps

Most fits report to nobody. For them there is `SILENT`, which is told the same and does
nothing, so that no code asks whether anybody listens.
"""

from collections import Counter, deque
from functools import partial
from itertools import islice
from time import monotonic

from .._sklearn import begin_fit_task

__all__ = [
    "SILENT",
    "Progress",
    "count_evaluated",
    "progress_of_fit",
    "progress_of_use",
]

_SECONDS_BETWEEN_LINES = 1.0
# The rate is that of the last so many seconds at least: blocks from a cache come at
# another rate than the ones after them.
_MARKS = 10
_LINE_LENGTH = 80
_MOST_PARTS = 100


class _Silence:
    """What `Progress` offers, for nobody."""

    stopped = False

    def begin(self, name, total=None, step=None):
        """Do nothing."""

    def advance(self, count=1, detail=""):  # noqa: ARG002
        """Do nothing, and ask for no end."""
        return False

    def steps(self, name, most, step):  # noqa: ARG002
        """Yield the numbers of the steps."""
        return range(most)

    def end(self):
        """Do nothing."""


SILENT = _Silence()


class Progress:
    """How far one fit is.

    Parameters
    ----------
    owner : str
        Class name of the estimator.
    verbose : int, default=0
        0 prints nothing, 1 about a line a second, 2 a line whenever it advances.
    tasks : _Tasks, default=None
        The same for callbacks.
    clock : callable, default=time.monotonic
        Returns seconds.
    write : callable, default=print
        Takes a line. Printed ones are flushed: files and pipes would keep them to
        themselves until the fit is over.

    Attributes
    ----------
    stopped : bool
        Whether a callback asked that steps end.
    """

    def __init__(self, owner, verbose=0, tasks=None, *, clock=monotonic, write=None):
        self._owner = owner
        self._verbose = int(verbose)
        self._tasks = tasks
        self._clock = clock
        self._write = partial(print, flush=True) if write is None else write
        self.stopped = False
        self._n_comparisons = 0
        self._begun_before = Counter()
        self._name, self._total, self._step = "", None, None
        self._begun = self._last_line = clock()
        self._start_counting()

    def begin(self, name, total=None, step=None):
        """Begin a stage, which ends the one before.

        Parameters
        ----------
        name : str
            Repeated ones are numbered.
        total : int, default=None
            How many comparisons, or at most how many steps, it takes; None where that
            shows only at its end.
        step : str, default=None
            What a step is called; None where comparisons are counted.
        """
        self._begun_before[name] += 1
        if self._begun_before[name] > 1:
            name = f"{name} {self._begun_before[name]}"
        self._name, self._total, self._step = name, total, step
        self._start_counting()
        if self._tasks is not None:
            n_parts = total
            if total is not None and step is None:
                n_parts = min(total, _MOST_PARTS)
            self._tasks.begin(name, n_parts)

    def advance(self, count=1, detail=""):
        """Tell that comparisons were made, or a step.

        Parameters
        ----------
        count : int, default=1
        detail : str, default=""
            What else is to be printed.

        Returns
        -------
        stop : bool
            Whether a callback asks that steps end here. Comparisons go on: without them
            there is no result.
        """
        self._done += count
        if self._step is None:
            self._n_comparisons += count
        if self._verbose:
            now = self._clock()
            if now - self._marks[-1][0] >= _SECONDS_BETWEEN_LINES:
                self._marks.append((now, self._done))
            waited = now - self._last_line >= _SECONDS_BETWEEN_LINES
            if self._verbose > 1 or waited:
                self._last_line = now
                self._print(self._describe(now) + (f", {detail}" if detail else ""))
        stop = self._tasks is not None and self._advance_tasks()
        self.stopped |= stop and self._step is not None
        return stop

    def steps(self, name, most, step):
        """Begin a stage and yield the numbers of its steps.

        A step has been made when the next is asked for; that in which a loop breaks off
        ends with the stage.

        Parameters
        ----------
        name : str
        most : int
            Most steps.
        step : str
            What a step is called.
        """
        self.begin(name, most, step)
        for number in range(most):
            yield number
            if self.advance():
                return

    def end(self):
        """End the last stage and the fit."""
        if self._tasks is not None:
            self._tasks.end()
        if self._verbose:
            seconds = self._clock() - self._begun
            made = f"{self._n_comparisons} comparisons"
            self._print(f"{made}, total={_duration(seconds)}")

    def _start_counting(self):
        self._done = 0
        self._marks = deque([(self._clock(), 0)], maxlen=_MARKS + 1)

    def _describe(self, now):
        """Say what was done, how fast, and how long the rest of the stage takes."""
        if self._step is not None:
            return f"{self._name}: {self._step} {self._done} of at most {self._total}"
        since, done_before = self._marks[0]
        if now == since:  # too early for a rate
            since, done_before = now - 1e-9, self._done
        rate = (self._done - done_before) / (now - since)
        known = " comparisons" if self._total is None else f" of {self._total}"
        text = f"{self._name}: {self._done}{known}, {rate:.0f}/s"
        if self._total is not None and rate > 0:
            left = max(self._total - self._done, 0) / rate
            text += f", {_duration(left)} left"
        return text

    def _print(self, message):
        """Print a line the way scikit-learn's Pipeline does."""
        start, end = f"[{self._owner}] ", f" {message}"
        n_dots = max(_LINE_LENGTH - len(start) - len(end), 3)
        self._write(start + n_dots * "." + end)

    def _advance_tasks(self):
        facts = None
        if self._step is None:
            facts = {"n_comparisons": self._done, "n_comparisons_total": self._total}
        n_parts = self._tasks.n_parts
        if n_parts is None:
            return self._tasks.advance_to(self._tasks.n_done + 1, facts)
        if self._step is not None:
            return self._tasks.advance_to(self._done, facts)
        n_done = self._done * n_parts // max(self._total, 1)
        return self._tasks.advance_to(n_done, facts)


class _Tasks:
    """The stages of a fit, and their parts, as tasks of scikit-learn's callbacks.

    Parameters
    ----------
    estimator : estimator
        Being fitted.
    root : CallbackContext
    X, y : what fit was given

    Attributes
    ----------
    n_parts : int or None
        Of the stage.
    n_done : int
        How many of them ended.
    """

    def __init__(self, estimator, root, X, y):
        self._estimator, self._root = estimator, root
        self._data = {"X": X, "y": y}
        self._stage = self._part = None
        self.n_parts, self.n_done = None, 0

    def begin(self, name, n_parts):
        self._end_stage()
        self.n_parts, self.n_done = n_parts, 0
        self._stage = self._root.subcontext(task_name=name, max_subtasks=n_parts)
        self._stage.call_on_fit_task_begin(estimator=self._estimator)
        self._begin_part()

    def advance_to(self, n_done, facts):
        """End parts until so many have ended; return whether a callback says stop."""
        stop = False
        while self._part is not None and self.n_done < n_done:
            self.n_done += 1
            part, self._part = self._part, None
            stop |= part.call_on_fit_task_end(estimator=self._estimator, metadata=facts)
            self._begin_part()
        return stop

    def end(self):
        """End the stage and the fit; the estimator is fitted."""
        self._end_stage()
        self._root.call_on_fit_task_end(
            estimator=self._estimator, reconstruction_attributes={}, **self._data
        )

    def _begin_part(self):
        if self.n_parts is None or self.n_done < self.n_parts:
            self._part = self._stage.subcontext(task_name="part")
            self._part.call_on_fit_task_begin(estimator=self._estimator)

    def _end_stage(self):
        # The part under way did not come about, or ends with the stage.
        for task in (self._part, self._stage):
            if task is not None:
                task.call_on_fit_task_end(estimator=self._estimator)
        self._part = self._stage = None


def progress_of_fit(estimator, X, y):
    """Return the progress of a fit that begins.

    Parameters
    ----------
    estimator : estimator
        Has the parameter `verbose`, and callbacks if such were set.
    X, y : what fit was given

    Returns
    -------
    progress : Progress
        `SILENT` if nobody wants to know.
    """
    root = begin_fit_task(estimator, X, y)
    if root is None:
        return progress_of_use(estimator)
    tasks = _Tasks(estimator, root, X, y)
    return Progress(type(estimator).__name__, estimator.verbose, tasks)


def progress_of_use(estimator):
    """Return the progress of a transformation or prediction, which is only printed."""
    if not estimator.verbose:
        return SILENT
    return Progress(type(estimator).__name__, estimator.verbose)


def count_evaluated(progress, counts):
    """Return a function of a number of blocks that advances by their comparisons.

    Parameters
    ----------
    progress : Progress
    counts : iterable of int
        Comparisons of each block, in order.
    """
    counts = iter(counts)

    def evaluated(n_blocks):
        progress.advance(sum(islice(counts, n_blocks)))

    return evaluated


def _duration(seconds):
    if seconds > 6000:
        return f"{seconds / 3600:.1f}h"
    if seconds > 60:
        return f"{seconds / 60:.1f}min"
    return f"{seconds:.1f}s"
