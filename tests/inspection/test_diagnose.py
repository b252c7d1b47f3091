"""diagnose as a whole: what it takes, what it costs, what it refuses."""

import numpy as np
import pandas as pd
import pytest
from factories import CountedCalls, edit_distance
from scipy import sparse

from skproxy import BlockMetric, EigenCorrector, NystromDissimilarity
from skproxy.inspection import Diagnosis, LandmarkFit, diagnose

WORDS = [
    "heron", "herons", "hero", "zero", "zebra", "cobra", "copra", "copper", "pepper",
    "paper", "pacer", "racer", "racket", "rocket", "pocket", "packet",
]  # fmt: skip


def test_cost_is_bounded_and_counted():
    """The function is called as often as the result says, and no more than allowed."""
    counted = CountedCalls(edit_distance)
    diagnosis = diagnose(WORDS, metric=counted, max_comparisons=101, random_state=0)
    assert counted.n_calls == diagnosis.n_comparisons == 101
    assert (diagnosis.n_samples, diagnosis.n_objects) == (10, 16)
    assert diagnosis.cost.n_full == 136


def test_same_state_same_diagnosis(rng):
    """The sample, the halves and the landmarks come from random_state alone."""
    X = rng.normal(size=(400, 4))
    first, second = (
        diagnose(X, metric="cityblock", n_samples=50, random_state=3).spectrum
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.eigenvalues, second.eigenvalues)
    assert first.negative_fraction_interval == second.negative_fraction_interval


@pytest.mark.parametrize(
    "X",
    [
        np.arange(12.0).reshape(6, 2) ** 2,
        np.arange(12.0, dtype=np.float32).reshape(6, 2) ** 2,
        sparse.csr_matrix(np.arange(12.0).reshape(6, 2) ** 2),
        pd.DataFrame(np.arange(12.0).reshape(6, 2) ** 2, columns=["a", "b"]),
        (np.arange(12.0).reshape(6, 2) ** 2).tolist(),
    ],
    ids=["float64", "float32", "sparse", "frame", "lists"],
)
def test_vectors_of_any_kind(X):
    """Are compared by name, and give the same spectrum."""
    spectrum = diagnose(X, random_state=0).spectrum
    assert spectrum.signature == (2, 0, 4)


def test_objects_reach_the_function_untouched():
    """Strings in a list, a tuple or a Series; blocks keep their type."""
    seen = set()

    def block(rows, others):
        seen.update((type(rows), type(others)))
        return np.array([[edit_distance(a, b) for b in others] for a in rows])

    series = pd.Series(WORDS, index=range(100, 116))
    by_block = diagnose(series, metric=BlockMetric(block), random_state=0)
    assert seen == {pd.Series}
    by_pair = diagnose(tuple(WORDS), metric=edit_distance, random_state=0)
    np.testing.assert_allclose(
        by_block.spectrum.eigenvalues, by_pair.spectrum.eigenvalues
    )


def test_measures_of_strings_by_name():
    """The name goes into the call, which runs on the strings."""
    by_name = diagnose(WORDS, metric="levenshtein", random_state=0)
    by_pair = diagnose(WORDS, metric=edit_distance, random_state=0)
    np.testing.assert_allclose(
        by_name.spectrum.eigenvalues, by_pair.spectrum.eigenvalues
    )
    assert 'metric="levenshtein"' in by_name.recommendation.call
    namespace = {}
    exec(by_name.recommendation.code, namespace)
    assert namespace["model"].fit_transform(WORDS).shape == (16, 16)


def test_precomputed_and_measured_agree(rng):
    """A matrix of all pairs says what the function says."""
    X = rng.normal(size=(30, 3))
    D = np.abs(X[:, None] - X).sum(axis=-1)
    given = diagnose(D, metric="precomputed", random_state=0)
    made = diagnose(X, metric="cityblock", random_state=0)
    np.testing.assert_allclose(
        given.spectrum.eigenvalues, made.spectrum.eigenvalues, atol=1e-9
    )
    assert given.n_comparisons == 0
    assert given.cost.comparisons_per_second is None
    assert made.cost.comparisons_per_second > 0


def test_nothing_that_is_wrong_is_refused(rng):
    """Everything at once: a report, and the caller's matrix unchanged."""
    D = rng.normal(size=(20, 20))
    D[3, 4] = np.nan
    D[7, 8] = np.inf
    D.flags.writeable = False
    diagnosis = diagnose(D, y=np.arange(20) % 2, metric="precomputed", random_state=0)
    axioms = diagnosis.axioms
    assert not axioms.is_symmetric
    assert axioms.n_missing == 2
    assert axioms.n_negative > 0
    assert axioms.n_nonzero_diagonal == 20
    assert len(diagnosis.dropped) == 2
    assert "What to do" in repr(diagnosis)


def test_single_precision_is_not_taken_for_structure(rng):
    """float32 Euclidean distances are Euclidean, and a metric."""
    X = rng.normal(size=(60, 2))
    D = np.linalg.norm(X[:, None] - X, axis=-1).astype(np.float32)
    diagnosis = diagnose(D, metric="precomputed", random_state=0)
    assert diagnosis.spectrum.signature == (2, 0, 58)
    assert diagnosis.spectrum.negative_fraction_interval == (0.0, 0.0)
    assert diagnosis.axioms.triangle_violations == 0.0
    assert diagnosis.corrections.cailliez_constant == 0.0


