import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from series_libraries import ORACLES, like_aeon, like_dtaidistance

from skproxy import NystromDissimilarity
from skproxy.comparisons._measure import Measure, evaluate_rectangle
from skproxy.comparisons._series_measures import (
    SERIES_MEASURES,
    band_radius,
    check_series,
    compare_series,
    is_array_of_series,
)

# Stand-ins always, and the libraries themselves where they are installed.
STAND_INS = {"like aeon": like_aeon, "like dtaidistance": like_dtaidistance}
INSTALLED = [name for name in ("aeon", "dtaidistance") if find_spec(name)]


def use(library, monkeypatch):
    """Make one library, or what stands in for one, the only one there is."""
    if library in STAND_INS:
        modules = STAND_INS[library]()
        missing = {"aeon", "dtaidistance"} - set(modules)
    else:
        modules, missing = {}, {"aeon", "dtaidistance"} - {library}
    for name, module in {**modules, **dict.fromkeys(missing)}.items():
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture(params=[*STAND_INS, *INSTALLED])
def dtw_library(request, monkeypatch):
    """Each library that computes dynamic time warping."""
    use(request.param, monkeypatch)
    return request.param


@pytest.fixture(params=["like aeon", *{"aeon"}.intersection(INSTALLED)])
def any_library(request, monkeypatch):
    """Each library that computes everything."""
    use(request.param, monkeypatch)
    return request.param


@pytest.fixture
def series(rng):
    """Seven series of one length."""
    return rng.normal(size=(7, 9)).cumsum(axis=1)


@pytest.fixture
def ragged(rng):
    """Six series of four lengths."""
    return [rng.normal(size=n).cumsum() for n in (8, 5, 11, 8, 6, 8)]


def evaluate(name, rows, others, **params):
    return evaluate_rectangle(Measure(name, False, params), rows, others)


def expected(name, rows, others, **params):
    return np.array(
        [
            [
                ORACLES[name](np.atleast_2d(a), np.atleast_2d(b), **params)
                for b in others
            ]
            for a in rows
        ]
    )


def test_every_name_has_an_oracle():
    """A name that is added is tested."""
    assert ORACLES.keys() == SERIES_MEASURES.keys()


@pytest.mark.parametrize("shape", ["array", "single", "ragged"])
def test_dtw_is_one_number_whichever_library_computes_it(
    dtw_library, shape, series, ragged
):
    """The root of the smallest sum of squares along a path."""
    if shape == "single":
        series = series.astype(np.float32)
    X = ragged if shape == "ragged" else series
    block = evaluate("dtw", X, X[:3])
    assert block.dtype == np.float64
    exact = [np.asarray(one, dtype=np.float64) for one in X]
    np.testing.assert_allclose(block, expected("dtw", exact, exact[:3]), rtol=1e-12)


@pytest.mark.parametrize(
    ("window", "radius"), [(0, 0), (2, 2), (0.3, 2), (1.0, None), (8, None), (50, None)]
)
def test_a_window_is_one_band_whichever_library_computes_it(
    dtw_library, window, radius, series
):
    """An int is a radius in points, a float its share of the length."""
    block = evaluate("dtw", series, series[:3], window=window)
    np.testing.assert_allclose(
        block, expected("dtw", series, series[:3], radius=radius), rtol=1e-12
    )


def test_dtw_without_warping_is_euclidean(dtw_library, series):
    """So it is not squared, and power=2 gives squared distances."""
    block = evaluate("dtw", series, series[:3], window=0)
    np.testing.assert_allclose(block, cdist(series, series[:3]), rtol=1e-12)
    model = NystromDissimilarity("dtw", metric_params={"window": 0}, n_landmarks=7)
    assert model.fit(series).negative_fraction_ < 1e-9


