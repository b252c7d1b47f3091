"""NeucMDS: the laws of its docstring, oracles, contract and words."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from factories import CountedCalls, dissimilarity_with, double_centred
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import config_context
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from skproxy import BlockMetric, NeucMDS
from skproxy.datasets import make_euclidean_balls, make_random_simplex
from skproxy.embedding import _partial_spectrum
from skproxy.metrics import stress

METHODS = ["cmds", "lower", "neuc", "neuc+", "stress"]
SETS = {
    "balls": (make_euclidean_balls(80, random_state=0), 2),
    "simplex": (make_random_simplex(80, n_positive=20, random_state=0), 1),
    "signed": (
        dissimilarity_with(
            np.r_[np.arange(20.0, 0, -1), np.arange(-15.0, 0)],
            80,
            np.random.RandomState(0),
        ),
        1,
    ),
}


def full(name, k, method, **params):
    _, power = SETS[name]
    return NeucMDS(k, metric="precomputed", power=power, method=method, **params)


@pytest.mark.parametrize(
    "estimator",
    [
        NeucMDS(),
        NeucMDS(n_landmarks=5),
        NeucMDS(metric="precomputed"),
        NeucMDS(method="stress", n_landmarks=5),
        NeucMDS(method="stress", tol=0.0, max_iter=2000),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:n_landmarks=.* is more than the:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_checks_pass(estimator):
    """check_estimator raises nothing, no failure expected."""
    check_estimator(estimator)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("method", METHODS)
def test_pairwise_gives_the_dissimilarities_back(name, method):
    """stress_ is the squared error of pairwise(embedding_), all ordered pairs."""
    D, power = SETS[name]
    mds = full(name, 7, method).fit(D)
    error = np.square(mds.pairwise(mds.embedding_) - D**power).sum()
    assert mds.stress_ == pytest.approx(error, rel=1e-8)
    assert mds.stress_ == pytest.approx(
        stress(D, mds.embedding_, axis_signs=mds.axis_signs_, power=power), rel=1e-8
    )
    assert mds.stress_lower_bound_ <= mds.stress_ * (1 + 1e-12)
    some = mds.pairwise(mds.embedding_[:5], mds.embedding_[3:9])
    np.testing.assert_allclose(some, mds.pairwise(mds.embedding_)[:5, 3:9], atol=1e-6)


@pytest.mark.parametrize("name", SETS)
def test_stress_never_increases_with_k(name):
    """More columns never mean a higher STRESS: the paradox is gone."""
    D, _ = SETS[name]
    ks = [*range(1, 8), 12, 20, 34, 35, 60]
    values = [full(name, k, "stress").fit(D).stress_ for k in ks]
    slack = 1e-12 * full(name, 1, "cmds").fit(D).stress_
    assert all(b <= a + slack for a, b in pairwise(values))


def test_classical_scaling_has_the_paradox():
    """cmds may get worse with more columns: what the others are there for."""
    D, _ = SETS["balls"]
    values = [full("balls", k, "cmds").fit(D).stress_ for k in range(1, 60, 4)]
    assert min(values) < 0.95 * values[-1]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("k", [1, 2, 10, 30])
def test_stress_is_never_above_the_others(name, k):
    """method="stress" is at least as good as neuc and neuc+, on any set."""
    D, _ = SETS[name]
    values = {m: full(name, k, m, max_iter=1000).fit(D).stress_ for m in METHODS}
    assert values["stress"] <= min(values["neuc"], values["neuc+"]) * (1 + 1e-12)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("method", METHODS[:4])
def test_transform_of_training_objects_is_the_embedding(name, method):
    """transform(train) is fit_transform(train)."""
    D, _ = SETS[name]
    mds = full(name, 9, method)
    Z = mds.fit_transform(D)
    np.testing.assert_allclose(mds.transform(D), Z, atol=1e-9 * np.abs(Z).max())


@pytest.mark.parametrize("name", SETS)
def test_refined_objects_are_placed_where_they_are(name):
    """At the end of the steps, each object is where its own STRESS is least."""
    D, _ = SETS[name]
    mds = full(name, 4, "stress", tol=1e-14, max_iter=5000)
    Z = mds.fit_transform(D)
    np.testing.assert_allclose(mds.transform(D), Z, atol=2e-3 * np.abs(Z).max())


@pytest.mark.parametrize("method", METHODS)
def test_euclidean_data_is_pca(rng, method):
    """For Euclidean distances of full dimension NeucMDS is PCA, up to sign."""
    X = rng.normal(size=(50, 4)) * [4.0, 3.0, 2.0, 1.0]
    new = rng.normal(size=(6, 4))
    pca = PCA(4).fit(X)
    mds = NeucMDS(6, method=method)
    Z = mds.fit_transform(X)
    np.testing.assert_allclose(np.abs(Z[:, :4]), np.abs(pca.transform(X)), atol=1e-9)
    np.testing.assert_array_equal(Z[:, 4:], 0.0)
    placed = np.abs(mds.transform(new))
    np.testing.assert_allclose(placed[:, :4], np.abs(pca.transform(new)), atol=1e-9)
    assert mds.signature_ == (4, 0, 2)


def test_cmds_is_classical_scaling(rng):
    """method="cmds" has the coordinates of the largest positive eigenvalues."""
    D = squareform(pdist(rng.normal(size=(40, 5)), "cityblock"))
    values, vectors = np.linalg.eigh(double_centred(D**2))
    expected = vectors[:, ::-1][:, :3] * np.sqrt(values[::-1][:3])
    Z = NeucMDS(3, metric="precomputed", method="cmds").fit_transform(D)
    np.testing.assert_allclose(np.abs(Z), np.abs(expected), atol=1e-10)


@pytest.mark.filterwarnings("ignore:n_components=7 of NeucMDS is more")
@pytest.mark.parametrize("n_landmarks", [None, 2])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "D",
    [
        np.array([[0.0, 3.0], [3.0, 0.0]]),
        np.zeros((6, 6)),
        np.kron(1 - np.eye(3), np.ones((3, 3))),
    ],
    ids=["two", "zero", "duplicates"],
)
def test_degenerate_input_gives_exact_columns(D, method, n_landmarks):
    """n = 2, all zeros, duplicates, k past n - 1: k finite columns, none invented."""
    mds = NeucMDS(
        7, metric="precomputed", method=method, n_landmarks=n_landmarks, random_state=0
    )
    Z = mds.fit_transform(D)
    assert Z.shape == (len(D), 7)
    assert np.isfinite(Z).all()
    assert np.isfinite(mds.transform(D)).all()
    assert sum(mds.signature_) == 7
    assert mds.signature_[1] == 0
    if n_landmarks is None:
        # a difference of sums that agree in all their digits
        assert mds.stress_ <= 1e-14 * np.square(D**2).sum()
        np.testing.assert_allclose(mds.pairwise(Z), D**2, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_landmarks", [None, 40])
def test_units_only_scale_the_result(method, n_landmarks):
    """Coordinates scale with the metric from 1e-60 to 1e60; nothing else changes."""
    D, _ = SETS["balls"]
    params = {"n_landmarks": n_landmarks, "random_state": 0}
    Z = full("balls", 5, method, **params).fit_transform(D)
    for unit in (2.0**-200, 2.0**200):
        other = full("balls", 5, method, **params).fit_transform(D * unit)
        np.testing.assert_array_equal(other / unit, Z)


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_objects_does_not_matter(method, rng):
    """Permuted objects get permuted coordinates, up to the sign of columns."""
    D, _ = SETS["signed"]
    order = rng.permutation(len(D))
    first = full("signed", 4, method, tol=1e-13, max_iter=5000).fit_transform(D)
    second = full("signed", 4, method, tol=1e-13, max_iter=5000).fit_transform(
        D[np.ix_(order, order)]
    )
    np.testing.assert_allclose(np.abs(second), np.abs(first[order]), atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_float32_stays_float32(method):
    """float32 comparisons give float32 coordinates near those of float64."""
    D, _ = SETS["balls"]
    mds = full("balls", 5, method)
    exact, signs = mds.fit_transform(D), mds.axis_signs_
    Z = mds.fit_transform(D.astype(np.float32))
    assert Z.dtype == mds.transform(D.astype(np.float32)).dtype == np.float32
    np.testing.assert_array_equal(mds.axis_signs_, signs)
    scale = np.abs(exact).max()
    np.testing.assert_allclose(np.abs(Z), np.abs(exact), atol=5e-2 * scale)


@pytest.mark.parametrize("n_landmarks", [None, 8])
def test_any_objects_with_any_callable(n_landmarks):
    """Strings under a function of two of them; each pair once, and nine both ways."""
    words = ["a", "is", "the", "that", "whose", "longer", "longest", "an", "or", "it"]
    gap = CountedCalls(lambda a, b: float(abs(len(a) - len(b))))
    mds = NeucMDS(1, metric=gap, n_landmarks=n_landmarks, random_state=0)
    Z = mds.fit_transform(words)
    lengths = np.array([len(w) for w in words])
    np.testing.assert_allclose(
        np.abs(Z[:, 0]), np.abs(lengths - lengths.mean()), atol=1e-9
    )
    assert gap.n_calls == mds.n_comparisons_
    if n_landmarks is None:
        assert gap.n_calls == 10 * 11 // 2 + 9
    placed = mds.transform(["nothing at all"])
    assert abs(placed[0, 0]) == pytest.approx(14 - lengths.mean())


def test_measures_named_callable_and_block_agree(rng):
    """The same measure by name, as a block and precomputed: the same map."""
    X, new = rng.normal(size=(30, 3)), rng.normal(size=(4, 3))
    block = BlockMetric(lambda a, b: cdist(a, b, "cityblock"))
    D, D_new = cdist(X, X, "cityblock"), cdist(new, X, "cityblock")
    expected = NeucMDS(4, metric="precomputed").fit(D)
    for metric in ("cityblock", block):
        mds = NeucMDS(4, metric=metric).fit(X)
        np.testing.assert_allclose(mds.embedding_, expected.embedding_, atol=1e-9)
        np.testing.assert_allclose(
            mds.transform(new), expected.transform(D_new), atol=1e-9
        )
    assert expected.components_ is None


def test_pandas_pickle_and_clone(rng):
    """Names go in and come out; a pickled estimator is the same one."""
    X = pd.DataFrame(rng.normal(size=(20, 3)), columns=["u", "v", "w"])
    mds = NeucMDS(2).set_output(transform="pandas")
    Z = mds.fit_transform(X)
    assert list(Z.columns) == ["neucmds0", "neucmds1"]
    assert list(mds.feature_names_in_) == ["u", "v", "w"]
    again = pickle.loads(pickle.dumps(mds))
    pd.testing.assert_frame_equal(again.transform(X), mds.transform(X))
    assert clone(mds).get_params() == mds.get_params()


def test_grid_search_in_a_pipeline(rng):
    """The parameters can be searched, precomputed matrices too."""
    X = np.r_[rng.normal(size=(20, 3)), rng.normal(size=(20, 3)) + 3.0]
    y = np.repeat([0, 1], 20)
    grid = {
        "neucmds__method": ["neuc", "neuc+", "stress"],
        "neucmds__n_landmarks": [None, 10],
        "neucmds__power": [1, 2],
    }
    for metric, data in (("euclidean", X), ("precomputed", cdist(X, X))):
        model = make_pipeline(
            NeucMDS(2, metric=metric, random_state=0), KNeighborsClassifier(3)
        )
        search = GridSearchCV(model, grid, cv=3).fit(data, y)
        assert search.best_score_ > 0.85


def test_the_callers_matrix_is_never_written(rng):
    """Read-only, Fortran-ordered and integer matrices work and stay what they are."""
    D = np.rint(10 * cdist(rng.normal(size=(20, 2)), rng.normal(size=(20, 2))))
    D = np.triu(D, 1) + np.triu(D, 1).T
    expected = NeucMDS(2, metric="precomputed").fit_transform(D)
    for given in (np.asfortranarray(D), D.astype(np.uint8), D.astype(np.int64)):
        given.setflags(write=False)
        Z = NeucMDS(2, metric="precomputed").fit_transform(given)
        np.testing.assert_allclose(Z, expected, atol=1e-9)


def test_asymmetric_matrices_are_joined_as_asked(rng):
    """symmetrize joins the two directions before anything else."""
    D = np.abs(dissimilarity_with([3.0, 1.0], 15, rng))
    skew = D * (1 + np.triu(np.ones_like(D)))
    with pytest.raises(ValueError, match="must be symmetric"):
        NeucMDS(metric="precomputed").fit(skew)
    for how, join in (("min", np.minimum), ("max", np.maximum)):
        Z = NeucMDS(metric="precomputed", symmetrize=how).fit_transform(skew)
        expected = NeucMDS(metric="precomputed").fit_transform(join(skew, skew.T))
        np.testing.assert_allclose(Z, expected, atol=1e-9)


def test_steps_are_printed_and_their_end_is_told(capsys):
    """verbose=2 prints STRESS after each step; max_iter ends with a warning."""
    D, _ = SETS["balls"]
    mds = full("balls", 5, "stress", verbose=2, max_iter=3, tol=0.0)
    with pytest.warns(ConvergenceWarning, match="max_iter=3 steps STRESS still falls"):
        mds.fit(D)
    lines = capsys.readouterr().out.splitlines()
    steps = [line for line in lines if "refine: step" in line]
    assert len(steps) == mds.n_iter_ == 3
    assert steps[-1].endswith(f" step 3 of at most 3, STRESS {mds.stress_:.6g}")


def test_words():
    """What is wrong is told with the parameter, the value and what to do."""
    D, _ = SETS["balls"]
    with pytest.raises(NotFittedError):
        NeucMDS().transform(D)
    mds = NeucMDS(3, metric="precomputed").fit(D)
    with pytest.raises(ValueError, match="n_components = 3 columns; got 2"):
        mds.pairwise(np.zeros((4, 2)))
    with pytest.raises(ValueError, match="one column per object fitted"):
        mds.transform(D[:2, :50])
    negative = -D
    with pytest.raises(ValueError, match="Negative values are allowed only with"):
        mds.fit(negative)
    assert np.isfinite(mds.set_params(power=1).fit_transform(negative)).all()
    broken = D.copy()
    broken[2, 5] = broken[5, 2] = np.nan
    with pytest.raises(ValueError, match=r"\(2, 5\)"):
        mds.fit(broken)
    with (
        config_context(skip_parameter_validation=False),
        pytest.raises(ValueError, match="'method' parameter of NeucMDS"),
    ):
        NeucMDS(method="best").fit(D)


@pytest.mark.parametrize("kind", [np.asarray, list])
def test_fitted_maps_do_not_share_the_callers_data(kind, rng):
    """What is written to X after fit moves no new object."""
    X = kind(rng.normal(size=(20, 3)))
    metric = "cityblock" if kind is np.asarray else lambda a, b: np.abs(a - b).sum()
    mds = NeucMDS(2, metric=metric).fit(X)
    new = kind(rng.normal(size=(4, 3)))
    before = mds.transform(new)
    for row in X:
        row *= 0
    np.testing.assert_array_equal(mds.transform(new), before)


@pytest.mark.parametrize("method", ["cmds", "lower", "neuc", "neuc+", "stress"])
@pytest.mark.parametrize("n_landmarks", [None, 8])
def test_comparisons_whose_squares_are_no_numbers_are_refused(method, n_landmarks, rng):
    """1e170 squared is beyond double precision; power=1 is not."""
    X = rng.normal(size=(20, 1))
    D = np.abs(X - X.T) * 1e170
    settings = {"n_landmarks": n_landmarks, "random_state": 0, "method": method}
    with pytest.raises(ValueError, match=r"double precision when raised to power=2"):
        NeucMDS(2, metric="precomputed", **settings).fit(D)


@pytest.mark.parametrize("method", ["cmds", "lower", "neuc", "neuc+", "stress"])
def test_equal_objects_are_one_point(method):
    """Fifty equal rows under cosine, and two values only with landmarks: no error."""
    equal = NeucMDS(2, metric="cosine", method=method).fit_transform(np.ones((50, 3)))
    np.testing.assert_allclose(equal, 0, atol=1e-7)
    X = np.arange(60)[:, None] % 2 * 1.0
    Z = NeucMDS(
        2, metric="cityblock", method=method, n_landmarks=10, random_state=0
    ).fit_transform(X)
    assert np.isfinite(Z).all()


@pytest.mark.parametrize("method", ["neuc", "neuc+", "cmds", "stress"])
def test_the_whole_spectrum_is_known(method, rng):
    """Trace, negative fraction and shares are of all eigenvalues, in any unit."""
    D = dissimilarity_with([9.0, 5.0, 2.0, -1.5, -6.0], 40, rng)
    a = np.array([9.0, 5.0, 2.0, -1.5, -6.0])
    for unit in (1.0, 1e3):
        mds = NeucMDS(2, metric="precomputed", power=1, method=method).fit(unit * D)
        assert mds.trace_ == pytest.approx(unit * a.sum())
        assert mds.negative_fraction_ == pytest.approx(7.5 / 23.5)
        columns = mds.weights_ if method == "stress" else mds.eigenvalues_
        columns = columns / unit
        np.testing.assert_allclose(mds.axis_shares(), np.abs(columns) / 23.5)
        np.testing.assert_allclose(mds.axis_shares("signed"), columns / 8.5)
    marked = NeucMDS(2, metric="precomputed", power=1, n_landmarks=15, random_state=0)
    marked.set_params(method=method).fit(D)
    assert marked.trace_ == pytest.approx(8.5)
    assert marked.negative_fraction_ == pytest.approx(7.5 / 23.5)


def test_shares_of_what_is_not_known_are_refused(monkeypatch, rng):
    """Lanczos sees the ends of the spectrum; the trace is known all the same."""
    monkeypatch.setattr(_partial_spectrum, "_SMALLEST_LANCZOS", 50)
    D = dissimilarity_with([9.0, 5.0, 2.0, -1.5, -6.0], 120, rng)
    mds = NeucMDS(2, metric="precomputed", power=1).fit(D)
    assert np.isnan(mds.negative_fraction_)
    np.testing.assert_allclose(mds.axis_shares("signed"), mds.eigenvalues_ / 8.5)
    with pytest.raises(ValueError, match=r"must be 'signed' here: .* 120 objects"):
        mds.axis_shares()
    with pytest.raises(ValueError, match="'absolute' or 'signed'; got 'positive'"):
        mds.axis_shares("positive")


@pytest.mark.parametrize("method", ["neuc", "neuc+", "stress"])
def test_stress_with_landmarks_does_not_rise_with_the_columns(method):
    """Columns that are further from the objects than none are left at zero."""
    D = make_euclidean_balls(300, random_state=0)
    found = []
    for k in (5, 15, 25, 35, 50):
        mds = NeucMDS(
            k, metric="precomputed", method=method, n_landmarks=50, random_state=0
        ).fit(D)
        found.append(stress(D, mds.embedding_, axis_signs=mds.axis_signs_, power=2))
    for before, after in pairwise(found):
        assert after <= 1.3 * before
    assert found[-1] <= 1.3 * min(found)
