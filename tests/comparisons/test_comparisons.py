import numpy as np
import pandas as pd
import pytest
from factories import CachedDistances, CountedBlocks, CountedCalls, edit_distance
from joblib import Memory
from scipy import sparse

from skproxy import BlockMetric, NystromDissimilarity
from skproxy.comparisons import (
    ColumnComparisons,
    Measure,
    MeasuredComparisons,
    SquareComparisons,
)
from skproxy.comparisons._comparisons import for_each_block
from skproxy.comparisons._measure import symmetrized


def edit_distances(rows, others):
    return np.array([[edit_distance(a, b) for b in others] for a in rows])


def gap(a, b):
    return abs(a - b)


@pytest.fixture
def words(rng):
    return ["".join(rng.choice(list("ab"), size=rng.randint(0, 6))) for _ in range(40)]


def measured(objects, compare, memory=None, n_jobs=None):
    return MeasuredComparisons(
        objects,
        Measure(compare, False),
        n_jobs=n_jobs,
        memory=Memory(memory, verbose=0),
        name="metric",
    )


def looked_up(matrix, symmetrize=None, exact=False):
    return SquareComparisons(
        matrix, symmetrize=symmetrize, exactly_symmetric=exact, name="X"
    )


@pytest.mark.parametrize("compare", [edit_distance, BlockMetric(edit_distances)])
@pytest.mark.parametrize("make", [list, pd.Series, np.array])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_table_of_objects_answers_like_their_full_matrix(
    compare, make, n_jobs, words
):
    """Measured or looked up, any rows against any columns, and any square."""
    D = edit_distances(words, words)
    rows, columns = [5, 3, 4, 39, 0], [7, 3, 8]
    if n_jobs == 2 and compare is edit_distance:
        rows = rows[:1]  # processes are slow to start; one block is enough
    for table in (measured(make(words), compare, n_jobs=n_jobs), looked_up(D)):
        assert table.n_objects == 40
        np.testing.assert_array_equal(
            table.rectangle(rows, columns), D[np.ix_(rows, columns)]
        )
        np.testing.assert_array_equal(
            table.square(columns), D[np.ix_(columns, columns)]
        )
        others = table.take(columns)
        for run, block in table.blocks(np.arange(40), others, np.array(columns)):
            np.testing.assert_array_equal(block, D[run][:, columns])


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 39])
def test_each_pair_of_a_square_is_compared_once(size, words):
    """m (m + 1) / 2 calls of a scalar measure; a block measure not much more."""
    scalar, blocks = CountedCalls(edit_distance), CountedBlocks(edit_distances)
    one = measured(words, scalar)
    many = measured(words, BlockMetric(blocks))
    indices = np.arange(size)[::-1]
    np.testing.assert_array_equal(one.square(indices), many.square(indices))
    n_pairs = size * (size + 1) // 2
    assert scalar.n_calls == n_pairs
    assert blocks.n_evaluated <= (0.75 if size > 32 else 1) * size**2
    assert one.n_evaluated == many.n_evaluated == n_pairs


def divergence(p, q):
    """Kullback and Leibler's, which is not symmetric."""
    return float(np.sum(p * np.log(p / q)))


def divergences(rows, others):
    return np.array([[divergence(p, q) for q in others] for p in rows])


SHARES = np.random.RandomState(0).dirichlet(np.ones(4), size=30)


@pytest.mark.parametrize("how", ["average", "min", "max"])
@pytest.mark.parametrize("wrap", [None, BlockMetric])
def test_both_ways_of_a_function_are_joined_and_counted(how, wrap):
    """Equal to a function that joins them itself, in fit and for new objects."""

    def joined(p, q):
        both = divergence(p, q), divergence(q, p)
        return {"average": sum(both) / 2, "min": min(both), "max": max(both)}[how]

    calls = CountedCalls(divergence)
    given = {"n_landmarks": 8, "power": 1, "random_state": 0}
    metric = calls if wrap is None else BlockMetric(divergences)
    model = NystromDissimilarity(metric, symmetrize=how, **given)
    expected = NystromDissimilarity(joined, **given)
    Z = model.fit_transform(SHARES)
    np.testing.assert_allclose(Z, expected.fit_transform(SHARES), atol=1e-10)
    np.testing.assert_allclose(model.transform(SHARES), Z, atol=1e-6)
    if wrap is None:
        model.fit(SHARES)
        before, counted = calls.n_calls, model.n_comparisons_
        model.fit(SHARES)
        assert calls.n_calls - before >= counted > 1.9 * expected.n_comparisons_ - 20