def test_dtw_of_many_channels_adds_their_squares(dtw_library, rng):
    """An array (n, channels, time), or a list of arrays (channels, time)."""
    X = rng.normal(size=(5, 3, 8)).cumsum(axis=2)
    block = evaluate("dtw", X, X[:2], window=3)
    oracle = expected("dtw", X, X[:2], radius=3)
    np.testing.assert_allclose(block, oracle, rtol=1e-12)
    cut = [X[0], X[1][:, :6], X[2][:, 3:]]
    np.testing.assert_allclose(
        evaluate("dtw", cut, cut), expected("dtw", cut, cut), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("ddtw", {}),
        ("wdtw", {}),
        ("wdtw", {"g": 0.5}),
        ("adtw", {}),
        ("adtw", {"warp_penalty": 0.1}),
        ("msm", {}),
        ("msm", {"c": 0.3}),
        ("erp", {}),
        ("erp", {"g": 0.7}),
        ("twe", {}),
        ("twe", {"nu": 0.1, "lmbda": 0.5}),
        ("lcss", {}),
        ("lcss", {"epsilon": 0.5}),
    ],
)
def test_names_mean_what_their_papers_say(any_library, name, params, series, ragged):
    """Sums of squares are rooted; erp is Chen and Ng's, which aeon's is not."""
    for X in (series, ragged):
        block = evaluate(name, X, X[:3], **params)
        np.testing.assert_allclose(
            block, expected(name, X, X[:3], **params), rtol=1e-9, atol=1e-12
        )


def test_the_border_that_aeon_fills_in_would_show(ragged):
    """The stand-in has aeon's border: without the first point erp would be larger."""
    distances = like_aeon()["aeon"].distances
    bare = distances.erp_pairwise_distance(ragged, ragged)
    assert (bare - expected("erp", ragged, ragged)).max() > 0.1


@pytest.mark.parametrize("name", ["erp", "msm", "twe"])
def test_those_that_are_called_metrics_keep_the_triangles(any_library, name, ragged):
    """d(a, c) <= d(a, b) + d(b, c), and no series differs from itself."""
    D = evaluate(name, ragged, ragged)
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-9).all()
    np.testing.assert_allclose(D, D.T)
    assert np.abs(np.diag(D)).max() < 1e-12


@pytest.mark.parametrize(
    "collect",
    [
        list,
        tuple,
        pd.DataFrame,
        lambda X: np.asfortranarray(X),
        lambda X: pd.Series(list(X)),
        lambda X: [x.tolist() for x in X],
        lambda X: np.array([None, *X], dtype=object)[1:],
    ],
)
def test_series_come_in_any_collection(dtw_library, collect, series):
    """Arrays of rows, frames, and sequences of series are one set of series."""
    model = NystromDissimilarity("dtw", n_landmarks=3, random_state=0)
    Z = model.fit_transform(series)
    series.flags.writeable = False
    np.testing.assert_allclose(model.fit_transform(collect(series)), Z, rtol=1e-9)
    np.testing.assert_allclose(
        model.transform(collect(series[:2])), model.transform(list(series[:2]))
    )


@pytest.mark.parametrize(
    ("X", "is_array"),
    [
        (np.ones((2, 3)), True),
        (np.ones((2, 1, 3)), True),
        (np.ones(3), True),
        (sparse.eye(3).tocsr(), True),
        (pd.DataFrame(np.ones((2, 3))), True),
        ([[1.0, 2.0], (3.0, 4.0)], True),
        ([[1.0, 2.0], [3.0]], False),
        ([np.ones(2), np.ones(2)], False),
        (pd.Series([np.ones(2), np.ones(2)]), False),
        ([["a", "b"]], False),
        ([], False),
        ("ab", False),
    ],
)
def test_arrays_of_series_are_told_from_lists_of_them(X, is_array):
    """Arrays have one number of time points for good, lists need not."""
    assert is_array_of_series(X) == is_array


def test_lists_of_arrays_may_be_longer_later(dtw_library, series):
    """Arrays are held to their number of features, as everywhere in scikit-learn."""
    model = NystromDissimilarity("dtw", n_landmarks=3, random_state=0)
    longer = np.repeat(series, 2, axis=1)
    assert model.fit(list(series)).transform(list(longer)).shape == (7, 3)
    with pytest.raises(ValueError, match="X has 18 features, but Nystr"):
        model.fit(series).transform(longer)


