"""Laws, known spectra and published numbers of `skproxy.datasets`."""

import inspect
from importlib import resources

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from skproxy import datasets
from skproxy.datasets import (
    knn_graph_dissimilarity,
    make_balls,
    make_checkerboard,
    make_communities,
    make_euclidean_balls,
    make_populations,
    make_random_simplex,
    make_signed_spectrum,
    make_three_gaussians,
    missing_pixel_dissimilarity,
)
from skproxy.metrics import (
    additive_error,
    distortion,
    negative_fraction,
    stress,
    triangle_violations,
)

X = np.random.default_rng(0).normal(size=(40, 30))
GENERATORS = {
    "balls": lambda seed: make_balls((15, 10), random_state=seed),
    "euclidean_balls": lambda seed: make_euclidean_balls(40, random_state=seed),
    "random_simplex": lambda seed: make_random_simplex(40, random_state=seed),
    "signed_spectrum": lambda seed: make_signed_spectrum([2, -1], 9, random_state=seed),
    "three_gaussians": lambda seed: make_three_gaussians(random_state=seed),
    "checkerboard": lambda seed: make_checkerboard(random_state=seed),
    "communities": lambda seed: make_communities(20, random_state=seed),
    "populations": lambda seed: make_populations(20, random_state=seed),
    "missing_pixel": lambda seed: missing_pixel_dissimilarity(X, random_state=seed),
}
DISSIMILARITIES = {
    "balls": lambda: make_balls((15, 10), random_state=0)[0],
    "euclidean_balls": lambda: make_euclidean_balls(40, random_state=0),
    "random_simplex": lambda: make_random_simplex(40, random_state=0),
    "signed_spectrum": lambda: make_signed_spectrum(
        [2.0, -1.0], 9, output="dissimilarity", random_state=0
    ),
    "knn_graph": lambda: knn_graph_dissimilarity(X, 4),
    "missing_pixel": lambda: missing_pixel_dissimilarity(X, random_state=0),
}


def centred_eigenpairs(D, power):
    """Eigenpairs of -J D**power J / 2, smallest eigenvalue first."""
    powered = D**power
    means = powered.mean(axis=0)
    centred = -0.5 * (powered - means - means[:, None] + means.mean())
    return np.linalg.eigh(centred)


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_depend_on_the_seed_alone(name):
    """The same seed gives the same arrays, another seed others; global state stays."""
    before = np.random.get_state()[1].copy()
    make = GENERATORS[name]
    first, again, other = (
        np.atleast_2d(made[0] if isinstance(made, tuple) else made)
        for made in (make(0), make(np.random.RandomState(0)), make(1))
    )
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert_array_equal(np.random.get_state()[1], before)


@pytest.mark.parametrize("name", DISSIMILARITIES)
def test_dissimilarities_are_exactly_symmetric_with_zero_diagonal(name):
    """D equals its transpose to the last bit, is finite, and zero on the diagonal."""
    D = DISSIMILARITIES[name]()
    assert np.isfinite(D).all()
    assert_array_equal(D, D.T)
    assert_array_equal(np.diagonal(D), 0.0)


def test_balls_are_distances_less_both_radii():
    """The same centres with other radii differ by the sums of the radii."""
    points, y = make_balls((6, 4), radii=(0, 0), random_state=0)
    balls, _ = make_balls((6, 4), radii=(0.5, 1.0), random_state=0)
    radii = np.array([0.5, 1.0])[y]
    assert_allclose(points - balls, (radii[:, None] + radii) * (1 - np.eye(10)))
    assert triangle_violations(points) == 0.0


def test_balls_never_overlap_and_have_negative_eigenvalues():
    """Distances are positive in a crowded cube; about 3.5 % of the mass is negative."""
    D, _ = make_balls((40, 40), radii=(1, 2), cube=20.0, random_state=0)
    assert (D[~np.eye(80, dtype=bool)] > 0).all()
    assert triangle_violations(D, max_objects=None) > 0
    D, y = make_balls(random_state=0)
    assert_array_equal(np.bincount(y), [300, 300])
    assert 0.025 < negative_fraction(D, input="dissimilarity") < 0.045
    eigenvalues, _ = centred_eigenpairs(D, 2)
    assert 15 < (eigenvalues > 1e-9 * eigenvalues[-1]).sum() < 40


