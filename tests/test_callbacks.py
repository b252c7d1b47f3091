"""Callbacks of scikit-learn in every estimator; collected from scikit-learn 1.9 on."""

import pickle
import re
from threading import Lock, current_thread

import numpy as np
import pytest
from factories import CachedDistances, InterruptedDistances
from sklearn.base import clone
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skproxy import (
    BlockMetric,
    EBEKEmbedding,
    EigenCorrector,
    NeucMDS,
    NyIKFD,
    NyPCVM,
    Nystroem,
    NystromDissimilarity,
)

RNG = np.random.RandomState(0)
X = RNG.normal(size=(120, 4))
Y = (X[:, 0] + 0.3 * RNG.normal(size=120) > 0).astype(int)
S = X @ X.T

COMPARING = ["choose landmarks", "compare landmarks", "compare objects"]
#: Estimators, and the stages of their fits.
FITS = {
    "Nystroem": (Nystroem(n_components=9), COMPARING[:2]),
    "Nystroem, indefinite": (Nystroem("sigmoid", n_components=9), COMPARING),
    "NystromDissimilarity": (NystromDissimilarity(n_landmarks=9), COMPARING),
    "EigenCorrector": (EigenCorrector(), COMPARING[1:2]),
    "EigenCorrector, landmarks": (EigenCorrector(n_landmarks=9), COMPARING),
    "NeucMDS": (NeucMDS(), COMPARING[2:]),
    "NeucMDS, stress": (NeucMDS(method="stress"), [COMPARING[2], "refine"]),
    "NeucMDS, landmarks": (
        NeucMDS(method="stress", n_landmarks=9),
        [*COMPARING, "compare pairs", "refine"],
    ),
    "EBEKEmbedding": (EBEKEmbedding(3), []),
    "EBEKEmbedding, kernel": (EBEKEmbedding(3, kernel="rbf"), COMPARING[2:]),
    "EBEKEmbedding, landmarks": (EBEKEmbedding(3, n_landmarks=9), COMPARING),
    "NyIKFD": (NyIKFD(n_landmarks=9), COMPARING),
    "NyPCVM": (NyPCVM(n_landmarks=9), [*COMPARING, "learn weights"]),
    "NyPCVM, training": (
        NyPCVM(n_landmarks=9, basis="training", tol=0.1),
        [*COMPARING, "learn weights"],
    ),
}


NEED_FEATURES = {("Nystroem", "fit_transform")}


class Diary:
    """Writes down what it is called with; may raise, or ask for the end of steps."""

    def __init__(self, error=None, after=np.inf, stop_at=None):
        self.error, self.after, self.stop_at = error, after, stop_at
        self.events, self.facts, self.threads = [], [], set()

    def setup(self, estimator, context):
        self.events.append(("setup", context.task_name, 0))

    def teardown(self, estimator, context):
        self.events.append(("teardown", context.task_name, 0))

    def on_fit_task_begin(self, estimator, context):
        self.note("begin", context)

    def on_fit_task_end(self, estimator, context, *, metadata=None):
        self.note("end", context)
        self.facts.append(metadata)
        if len(self.parts("end")) >= self.after:
            raise self.error
        return context.parent is not None and context.parent.task_name == self.stop_at

    def note(self, what, context):
        depth = 0 if context.parent is None else 1 + (context.parent.parent is not None)
        self.threads.add(current_thread().name)
        self.events.append((what, context.task_name, depth))

    def at(self, depth, what="begin"):
        return [name for w, name, d in self.events if d == depth and w == what]

    def parts(self, what):
        return [e for e in self.events if e[0] == what and e[2] == 2]


class Spreading(Diary):
    """The same, handed on by meta-estimators."""

    max_propagation_depth = None


def fitted(name, *callbacks, method="fit"):
    estimator = clone(FITS[name][0]).set_callbacks(*callbacks)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    getattr(estimator, method)(S if isinstance(estimator, EigenCorrector) else X, Y)
    return estimator


