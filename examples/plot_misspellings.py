"""
Finding the word that was meant
===============================

Question: a misspelled word is corrected by comparing it with every word of a
vocabulary. How many of these comparisons are needed, if words are vectors first?
"""

# %%
# Words and misspellings
# ----------------------
# The vocabulary is what Python's own documentation, which comes with Python, is written
# in. Every misspelling has two slips of the hand: letters swapped, dropped, doubled, or
# a neighbour on the keyboard. They are made here, so the word that was meant is known.

import os
import re
from pydoc_data.topics import topics

import matplotlib.pyplot as plt
import numpy as np
from rapidfuzz.distance import OSA, JaroWinkler
from rapidfuzz.process import cdist
from sklearn.neighbors import NearestNeighbors

from skproxy import BlockMetric, NystromDissimilarity

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))
KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def slip(word, rng):
    """Return the word after one slip of the hand."""
    i = rng.randint(len(word) - 1)
    kind = rng.choice(["swap", "drop", "double", "neighbour"])
    if kind == "swap":
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    if kind == "drop":
        return word[:i] + word[i + 1 :]
    if kind == "double":
        return word[:i] + word[i] + word[i:]
    line = next(line for line in KEYBOARD if word[i] in line)
    at = line.index(word[i])
    beside = [*line[max(at - 1, 0) : at], *line[at + 1 : at + 2]]
    return word[:i] + rng.choice(beside) + word[i + 1 :]
    return (
        word[:i]
        + rng.choice([*line[max(at - 1, 0) : at], *line[at + 1 : at + 2]])
        + (word[i + 1 :])
    )


text = " ".join(topics.values())
words = sorted(set(re.findall(r"\b[a-z]{5,}\b", text)))[:: 4 if SMALL else 1]
rng = np.random.RandomState(0)
meant = rng.randint(len(words), size=200 if SMALL else 2000)
misspelled = [slip(slip(words[i], rng), rng) for i in meant]
print(f"{len(words):,} words; {', '.join(misspelled[:6])} ...")

# %%
# Every word, or a few
# --------------------
# Words are compared by how many slips lie between them (optimal string alignment),
# counted in C++ by rapidfuzz for whole blocks at once. Comparing with every word is the
# usual way; many words are equally near then, and Jaro-Winkler breaks the ties.
#
# The other way: each word of the vocabulary is compared with a few landmarks, and
# becomes a vector. So does a misspelling; the nearest vectors are its candidates, and
# only these are compared in earnest. (An edit distance takes a fraction of a
# microsecond; of slower measures the number of comparisons is what one waits for.)


def slips(rows, others):
    """Return how many slips lie between each two words of two lists."""
    return cdist(rows, others, scorer=OSA.distance)


def correct(candidates, distances):
    """Return the share of misspellings whose nearest candidate was meant."""
    nearest = np.take_along_axis(distances, candidates, axis=1).argmin(axis=1)
    return np.mean(candidates[np.arange(len(candidates)), nearest] == meant)


exact = slips(misspelled, words)
ties = cdist(misspelled, words, scorer=JaroWinkler.distance)
everything = np.broadcast_to(np.arange(len(words)), exact.shape)
results = [
    ("every word, the first of the nearest", len(words), correct(everything, exact)),
    ("every word, ties by Jaro-Winkler", len(words), correct(everything, exact + ties)),
]

N_CANDIDATES = 30
NUMBERS = [10, 20, 50, 100]
recall = {}
for n_landmarks in NUMBERS:
    nystrom = NystromDissimilarity(
        BlockMetric(slips), n_landmarks=n_landmarks, landmarks="kmeans", random_state=0
    )
    neighbours = NearestNeighbors(n_neighbors=N_CANDIDATES)
    neighbours.fit(nystrom.fit_transform(words))
    found = neighbours.kneighbors(nystrom.transform(misspelled))[1]
    recall[n_landmarks] = np.cumsum(found == meant[:, None], axis=1).mean(axis=0)
    each = n_landmarks + N_CANDIDATES
    name = f"{n_landmarks} landmarks, {N_CANDIDATES} candidates"
    results.append((name, each, correct(found, exact + ties)))

print(f"\n{'':38} {'comparisons':>12} {'corrected':>10}")
for name, each, share in results:
    print(f"{name:38} {each:12,} {share:10.1%}")

# %%
# The picture
# -----------

SHADES = ["#56B4E9", "#009E73", "#0072B2", "#000000"]
MARKERS = ["o", "s", "^", "D"]

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for n_landmarks, colour, marker in zip(NUMBERS, SHADES, MARKERS, strict=True):
    left.plot(
        np.arange(1, N_CANDIDATES + 1),
        recall[n_landmarks],
        color=colour,
        marker=marker,
        markevery=[0, 1, 2, 4, 9, 19, 29],
        markersize=5,
        label=f"{n_landmarks} landmarks",
    )
left.set(xscale="log", xticks=[1, 2, 3, 5, 10, 20, 30], ylim=(0, 1.02))
left.xaxis.set_major_formatter("{x:g}")
left.minorticks_off()
left.set(xlabel="candidates (nearest vectors)", ylabel="share of misspellings")
left.set_title("The word that was meant is among them")
left.legend(frameon=False, loc="lower right")

for (_, each, share), colour, marker in zip(results[2:], SHADES, MARKERS, strict=True):
    right.scatter(each, share, s=60, color=colour, marker=marker, zorder=3)
for (_, each, share), marker, label in (
    (results[1], "*", "every word, ties by Jaro-Winkler"),
    (results[0], "X", "every word, the first of the nearest"),
):
    right.scatter(
        each, share, s=90, color="#D55E00", marker=marker, label=label, zorder=3
    )
right.set(xscale="log", ylim=(0, 1.02), ylabel="share of misspellings")
right.set(xlabel="comparisons per misspelling", xticks=[50, 100, 200, 500, 1000, 2000])
right.xaxis.set_major_formatter("{x:,.0f}")
right.minorticks_off()
right.set_title(f"Corrected, from {N_CANDIDATES} candidates or from every word")
right.legend(frameon=False, loc="lower left")
for panel in (left, right):
    panel.grid(alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Answer
# ------

full, few = results[1], results[-2]
print(
    f"Answer: {few[1]} comparisons per misspelling instead of {full[1]:,} "
    f"({few[1] / full[1]:.0%}) correct {few[2]:.1%} of the misspellings instead of "
    f"{full[2]:.1%}."
)
