import numpy as np
import pandas as pd
import pytest

from skproxy import NystromDissimilarity
from skproxy.comparisons._measure import Measure, evaluate_rectangle
from skproxy.comparisons._string_measures import STRING_MEASURES, check_strings

LETTERS = "abc"


@pytest.fixture
def words(rng):
    """Short words of three letters, where every rule of a measure comes to bear."""
    lengths = [0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9]
    return ["".join(rng.choice(list(LETTERS), size=n)) for n in lengths]


def edits(a, b, transpositions=False, substitution=1):
    """Return the cost of edits, swaps of neighbours not touched again (OSA) allowed."""
    costs = np.zeros((len(a) + 1, len(b) + 1))
    costs[:, 0], costs[0] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            changed = substitution * (a[i - 1] != b[j - 1])
            costs[i, j] = min(
                costs[i - 1, j - 1] + changed, costs[i - 1, j] + 1, costs[i, j - 1] + 1
            )
            swapped = i > 1 and j > 1 and (a[i - 2], a[i - 1]) == (b[j - 1], b[j - 2])
            if transpositions and swapped:
                costs[i, j] = min(costs[i, j], costs[i - 2, j - 2] + 1)
    return costs[-1, -1]


def damerau(a, b):
    """Return the fewest edits and swaps (Lowrance and Wagner 1975)."""
    costs = np.full((len(a) + 2, len(b) + 2), float(len(a) + len(b)))
    costs[1:, 1], costs[1, 1:] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    last_row = dict.fromkeys(LETTERS, 0)
    for i in range(1, len(a) + 1):
        last_column = 0
        for j in range(1, len(b) + 1):
            row, column = last_row[b[j - 1]], last_column
            same = a[i - 1] == b[j - 1]
            last_column = j if same else last_column
            costs[i + 1, j + 1] = min(
                costs[i, j] + (not same),
                costs[i + 1, j] + 1,
                costs[i, j + 1] + 1,
                costs[row, column] + (i - row - 1) + 1 + (j - column - 1),
            )
        last_row[a[i - 1]] = i
    return costs[-1, -1]


def longest_common(a, b):
    return (len(a) + len(b) - edits(a, b, substitution=2)) / 2


def jaro(a, b):
    """Return one minus the similarity of Jaro (1989)."""
    if not a and not b:
        return 0.0
    reach = max(max(len(a), len(b)) // 2 - 1, 0)
    taken, matched = set(), []
    for i, letter in enumerate(a):
        for j in range(max(0, i - reach), min(len(b), i + reach + 1)):
            if j not in taken and b[j] == letter:
                taken.add(j)
                matched.append(letter)
                break
    if not matched:
        return 1.0
    others = [b[j] for j in sorted(taken)]
    m = len(matched)
    swaps = sum(x != y for x, y in zip(matched, others, strict=True)) // 2
    return 1 - (m / len(a) + m / len(b) + (m - swaps) / m) / 3


def jaro_winkler(a, b, prefix_weight=0.1):
    """Return Jaro's, nearer for up to four equal first letters, where near anyway."""
    distance = jaro(a, b)
    prefix = 0
    while prefix < min(4, len(a), len(b)) and a[prefix] == b[prefix]:
        prefix += 1
    if 1 - distance > 0.7:
        distance -= prefix * prefix_weight * distance
    return distance


ORACLES = {
    "levenshtein": edits,
    "damerau_levenshtein": damerau,
    "osa": lambda a, b: edits(a, b, transpositions=True),
    "indel": lambda a, b: edits(a, b, substitution=2),
    "lcs_seq": lambda a, b: max(len(a), len(b)) - longest_common(a, b),
    "jaro": jaro,
    "jaro_winkler": jaro_winkler,
}
#: The largest value that two strings of these lengths can have.
LARGEST = {
    "levenshtein": max,
    "damerau_levenshtein": max,
    "osa": max,
    "indel": lambda p, q: p + q,
    "lcs_seq": max,
}


def evaluate(name, rows, others, **params):
    return evaluate_rectangle(Measure(name, False, params), rows, others)


def test_every_name_has_an_oracle():
    """A name that is added is tested."""
    assert ORACLES.keys() == STRING_MEASURES.keys()


@pytest.mark.parametrize("name", ORACLES)
def test_names_mean_what_their_definitions_say(name, words):
    """Whatever rapidfuzz calls it: plain Python gives the same, as doubles."""
    expected = np.array([[ORACLES[name](a, b) for b in words[:7]] for a in words])
    block = evaluate(name, words, words[:7])
    assert block.dtype == np.float64
    np.testing.assert_allclose(block, expected, atol=1e-12)


@pytest.mark.parametrize("name", ORACLES)
def test_they_are_symmetric_and_zero_for_equal_strings(name, words):
    """What a dissimilarity must be."""
    block = evaluate(name, words, words)
    np.testing.assert_array_equal(block, block.T)
    assert (np.diag(block) == 0).all()
    assert (block >= 0).all()


@pytest.mark.parametrize("name", ["levenshtein", "damerau_levenshtein", "indel"])
def test_those_that_are_called_metrics_keep_the_triangles(name, words):
    """d(a, c) <= d(a, b) + d(b, c)."""
    D = evaluate(name, words, words)
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :]).all()