@pytest.mark.parametrize("name", list(FITS))
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_a_fit_is_one_tree_of_tasks(method, name):
    """fit -> stages -> parts; each begins and ends once, within the one above."""
    diary = Diary()
    stages = FITS[name][1]
    if not hasattr(FITS[name][0], method):
        method = "fit"
    fitted(name, diary, method=method)
    more = diary.at(1)[len(stages) :]
    assert diary.at(1)[: len(stages)] == stages
    # Where fit needs no pass over the objects, their features do.
    assert more == (["compare objects"] if (name, method) in NEED_FEATURES else [])
    assert diary.at(0) == diary.at(0, "end") == ["fit"]
    assert diary.events[0][0] == "setup"
    assert diary.events[-1][0] == "teardown"
    open_tasks = []
    for what, task, depth in diary.events[1:-1]:
        if what == "begin":
            assert len(open_tasks) == depth
            open_tasks.append(task)
        else:
            assert open_tasks.pop() == task
            assert len(open_tasks) == depth
    assert open_tasks == []
    assert len(diary.parts("begin")) >= len([s for s in stages if "choose" not in s])


@pytest.mark.parametrize("name", list(FITS))
def test_callbacks_change_nothing(name):
    """The estimator is the one that is fitted without."""
    watched, alone = vars(fitted(name, Diary())), vars(fitted(name))
    assert set(watched) - set(alone) == {"_skl_callbacks"}
    for attribute, value in alone.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(watched[attribute], value)


@pytest.mark.parametrize("name", list(FITS))
def test_progress_bars_fill(name, capsys):
    """scikit-learn's own bars show every stage and end at 100 %."""
    fitted(name, ProgressBar())
    text = capsys.readouterr().out
    for stage in ["fit", *FITS[name][1]]:
        assert re.search(rf"{type(FITS[name][0]).__name__} - {stage}.*100%", text)
    assert not re.search(r"\b\d{1,2}%", text)


def test_comparisons_come_as_metadata():
    """Each part tells how many were made, and of how many."""
    diary = Diary()
    fitted("NystromDissimilarity", diary)
    facts = [f for f in diary.facts if f and f["n_comparisons_total"]]
    made = [f["n_comparisons"] for f in facts if f["n_comparisons_total"] > 45]
    assert made == sorted(made)
    assert made[-1] == facts[-1]["n_comparisons_total"]
    assert facts[0] == {"n_comparisons": 45, "n_comparisons_total": 45}


def test_scores_can_be_monitored():
    """The end of a fit hands out the fitted estimator, with X and y."""
    for name in ("NyIKFD", "NyPCVM"):
        monitor = ScoringMonitor(scoring="accuracy")
        estimator = fitted(name, monitor)
        (entry,) = monitor.get_logs().data
        assert entry["accuracy"] == estimator.score(X, Y)


def test_batches_are_fits_of_their_own():
    """partial_fit calls back for each batch."""
    for estimator in (NystromDissimilarity(n_landmarks=9), NyIKFD(n_landmarks=9)):
        diary = Diary()
        estimator.set_params(random_state=0).set_callbacks(diary)
        classes = {"classes": [0, 1]} if isinstance(estimator, NyIKFD) else {}
        estimator.partial_fit(X[:60], Y[:60], **classes)
        estimator.partial_fit(X[60:], Y[60:])
        assert diary.at(0) == ["fit", "fit"]
        later = [step for step in diary.at(1) if step != "compare probes"]
        assert later == [*COMPARING, "compare objects"]


def test_callbacks_go_with_clones_and_pickles():
    """The same callbacks with a clone, copies of them with a pickle."""
    diary = Diary()
    estimator = NystromDissimilarity(n_landmarks=9).set_callbacks(diary)
    clone(estimator).fit(X)
    assert diary.at(0) == ["fit"]
    copy = pickle.loads(pickle.dumps(estimator.fit(X)))
    copy.fit(X)
    assert diary.at(0) == ["fit", "fit"]
    assert copy.transform(X).shape == (120, 9)
    copy.set_callbacks().fit(X)
    assert "_skl_callbacks" not in vars(copy)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_searches_and_pipelines_hand_callbacks_on(n_jobs, capsys):
    """A tree of tasks grows into that of the estimator around it."""
    pipeline = make_pipeline(
        NystromDissimilarity(n_landmarks=9, random_state=0), LogisticRegression()
    )
    search = GridSearchCV(
        pipeline,
        {"nystromdissimilarity__correction": ["flip", "clip"]},
        cv=2,
        n_jobs=n_jobs,
    )
    search.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(X, Y)
    text = capsys.readouterr().out
    assert text.count("NystromDissimilarity - compare objects") >= 5
    assert not re.search(r"\b\d{1,2}%", text)
    diary = Spreading()
    pipeline.set_callbacks(diary).fit(X, Y)
    assert [name for _, name, _ in diary.events].count("choose landmarks") == 2