def test_aeon_is_preferred(monkeypatch, series):
    """It computes all of them; dtaidistance where it is missing."""
    use("like aeon", monkeypatch)
    for name, module in like_dtaidistance().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(
        sys.modules["aeon"].distances,
        "dtw_pairwise_distance",
        lambda X, y, **_: np.full((len(X), len(y)), 49.0),
    )
    assert (evaluate("dtw", series, series[:2]) == 7.0).all()


@pytest.mark.parametrize("window", [-1, 1.5, -0.1, True, "wide", np.nan])
def test_windows_are_radii_or_shares(window, series):
    """Anything else is refused, in words that say what an int and a float mean."""
    with pytest.raises(ValueError, match=r"window of metric='dtw' must be an int of"):
        band_radius(window, [series], [series], "dtw")


def test_shares_of_the_length_are_not_spoilt_by_rounding():
    """0.29 of 100 points is 29, though 0.29 * 100 is a little less."""
    assert band_radius(0.29, [np.zeros(100)], [], "dtw") == 29


def test_a_window_needs_one_length(dtw_library, ragged):
    """Libraries disagree about the band of two lengths, so nobody gets one."""
    model = NystromDissimilarity("dtw", metric_params={"window": 2}, n_landmarks=3)
    with pytest.raises(
        ValueError, match=r"needs series of one length; got lengths \d+ to"
    ):
        model.fit(ragged)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        ([[1.0, 2.0], [np.nan]], ValueError, r"finite .*position 1\. .*Input contains"),
        (np.array([[1.0, np.inf]]), ValueError, r"finite .*position 0"),
        ([[1.0], []], ValueError, r"got shape \(0,\) at position 1"),
        ([1.0, 2.0], ValueError, r"got shape \(\) at position 0"),
        (np.ones((2, 2, 2, 2)), ValueError, r"got shape \(2, 2, 2\) at position 0"),
        ([np.ones((2, 4)), np.ones((3, 4))], ValueError, r"one number of channels"),
        ([np.ones(4), np.ones((1, 4))], ValueError, r"\(1, 4\) at position 1 after"),
        ([[1.0], "b"], TypeError, r"series of numbers; got str at position 1"),
        ([[1.0], None], ValueError, r"finite|shape \(\)"),
    ],
)
def test_what_is_no_series_is_refused_with_its_position(X, error, words):
    """Kind, shape and values, before anything is compared."""
    with pytest.raises(error, match=words):
        check_series(X, "X of Me")


@pytest.mark.parametrize("n_channels", [1, 2])
def test_frames_may_hold_a_series_in_each_cell(dtw_library, n_channels, ragged):
    """One column a channel, as older time-series tools nest them."""
    channels = range(n_channels)
    columns = {f"dim_{c}": [pd.Series(x + c) for x in ragged] for c in channels}
    model = NystromDissimilarity("dtw", n_landmarks=3, random_state=0)
    stacked = [np.stack([x + c for c in channels]) for x in ragged]
    np.testing.assert_allclose(
        model.fit_transform(pd.DataFrame(columns)), model.fit_transform(stacked)
    )
    columns["dim_0"][0] = pd.Series(np.ones(50))
    columns["dim_1"] = [pd.Series(x) for x in ragged]
    with pytest.raises(TypeError, match=r"X of .* series of numbers; .* position 0"):
        model.fit(pd.DataFrame(columns))


def test_frames_of_one_series_each_are_not_guessed_at():
    """Rows of a frame are time points as a rule; channels come first here."""
    frames = [pd.DataFrame(np.ones((7, 2)))] * 3
    with pytest.raises(TypeError, match=r"position 0, whose rows .*to_numpy\(\)\.T"):
        check_series(frames, "X of Me")


@pytest.mark.parametrize("collect", [np.asarray, list, np.ndarray.tolist])
def test_padding_at_the_end_is_taken_off(dtw_library, collect, series):
    """Series filled up with NaN equal those of their own length."""
    series[3, 5:] = np.nan
    model = NystromDissimilarity("dtw", n_landmarks=3, random_state=0)
    padded = model.fit_transform(collect(series))
    ragged = model.fit_transform([x[np.isfinite(x)] for x in series])
    np.testing.assert_allclose(padded, ragged)


