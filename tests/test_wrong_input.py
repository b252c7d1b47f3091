"""Input that is wrong, row by row: what fit and transform say about it, or do."""

import re
import warnings

import numpy as np
import pytest
from factories import CountedCalls
from proximities import (
    MARKS,
    ON_MATRICES,
    POINTS,
    D,
    K,
    N,
    changed,
    name_of,
    on_dissimilarities,
    on_similarities,
)
from scipy import sparse
from sklearn.base import clone

from skproxy import (
    BlockMetric,
    EBEKEmbedding,
    EigenCorrector,
    LandmarkComparisons,
    NeucMDS,
    NyIKFD,
    NyPCVM,
    Nystroem,
    NystromDissimilarity,
)

# %% NaN or infinite comparisons


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("estimator", "matrix"), ON_MATRICES)
def test_comparisons_that_are_not_finite_name_the_first_pair(estimator, matrix, bad):
    """In fit anywhere in the matrix, in transform where it is read."""
    wrong = changed(matrix, (7, 15, bad), (15, 7, bad), (9, 3, bad), (3, 9, bad))
    words = rf"{name_of(estimator)}.* must give finite .* got -?(nan|inf) .*\((3, 9)\)"
    with pytest.raises(ValueError, match=words):
        estimator.fit(wrong)
    estimator.fit(matrix)
    with pytest.raises(ValueError, match=rf"{name_of(estimator)}.* \((0, 15|2, 3)\)"):
        estimator.transform(wrong[7:10])


@pytest.mark.parametrize("estimator", on_dissimilarities().values())
def test_columns_of_no_landmark_may_hold_anything_in_transform(estimator):
    """They are never read; only the exact correction reads all of them."""
    expected = estimator.fit(D).transform(D)
    wrong = D.copy()
    others = np.setdiff1d(np.arange(N), MARKS)
    wrong[:, others[:8]], wrong[:, others[8:]] = np.nan, -1.0
    if estimator.n_landmarks_ == N:
        with pytest.raises(ValueError, match=r"finite .* for the pair \(0, 1\)"):
            estimator.transform(wrong)
    else:
        np.testing.assert_array_equal(estimator.transform(wrong), expected)


def not_finite(a, b):
    return np.nan if "xyz" in (a, b) and a != b else float(abs(len(a) - len(b)))


WORDS = ["a" * i for i in range(1, N)] + ["xyz"]


@pytest.mark.parametrize("wrap", [lambda f: f, BlockMetric])
def test_measures_that_give_nan_name_the_pair(wrap):
    """At the landmarks, at other objects and at new ones."""

    def blocks(rows, others):
        return [[not_finite(a, b) for b in others] for a in rows]

    metric = not_finite if wrap is not BlockMetric else BlockMetric(blocks)
    words = "metric of NystromDissimilarity must give finite comparisons; got nan for"
    for landmarks, pair in (([0, N - 1], (0, 19)), ([0, 1], (19, 0))):
        nystrom = NystromDissimilarity(metric, landmarks=landmarks, n_probes=0)
        with pytest.raises(
            ValueError, match=rf"{words} the pair \({pair[0]}, {pair[1]}"
        ):
            nystrom.fit(WORDS)
    nystrom = NystromDissimilarity(metric, landmarks=[0, 1]).fit(WORDS[:-1])
    with pytest.raises(ValueError, match=rf"{words} the pair \(1, 0\)"):
        nystrom.transform(["b", "xyz"])
    with pytest.raises(ValueError, match="kernel of Nystroem must give finite"):
        Nystroem(metric, landmarks=[0, N - 1]).fit(WORDS)


def test_vectors_that_are_not_finite_get_scikit_learns_message():
    """A name means vectors."""
    wrong = changed(POINTS, (4, 1, np.nan))
    for estimator in (Nystroem(n_components=4), NystromDissimilarity(n_landmarks=4)):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            estimator.fit(wrong)
        with pytest.raises(ValueError, match="Input X contains NaN"):
            estimator.fit(POINTS).transform(wrong)


