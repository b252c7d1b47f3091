"""
Corrections side by side
========================

Question: a kernel with negative eigenvalues has to be corrected before a support vector
machine may have it. What does each correction do to the spectrum, and does it matter
which one is taken?
"""

# %%
# Two sets of comparisons
# -----------------------
# 435 members of the US House of Representatives of 1984 are alike in the share of
# votes, among those that both have cast, in which they agree; and 200 balls of two
# sizes, scattered in a box, are told apart by the gaps between their surfaces. Neither
# comes from points of a Euclidean space. Votes not cast are noise, and noise makes
# eigenvalues of both signs. The balls are measured exactly, and their sizes, which no
# Euclidean space can hold, are in the negative eigenvalues alone.

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from skproxy import EigenCorrector
from skproxy.datasets import load_votes, make_balls
from skproxy.inspection import SpectrumDisplay

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))

votes, party = load_votes(return_X_y=True)
if SMALL:
    votes, party = votes[::4], party[::4]
cast = (~np.isnan(votes)).astype(float)
in_common = cast @ cast.T
agreed = sum((votes == vote).astype(float) @ (votes == vote).T for vote in (0, 1))
agreement = agreed / np.maximum(in_common, 1)
SETS = {
    "votes": (agreement, party, "similarity"),
    "balls": (*make_balls(100 if SMALL else 200, random_state=0), "dissimilarity"),
}
CORRECTIONS = {
    "clip": "negative ones dropped",
    "flip": "moduli taken",
    "square": "all squared",
    "shift": "all lifted",
}

# %%
# Accuracy after each
# -------------------
# :class:`skproxy.EigenCorrector` corrects the training matrix, and takes the rows of
# test objects along, in a Pipeline. Each correction gets the best ``C`` of a search of
# its own; the mean over the folds of a cross-validation, with its standard error.

folds = RepeatedStratifiedKFold(
    n_splits=3 if SMALL else 5, n_repeats=1 if SMALL else 3, random_state=0
)
accuracy = {}
for name, (matrix, y, kind) in SETS.items():
    for correction in CORRECTIONS:
        corrector = EigenCorrector(correction, input=kind)
        size = np.abs(corrector.fit(matrix).corrected_eigenvalues_).mean()
        pipeline = Pipeline(
            [("correct", corrector), ("svc", SVC(kernel="precomputed"))]
        )
        grid = {"svc__C": np.logspace(0, 4, 2 if SMALL else 5) / size}
        search = GridSearchCV(pipeline, grid, cv=folds).fit(matrix, y)
        best, results = search.best_index_, search.cv_results_
        error = results["std_test_score"][best] / np.sqrt(folds.get_n_splits())
        accuracy[name, correction] = results["mean_test_score"][best], error

print(f"{'accuracy':14}" + "".join(f"{name:>18}" for name in SETS))
for correction in CORRECTIONS:
    cells = (accuracy[name, correction] for name in SETS)
    line = "".join(f"{mean:>10.3f} +- {error:.3f}" for mean, error in cells)
    print(f"{correction:14}{line}")

# %%
# The picture
# -----------
# Bars are eigenvalues, rings what the correction made of them. The largest ones, which
# no correction touches much, lie beyond the frame: two of the votes, and of the balls
# three, which stand for the positions in the box.

LIMITS = {"votes": (-6, 24), "balls": (-2200, 4000)}

figure, panels = plt.subplots(
    2, len(CORRECTIONS), figsize=(10.5, 5.6), sharey="row", layout="constrained"
)
for line, (name, (matrix, _, kind)) in zip(panels, SETS.items(), strict=True):
    for ax, (correction, what) in zip(line, CORRECTIONS.items(), strict=True):
        corrector = EigenCorrector(correction, input=kind).fit(matrix)
        display = SpectrumDisplay.from_estimator(
            corrector, n_eigenvalues=25, ax=ax, legend=False
        )
        mean = accuracy[name, correction][0]
        ax.set(xlabel="", ylabel="", ylim=LIMITS[name], xticks=[1, 10, 20])
        ax.set_title(f"{correction}: {what}\naccuracy {mean:.3f}", fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
    line[0].set_ylabel(f"{name}\neigenvalue")
figure.supxlabel("axis, largest modulus first", fontsize=10)
figure.legend(
    display.handles_,
    ["positive", "negative", "after correction (squares scaled)"],
    loc="outside upper center",
    ncols=3,
    frameon=False,
)
plt.show()

# %%
# Answer
# ------

for name, (matrix, _, kind) in SETS.items():
    spectrum = EigenCorrector(input=kind).fit(matrix)
    share = spectrum.negative_fraction_
    print(f"{name}: {share:.1%} of the spectrum is negative")
kept = {name: accuracy[name, "flip"][0] - accuracy[name, "clip"][0] for name in SETS}
print("Answer: negative eigenvalues kept (flip) instead of dropped (clip) change the")
for name, gain in kept.items():
    error = np.hypot(accuracy[name, "flip"][1], accuracy[name, "clip"][1])
    what = "information" if gain > 2 * error else "mostly noise"
    print(f"  accuracy of {name} by {gain:+.3f}: they are {what}")
