"""Progress of every estimator: what is printed, and what an interruption leaves."""

import re

import numpy as np
import pytest
from factories import InterruptedBlocks, InterruptedDistances, edit_distance
from sklearn.base import clone

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

N = 300
WORDS = [
    "".join(np.random.RandomState(i).choice(list("abc"), size=i % 6 + 1))
    for i in range(N)
]
LABELS = np.array([(len(w) > 3) ^ (i % 10 == 0) for i, w in enumerate(WORDS)])


def square(objects):
    return np.array([[edit_distance(a, b) for b in objects] for a in objects])


def length_gaps(rows, others):
    return np.abs(np.subtract.outer([*map(len, rows)], [*map(len, others)]))


D = square(WORDS[:80])
VECTORS = D[:, 1:]  # not taken for the matrix that they come from

#: Estimators of words by a measure, and how many words they are to see.
OF_WORDS = {
    "Nystroem": (lambda m, **p: Nystroem(m, n_components=10, **p), N),
    "NystromDissimilarity": (
        lambda m, **p: NystromDissimilarity(m, n_landmarks=10, **p),
        N,
    ),
    "selected": (
        lambda m, **p: NystromDissimilarity(m, n_landmarks=9, landmarks="kmeans", **p),
        N,
    ),
    "NeucMDS": (lambda m, **p: NeucMDS(2, metric=m, **p), 60),
    "NeucMDS, landmarks": (lambda m, **p: NeucMDS(2, metric=m, n_landmarks=10, **p), N),
    "EBEKEmbedding": (lambda m, **p: EBEKEmbedding(3, kernel=m, **p), 60),
    "EBEKEmbedding, landmarks": (
        lambda m, **p: EBEKEmbedding(3, kernel=m, n_landmarks=10, **p),
        N,
    ),
    "NyIKFD": (lambda m, **p: NyIKFD(metric=m, n_landmarks=10, **p), N),
    "NyPCVM": (lambda m, **p: NyPCVM(metric=m, n_landmarks=10, **p), N),
    "NyPCVM, training": (
        lambda m, **p: NyPCVM(metric=m, n_landmarks=10, basis="training", tol=0.1, **p),
        N,
    ),
}


def of_words(name, measure, **params):
    make, size = OF_WORDS[name]
    return make(measure, random_state=0, **params), WORDS[:size], LABELS[:size]


def stages(text):
    """Return the comparisons printed in each stage, and their total, in order."""
    found = {}
    pattern = r"\. ([a-z ]+\d*): (\d+)(?: of (\d+)| comparisons), \d+/s"
    for name, done, total in re.findall(pattern, text):
        found.setdefault((name, total and int(total)), []).append(int(done))
    return found


def last_line(text):
    return re.search(r"\. (\d+) comparisons, total=[\d.]+(s|min|h)$", text.strip())


@pytest.mark.parametrize("name", list(OF_WORDS))
@pytest.mark.parametrize("measure", [edit_distance, BlockMetric(length_gaps)])
def test_what_is_printed_adds_up(name, measure, capsys):
    """Every stage reaches its total, and the sum is what the fit counted."""
    estimator, X, y = of_words(name, measure, verbose=2)
    estimator.fit(X, y)
    text = capsys.readouterr().out
    found = stages(text)
    assert ("choose landmarks", "") in found or "selected" not in name
    for (_, total), done in found.items():
        assert done == sorted(done)
        if total:
            assert done[-1] == total
    made = int(last_line(text)[1])
    assert made == sum(done[-1] for done in found.values()) == estimator.n_comparisons_
    owner = type(estimator).__name__
    assert all(line.startswith(f"[{owner}] ...") for line in text.splitlines())