def test_missing_features_are_missing_comparisons(rng):
    """An object with NaN in it is named, not refused."""
    X = rng.normal(size=(20, 3))
    X[6, 0] = np.nan
    diagnosis = diagnose(X, random_state=0)
    assert diagnosis.dropped.tolist() == [6]
    assert diagnosis.spectrum.signature == (3, 0, 16)


def test_targets_belong_to_their_objects(rng):
    """Alignment uses the targets of the sample, whatever their type."""
    X = np.vstack([rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 30])
    y = np.repeat(["left", "right"], 300)
    diagnosis = diagnose(X, y, n_samples=40, random_state=0)
    assert diagnosis.corrections.alignments["none"] > 0.95
    numbers = diagnose(X, X[:, 0], n_samples=40, random_state=0)
    assert numbers.corrections.alignments["none"] > 0.8


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=["None", "NaN", "NA"])
def test_objects_without_a_target_are_left_out(rng, missing):
    """Of alignment and scores, as if they had not been there; it is said how many."""
    X = rng.normal(size=(60, 3)) + np.repeat([0, 3], 30)[:, None]
    y = np.repeat(np.array(["left", "right"], dtype=object), 30)
    y[[4, 50]] = missing
    diagnosis = diagnose(X, pd.Series(y), metric="cityblock", random_state=0)
    assert diagnosis.corrections.n_unlabelled == 2
    assert "2 objects without one" in repr(diagnosis)
    known = np.delete(np.arange(60), [4, 50])
    corrector = EigenCorrector("flip", input="dissimilarity")
    K = corrector.fit_transform(np.abs(X[:, None] - X).sum(axis=-1))
    H = np.eye(58) - 1 / 58
    K = H @ K[np.ix_(known, known)] @ H
    Y = H @ np.equal.outer(y[known], y[known]).astype(float) @ H
    expected = (K * Y).sum() / np.linalg.norm(K) / np.linalg.norm(Y)
    assert diagnosis.corrections.alignments["flip"] == pytest.approx(expected)


def test_numbers_that_are_not_finite_are_missing(rng):
    """Infinite ones too."""
    X = rng.normal(size=(60, 3))
    numbers = np.where(np.arange(60) % 9 == 0, np.inf, X[:, 0])
    effects = diagnose(X, numbers, metric="cityblock", random_state=0).corrections
    assert effects.n_unlabelled == 7
    assert effects.scores.name == "R2"


def test_targets_are_checked_before_anything_is_compared(rng):
    """A slow measure is not waited for in vain; a column of labels is labels."""
    counted = CountedCalls(edit_distance)
    with pytest.raises(ValueError, match="y of diagnose must be one label"):
        diagnose(WORDS, WORDS[:3], metric=counted)
    assert counted.n_calls == 0
    column = diagnose(rng.normal(size=(20, 2)), np.arange(20)[:, None] % 2)
    assert column.corrections.alignments is not None


def test_values_too_large_to_be_squared_are_reported(rng):
    """As infinite, without a warning."""
    points = rng.normal(size=(30, 3))
    D = np.abs(points[:, None] - points).sum(axis=-1) * 1e200
    diagnosis = diagnose(D, metric="precomputed", random_state=0)
    assert "inf" in repr(diagnosis)
    assert 0 < diagnosis.spectrum.negative_fraction < 1
    assert not np.isnan(diagnosis.spectrum.eigenvalues).any()


@pytest.mark.parametrize(
    ("X", "settings", "words"),
    [
        (WORDS, {}, r"X of diagnose must be a table of numbers.*'euclidean'; got list "
         r"of str\. Strings need a measure of strings \(metric='levenshtein'\)"),
        ([[1.0], [1.0, 2.0]], {"metric": "cityblock"}, "'cityblock'; got list of list"),
        (NystromDissimilarity, {}, "a table of numbers, a row for each object"),
        (np.ones(6), {"metric": "precomputed"},
         r"a square matrix.*shape \(6,\)\. scipy.spatial.distance.squareform makes"),
        (np.ones(5), {"kernel": "precomputed"}, r"got shape \(5,\)\.$"),
    ],
)  # fmt: skip
def test_words_about_what_is_no_table(X, settings, words):
    """What must hold, what came and what to do, rather than 'Reshape your data'."""
    with pytest.raises(ValueError, match=words):
        diagnose(X, **settings)


def test_estimators_are_told_from_data(rng):
    """A fitted estimator and new objects give another result."""
    X = rng.normal(size=(60, 2))
    nystrom = NystromDissimilarity(n_landmarks=20, random_state=0).fit(X)
    assert isinstance(diagnose(nystrom, X), LandmarkFit)
    assert isinstance(diagnose(X), Diagnosis)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_samples": 1}, "n_samples of diagnose must be an integer of at least 2"),
        ({"max_comparisons": 1e5}, "max_comparisons of diagnose must be an integer"),
        ({"n_resamples": 0}, "n_resamples of diagnose must be an integer of at least"),
        ({"power": -1}, "power of diagnose must be a positive number; got -1"),
        ({"y": [0, 1]}, r"y of diagnose must be one label.*6 objects; got shape \(2,"),
        ({"y": "rbf"}, "got 'rbf'. A measure is passed by its name: metric='rbf'"),
        ({"metric": "no such"}, "metric of diagnose must be a name.*got 'no such'"),
        ({"kernel": "no such"}, "kernel of diagnose must be one of.*got 'no such'"),
    ],
)
def test_words_of_errors(rng, settings, words):
    """What must hold and what came."""
    with pytest.raises(ValueError, match=words):
        diagnose(rng.normal(size=(6, 2)), **settings)
