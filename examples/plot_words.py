"""
A picture of words
==================

Question: t-SNE draws neighbours next to each other, so it needs neighbours, not all
dissimilarities. Is a picture of words from a few comparisons as good as one from all?
"""

# %%
# Words
# -----
# The words that Python's documentation, which comes with Python, is written in.

import os
import re
import time
from pydoc_data.topics import topics

import matplotlib.pyplot as plt
import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline

from skproxy.neighbors import LandmarkKNeighborsTransformer

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))
text = " ".join(topics.values())
words = sorted(set(re.findall(r"\b[a-z]{7,}\b", text)))[:: 10 if SMALL else 1]
print(f"{len(words):,} words: {', '.join(words[:4])} ...")

# %%
# Neighbours, then the picture
# ----------------------------
# t-SNE wants three times as many neighbours as its perplexity, and one more.

finder = LandmarkKNeighborsTransformer(
    "levenshtein", n_neighbors=31, n_landmarks=60, random_state=0
)
tsne = TSNE(metric="precomputed", init="random", perplexity=10, random_state=0)
start = time.perf_counter()
Z = make_pipeline(finder, tsne).fit_transform(words)
share = finder.n_comparisons_ / (len(words) * (len(words) - 1) / 2)
print(
    f"{finder.n_comparisons_ / len(words):.0f} comparisons a word, {100 * share:.0f} % "
    f"of all pairs; {time.perf_counter() - start:.0f} s"
)

# %%
# What exact neighbours would have given
# --------------------------------------
# How many of the ten nearest words, by edit distance, are among the ten nearest in the
# picture? Words tie, so a neighbour counts if it is no farther than the tenth.

D = cdist(words, words, scorer=Levenshtein.distance).astype(float)
Z_exact = TSNE(
    metric="precomputed", init="random", perplexity=10, random_state=0
).fit_transform(D)


def kept(Z):
    """Return the share of ten neighbours in the picture that truly are."""
    drawn = NearestNeighbors(n_neighbors=10).fit(Z).kneighbors(return_distance=False)
    others = D + np.diag(np.full(len(D), np.inf))
    tenth = np.sort(others, axis=1)[:, 9:10]
    return (np.take_along_axis(D, drawn, axis=1) <= tenth).mean()


few, all_pairs = kept(Z), kept(Z_exact)
print(f"neighbours kept: {few:.2f} from few comparisons, {all_pairs:.2f} from all")

# %%
# The picture
# -----------
# Every word a point; a few families of words by name.

FAMILIES = ["import", "exception", "assign", "iterat", "represent", "attribut"]
figure, axis = plt.subplots(figsize=(8, 6))
axis.scatter(*Z.T, s=3, color="lightgrey")
for i, stem in enumerate(FAMILIES):
    members = [j for j, word in enumerate(words) if stem in word]
    if not members:
        continue
    axis.scatter(*Z[members].T, s=12, color=f"C{i}")
    some = "\n".join(words[j] for j in members[:5])
    middle = np.median(Z[members], axis=0)
    place = min(Z[members], key=lambda point: np.sum((point - middle) ** 2))
    axis.annotate(
        some, place, (7, 0), textcoords="offset points", fontsize=8, color=f"C{i}"
    )
axis.set(xticks=[], yticks=[], title="Words, and the first five of six families")
figure.tight_layout()
plt.show()

# %%
# Answer
# ------
# Distances between far groups mean nothing in either picture; for these take
# :class:`skproxy.NeucMDS`.

print(
    f"Answer: with {100 * share:.0f} % of the comparisons the picture keeps "
    f"{few:.2f} of the neighbours, and {all_pairs:.2f} with all."
)