def test_a_table_counts_what_it_was_asked_for(words):
    """Rectangles in full, squares once per pair, measured or looked up."""
    D = edit_distances(words, words)
    for table in (
        measured(words, edit_distance),
        looked_up(D),
        looked_up(D, exact=True),
        ColumnComparisons(D, np.array([4, 2]), name="X"),
    ):
        square = table.square(np.array([4, 2]))
        assert table.n_evaluated == 3
        np.testing.assert_array_equal(square, D[np.ix_([4, 2], [4, 2])])
        rows = np.arange(40)
        blocks = list(table.blocks(rows, table.take([4, 2]), np.array([4, 2])))
        assert table.n_evaluated == 3 + 80
        np.testing.assert_array_equal(
            np.concatenate([block for _, block in blocks]), D[:, [4, 2]]
        )


def test_a_directed_block_measure_is_refused(words):
    """A block measure must be symmetric; the pair and both values are named."""
    directed = BlockMetric(
        lambda r, o: np.subtract.outer([len(a) for a in r], [len(b) for b in o])
    )
    first, second = 3, next(i for i in range(40) if len(words[i]) != len(words[3]))
    with pytest.raises(ValueError, match=r"metric must be symmetric; got .* for \("):
        measured(words, directed).square([first, second])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("wrap", [lambda f: f, lambda f: BlockMetric(f)])
def test_a_comparison_that_is_not_finite_names_the_objects(bad, wrap, words):
    """In the positions of the user's data, whatever block it happened in."""
    words[17] = "x"

    def compare(a, b):
        return bad if "x" in (a, b) and a != b else edit_distance(a, b)

    def compare_blocks(rows, others):
        return np.array([[compare(a, b) for b in others] for a in rows])

    scalar = wrap(compare) is compare
    table = measured(words, compare if scalar else BlockMetric(compare_blocks))
    with pytest.raises(ValueError, match=r"metric .* for the pair \(17, 30\)"):
        table.rectangle([16, 17, 18], [30, 31])
    with pytest.raises(ValueError, match=r"metric .* for the pair \(2, 17\)"):
        table.square([2, 3, 17])


def test_evaluated_blocks_are_kept(words, tmp_path):
    """The same question to another table of the same objects costs nothing."""
    CachedDistances.n_evaluated = 0
    metric = BlockMetric(CachedDistances())
    answers = [
        measured(words, metric, tmp_path).rectangle([1, 2, 3], [7, 8]) for _ in range(3)
    ]
    assert CachedDistances.n_evaluated == 6
    np.testing.assert_array_equal(answers[0], answers[2])
    measured(words, metric, tmp_path).rectangle([1, 2, 3], [9, 8, 7])
    assert CachedDistances.n_evaluated == 6 + 9


