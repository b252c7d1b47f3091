import numpy as np
import pandas as pd
import pytest
from factories import (
    CachedDistances,
    CountedBlocks,
    CountedCalls,
    dissimilarity_with,
    double_centred,
    edit_distance,
    process_of,
)
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from skproxy import BlockMetric, NystromDissimilarity

CORRECTIONS = ["flip", "clip", "square", "shift", None]


@pytest.fixture
def points(rng):
    return rng.normal(size=(200, 4)) * [4, 3, 2, 1]


@pytest.fixture
def words(rng):
    return ["".join(rng.choice(list("abc"), size=rng.randint(0, 9))) for _ in range(60)]


def test_euclidean_distances_give_principal_components(points):
    """On a Euclidean metric the axes are PCA's scores, also for new points."""
    nystrom = NystromDissimilarity(
        n_landmarks=20, n_components=4, random_state=0, scale="metric"
    )
    Z = nystrom.fit_transform(points)
    pca = PCA(4).fit(points)
    np.testing.assert_allclose(np.abs(Z), np.abs(pca.transform(points)), atol=1e-10)
    new = points[:10] + 1.0
    np.testing.assert_allclose(
        np.abs(nystrom.transform(new)), np.abs(pca.transform(new)), atol=1e-10
    )
    assert nystrom.signature_ == (4, 0, 196)
    np.testing.assert_allclose(
        nystrom.eigenvalues_[:4], pca.explained_variance_ * 199, rtol=1e-10
    )


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("power", [1, 2, 0.5])
@pytest.mark.parametrize("n_components", [None, 3, 40])
def test_transform_of_the_training_data_is_fit_transform(
    correction, power, n_components, points
):
    """Old objects get their coordinates back, for every correction and power."""
    nystrom = NystromDissimilarity(
        "cityblock",
        power=power,
        correction=correction,
        n_landmarks=15,
        n_components=n_components,
        random_state=0,
    )
    Z = nystrom.fit_transform(points)
    assert Z.shape == (200, n_components or 15)
    scale = np.abs(Z).max()
    np.testing.assert_allclose(nystrom.transform(points), Z, atol=1e-10 * scale)
    direct = (cdist(points, nystrom.components_, "cityblock") ** power) - nystrom.mean_
    np.testing.assert_allclose(direct @ nystrom.normalization_.T, Z, atol=1e-9 * scale)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_all_objects_as_landmarks_give_the_exact_correction(correction, rng):
    """The dense N x N matrix, corrected by its eigenvalues, to 1e-10."""
    D = dissimilarity_with(rng.normal(size=29) * 10, 30, rng)
    nystrom = NystromDissimilarity(
        "precomputed",
        power=1,
        n_landmarks=30,
        correction=correction,
        rank=None,
        scale="metric",
    )
    Z = nystrom.fit_transform(D)
    S = double_centred(D)
    a, U = np.linalg.eigh(S)
    a[np.abs(a) < 1e-10] = 0
    corrected = {
        "flip": np.abs(a),
        "clip": np.maximum(a, 0),
        "square": a**2,
        "shift": np.where(a != 0, a - a.min(), 0),
        None: a,
    }[correction]
    signs = nystrom.axis_signs_ if correction is None else 1.0
    np.testing.assert_allclose((Z * signs) @ Z.T, (U * corrected) @ U.T, atol=1e-10)
    np.testing.assert_allclose(np.sort(nystrom.eigenvalues_), a, atol=1e-11)
    assert nystrom.signature_ == ((a > 0).sum(), (a < 0).sum(), (a == 0).sum())
    np.testing.assert_allclose(
        np.sort(nystrom.corrected_eigenvalues_), np.sort(corrected), atol=1e-10
    )


def test_pseudo_euclidean_coordinates_give_the_dissimilarities_back(rng):
    """With correction=None, D_ij = sum of signs (z_i - z_j)^2, new objects included."""
    D = dissimilarity_with([5.0, -3.0, 2.0, -1.0], 50, rng)
    nystrom = NystromDissimilarity(
        "precomputed",
        power=1,
        correction=None,
        n_landmarks=12,
        random_state=0,
        scale="metric",
    )
    nystrom.fit(D[:40, :40])
    Z = nystrom.transform(D[:, :40])
    gaps = Z[:, None] - Z[None]
    np.testing.assert_allclose((gaps**2) @ nystrom.axis_signs_, D, atol=1e-9)