@pytest.mark.parametrize(
    ("estimator", "X"),
    [
        (Nystroem(n_components=5, random_state=0), VECTORS),
        (Nystroem("sigmoid", n_components=5, random_state=0), VECTORS),
        (Nystroem("precomputed", n_components=5, random_state=0), -D),
        (NystromDissimilarity("cityblock", n_landmarks=5, random_state=0), VECTORS),
        (NystromDissimilarity(landmarks=VECTORS[:5] + 0.5), VECTORS),
        (NystromDissimilarity("precomputed", n_landmarks=5, random_state=0), D),
        (NystromDissimilarity("precomputed", landmarks=[4, 1, 7]), D[:, [4, 1, 7]]),
        (
            NystromDissimilarity("precomputed", n_landmarks=5, symmetrize="min"),
            np.triu(D) + D,
        ),
        (NeucMDS(metric="precomputed"), D),
        (NeucMDS(metric="precomputed", symmetrize="min"), np.triu(D) + D),
        (NeucMDS(metric="precomputed", landmarks=[4, 1, 7]), D[:, [4, 1, 7]]),
        (EBEKEmbedding(kernel="rbf"), VECTORS),
        (EBEKEmbedding(kernel="precomputed"), -D),
        (EigenCorrector(), -D),
        (EigenCorrector("flip", n_landmarks=8, input="dissimilarity"), D),
    ],
)
def test_matrices_and_names_add_up_too(estimator, X, capsys):
    """Whatever comparisons come from, totals are known before and are reached."""
    estimator.set_params(verbose=2).fit(X)
    text = capsys.readouterr().out
    found = stages(text)
    assert found
    for (name, total), done in found.items():
        assert done[-1] == total or name == "compare pairs"
    made = int(last_line(text)[1])
    assert made == sum(done[-1] for done in found.values())
    assert made == getattr(estimator, "n_comparisons_", made)


@pytest.mark.parametrize("name", list(OF_WORDS))
def test_nothing_is_printed_unless_asked_for(name, capsys):
    """verbose=0 is silent, and the results are those of any other verbosity."""
    estimator, X, y = of_words(name, BlockMetric(length_gaps))
    read = "predict" if name.startswith("Ny") and "s" not in name[:4] else "transform"
    read = read if hasattr(estimator, read) else "transform"
    quiet = getattr(estimator.fit(X, y), read)(X)
    assert capsys.readouterr().out == ""
    estimator.set_params(verbose=2)
    np.testing.assert_array_equal(getattr(estimator.fit(X, y), read)(X), quiet)
    assert "_progress" not in vars(estimator)
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("estimator", "read"),
    [
        (NystromDissimilarity("cityblock", n_landmarks=5), "transform"),
        (Nystroem(n_components=5), "transform"),
        (Nystroem("sigmoid", n_components=5), "transform"),
        (NeucMDS(n_landmarks=5), "transform"),
        (EBEKEmbedding(kernel="rbf", n_landmarks=5), "transform"),
        (EigenCorrector(n_landmarks=5), "transform"),
        (NyIKFD(n_landmarks=5), "predict"),
        (NyPCVM(n_landmarks=5), "decision_function"),
    ],
)
def test_comparisons_of_new_objects_are_told_too(estimator, read, capsys):
    """Transformations and predictions can take longer than fit."""
    estimator.set_params(verbose=2, random_state=0)
    X = D if isinstance(estimator, EigenCorrector) else VECTORS
    estimator.fit(X, LABELS[:80])
    capsys.readouterr()
    getattr(estimator, read)(X[:60])
    n_columns = getattr(estimator, "n_landmarks_", 5)
    (stage,) = stages(capsys.readouterr().out).items()
    assert stage == (("compare objects", 60 * n_columns), [60 * n_columns])