@pytest.mark.parametrize(
    ("n_samples", "radii", "counts"),
    [(5, None, [3, 2]), (7, (1, 2, 3), [3, 2, 2]), ((2, 5, 1), None, [2, 5, 1])],
)
def test_balls_of_each_class(n_samples, radii, counts):
    """A total is shared evenly among the classes, a sequence taken as it is."""
    D, y = make_balls(n_samples, radii=radii, random_state=0)
    assert_array_equal(np.bincount(y), counts)
    assert_array_equal(y, np.sort(y))
    assert D.shape == (len(y), len(y))


def test_euclidean_balls_do_not_overlap_even_when_crowded():
    """Surface distances are never negative, also where the radii must be cut."""
    D = make_euclidean_balls(60, n_features=2, cube=10.0, random_state=0)
    assert D.min() == 0.0
    D = make_euclidean_balls(60, random_state=0)
    assert D[~np.eye(60, dtype=bool)].min() > 0


@pytest.mark.parametrize(
    ("make", "power", "norm", "factor", "error"),
    [
        (make_random_simplex, 1, 28.376, 1.049, 17.758),
        (make_euclidean_balls, 2, 1.9229e6, 1.046, 1.4909e6),
    ],
)
def test_published_errors_of_classical_scaling(make, power, norm, factor, error):
    """With 1000 objects and 100 axes the Neuc-MDS paper's cMDS numbers come out."""
    D = make(1000, random_state=0)
    eigenvalues, vectors = centred_eigenpairs(D, power)
    Z = vectors[:, -100:] * np.sqrt(eigenvalues[-100:])
    assert_allclose(np.sqrt(stress(D, Z, power=power)), norm, rtol=0.06)
    assert_allclose(distortion(D, Z, power=power), factor, atol=0.003)
    assert_allclose(additive_error(D, Z, power=power), error, rtol=0.06)
    assert 880 < (eigenvalues < -1e-9 * eigenvalues[-1]).sum() <= 900


@pytest.mark.parametrize(("n_positive", "n_negative"), [(5, 4), (3, 1), (1, 6)])
def test_random_simplex_has_the_signature_asked_for(n_positive, n_negative):
    """Double centring finds as many axes of each sign as there are coordinates."""
    D = make_random_simplex(
        50, n_positive=n_positive, n_negative=n_negative, random_state=0
    )
    eigenvalues, _ = centred_eigenpairs(D, 1)
    cut = 1e-12 * np.abs(eigenvalues).max()
    assert (eigenvalues > cut).sum() == n_positive
    assert (eigenvalues < -cut).sum() == n_negative


