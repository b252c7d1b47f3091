"""
A million points, a batch at a time
===================================

Question: a million objects arrive in batches and are compared by a measure that is not
Euclidean. Can they be turned into vectors without ever holding them, how much memory
does it take, and is the result the same as if they had been there at once?
"""

# %%
# A stream
# --------
# Points around eight centres in 20 dimensions, compared by the sum of the moduli of
# their differences. ``batch(i)`` stands for reading a file, or for a queue.

import os
import time
import tracemalloc

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from skproxy import NystromDissimilarity

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))
N_BATCHES, N_EACH = (10, 2_000) if SMALL else (50, 20_000)
centres = np.random.RandomState(0).uniform(0, 10, (8, 20))


def batch(i):
    """Return the points of a batch and the centres that they belong to."""
    rng = np.random.RandomState(i)
    y = rng.randint(len(centres), size=N_EACH)
    return centres[y] + rng.standard_normal((N_EACH, 20)) * 1.5, y


# %%
# One pass
# --------
# The first batch fixes the landmarks and the map; each other batch is compared with the
# landmarks, added to the moments, and forgotten. Traced is all memory that NumPy and
# Python ask for, the batch itself included.

nystrom = NystromDissimilarity("cityblock", n_landmarks=100, random_state=0)
n_seen, megabytes, axes = [], [], []
tracemalloc.start()
start = time.perf_counter()
for i in range(N_BATCHES):
    nystrom.partial_fit(batch(i)[0])
    n_seen.append(nystrom.n_samples_seen_)
    megabytes.append(tracemalloc.get_traced_memory()[1] / 1e6)
    axes.append(nystrom.eigenvalues_ / nystrom.n_samples_seen_)
    tracemalloc.reset_peak()
seconds = time.perf_counter() - start
tracemalloc.stop()
n_seen, axes = np.array(n_seen), np.array(axes)

n = n_seen[-1]
m = nystrom.n_landmarks_
print(f"{n:,} points in {seconds:.1f} s, {nystrom.n_comparisons_:,} comparisons")
print(f"most memory at any time          {max(megabytes):16,.0f} MB")
print(f"the points alone                 {n * 20 * 8 / 1e6:16,.0f} MB")
print(f"comparisons with {m} landmarks  {n * m * 8 / 1e6:16,.0f} MB")
print(f"comparisons of all with all      {n**2 * 8 / 1e6:16,.0f} MB")

# %%
# The same at once
# ----------------
# With the landmarks of the stream, and points enough for this to fit into memory.

few = range(5)
landmarks, n_first = nystrom.components_, 5 * N_EACH
streamed = clone(nystrom).set_params(landmarks=landmarks, n_probes=0)
for i in few:
    streamed.partial_fit(batch(i)[0])
points = np.concatenate([batch(i)[0] for i in few])
at_once = clone(streamed).fit(points)
scale = np.abs(at_once.eigenvalues_).max()
difference = np.abs(streamed.eigenvalues_ - at_once.eigenvalues_).max() / scale
print(f"\neigenvalues of {n_first:,} points differ by {difference:.0e} of the largest")

# %%
# The picture
# -----------
# Memory, and a map of points that are new to the estimator: a batch after the last.

figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.5), layout="constrained")
lines = (
    (n_seen**2 * 8 / 1e6, "#D55E00", "--", "all with all"),
    (n_seen * m * 8 / 1e6, "#E69F00", "-.", f"all with {m} landmarks"),
    (n_seen * 20 * 8 / 1e6, "#56B4E9", ":", "the points"),
    (megabytes, "#0072B2", "-", "partial_fit, measured"),
)
for values, colour, style, label in lines:
    left.plot(n_seen, values, style, color=colour, label=label, linewidth=2)
left.set(xscale="log", yscale="log", xlabel="points seen", ylabel="memory, MB")
left.set_title("Memory")
left.legend(frameon=False, loc="upper left")
left.grid(alpha=0.25)

new, y = batch(N_BATCHES)
Z = nystrom.transform(new)
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9"]
COLOURS += ["#000000", "#999999"]
shown = slice(0, 4000)
right.scatter(*Z[shown, :2].T, c=np.array(COLOURS)[y[shown]], s=4, linewidths=0)
for label in np.unique(y):
    middle = np.median(Z[y == label, :2], axis=0)
    right.annotate(
        f"{label + 1}",
        middle,
        ha="center",
        va="center",
        fontweight="bold",
        bbox={"boxstyle": "circle,pad=0.15", "facecolor": "white", "alpha": 0.8},
    )
right.set(xlabel="axis 1", ylabel="axis 2", title="New points, by their eight centres")
right.set_aspect("equal", adjustable="datalim")
for panel in (left, right):
    panel.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Answer
# ------

print(
    f"Answer: {n:,} points took {seconds:.1f} seconds and at most "
    f"{max(megabytes):.0f} MB, {megabytes[1]:.0f} MB in the second batch and "
    f"{megabytes[-1]:.0f} MB in the last. All at once gives the same eigenvalues to "
    f"{difference:.0e}."
)