def test_batches_are_told_one_by_one(capsys):
    """partial_fit counts what the batch costs."""
    estimator = NystromDissimilarity(n_landmarks=5, random_state=0, verbose=2)
    estimator.partial_fit(VECTORS[:50])
    first = estimator.n_comparisons_
    assert int(last_line(capsys.readouterr().out)[1]) == first
    estimator.partial_fit(VECTORS[50:])
    text = capsys.readouterr().out
    (objects, told), *probes = stages(text).items()
    assert (objects, told) == (("compare objects", 150), [150])
    assert all(name == "compare probes" for (name, _), _ in probes)
    assert estimator.n_comparisons_ == first + int(last_line(text)[1])


def test_features_of_the_objects_fitted_are_told(capsys):
    """fit_transform compares them where fit needed no pass."""
    Nystroem(n_components=5, random_state=0, verbose=2).fit_transform(VECTORS)
    found = stages(capsys.readouterr().out)
    assert found == {("compare landmarks", 15): [15], ("compare objects", 400): [400]}


@pytest.mark.parametrize("measure", [edit_distance, BlockMetric(length_gaps), "cosine"])
def test_parallel_blocks_are_told_in_order(measure, capsys):
    """Counts rise to the total, whatever runs in which thread or process."""
    X = np.tile(D, (40, 1)) if measure == "cosine" else WORDS * 4
    texts = []
    for n_jobs in (1, 2):
        estimator = NystromDissimilarity(
            measure, n_landmarks=10, random_state=0, verbose=2, n_jobs=n_jobs
        )
        estimator.fit(X).transform(X)
        texts.append(capsys.readouterr().out)
        for (_, total), done in stages(texts[-1]).items():
            assert done == sorted(done)
            assert done[-1] == total
    assert last_line(texts[0].split("total=")[0] + "total=0s") is not None
    assert [*stages(texts[0])] == [*stages(texts[1])]


@pytest.mark.parametrize("name", list(OF_WORDS))
@pytest.mark.parametrize(
    "measure", [InterruptedDistances(), BlockMetric(InterruptedBlocks())]
)
def test_an_interruption_loses_no_finished_block(measure, name, tmp_path):
    """With memory= the second fit makes what the first did not finish, and no more."""
    estimator, X, y = of_words(name, measure, memory=str(tmp_path / "a"))
    InterruptedDistances.start()
    expected = estimator.fit(X, y).n_comparisons_
    n_calls = InterruptedDistances.n_calls
    largest_block = 5120 if isinstance(measure, BlockMetric) else 4096
    for share in (0.3, 0.99):
        estimator.set_params(memory=str(tmp_path / str(share)))
        InterruptedDistances.start(int(share * n_calls))
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(X, y)
        before = InterruptedDistances.n_calls
        InterruptedDistances.start()
        estimator.fit(X, y)
        again = before + InterruptedDistances.n_calls - n_calls
        assert 0 <= again < min(before + 1, largest_block)
        assert estimator.n_comparisons_ == expected
    InterruptedDistances.start()
    estimator.fit(X, y)
    assert InterruptedDistances.n_calls == 0


def test_an_interrupted_batch_can_be_repeated(tmp_path):
    """The estimator is as before the batch, and finished blocks are not paid again."""
    X, batch = WORDS[:60], WORDS * 5
    estimator = NystromDissimilarity(
        InterruptedDistances(), n_landmarks=10, memory=str(tmp_path), random_state=0
    )
    InterruptedDistances.start()
    estimator.partial_fit(X)
    state = estimator.eigenvalues_, estimator.n_comparisons_
    n_new = len(batch) * 10
    InterruptedDistances.start(n_new // 2)
    with pytest.raises(KeyboardInterrupt):
        estimator.partial_fit(batch)
    assert estimator.eigenvalues_ is state[0]
    assert estimator.n_comparisons_ == state[1]
    InterruptedDistances.start()
    estimator.partial_fit(batch)
    again = clone(estimator).set_params(memory=None)
    assert n_new // 2 <= InterruptedDistances.n_calls < n_new // 2 + 4096
    again.partial_fit(X).partial_fit(batch)
    assert estimator.n_comparisons_ == again.n_comparisons_ >= state[1] + n_new