# %% asymmetric precomputed matrix


@pytest.mark.parametrize(("estimator", "matrix"), ON_MATRICES)
def test_rounding_of_symmetry_is_averaged(estimator, matrix):
    """Within 1e-6 of the largest value, without a word."""
    gap = 5e-7 * matrix.max()
    askew = changed(matrix, (3, 8, matrix[3, 8] + gap), (0, 9, matrix[0, 9] - gap))
    average = (askew + askew.T) / 2
    before = askew.copy()
    one, other = estimator.fit_transform(askew), estimator.fit_transform(average)
    np.testing.assert_allclose(one, other, atol=1e-12)
    np.testing.assert_array_equal(askew, before)


@pytest.mark.parametrize(("estimator", "matrix"), ON_MATRICES)
def test_asymmetry_names_the_worst_pair_and_both_values(estimator, matrix):
    """Wherever it is, landmark or not."""
    gap = 2e-6 * matrix.max()
    askew = changed(
        matrix, (12, 5, matrix[12, 5] + 2 * gap), (1, 2, matrix[1, 2] + gap)
    )
    forth, back = (re.escape(repr(float(askew[i, j]))) for i, j in ((5, 12), (12, 5)))
    words = rf"must be symmetric; got {forth} for .*\(5, 12\) and {back} for \(12, 5\)"
    with pytest.raises(ValueError, match=rf"{name_of(estimator)}.* {words}.*'average'"):
        estimator.fit(askew)


@pytest.mark.parametrize("how", ["average", "min", "max"])
@pytest.mark.parametrize("kind", [*on_dissimilarities(), *on_similarities()])
def test_symmetrize_joins_the_directions_as_told(how, kind):
    """The same as joining them beforehand."""
    similar = kind not in on_dissimilarities()
    matrix = K if similar else D
    directed = matrix * np.where(np.triu(np.ones((N, N))) > 0, 1.0, 0.8)
    join = {"average": lambda a, b: (a + b) / 2, "min": np.minimum, "max": np.maximum}
    joined = join[how](directed, directed.T)
    make = on_similarities if similar else on_dissimilarities
    np.testing.assert_allclose(
        make(symmetrize=how)[kind].fit_transform(directed),
        make()[kind].fit_transform(joined),
        atol=1e-10,
    )


@pytest.mark.parametrize(
    ("estimator", "matrix"),
    [
        (NystromDissimilarity("precomputed", landmarks=[3, 1]), D),
        (Nystroem("precomputed", landmarks=[3, 1]), K),
        (EigenCorrector(landmarks=[3, 1]), K),
    ],
)
def test_landmark_columns_are_symmetric_among_landmarks(estimator, matrix):
    """That is all that such a matrix can show."""
    columns = matrix[:, [3, 1]]
    estimator.fit(columns)
    with pytest.raises(ValueError, match=r"must be symmetric; got .*\(3, 1\) and 9\.0"):
        estimator.fit(changed(columns, (1, 0, 9.0)))


# %% non-zero diagonal, similarities passed as dissimilarities


@pytest.mark.parametrize("estimator", on_dissimilarities().values())
def test_objects_unlike_themselves_are_listed(estimator):
    """Rounding passes; a similarity is recognised and sent where it belongs."""
    expected = estimator.fit_transform(D)
    tiny = changed(D, (3, 3, 5e-9 * D.max()), (6, 6, -5e-9 * D.max()))
    np.testing.assert_allclose(estimator.fit_transform(tiny), expected, atol=1e-6)
    wrong = changed(D, (3, 3, 2e-6 * D.max()), (6, 6, 0.5))
    with pytest.raises(ValueError, match=r"zero diagonal.* for the objects \[3, 6\]"):
        estimator.fit(wrong)
    words = r"and 15 more.*use Nystroem\(kernel=\.\.\.\) or EigenCorrector\("
    with pytest.raises(ValueError, match=words):
        estimator.fit(K)