@pytest.mark.parametrize("name", LARGEST)
def test_normalized_divides_by_the_largest_possible(name, words):
    """The same in every measure that counts."""
    counts = evaluate(name, words, words)
    shares = evaluate(name, words, words, normalized=True)
    for i, j in np.ndindex(shares.shape):
        largest = LARGEST[name](len(words[i]), len(words[j]))
        assert shares[i, j] == pytest.approx(counts[i, j] / max(largest, 1))


def test_parameters_reach_the_library(words):
    """Weights of edits, weight of the prefix."""
    weighted = evaluate("levenshtein", words, words, weights=(1, 1, 2))
    np.testing.assert_array_equal(weighted, evaluate("indel", words, words))
    strong = evaluate("jaro_winkler", words, words, prefix_weight=0.25)
    expected = [[jaro_winkler(a, b, 0.25) for b in words] for a in words]
    np.testing.assert_allclose(strong, expected, atol=1e-12)


def test_insertions_cost_what_deletions_do(words):
    """Else the two directions differ, which no landmark map can hold."""
    model = NystromDissimilarity("levenshtein", metric_params={"weights": (1, 2, 1)})
    with pytest.raises(ValueError, match=r"weights of metric='levenshtein' must cost"):
        model.set_params(n_landmarks=3).fit(words)


@pytest.mark.parametrize(
    "collect",
    [
        tuple,
        np.array,
        lambda w: np.array(w, dtype=object),
        lambda w: np.array(w).reshape(-1, 1),
        pd.Series,
        lambda w: pd.Series(w, dtype="category"),
        lambda w: pd.DataFrame({"word": w}),
        lambda w: [one.encode() for one in w],
        lambda w: [list(one) for one in w],
    ],
)
def test_strings_come_in_any_collection(collect, words):
    """Lists, arrays, columns of frames; bytes and lists of symbols are strings too."""
    model = NystromDissimilarity("levenshtein", n_landmarks=4, random_state=0)
    expected = model.fit_transform(words)
    np.testing.assert_array_equal(model.fit_transform(collect(words)), expected)
    np.testing.assert_array_equal(
        model.transform(collect(words[:3])), model.transform(words[:3])
    )
    assert isinstance(model.components_, list)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, 3])
def test_what_is_no_string_is_refused_with_its_position(missing):
    """A missing string is far from everything, or equal to it: nobody knows."""
    model = NystromDissimilarity("jaro", n_landmarks=2)
    with pytest.raises(
        TypeError, match=r"X of Nystrom.* must hold strings.*position 2"
    ):
        model.fit(["a", "b", missing, "c"])
    with pytest.raises(TypeError, match=r"landmarks of .*position 1"):
        model.set_params(landmarks=["a", missing]).fit(["a", "b"])


def test_several_columns_are_refused():
    """Which of them holds the strings?"""
    with pytest.raises(ValueError, match="X must be one column of strings; got 2 col"):
        check_strings(np.array([["a", "b"]]), "X")


@pytest.mark.parametrize("strings", [[["a"], [["b"]]], np.array([[["a"], ["b"]]])])
def test_symbols_can_be_hashed(strings):
    """Lists in lists are refused with their position, not by the library."""
    with pytest.raises(TypeError, match=r"^X of Me .* hashed; got \[.* at position \d"):
        check_strings(strings, "X of Me")