def test_strings_and_other_sequences_reach_the_metric_untouched(words):
    """Lists, tuples, object arrays, token lists: the same coordinates, no cast."""
    seen = set()

    def metric(a, b):
        seen.add(type(a))
        return edit_distance(a, b)

    options = {"n_landmarks": 10, "random_state": 0}
    expected = NystromDissimilarity(metric, **options).fit_transform(words)
    assert seen == {str}
    for X in (tuple(words), np.array(words, dtype=object)):
        Z = NystromDissimilarity(metric, **options).fit_transform(X)
        np.testing.assert_array_equal(Z, expected)
    seen.clear()
    tokens = [list(word) for word in words]
    Z = NystromDissimilarity(metric, **options).fit_transform(tokens)
    np.testing.assert_array_equal(Z, expected)
    assert seen == {list}


def test_scalar_and_block_measures_agree(words):
    """The same coordinates, and exactly counted comparisons."""

    def block(rows, others):
        return np.array([[edit_distance(a, b) for b in others] for a in rows])

    scalar, blocks = CountedCalls(edit_distance), CountedBlocks(block)
    options = {"n_landmarks": 10, "random_state": 0}
    one = NystromDissimilarity(scalar, **options)
    Z = one.fit_transform(words)
    assert scalar.n_calls == one.n_comparisons_ <= 2 * 60 * 10
    other = NystromDissimilarity(BlockMetric(blocks), **options)
    np.testing.assert_allclose(other.fit_transform(words), Z, atol=1e-12)
    scalar.n_calls = blocks.n_evaluated = 0
    one.transform(words[:7])
    other.transform(words[:7])
    assert scalar.n_calls == blocks.n_evaluated == 7 * 10


@pytest.mark.parametrize("n", [30, 120, 1500])
def test_fit_costs_at_most_the_block_and_half_the_probes_squared(n, rng):
    """N m + e (e + 1) / 2 calls, never more than 1.5 N m, fit_transform too."""
    X = list(rng.normal(size=n))
    m = 10
    for method in ("fit", "fit_transform"):
        gap = CountedCalls(lambda a, b: abs(a - b))
        nystrom = NystromDissimilarity(gap, n_landmarks=m, random_state=0)
        getattr(nystrom, method)(X)
        extra = min(6 * m + 160, int(np.sqrt(n * m)), n)
        assert gap.n_calls == nystrom.n_comparisons_
        assert gap.n_calls <= n * m + extra * (extra + 1) / 2
        assert gap.n_calls <= 1.5 * n * m


def test_landmarks_by_position_and_by_object(words):
    """Positions and the objects at these positions give the same coordinates."""
    marks = [3, 10, 20, 30, 40, 50]
    by_position = NystromDissimilarity(
        edit_distance, landmarks=marks, n_probes=0, random_state=0
    ).fit(words)
    assert by_position.n_landmarks_ == 6
    np.testing.assert_array_equal(by_position.component_indices_, marks)
    objects = [words[i] for i in marks]
    by_object = NystromDissimilarity(
        edit_distance, landmarks=objects, n_probes=0, random_state=0
    ).fit(words)
    assert by_object.component_indices_ is None
    assert by_object.components_ == objects
    np.testing.assert_allclose(
        by_object.transform(words), by_position.transform(words), atol=1e-10
    )


def test_landmarks_outside_the_data_are_exact_for_a_euclidean_metric(points, rng):
    """Distances come back from any landmarks that span the space."""
    marks = rng.normal(size=(8, 4)) * 5
    Z = NystromDissimilarity(landmarks=marks, scale="metric").fit_transform(points)
    np.testing.assert_allclose(cdist(Z, Z), cdist(points, points), atol=1e-9)