@pytest.mark.parametrize("metric", ["cosine", BlockMetric(CachedDistances())])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_callbacks_are_called_in_order_and_in_the_thread_of_fit(metric, n_jobs):
    """Whatever thread evaluates."""
    objects = np.tile(X, (30, 1)) if metric == "cosine" else ["a", "bb", "ccc"] * 700
    diary = Diary()
    estimator = NystromDissimilarity(metric, n_landmarks=9, n_jobs=n_jobs)
    estimator.set_params(landmarks=list(range(9))).set_callbacks(diary).fit(objects)
    assert diary.threads == {current_thread().name}
    made = [f["n_comparisons"] for f in diary.facts if f]
    assert made[1:] == sorted(made[1:])


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("enough")])
@pytest.mark.parametrize("after", [3, 40, 90])
def test_a_callback_that_raises_loses_no_comparison(error, after, tmp_path):
    """Everything evaluated by then is in the cache, and callbacks are torn down."""
    words = [f"{i:b}" for i in range(2000)]
    estimator = NystromDissimilarity(
        InterruptedDistances(), n_landmarks=10, memory=str(tmp_path), random_state=0
    )
    InterruptedDistances.start()
    n_comparisons = clone(estimator).set_params(memory=None).fit(words).n_comparisons_
    InterruptedDistances.start()
    diary = Diary(error, after)
    with pytest.raises(type(error)):
        estimator.set_callbacks(diary).fit(words)
    assert diary.events[-1][0] == "teardown"
    assert "_progress" not in vars(estimator)
    assert 0 < InterruptedDistances.n_calls < n_comparisons
    estimator.set_callbacks().fit(words)
    assert InterruptedDistances.n_calls == n_comparisons


def test_a_callback_that_raises_stops_workers_and_loses_nothing(tmp_path):
    """With two threads what was handed out together is finished and kept."""
    words = [str(3**i) for i in range(100)] + [str(i) for i in range(9900)]
    metric = LockedDistances()
    estimator = NystromDissimilarity(
        BlockMetric(metric), n_landmarks=5, memory=str(tmp_path), random_state=0
    ).set_params(n_jobs=2, n_probes=0)
    LockedDistances.n_evaluated = 0
    clone(estimator).set_params(memory=None).fit(words)
    n_evaluated, LockedDistances.n_evaluated = LockedDistances.n_evaluated, 0
    with pytest.raises(KeyboardInterrupt):
        estimator.set_callbacks(Diary(KeyboardInterrupt(), 20)).fit(words)
    assert 0 < LockedDistances.n_evaluated < n_evaluated
    estimator.set_callbacks().fit(words)
    assert LockedDistances.n_evaluated == n_evaluated


class LockedDistances:
    """Differences of lengths, counted by several threads."""

    n_evaluated = 0
    lock = Lock()

    def __call__(self, rows, others):
        with LockedDistances.lock:
            LockedDistances.n_evaluated += len(rows) * len(others)
        return np.abs(np.subtract.outer([*map(len, rows)], [*map(len, others)]))


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("NeucMDS, stress", "refine"),
        ("NeucMDS, landmarks", "refine"),
        ("NyPCVM", "learn weights"),
        ("NyPCVM, training", "learn weights"),
    ],
)
def test_callbacks_may_end_iterations(name, stage):
    """After the first, without a warning that they did not converge."""
    diary = Diary(stop_at=stage)
    estimator = fitted(name, diary)
    assert estimator.n_iter_ == 1
    assert estimator.n_iter_ < fitted(name).n_iter_


def test_comparisons_are_never_ended_early():
    """A callback that asks for it is not heard."""
    diary = Diary(stop_at="compare objects")
    estimator = fitted("NystromDissimilarity", diary)
    np.testing.assert_array_equal(
        estimator.eigenvalues_, fitted("NystromDissimilarity").eigenvalues_
    )