def test_bytes_are_not_compared_with_letters_of_another_code():
    """'é' would differ from itself, encoded; ASCII is the same either way."""
    coded = "é".encode()
    assert check_strings([b"a", "a", ["a"]], "X") == [b"a", "a", ["a"]]
    assert check_strings([coded, b"a"], "X") == [coded, b"a"]
    for other in ("a", ["a"]):
        with pytest.raises(TypeError, match=r"^X of Me must compare bytes .* Decode"):
            check_strings(["a", coded, other], "X of Me")
    model = NystromDissimilarity("levenshtein", n_landmarks=2).fit(["é", "è", "e"])
    assert model.transform([b"e"]).shape == (1, 2)
    with pytest.raises(TypeError, match=r"metric='levenshtein' must compare bytes"):
        model.transform([coded])


@pytest.mark.parametrize("dtype", ["U", int, object])
def test_arrays_of_symbols_are_strings(dtype, words):
    """As the lists that they are made of; empty ones too."""
    rows = [[ord(x) if dtype is int else x for x in word] for word in words]
    model = NystromDissimilarity("levenshtein", n_landmarks=4, random_state=0)
    expected = model.fit_transform(words)
    arrays = [np.array(row, dtype=dtype) for row in rows]
    np.testing.assert_array_equal(model.fit_transform(arrays), expected)


def test_letters_are_what_python_counts():
    """Code points: an accent of its own is a letter, a family of emoji several."""
    family = "\N{WOMAN}\u200d\N{GIRL}"
    block = evaluate("levenshtein", ["e\u0301", family, "\ud800"], ["\xe9", "", "x"])
    np.testing.assert_array_equal(block, [[2, 2, 2], [3, 3, 3], [1, 1, 1]])


@pytest.mark.parametrize("name", ORACLES)
def test_empty_strings_are_strings(name):
    """All of them empty, or one: nothing is divided by zero."""
    model = NystromDissimilarity(name, n_landmarks=3, random_state=0)
    assert (model.fit_transform([""] * 5) == 0).all()
    assert np.isfinite(model.fit_transform(["", "a", "", "ab", "b"])).all()


@pytest.mark.parametrize("weights", [(1, 1), 3, (1.5, 1.5, 2), (-1, -1, 1), "111"])
def test_weights_are_three_counts(weights):
    """rapidfuzz would cut fractions off, and count from the other end."""
    model = NystromDissimilarity("levenshtein", metric_params={"weights": weights})
    with pytest.raises(ValueError, match=r"weights of metric=.* three integers .*got"):
        model.set_params(n_landmarks=2).fit(["a", "b", "c"])


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pd.DataFrame])
def test_hamming_is_of_strings_of_one_length_too(make, rng):
    """The share of letters that differ, in fit and for new strings."""
    words = ["".join(rng.choice(list("acgt"), size=12)) for _ in range(30)]
    expected = np.array(
        [
            [np.mean([x != y for x, y in zip(a, b, strict=True)]) for b in words]
            for a in words
        ]
    )
    model = NystromDissimilarity("hamming", n_landmarks=30, power=1, scale="metric")
    Z = model.fit_transform(make(words))
    gaps = np.square(Z[:, None] - Z).sum(axis=-1)
    np.testing.assert_allclose(gaps, expected, atol=1e-9)
    np.testing.assert_allclose(model.transform(make(words[:3])), Z[:3], atol=1e-9)
    own = NystromDissimilarity("hamming", landmarks=words[:4], power=1)
    assert own.fit_transform(make(words)).shape == (30, 4)


def test_hamming_of_strings_of_different_lengths_says_what_to_take():
    """With the position of the first of another length."""
    message = r"one length .* 'hamming', 3 as the first; got 'ab' at position 2.*leven"
    with pytest.raises(ValueError, match=message):
        NystromDissimilarity("hamming").fit(["abc", "abd", "ab"])
    model = NystromDissimilarity("hamming", n_landmarks=2).fit(["abc", "abd", "xyz"])
    with pytest.raises(ValueError, match=r"2 features, but .* expecting 3"):
        model.transform(["ab"])