@pytest.mark.parametrize("n_chunks", [2, 3, 10])
def test_partial_fit_in_chunks_equals_fit(n_chunks, points, rng):
    """Given landmark objects and the papers' core, the map is the same: so is all."""
    marks = rng.normal(size=(9, 4)) * 3
    options = {"metric": "cityblock", "landmarks": marks, "n_probes": 0}
    whole = NystromDissimilarity(**options).fit(points)
    parts = NystromDissimilarity(**options)
    for chunk in np.array_split(points, n_chunks):
        parts.partial_fit(chunk)
    assert parts.n_samples_seen_ == 200
    scale = np.abs(whole.eigenvalues_).max()
    np.testing.assert_allclose(
        parts.eigenvalues_, whole.eigenvalues_, atol=1e-11 * scale
    )
    np.testing.assert_allclose(parts.mean_, whole.mean_, rtol=1e-12)
    # Scale of units and reference may differ, the axes may not.
    np.testing.assert_allclose(
        parts.transform(points)[:, :4], whole.transform(points)[:, :4], atol=1e-9
    )
    assert parts.n_comparisons_ == whole.n_comparisons_


def test_partial_fit_reads_more_than_its_first_batch(points):
    """Exact for a Euclidean metric: after all batches, PCA of all data."""
    nystrom = NystromDissimilarity(
        n_landmarks=10, n_components=4, random_state=0, scale="metric"
    )
    for chunk in np.array_split(points, 4):
        nystrom.partial_fit(chunk)
    pca = PCA(4).fit(points)
    np.testing.assert_allclose(
        np.abs(nystrom.transform(points)), np.abs(pca.transform(points)), atol=1e-9
    )


def test_comparisons_are_cached_across_a_grid(words, tmp_path):
    """A grid over correction, power and columns pays for its comparisons once."""
    CachedDistances.n_evaluated = 0
    pipeline = Pipeline(
        [
            (
                "nystrom",
                NystromDissimilarity(
                    BlockMetric(CachedDistances()),
                    n_landmarks=8,
                    memory=str(tmp_path),
                    random_state=0,
                ),
            ),
            ("ridge", RidgeClassifier()),
        ]
    )
    y = np.array([len(w) % 2 for w in words])
    fit_once = clone(pipeline).fit(words, y)
    once = CachedDistances.n_evaluated
    assert once > 0
    grid = {
        "nystrom__correction": ["flip", "clip", None],
        "nystrom__power": [1, 2],
        "nystrom__n_components": [2, 8],
    }
    for parameters in ({"nystrom__correction": "clip", "nystrom__power": 1},):
        clone(pipeline).set_params(**parameters).fit(words, y)
    assert CachedDistances.n_evaluated == once
    search = GridSearchCV(pipeline, grid, cv=3).fit(words, y)
    spent = CachedDistances.n_evaluated - once
    CachedDistances.n_evaluated = 0
    GridSearchCV(pipeline, {"ridge__alpha": [1.0]}, cv=3).fit(words, y)
    assert CachedDistances.n_evaluated == 0
    n_folds_comparisons = 3 * 2 * 60 * 8
    assert spent <= n_folds_comparisons
    assert fit_once["nystrom"].n_comparisons_ <= 2 * 60 * 8
    assert search.best_score_ > 0


def test_results_do_not_depend_on_n_jobs(words, points):
    """Bitwise the same with two workers, for callables in processes too."""
    for metric, X in ((edit_distance, words), ("cityblock", np.tile(points, (20, 1)))):
        one, two = (
            NystromDissimilarity(
                metric, n_landmarks=10, random_state=0, n_jobs=n
            ).fit_transform(X)
            for n in (None, 2)
        )
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("scale", [1e-100, 1e-50, 1e50, 1e100])
def test_coordinates_scale_with_the_metric(scale, points):
    """Dissimilarities times c give coordinates times c, from 1e-100 to 1e100."""
    D = cdist(points, points, "cityblock")
    options = {"n_landmarks": 20, "n_components": 5, "random_state": 0}
    expected = NystromDissimilarity(
        "precomputed", **options, scale="metric"
    ).fit_transform(D)
    nystrom = NystromDissimilarity("precomputed", **options, scale="metric")
    Z = nystrom.fit_transform(D * scale)
    np.testing.assert_allclose(Z / scale, expected, atol=1e-8)
    np.testing.assert_allclose(
        nystrom.transform(D * scale) / scale, Z / scale, atol=1e-8
    )
    assert nystrom.negative_fraction_ == pytest.approx(
        NystromDissimilarity("precomputed", **options, scale="metric")
        .fit(D)
        .negative_fraction_
    )


