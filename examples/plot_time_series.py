"""
Time series under dynamic time warping
======================================

Question: the classifier to beat for time series compares each new one with all known
ones by dynamic time warping (DTW), and takes the class of the nearest. Is a handful of
comparisons as good?
"""

# %%
# Movements of a hand
# -------------------
# Actors draw a gun, or only point (GunPoint, of the UCR archive): how far to the right
# the hand is, at 150 points of time. ``metric="dtw"`` has aeon or dtaidistance compare
# whole blocks of series; where neither is installed, a few lines of NumPy do.

import os
from functools import partial
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from skproxy import BlockMetric, NystromDissimilarity
from skproxy.datasets import load_gunpoint

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))

series, finger = load_gunpoint(return_X_y=True)
gun = finger == 0
if SMALL:
    series = series[:, ::3]


def warped(rows, others, window):
    """Return DTW of two collections of equally long series, all pairs in step.

    Time points are matched that lie at most `window` apart.
    """
    rows, others = np.asarray(rows), np.asarray(others)
    n_times = rows.shape[1]
    pairs = (len(rows), len(others))
    before = np.full((n_times + 1, *pairs), np.inf)
    before[0] = 0.0
    for i in range(n_times):
        now = np.full_like(before, np.inf)
        for j in range(max(0, i - window), min(n_times, i + window + 1)):
            best = np.minimum(np.minimum(before[j], before[j + 1]), now[j])
            now[j + 1] = best + np.square(rows[:, i, None] - others[:, j])
        before = now
    return np.sqrt(before[n_times])


def dtw(window):
    """Return what NystromDissimilarity needs to compare series with a window."""
    if find_spec("aeon") or find_spec("dtaidistance"):
        return {"metric": "dtw", "metric_params": {"window": window}}
    return {"metric": BlockMetric(partial(warped, window=window))}


# %%
# Nearest neighbour, or landmarks
# -------------------------------
# Ten times, half of the movements are there to learn from and the other half to be
# told. The nearest neighbour gets the window that serves it best among the known ones,
# leaving one out, as is usual. The other way is a Pipeline: series are compared with a
# few landmarks, at the same window, and become vectors for a support vector machine.

WINDOWS = (1, 2, 4) if SMALL else (2, 5, 10, 15)
NUMBERS = (5, 10, 20, 40)
halves = StratifiedShuffleSplit(3 if SMALL else 10, test_size=0.5, random_state=0)

every_pair = {window: warped(series, series, window) for window in WINDOWS}
nearest, landmarks, chosen = [], {m: [] for m in NUMBERS}, []
for known, new in halves.split(series, gun):
    left_out = []
    for window in WINDOWS:
        D = every_pair[window][np.ix_(known, known)] + np.diag([np.inf] * len(known))
        left_out.append(np.mean(gun[known][D.argmin(axis=1)] == gun[known]))
    window = WINDOWS[int(np.argmax(left_out))]
    chosen.append(window)
    D = every_pair[window][np.ix_(new, known)]
    nearest.append(np.mean(gun[known][D.argmin(axis=1)] == gun[new]))
    for m in NUMBERS:
        vectors = NystromDissimilarity(
            **dtw(window), n_landmarks=m, landmarks="kmeans", random_state=0
        )
        model = make_pipeline(vectors, SVC(C=10)).fit(series[known], gun[known])
        landmarks[m].append(model.score(series[new], gun[new]))

print(f"windows chosen: {', '.join(map(str, chosen))}")
print(f"{'':24} {'comparisons':>12} {'accuracy':>9} {'standard error':>15}")
table = [("nearest neighbour, DTW", len(known), nearest)]
table += [(f"{m} landmarks and an SVC", m, landmarks[m]) for m in NUMBERS]
for name, each, values in table:
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    print(f"{name:24} {each:12} {np.mean(values):9.3f} {error:15.3f}")

# %%
# The picture
# -----------

figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
for label, colour, line, name in (
    (True, "#D55E00", "-", "draws a gun"),
    (False, "#0072B2", "--", "only points"),
):
    some = series[gun == label][:12].T
    left.plot(some, line, color=colour, linewidth=0.8, alpha=0.7)
    left.plot([], [], line, color=colour, label=name)
left.set(xlabel="time", ylabel="position of the hand", title="Movements")
left.legend(frameon=False, loc="upper right")

values = np.array([landmarks[m] for m in NUMBERS])
spread = np.array([np.std(v, ddof=1) / np.sqrt(len(v)) for _, _, v in table])
right.errorbar(
    NUMBERS,
    values.mean(axis=1),
    spread[1:],
    color="#0072B2",
    marker="o",
    capsize=3,
    label="landmarks and an SVC",
)
right.errorbar(
    [len(known)],
    [np.mean(nearest)],
    spread[:1],
    color="#D55E00",
    marker="D",
    capsize=3,
    linestyle="none",
    label="nearest neighbour",
)
right.axhline(np.mean(nearest), color="#D55E00", linestyle=":", linewidth=1)
right.set(xscale="log", xticks=[*NUMBERS, len(known)], ylabel="accuracy")
right.xaxis.set_major_formatter("{x:g}")
right.minorticks_off()
right.set(xlabel="DTW comparisons a prediction", title="Accuracy, with standard errors")
right.legend(frameon=False, loc="lower right")
right.grid(alpha=0.25)
for panel in (left, right):
    panel.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Answer
# ------

best = max(NUMBERS, key=lambda m: np.mean(landmarks[m]))
enough = next(
    (m for m in NUMBERS if np.mean(landmarks[m]) >= np.mean(nearest) - 0.005), best
)
gap = np.subtract(landmarks[enough], nearest)
print(
    f"Answer: {enough} comparisons a prediction reach accuracy "
    f"{np.mean(landmarks[enough]):.3f}; the nearest neighbour reaches "
    f"{np.mean(nearest):.3f} with {len(known)}. Their difference is {gap.mean():+.3f} "
    f"+- {np.std(gap, ddof=1) / np.sqrt(len(gap)):.3f}."
)