def test_padding_of_all_channels_keeps_the_channels(dtw_library):
    """(n, n_channels, n_timepoints) with NaN at the end, as Japanese vowels come."""
    X = np.random.RandomState(0).standard_normal((6, 3, 9))
    X[2, :, 6:] = np.nan
    assert [one.shape for one in check_series(X, "X of Me")][1:3] == [(3, 9), (3, 6)]
    ragged = [one[:, np.isfinite(one).all(axis=0)] for one in X]
    model = NystromDissimilarity("dtw", n_landmarks=3, random_state=0)
    np.testing.assert_allclose(model.fit_transform(X), model.fit_transform(ragged))


@pytest.mark.parametrize("gap", [(2, 0, 4), (2, slice(None), 0), (2, 1, 8)])
def test_gaps_elsewhere_are_refused_with_their_series(gap):
    """In one channel, or in the middle: nothing says what was there."""
    X = np.ones((4, 2, 9))
    X[gap] = np.nan
    with pytest.raises(ValueError, match=r"position 2\..* NaN at the end, in all"):
        check_series(X, "X of Me")


@pytest.mark.parametrize("X", [np.ones((4, 9, 1)), [np.ones((9, 1))] * 4])
def test_time_before_channels_is_refused(X):
    """One time point of many channels is a series on its side."""
    with pytest.raises(ValueError, match=r"one time point of .*(0, 2, 1\)|x\.T)"):
        check_series(X, "X of Me")
    assert check_series(np.ones((4, 1, 1)), "X of Me").shape == (4, 1, 1)


def test_many_channels_of_few_time_points_are_doubted():
    """They may be what is meant."""
    with pytest.warns(UserWarning, match=r"100 channels of 3 time .*transpose\(0, 2"):
        check_series(np.ones((4, 100, 3)), "X of Me")


def test_long_frames_are_no_series(dtw_library):
    """A row for each time point of each case: three series, not ten."""
    cases = pd.MultiIndex.from_tuples([(c, t) for c in range(3) for t in range(3 + c)])
    frame = pd.DataFrame({"x": np.arange(12.0)}, index=cases)
    with pytest.raises(ValueError, match=r"2 levels.*groupby\(level=0\)"):
        NystromDissimilarity("dtw").fit(frame)
    series = [g.to_numpy().T for _, g in frame.groupby(level=0)]
    assert [one.shape for one in series] == [(1, 3), (1, 4), (1, 5)]


def test_numbers_of_channels_agree(dtw_library, series):
    """New objects have those of the landmarks."""
    model = NystromDissimilarity("dtw", n_landmarks=3).fit(list(series))
    with pytest.raises(ValueError, match=r"one number of channels; got 2 and 1\."):
        model.transform([np.ones((2, 9))])


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("wdtw", {"g": "a"}),
        ("adtw", {"warp_penalty": -1}),
        ("msm", {"c": -0.5}),
        ("erp", {"g": np.nan}),
        ("twe", {"nu": np.inf}),
        ("lcss", {"epsilon": None}),
        ("msm", {"c": True}),
    ],
)
def test_parameters_are_numbers(name, params, series):
    """Said before a compiler says it at length; only a gap may be negative."""
    ((parameter, _),) = params.items()
    words = rf"^{parameter} of metric='{name}' must be a finite number"
    with pytest.raises(ValueError, match=words):
        compare_series(name, series, series, **params)


def test_slopes_need_three_points():
    """ddtw of two points would be nothing."""
    with pytest.raises(ValueError, match=r"at least 3 time points; got one of 2\."):
        compare_series("ddtw", [np.ones(5)], [np.ones(2)])


@pytest.mark.parametrize("length", [1, 2])
@pytest.mark.parametrize("dtype", [float, "f", int, bool])
def test_series_may_be_short_constant_and_of_any_number(dtw_library, length, dtype):
    """One point, all equal, integers: finite, and zero for equal ones."""
    model = NystromDissimilarity("dtw", n_landmarks=3, random_state=0)
    assert (model.fit_transform(np.ones((5, length), dtype=dtype)) == 0).all()
    X = np.arange(5 * length).reshape(5, length).astype(dtype)
    Z = model.fit_transform(X)
    assert np.isfinite(Z).all()
    assert Z.dtype == (np.float32 if dtype == "f" else np.float64)