@pytest.mark.parametrize("n_probes", [0, N])
def test_measures_that_are_similarities_are_recognised(n_probes):
    """At the landmarks, and at the probes where there are any."""
    words = "metric of NystromDissimilarity must give zero for an object and itself"
    with pytest.raises(ValueError, match=words):
        NystromDissimilarity(
            lambda a, b: float(np.exp(-np.abs(a - b).sum())),
            n_landmarks=4,
            n_probes=n_probes,
        ).fit(POINTS)
    last = POINTS[-1]

    def odd(a, b):
        return float(np.abs(a - b).sum()) + float(
            (a == last).all() and (b == last).all()
        )

    nystrom = NystromDissimilarity(odd, landmarks=MARKS, n_probes=n_probes)
    if n_probes:
        with pytest.raises(ValueError, match=r"\[1.0\] for the objects \[19\]"):
            nystrom.fit(POINTS)
    else:  # never asked
        nystrom.fit(POINTS)


def test_the_diagonal_of_landmark_columns_is_checked():
    """The columns say how far each landmark is from itself."""
    nystrom = NystromDissimilarity("precomputed", landmarks=[3, 1])
    with pytest.raises(ValueError, match=r"zero diagonal.*\[2.0\] .* \[3\]"):
        nystrom.fit(changed(D[:, [3, 1]], (3, 0, 2.0)))


# %% negative dissimilarities


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
@pytest.mark.parametrize("kind", on_dissimilarities())
def test_negative_dissimilarities_name_the_pair(kind, scale):
    """In fit and in transform, relative to the units; rounding becomes zero."""
    estimator = on_dissimilarities()[kind]
    unit = scale * D.max()
    tiny = changed(D * scale, (3, 8, -2e-9 * unit), (8, 3, -2e-9 * unit))
    zero = changed(D * scale, (3, 8, 0.0), (8, 3, 0.0))
    before = tiny.copy()
    np.testing.assert_allclose(
        estimator.fit_transform(tiny) / scale,
        estimator.fit_transform(zero) / scale,
        atol=1e-6,
    )
    np.testing.assert_array_equal(tiny, before)
    wrong = changed(D * scale, (3, 8, -1e-3 * unit), (8, 3, -1e-3 * unit))
    words = f"Negative values in data: {name_of(estimator)}"
    with pytest.raises(ValueError, match=rf"{words}.* got -.*\(3, 8\).*power=1"):
        estimator.fit(wrong)
    estimator.fit(D * scale)
    with pytest.raises(ValueError, match=rf"{words}.* got -.*\(0, 8\)"):
        estimator.transform(wrong[3:5])
    np.testing.assert_allclose(
        estimator.transform(tiny[3:5]) / scale,
        estimator.transform(zero[3:5]) / scale,
        atol=1e-6,
    )


@pytest.mark.parametrize("estimator", on_dissimilarities(power=1).values())
def test_squared_values_may_be_negative(estimator):
    """power=1 takes them as they are, in fit and in transform."""
    wrong = changed(D, (3, 8, -1.0), (8, 3, -1.0))
    Z = estimator.fit_transform(wrong)
    assert np.isfinite(Z).all()
    np.testing.assert_allclose(estimator.transform(wrong), Z, atol=1e-10)


def test_negative_measures_name_the_pair():
    """Measured like looked up."""

    def directed(a, b):
        return float(abs(len(a) - len(b)) * (-1 if "xyz" in (a, b) else 1))

    words = r"metric of NystromDissimilarity .* not negative; got -7\.0 for the pair"
    nystrom = NystromDissimilarity(directed, landmarks=[0, 9], n_probes=0)
    with pytest.raises(ValueError, match=rf"{words} \(9, 19\)"):
        nystrom.fit(WORDS)
    nystrom.fit(WORDS[:-1])
    with pytest.raises(ValueError, match=rf"{words} \(0, 9\)"):
        nystrom.transform(["xyz"])


