"""
Groups of series, and series in no group
========================================

Question: HDBSCAN finds groups of any shape, and says what belongs to none. It wants all
dissimilarities, or the neighbours of each object. Does it find the same groups from
neighbours that a few comparisons found?
"""

# %%
# Series
# ------
# Cylinders, bells and funnels (Saito 1994): a plateau, a rise or a fall that begins and
# ends anywhere, with noise. Dynamic time warping does not mind where.

import os
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

from skproxy import BlockMetric
from skproxy.neighbors import LandmarkKNeighborsTransformer

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))
SHAPES = ["cylinder", "bell", "funnel"]


def make_series(n_series, rng, length=128):
    """Return series and which shape each has."""
    times = np.arange(length)
    y = np.arange(n_series) % 3
    X = rng.normal(size=(n_series, length))
    for series, shape in zip(X, y, strict=True):
        begin = rng.randint(16, 32)
        end = begin + rng.randint(32, 96)
        inside = (times >= begin) & (times <= end)
        rise = (times - begin) / (end - begin)
        profile = [np.ones(length), rise, 1 - rise][shape]
        series += (6 + rng.normal()) * profile * inside
    return X, y


X, y = make_series(150 if SMALL else 600, np.random.RandomState(0))


def warped(rows, others):
    """Return DTW of two collections of series, all pairs in step.

    D(i, j) is the squared gap of the time points i and j, and the least of the three
    before it; those with the same i + j are found together.
    """
    rows, others = np.asarray(rows)[:, None], np.asarray(others)[None]
    n_times = rows.shape[-1]
    shape = (rows.shape[0], others.shape[1], n_times + 1)
    before, last = np.full(shape, np.inf), np.full(shape, np.inf)
    before[..., 0] = 0.0
    for k in range(2, 2 * n_times + 1):
        i = np.arange(max(1, k - n_times), min(n_times, k - 1) + 1)
        gaps = np.square(rows[..., i - 1] - others[..., k - i - 1])
        least = np.minimum(last[..., i - 1], last[..., i])
        now = np.full(shape, np.inf)
        now[..., i] = gaps + np.minimum(least, before[..., i - 1])
        before, last = last, now
    return np.sqrt(last[..., n_times])


# The name where aeon or dtaidistance is installed, which are faster.
compiled = find_spec("aeon") or find_spec("dtaidistance")
dtw = "dtw" if compiled else BlockMetric(warped)

# %%
# Groups from neighbours
# ----------------------
# One pipeline: 20 neighbours of each series, in a graph of one piece, to HDBSCAN. The
# comparisons in the graph are true ones.

finder = LandmarkKNeighborsTransformer(
    dtw, n_neighbors=20, connected=True, n_landmarks=40, random_state=0
)
pipeline = make_pipeline(
    finder,
    HDBSCAN(metric="precomputed", min_samples=15, min_cluster_size=15, copy=True),
)
groups = pipeline.fit_predict(X)
n_pairs = len(X) * (len(X) - 1) // 2
share = finder.n_comparisons_ / n_pairs
print(f"{finder.n_comparisons_:,} comparisons, {100 * share:.0f} % of all pairs")

# %%
# What all pairs would have given
# -------------------------------
# The same with as many candidates as there are series: then every pair is compared, the
# neighbours are the true ones, and nothing else changes.

exact = LandmarkKNeighborsTransformer(
    dtw,
    n_neighbors=20,
    connected=True,
    n_landmarks=40,
    n_candidates=len(X),
    random_state=0,
)
exact_groups = make_pipeline(exact, pipeline[-1]).fit_predict(X)
found = finder.kneighbors()[0] <= exact.kneighbors()[0][:, -1:]
print(f"{100 * found.mean():.1f} % of the 20 nearest were found")
for name, labels in [("few pairs", groups), ("all pairs", exact_groups)]:
    inside = labels >= 0
    score = adjusted_rand_score(y[inside], labels[inside])
    print(
        f"{name}: {labels.max() + 1} groups, {100 * inside.mean():.0f} % of the series "
        f"in one, agreement with the shapes there {score:.2f}"
    )
agreement = adjusted_rand_score(groups, exact_groups)
print(f"agreement of the two (adjusted Rand index): {agreement:.2f}")

# %%
# A picture
# ---------
# Twelve series of each group, and of those in none, with the shapes in it.

n_groups = max(groups.max() + 1, 1)
figure, axes = plt.subplots(1, n_groups + 1, figsize=(9, 3.2), sharey=True)
for group, axis in zip([*range(n_groups), -1], axes, strict=True):
    members = np.flatnonzero(groups == group)
    axis.plot(X[members[:12]].T, color="tab:grey" if group < 0 else f"C{group}", lw=0.5)
    counts = zip(np.bincount(y[members], minlength=3), SHAPES, strict=True)
    held = "\n".join(f"{count} {shape}s" for count, shape in counts)
    name = "in no group" if group < 0 else f"group {group + 1}"
    axis.set_title(f"{name}\n{held}", fontsize=9)
    axis.set_xlabel("time")
axes[0].set_ylabel("value")
figure.tight_layout()
plt.show()

# %%
# Answer
# ------
# The share of pairs falls as the number of series grows. What HDBSCAN leaves out
# depends on ``min_samples`` more than on neighbours that were missed.

print(
    f"Answer: {100 * share:.0f} % of the pairs give the groups of all pairs up to an "
    f"adjusted Rand index of {agreement:.2f}."
)