@pytest.mark.parametrize("output", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("n_samples", [None, 12])
def test_signed_spectrum_is_the_one_prescribed(output, n_samples):
    """The eigenvalues of S, or of the double-centred D, are those given, and zeros."""
    spectrum = np.array([5.0, -3.0, 1e-3, -1e-3, 0.5])
    matrix = make_signed_spectrum(spectrum, n_samples, output=output, random_state=0)
    n_expected = n_samples or len(spectrum) + (output == "dissimilarity")
    assert matrix.shape == (n_expected, n_expected)
    assert_array_equal(matrix, matrix.T)
    if output == "similarity":
        found = np.linalg.eigvalsh(matrix)
    else:
        found, _ = centred_eigenpairs(matrix, 1)
    expected = np.zeros(n_expected)
    expected[: len(spectrum)] = spectrum
    assert_allclose(found, np.sort(expected), atol=1e-13)
    input_name = {"input": output, "power": 1}
    share = 3.001 / np.abs(spectrum).sum()
    assert_allclose(negative_fraction(matrix, **input_name), share, rtol=1e-10)


def test_signed_spectrum_has_directions_of_either_sign():
    """Eigenvectors favour no half-space: the first entry is as often negative."""
    signs = [
        np.sign(make_signed_spectrum([1.0], 2, random_state=seed)[0, 1])
        for seed in range(60)
    ]
    assert abs(np.mean(signs)) < 0.5


def test_three_gaussians_are_separated_clouds_in_ten_dimensions():
    """One large cloud is labelled 0, two small ones on both sides of it 1."""
    X, y = make_three_gaussians(random_state=0)
    assert X.shape == (540, 10)
    assert_array_equal(np.bincount(y), [500, 40])
    large, right, left = X[:500], X[500:520], X[520:]
    assert_allclose(large[:, :2].std(axis=0), 3.0, rtol=0.1)
    assert_allclose(large[:, 3:].std(axis=0), 0.1, rtol=0.15)
    assert_array_equal(large[:, 2], 0.0)
    assert right[:, 2].min() > 2.5
    assert left[:, 2].max() < -2.5


def test_checkerboard_alternates():
    """A step of one tile changes the label; all tiles are filled."""
    X, y = make_checkerboard(2000, random_state=0)
    assert X.min() >= 0
    assert X.max() < 3
    tiles = np.floor(X).astype(int)
    assert len(np.unique(tiles, axis=0)) == 9
    assert_array_equal(y, (tiles[:, 0] + tiles[:, 1]) % 2)
    assert_allclose(y.mean(), 4 / 9, atol=0.04)
    _, y = make_checkerboard(50, n_tiles=1, random_state=0)
    assert_array_equal(y, 0)


def test_hops_are_shortest_paths_in_the_joined_graph():
    """Hop counts equal those of Floyd's algorithm on the graph of either direction."""
    points = X[:, :2]
    D = cdist(points, points)
    nearest = np.argsort(D, axis=1)[:, 1:5]
    expected = np.full(D.shape, np.inf)
    np.put_along_axis(expected, nearest, 1.0, axis=1)
    expected = np.minimum(expected, expected.T)
    np.fill_diagonal(expected, 0.0)
    for k in range(len(D)):
        expected = np.minimum(expected, expected[:, k, None] + expected[k])
    expected[np.isinf(expected)] = expected[np.isfinite(expected)].max() + 1
    found = knn_graph_dissimilarity(points, 4, disconnected="max")
    assert_array_equal(found, expected)
    found = knn_graph_dissimilarity(D, 4, metric="precomputed", disconnected="max")
    assert_array_equal(found, expected)


def test_a_graph_that_falls_apart_stays_a_metric_or_is_refused():
    """Parts are one hop further apart than anything within them, if asked for."""
    points = [[0.0], [1.0], [2.1], [50.0], [51.0]]
    D = knn_graph_dissimilarity(points, 1, disconnected="max")
    assert_array_equal(D[:3, 3:], 3.0)
    assert D[0, 2] == 2
    assert triangle_violations(D) == 0.0
    expected = "got 1, with which the graph falls into 2 parts of 3, 2 objects"
    with pytest.raises(ValueError, match=expected):
        knn_graph_dissimilarity(points, 1)


def test_missing_pixels_leave_distances_over_common_entries():
    """Squared distances are sums over the entries that neither point has lost."""
    rng = np.random.RandomState(3)
    present = rng.uniform(size=X.shape) >= 0.4
    common = present[:, None, :] & present[None, :, :]
    expected = (((X[:, None] - X[None]) ** 2) * common).sum(axis=2) ** 0.5
    found = missing_pixel_dissimilarity(X + 1e3, 0.4, random_state=3)
    assert_allclose(found, expected, rtol=1e-10, atol=1e-6)
    full = missing_pixel_dissimilarity(X, 0.0)
    assert_allclose(full, cdist(X, X), rtol=1e-12, atol=1e-6)
    assert (found <= full + 1e-9).all()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: make_balls((9, 9), radii=(4, 4), cube=5.0, random_state=0),
            r"^n_samples of make_balls must leave room .* of radius 4, in a cube of "
            r"edge 5\. Take fewer or smaller balls",
        ),
        (
            lambda: make_balls((5, 5), radii=(1, 2, 3)),
            "^radii of make_balls must be one radius .* got 3 radii for 2 classes",
        ),
        (
            lambda: make_balls((5, 0)),
            "^every entry of n_samples of make_balls must be an integer of at least 1;"
            " got 0",
        ),
        (
            lambda: make_balls(5.0),
            r"^n_samples of make_balls must be an integer of at least 1; got 5\.0",
        ),
        (
            lambda: make_balls(6, radii=(1, -1)),
            "^every entry of radii of make_balls must be a finite non-negative number",
        ),
        (
            lambda: make_balls(6, cube=0),
            "^cube of make_balls must be a finite positive number; got 0",
        ),
        (
            lambda: make_euclidean_balls(1),
            "^n_samples of make_euclidean_balls must be an integer of at least 2",
        ),
        (
            lambda: make_random_simplex(9, n_negative=0),
            "^n_negative of make_random_simplex must be an integer of at least 1",
        ),
        (
            lambda: make_signed_spectrum([1, 2, 3], 3, output="dissimilarity"),
            "^n_samples of make_signed_spectrum, for 3 eigenvalues, must be an integer "
            "of at least 4; got 3",
        ),
        (
            lambda: make_signed_spectrum([1, np.nan]),
            "^eigenvalues of make_signed_spectrum must be a vector of finite numbers",
        ),
        (
            lambda: make_signed_spectrum([1], output="distance"),
            "^output of make_signed_spectrum must be .* got 'distance'",
        ),
        (
            lambda: make_three_gaussians((5, 5)),
            "^n_samples of make_three_gaussians must be three numbers.* got 2",
        ),
        (
            lambda: make_three_gaussians(540),
            "^n_samples of make_three_gaussians must be a sequence of integers",
        ),
        (
            lambda: make_checkerboard(n_tiles=0),
            "^n_tiles of make_checkerboard must be an integer of at least 1; got 0",
        ),
        (
            lambda: knn_graph_dissimilarity(X, 40),
            "^n_neighbors of knn_graph_dissimilarity must be smaller than the number "
            "of objects; got 40 for 40 objects",
        ),
        (
            lambda: knn_graph_dissimilarity(X, disconnected="drop"),
            "^disconnected of knn_graph_dissimilarity must be .* got 'drop'",
        ),
        (
            lambda: missing_pixel_dissimilarity(X, 1.0),
            "^missing_rate of missing_pixel_dissimilarity must be below 1; got 1.0",
        ),
        (
            lambda: missing_pixel_dissimilarity(X, 0.95, random_state=0),
            r"^missing_rate .* must leave every two points an entry in common; got "
            r"0.95, which leaves none to the pair \(0, \d+\)",
        ),
    ],
)
def test_wrong_input_is_explained(call, text):
    """Which parameter of which function, what must hold, what came, what to do."""
    with pytest.raises(ValueError, match=text):
        call()


