"""
Searching landmarks and correction
==================================

Question: which landmarks, how many of them, and which correction? A grid search will
say, but each of its fits compares thousands of objects. How many comparisons does the
search take, if it makes none of them twice?
"""

# %%
# Genotypes
# ---------
# 700 individuals of 15 made-up populations, compared by the alleles that they do not
# share, over the loci typed in both of them; missing values make the measure break the
# triangle inequality. The function compares whole blocks, and counts.

import os
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from skproxy import BlockMetric, NystromDissimilarity
from skproxy.datasets import make_populations
from skproxy.landmarks import KMeansSelector, PivotedCholeskySelector, UniformSelector

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))

counts, populations = make_populations(
    150 if SMALL else 700, drift=0.04, random_state=0
)

evaluated = {"comparisons": 0}


def not_shared(rows, others):
    """Return the shares of alleles that two lists do not have in common."""
    evaluated["comparisons"] += len(rows) * len(others)
    typed, others_typed = rows >= 0, others >= 0
    rows, others = np.where(typed, rows, 0.0), np.where(others_typed, others, 0.0)
    both = rows @ others_typed.T + typed @ others.T
    # two alleles at a locus: |a - b| = a + b - 2 min(a, b), and a, b are 0, 1 or 2
    shared = sum((rows >= k).astype(float) @ (others >= k).T for k in (1, 2))
    return 1.0 - 2.0 * shared / np.maximum(both, 1.0)


# %%
# The search
# ----------
# Selectors, numbers and corrections are parameters like any other. ``memory=`` keeps
# evaluated blocks: corrections need no comparison that the first of them did not make.

LANDMARKS = {
    "uniform": UniformSelector(),
    "kmeans": KMeansSelector(),
    "cholesky": PivotedCholeskySelector(),
}
grid = {
    "nystrom__landmarks": list(LANDMARKS.values()),
    "nystrom__n_landmarks": [10] if SMALL else [25, 50, 100],
    "nystrom__correction": ["clip", "flip", "square", "shift"],
}
folds = StratifiedKFold(n_splits=3, shuffle=True, random_state=0)
with tempfile.TemporaryDirectory() as folder:
    nystrom = NystromDissimilarity(
        BlockMetric(not_shared), memory=folder, random_state=0
    )
    pipeline = Pipeline([("nystrom", nystrom), ("svc", SVC(C=10))])
    search = GridSearchCV(pipeline, grid, cv=folds).fit(counts, populations)
    with_memory = evaluated["comparisons"]

# %%
# What it would have taken without
# --------------------------------
# The same search over a single correction, times four. Whoever has few objects may also
# compare all pairs, once, and search with ``metric="precomputed"``; a search over
# landmarks grows in proportion to the number of objects, that with its square.

evaluated["comparisons"] = 0
pipeline.set_params(nystrom__memory=None)
one = {**grid, "nystrom__correction": ["flip"]}
GridSearchCV(pipeline, one, cv=folds, refit=False).fit(counts, populations)
without_memory = evaluated["comparisons"] * len(grid["nystrom__correction"])

# %%
# The picture
# -----------
# The mean accuracy of each combination, and what the search cost.

accuracy = {}
for parameters, mean in zip(
    search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
):
    selector = next(
        name
        for name, of_grid in LANDMARKS.items()
        if of_grid is parameters["nystrom__landmarks"]
    )
    number = parameters["nystrom__n_landmarks"]
    accuracy[f"{number} {selector}", parameters["nystrom__correction"]] = mean
names = [f"{n} {name}" for n in grid["nystrom__n_landmarks"] for name in LANDMARKS]
corrections = grid["nystrom__correction"]
table = np.array([[accuracy[name, c] for c in corrections] for name in names])

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10.5, 4.8), width_ratios=[1.5, 1], layout="constrained"
)
image = left.imshow(table, cmap="cividis", aspect="auto")
for (i, j), value in np.ndenumerate(table):
    dark = image.norm(value) < 0.5
    left.text(
        j, i, f"{value:.3f}", ha="center", va="center", color="w" if dark else "k"
    )
left.set_xticks(range(len(corrections)), corrections)
left.set_yticks(range(len(names)), names)
left.set(xlabel="correction", ylabel="landmarks", title="Accuracy, 15 populations")

bars = right.barh(
    ["with memory=", "without"],
    [with_memory / 1e6, without_memory / 1e6],
    color=["#0072B2", "#D55E00"],
    height=0.5,
)
right.bar_label(bars, fmt="%.1f", padding=3)
right.set(xlabel="millions of comparisons", title="Cost of the search")
right.set_xlim(right=1.15 * without_memory / 1e6)
right.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Answer
# ------

print(f"{'accuracy':16}" + "".join(f"{c:>8}" for c in corrections))
for name, line in zip(names, table, strict=True):
    print(f"{name:16}" + "".join(f"{value:8.3f}" for value in line))
all_pairs = len(counts) * (len(counts) - 1) // 2
worth_it = 2 * with_memory / len(counts)
print(
    f"all pairs are {all_pairs:,} comparisons, fewer than the search takes as long as "
    f"there are less than {worth_it:,.0f} objects"
)
best = np.unravel_index(table.argmax(), table.shape)
print(
    f"Answer: {names[best[0]]} landmarks and correction '{corrections[best[1]]}', "
    f"accuracy {search.best_score_:.3f}. {table.size * folds.n_splits + 1} fits took "
    f"{with_memory:,} comparisons; without memory= they take {without_memory:,}, "
    f"{without_memory / with_memory:.1f} times as many."
)