@pytest.mark.parametrize("width", [1, 10, 100, 1000])
def test_little_is_at_stake_in_a_block_of_a_slow_measure(width, rng):
    """About 4096 comparisons, or a part in 32, if they are made one by one."""
    X = list(rng.normal(size=600))
    sizes = {}
    for measure in (gap, BlockMetric(np.subtract.outer)):
        table = measured(X, measure)
        others = X[:width] * -(-width // 600)
        blocks = table.blocks(np.arange(600), others[:width])
        sizes[measure is gap] = [len(block) for _, block in blocks]
        assert sum(sizes[measure is gap]) == 600
    # And enough blocks for several processes: 32 blocks of 19 rows hold 600.
    assert max(sizes[True]) == 19
    assert max(sizes[False]) == min(max(2**18 // width, 64), 512)


def test_many_objects_come_in_blocks_of_a_few_thousand_comparisons(rng):
    """And of 32 rows at least."""
    table = measured(list(rng.normal(size=6000)), gap)
    for width, n_rows in [(20, 188), (100, 40), (400, 32)]:
        _, block = next(table.blocks(np.arange(6000), table.objects[:width]))
        assert block.shape == (n_rows, width)


def test_squares_of_many_objects_come_in_many_wedges():
    """No wedge of a block measure holds more than 65536 comparisons."""
    blocks = CountedBlocks(np.subtract.outer)
    measured(np.zeros(1500), BlockMetric(blocks)).square(np.arange(1500))
    assert max(a * b for a, b in blocks.shapes) <= 2**16
    assert blocks.n_evaluated < 0.52 * 1500**2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_hears_of_every_comparison_once(n_jobs, words):
    """Of blocks, rectangles and squares, measured or looked up, as counted."""

    class Heard:
        n_comparisons = 0

        def advance(self, count):
            self.n_comparisons += count

    D = edit_distances(words, words)
    tables = [
        measured(words, BlockMetric(edit_distances), n_jobs=n_jobs),
        measured(D, "cosine", n_jobs=n_jobs),
        looked_up(D),
        looked_up(D, exact=True),
        ColumnComparisons(D, np.array([4, 2]), name="X"),
    ]
    for table in tables:
        table.progress = Heard()
        columns = np.array([4, 2])
        for_each_block(
            table, np.arange(40), table.take(columns), columns, lambda run, block: None
        )
        assert table.progress.n_comparisons == table.n_evaluated == 80
        table.square(columns)
        assert table.progress.n_comparisons == table.n_evaluated == 83
    for table in tables[:-1]:
        table.rectangle(np.arange(5), columns)
        table.square(np.arange(40))
        assert table.progress.n_comparisons == table.n_evaluated == 93 + 820


@pytest.mark.parametrize("how", [None, "average", "min", "max"])
@pytest.mark.parametrize("kind", [np.array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_both_directions_of_a_matrix_are_joined(how, kind, dtype, rng):
    """Wherever they are looked up; integers become floats first."""
    A = rng.randint(0, 255, size=(9, 9)).astype(dtype)
    full = symmetrized(A.astype(float), A.T.astype(float), how)
    table = looked_up(kind(A), symmetrize=how)
    rows, columns = np.array([8, 1, 2, 3]), np.array([0, 5])
    block = table.rectangle(rows, columns)
    np.testing.assert_array_equal(block, full[np.ix_(rows, columns)])
    np.testing.assert_array_equal(table.rectangle(slice(2, 5), [7]), full[2:5, [7]])
    np.testing.assert_array_equal(table.square(rows), full[np.ix_(rows, rows)])
    assert block.dtype == (np.float32 if dtype == np.float32 else np.float64)


@pytest.mark.parametrize("kind", [np.array, sparse.csr_matrix])
def test_columns_that_belong_to_no_landmark_are_never_looked_at(kind, rng):
    """They may hold anything, NaN included."""
    C = rng.uniform(size=(30, 6))
    wide = np.full((30, 9), np.nan)
    positions = np.array([8, 0, 3, 4, 7, 1])
    wide[:, positions] = C
    for table in (
        ColumnComparisons(kind(wide), positions, name="X"),
        ColumnComparisons(kind(C), None, name="X"),
    ):
        for run, block in table.blocks(np.arange(30), None, positions):
            np.testing.assert_array_equal(block, C[run])
    C[7, 2] = np.inf
    table = ColumnComparisons(kind(C), None, name="X")
    with pytest.raises(ValueError, match=r"X .* got inf for the pair \(7, 3\)"):
        list(table.blocks(np.arange(30), None, positions))


def test_landmark_columns_must_be_symmetric_among_landmarks(rng):
    """That much is in the matrix, and is checked."""
    D = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))
    marks = np.array([6, 1])
    table = ColumnComparisons(D[:, marks], None, name="X")
    np.testing.assert_array_equal(table.square(marks), D[np.ix_(marks, marks)])
    D[6, 1] += 1
    table = ColumnComparisons(D[:, marks], None, name="X")
    with pytest.raises(ValueError, match=r"X must be symmetric; got 6.0 .* \(6, 1\)"):
        table.square(marks)