def test_bray_curtis_of_communities_is_not_euclidean_and_its_roots_are():
    """The ecologist's case: negative eigenvalues, none after the square root."""
    counts, _ = make_communities(120, random_state=0)
    D = cdist(counts, counts, "braycurtis")
    assert negative_fraction(D, input="dissimilarity") > 0.05
    assert negative_fraction(D, input="dissimilarity", power=1) < 1e-12


def test_totals_of_communities_scatter_as_counts_do_without_overdispersion():
    """The sum of a row is then a Poisson variate of mean `depth`."""
    counts, _ = make_communities(2000, overdispersion=0, depth=50, random_state=0)
    totals = counts.sum(axis=1)
    assert_allclose(totals.mean(), 50, atol=5 * np.sqrt(50 / 2000))
    assert_allclose(totals.var(), 50, atol=5 * 50 * np.sqrt(2 / 2000))
    more = make_communities(2000, depth=50, random_state=0)[0].sum(axis=1)
    assert more.var() > 2 * totals.var()


def test_communities_have_no_empty_sample_and_even_habitats():
    """However few are counted, each row has an individual; labels are even."""
    counts, habitat = make_communities(101, depth=1, n_habitats=4, random_state=0)
    assert counts.any(axis=1).all()
    assert_array_equal(np.sort(np.bincount(habitat)), [25, 25, 25, 26])