def test_float32_stays_float32(points):
    """float32 in, float32 out, near the float64 result; integers give float64."""
    options = {"metric": "cityblock", "n_landmarks": 20, "n_components": 4}
    expected = NystromDissimilarity(**options, random_state=0).fit_transform(points)
    single = NystromDissimilarity(**options, random_state=0)
    Z = single.fit_transform(points.astype(np.float32))
    assert Z.dtype == np.float32
    assert single.transform(points.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(Z, expected, atol=1e-3)
    whole = NystromDissimilarity(**options).fit_transform(points.round().astype(int))
    assert whole.dtype == np.float64


def test_shares_of_axes_are_those_of_the_columns(points):
    """Shares follow the columns, also where clipping reorders them."""
    nystrom = NystromDissimilarity(
        "cityblock", n_landmarks=20, correction="clip", random_state=0
    ).fit(points)
    shares = nystrom.axis_shares("positive")
    assert shares.sum() == pytest.approx(1.0)
    assert (np.diff(shares) <= 0).all()
    assert nystrom.axis_shares("absolute").sum() == pytest.approx(1.0)


def test_set_output_and_feature_names(points):
    """Columns are named after the class, as everywhere in scikit-learn."""
    frame = pd.DataFrame(points, index=[f"s{i}" for i in range(200)]).rename(
        columns=str
    )
    nystrom = NystromDissimilarity(n_landmarks=5, random_state=0)
    out = nystrom.set_output(transform="pandas").fit_transform(frame)
    assert out.columns.tolist() == [f"nystromdissimilarity{i}" for i in range(5)]
    assert out.index.tolist() == frame.index.tolist()
    assert nystrom.feature_names_in_.tolist() == ["0", "1", "2", "3"]


def test_more_landmarks_than_objects_are_lowered_with_one_warning(points):
    """All objects become landmarks and one warning says so."""
    with pytest.warns(
        UserWarning, match="n_landmarks=100 of NystromDissimilarity"
    ) as w:
        nystrom = NystromDissimilarity().fit(points[:30])
    assert len(w) == 1
    assert nystrom.n_landmarks_ == 30


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_squared_coordinates_scale_with_the_squared_units(scale, points):
    """correction="square": dissimilarities times c give coordinates times c^2."""
    D = cdist(points, points, "cityblock")
    options = {"correction": "square", "n_landmarks": 15, "random_state": 0}
    expected = NystromDissimilarity(
        "precomputed", **options, scale="metric"
    ).fit_transform(D)
    Z = NystromDissimilarity("precomputed", **options, scale="metric").fit_transform(
        D * scale
    )
    Z = Z / scale / scale
    np.testing.assert_allclose(Z, expected, atol=1e-9 * np.abs(expected).max())


def test_a_frame_with_a_method_select_is_no_selector(points):
    """Landmark objects in a frame are objects, although polars frames can `select`."""

    class SelectingFrame(pd.DataFrame):
        def select(self, *columns):
            return self[list(columns)]

    frame = SelectingFrame(points[:6])
    nystrom = NystromDissimilarity(landmarks=frame, n_probes=0).fit(points)
    assert nystrom.component_indices_ is None
    assert nystrom.n_landmarks_ == 6


def test_columns_alone_are_fitted_by_least_squares(rng):
    """Signature and rank of 4-d points, and how well the columns are fitted."""
    X = rng.normal(size=(300, 4))
    D = np.sqrt(np.square(X[:, None] - X[None]).sum(axis=2))
    marks = np.arange(10)
    nystrom = NystromDissimilarity("precomputed", landmarks=marks).fit(D[:, marks])
    assert nystrom.signature_ == (4, 0, 296)
    assert nystrom.core_residual_ < 1e-9
    noisy = NystromDissimilarity("precomputed", landmarks=marks)
    assert noisy.fit(np.sqrt(D[:, marks])).core_residual_ > 1e-3


def test_what_does_not_change_the_result_is_read_when_it_is_used(rng):
    """With n_jobs set after fit other processes compare."""
    X = list(rng.normal(size=60))
    nystrom = NystromDissimilarity(process_of, n_landmarks=5, random_state=0).fit(X)
    here = nystrom.transform(X)
    there = nystrom.set_params(n_jobs=2).transform(X)
    assert np.abs(here - there).max() > 0


def test_landmarks_of_the_users_own_are_copied(rng):
    """What the caller does to the array afterwards changes nothing."""
    X, marks = rng.normal(size=(40, 3)), rng.normal(size=(6, 3))
    nystrom = NystromDissimilarity("cityblock", landmarks=marks).fit(X)
    before = nystrom.transform(X)
    marks *= 0
    np.testing.assert_array_equal(nystrom.transform(X), before)


def test_solve_inverts_the_approximated_similarity(rng):
    """The pseudo-inverse of the dense approximation, for one or more targets."""
    X = rng.normal(size=(90, 3))
    nystrom = NystromDissimilarity(
        "cityblock",
        n_landmarks=15,
        correction=None,
        random_state=0,
        scale="metric",
    )
    Z = nystrom.fit_transform(X)
    dense = (Z * nystrom.axis_signs_) @ Z.T
    Y = rng.normal(size=(90, 2))
    expected = np.linalg.pinv(dense, rcond=1e-9, hermitian=True) @ Y
    np.testing.assert_allclose(nystrom.solve(X, Y), expected, atol=1e-8)
    np.testing.assert_allclose(nystrom.solve(X, Y[:, 0]), expected[:, 0], atol=1e-8)


@pytest.mark.parametrize("correction", ["flip", "clip", "square", "shift", None])
@pytest.mark.parametrize("n_components", [None, 3])
def test_vectors_have_one_mean_squared_length_whatever_the_metric(
    correction, n_components, rng
):
    """One factor for all columns, in fit and for new objects, free of units."""
    X, new = rng.standard_t(3, size=(400, 5)), rng.normal(size=(9, 5))
    options = {
        "correction": correction,
        "n_landmarks": 20,
        "n_components": n_components,
        "random_state": 0,
    }
    plain = NystromDissimilarity("cityblock", scale="metric", **options)
    in_metric = plain.fit_transform(X)
    assert plain.scale_ == 1.0
    nystrom = NystromDissimilarity("cityblock", **options)
    Z = nystrom.fit_transform(X)
    np.testing.assert_allclose(np.square(Z).sum(axis=1).mean(), 10.0)
    np.testing.assert_allclose(Z, in_metric * nystrom.scale_, atol=1e-10)
    np.testing.assert_allclose(
        nystrom.transform(new), plain.transform(new) * nystrom.scale_, atol=1e-10
    )
    for unit in (1e-3, 1e3):
        other = NystromDissimilarity("cityblock", **options)
        np.testing.assert_allclose(other.fit_transform(X * unit), Z, atol=1e-7)
        again = other.transform(new * unit)
        np.testing.assert_allclose(again, nystrom.transform(new), atol=1e-7)


def test_vectors_of_a_stream_have_the_length_of_all_it_saw(rng):
    """The factor follows the objects, batch by batch."""
    X = rng.normal(size=(300, 4)) * np.linspace(1, 9, 300)[:, None]
    nystrom = NystromDissimilarity("cityblock", n_landmarks=20, random_state=0)
    for batch in np.array_split(X, 4):
        nystrom.partial_fit(batch)
    Z = nystrom.transform(X)
    np.testing.assert_allclose(np.square(Z).sum(axis=1).mean(), 10.0, rtol=1e-9)


def test_objects_that_are_all_the_same_have_no_length():
    """Zeros stay zeros, and the factor is one."""
    nystrom = NystromDissimilarity(n_landmarks=3, random_state=0)
    np.testing.assert_array_equal(nystrom.fit_transform(np.ones((9, 2))), 0.0)
    assert nystrom.scale_ == 1.0