# %% more landmarks than objects


@pytest.mark.parametrize(
    ("estimator", "X", "words"),
    [
        (
            NystromDissimilarity(n_landmarks=21),
            POINTS,
            "n_landmarks=21 of NystromDissimilarity is more than the 20 objects",
        ),
        (
            NystromDissimilarity("precomputed"),
            D,
            "n_landmarks=100 of NystromDissimilarity is more than the 20 objects",
        ),
        (
            EigenCorrector(n_landmarks=21),
            K,
            "n_landmarks=21 of EigenCorrector is more than the 20 objects",
        ),
        (Nystroem(), POINTS, "n_components > n_samples. This is not possible."),
        (Nystroem(n_landmarks=30), POINTS, "n_landmarks=30 of Nystroem is more than"),
    ],
)
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_more_landmarks_than_objects_become_all_with_one_warning(
    estimator, X, words, method
):
    """One warning, in fit only."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(estimator, method)(X)
        assert len(caught) == 1
        assert words in str(caught[0].message)
        assert caught[0].category is UserWarning
        assert sorted(estimator.component_indices_) == list(range(N))
        estimator.transform(X)
        assert len(caught) == 1


# %% wrong shape for precomputed


@pytest.mark.parametrize(("estimator", "matrix"), ON_MATRICES)
def test_other_shapes_say_what_was_expected_and_at_which_step(estimator, matrix):
    """Both shapes that would have done are named."""
    name = name_of(estimator)
    with pytest.raises(ValueError, match=rf"{name}.*\(n, n\), n = 20.*fit got .*20, 7"):
        estimator.fit(matrix[:, :7])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        estimator.fit(matrix[0])
    estimator.fit(matrix)
    m = estimator.n_landmarks_
    words = rf"{name}.*fitted \(20\) or per landmark \({m}\); transform got .*\(3, 7\)"
    with pytest.raises(ValueError, match=words):
        estimator.transform(matrix[:3, :7])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        estimator.transform(matrix[0])


def test_landmark_columns_need_the_positions_of_the_landmarks():
    """Without them nobody knows which object a column belongs to."""
    with pytest.raises(
        ValueError, match=r"together with landmarks= .* got .*\(20, 2\)"
    ):
        NystromDissimilarity("precomputed").fit(D[:, [3, 1]])
    nystrom = NystromDissimilarity("precomputed", landmarks=[3, 1], n_probes=6)
    with pytest.raises(ValueError, match="n_probes of NystromDissimilarity must be 0"):
        nystrom.fit(D[:, [3, 1]])


# %% sparse precomputed dissimilarities


@pytest.mark.parametrize("estimator", on_dissimilarities().values())
@pytest.mark.parametrize(
    "kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array]
)
def test_sparse_dissimilarities_are_refused(estimator, kind):
    """Missing is not zero."""
    words = rf"{name_of(estimator)}.* must be dense; got a sparse matrix.*'equal'"
    with pytest.raises(TypeError, match=words):
        estimator.fit(kind(D))
    with pytest.raises(TypeError, match=words):
        estimator.fit(D).transform(kind(D))


@pytest.mark.parametrize("estimator", on_similarities().values())
@pytest.mark.parametrize(
    "kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array]
)
def test_sparse_similarities_are_taken(estimator, kind):
    """Missing is zero there: nothing in common."""
    thin = np.where(K > 0.1, K, 0.0)
    expected = estimator.fit_transform(thin)
    np.testing.assert_allclose(
        estimator.fit_transform(kind(thin)), expected, atol=1e-12
    )
    rows = estimator.transform(thin)
    np.testing.assert_allclose(estimator.transform(kind(thin)), rows, atol=1e-12)


# %% one object, no features


def test_zero_features_get_scikit_learns_message():
    """0 feature(s) (shape=(4, 0)) while a minimum of 1 is required."""
    for estimator in (Nystroem(n_components=2), NystromDissimilarity(n_landmarks=2)):
        with pytest.raises(ValueError, match=r"0 feature\(s\) \(shape=\(4, 0\)\)"):
            estimator.fit(np.empty((4, 0)))
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            estimator.fit(np.empty((0, 3)))
        with pytest.raises(ValueError, match="3 features as input"):
            estimator.fit(POINTS).transform(POINTS[:, :2])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        EigenCorrector().fit(np.empty((0, 0)))


def test_one_object_is_where_it_is():
    """A single object is its own mean; a kernel knows its length."""
    one = np.array([[3.0, 4.0]])
    np.testing.assert_array_equal(
        NystromDissimilarity(n_landmarks=1).fit_transform(one), [[0.0]]
    )
    np.testing.assert_allclose(Nystroem("linear", n_components=1).fit_transform(one), 5)
    np.testing.assert_allclose(EigenCorrector().fit_transform([[9.0]]), [[9.0]])
    one = NystromDissimilarity(CountedCalls(not_finite), n_landmarks=1).fit(["a"])
    np.testing.assert_array_equal(one.transform(["bbb"]), [[0.0]])


def divergence(p, q):
    return float((p * np.log(p / q)).sum())


@pytest.mark.parametrize(
    "estimator",
    [
        NystromDissimilarity(n_landmarks=8, power=1),
        LandmarkComparisons(n_landmarks=8),
        NeucMDS(power=1),
        NeucMDS(power=1, n_landmarks=8),
        NyIKFD(n_landmarks=8, power=1),
        NyPCVM(n_landmarks=8, power=1),
        EBEKEmbedding(2, kernel="rbf"),
        EBEKEmbedding(2, kernel="rbf", n_landmarks=8),
        Nystroem(n_components=8),
    ],
    ids=lambda estimator: " ".join(str(estimator).split()),
)
def test_functions_whose_direction_matters_are_refused(estimator, rng):
    """With a pair both ways; symmetrize joins the ways, for old and new objects."""
    P = list(rng.dirichlet(np.ones(5), 30))
    y = np.arange(30) % 2
    role = "kernel" if "kernel" in estimator.get_params() else "metric"
    if isinstance(estimator, (NyIKFD, NyPCVM)):
        role = "metric"
    estimator = clone(estimator).set_params(**{role: divergence}, random_state=0)
    with pytest.raises(ValueError, match=r"must be symmetric; got .* for the pair"):
        estimator.fit(P, y)
    if "symmetrize" not in estimator.get_params():
        return
    estimator.set_params(symmetrize="average").fit(P, y)
    if hasattr(estimator, "fit_transform"):
        Z = estimator.fit_transform(P, y)
        atol = 1e-6 * np.abs(Z).max()
        np.testing.assert_allclose(estimator.transform(P), Z, atol=atol)


def test_a_gap_among_many_vectors_is_named_by_its_place(rng):
    """Row and column, what is there, and what to do; in fit and in transform."""
    X = rng.normal(size=(300, 4))
    model = NystromDissimilarity("cityblock", n_landmarks=10).fit(X)
    for gap in (np.nan, np.inf):
        wrong = changed(X, (123, 2, gap))
        for call in (model.fit, model.transform):
            with pytest.raises(ValueError, match=rf"got {gap} in row 123, column 2\. "):
                call(wrong)


def test_dates_are_no_comparisons():
    """What came is named, where numpy would only fail to subtract."""
    dates = np.array([["2020", "2021"], ["2021", "2020"]], dtype="datetime64[Y]")
    with pytest.raises(ValueError, match=r"must be numbers; got datetime64\[Y\]"):
        NystromDissimilarity("precomputed").fit(dates)
    spans = dates - dates[0, 0]
    with pytest.raises(ValueError, match=r"must be numbers; got timedelta64\[Y\]"):
        Nystroem("precomputed").fit(spans)