def test_individuals_carry_two_alleles_at_each_typed_locus():
    """Each locus sums to two, or is -1 throughout, in the share asked for."""
    counts, population = make_populations(300, missing=0.1, random_state=0)
    loci = counts.reshape(300, 30, 12)
    missing = (loci == -1).all(axis=2)
    assert_array_equal(loci.sum(axis=2)[~missing], 2)
    assert (loci[~missing] >= 0).all()
    assert_allclose(missing.mean(), 0.1, atol=5 * np.sqrt(0.09 / missing.size))
    assert_array_equal(np.bincount(population), np.full(15, 20))


@pytest.mark.parametrize("drift", [0.05, 0.3])
def test_heterozygosity_decays_by_drift_in_each_of_two_steps(drift):
    """H = H_0 (1 - F)^2, with H_0 = 1 - 2 / 13 of twelve evenly drawn shares."""
    counts, _ = make_populations(
        400, n_populations=200, n_loci=400, drift=drift, missing=0, random_state=0
    )
    heterozygous = (counts.reshape(400, 400, 12) == 1).any(axis=2).mean(axis=0)
    expected = (1 - 2 / 13) * (1 - drift) ** 2
    error = heterozygous.std() / np.sqrt(400)
    assert_allclose(heterozygous.mean(), expected, atol=4 * error)


@pytest.mark.parametrize("parameter", ["drift", "missing"])
def test_shares_of_populations_stay_below_one(parameter):
    """With all typed loci missing, or one allele left, nothing could be compared."""
    with pytest.raises(ValueError, match=f"{parameter} of .* below 1; got 1.5"):
        make_populations(10, **{parameter: 1.5})


LOADERS = sorted(name for name in datasets.__all__ if name.startswith("load_"))
DATA = resources.files("skproxy.datasets") / "data"
#: What data may come under, in a package under BSD-3-Clause.
LICENCES = {"BSD-3-Clause", "MIT", "CC BY 4.0", "CC0 1.0"}


def table_of_data():
    """Return file -> (what it holds, source, licence) from the README beside them."""
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in readme.splitlines() if line.startswith("| `")]
    return {row[1].strip(" `"): [cell.strip() for cell in row[2:5]] for row in rows}


def test_every_data_file_names_source_and_licence():
    """Each file has one row, with a licence that we may pass on, and a loader."""
    table = table_of_data()
    files = {path.name for path in DATA.iterdir()} - {"README.md"}
    assert set(table) == files == {f"{name[5:]}.npz" for name in LOADERS}
    for holds, source, licence in table.values():
        assert holds
        assert source
        assert licence.removesuffix(" (package)") in LICENCES


def test_data_stay_below_a_megabyte():
    """What everyone downloads with the package."""
    assert sum(len(path.read_bytes()) for path in DATA.iterdir()) < 1_000_000


@pytest.mark.parametrize("name", LOADERS)
def test_loaders_are_like_those_of_scikit_learn(name):
    """Bunch or pair, integer targets with names, the licence in the description."""
    loader = getattr(datasets, name)
    found = loader()
    X, y = loader(return_X_y=True)
    assert len(X) == len(y) == len(found.data)
    assert_array_equal(y, found.target)
    assert_array_equal(np.unique(y), np.arange(len(found.target_names)))
    assert inspect.getdoc(loader) == found.DESCR
    licence = table_of_data()[f"{name[5:]}.npz"][2]
    assert f"licence: {licence}" in " ".join(found.DESCR.split())
    if "feature_names" in found:
        assert len(found.feature_names) == np.shape(found.data[0])[0]


def test_loaded_tables_say_what_is_missing():
    """Votes not cast are NaN; what was not measured or noted of a penguin is None."""
    votes, penguins = datasets.load_votes().data, datasets.load_penguins().data
    assert np.isnan(votes).sum() == 392
    assert set(votes[np.isfinite(votes)]) == {0.0, 1.0}
    assert (penguins == None).sum(axis=0).tolist() == [2, 2, 2, 2, 0, 11]  # noqa: E711
    assert {type(value) for value in penguins[0]} == {float, str}


def test_bonds_of_molecules_stay_within_them():
    """Positions of atoms, each bond once, no loops."""
    for atoms, bonds in datasets.load_mutag().data:
        assert len(set(bonds)) == len(bonds)
        assert all(0 <= a < b < len(atoms) for a, b in bonds)
