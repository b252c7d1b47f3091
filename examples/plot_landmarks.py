"""
Who should be a landmark, and how many?
=======================================

Question: each landmark costs a comparison for every object, now and at every
prediction. How much does choosing them save, and which way of choosing is best?
"""

# %%
# 280 samples of ecological communities, made up along two gradients, compared by the
# Jensen-Shannon divergence of what they consist of; any other comparison would do. A
# selector knows the objects through their comparisons alone.

import os

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import pdist, squareform

from skproxy import NystromDissimilarity
from skproxy.datasets import make_communities
from skproxy.inspection import EmbeddingDisplay, LandmarkCurveDisplay

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))

counts, _ = make_communities(280, random_state=0)
D = squareform(pdist(counts, "jensenshannon") ** 2)

# %%
# The error of what is kept
# -------------------------
# :class:`skproxy.inspection.LandmarkCurveDisplay` fits to most of the samples, and
# measures on the others how far off their similarities are. Landmarks are drawn several
# times; a line is the median, a band goes from the best draw to the worst.

NUMBERS = [5, 10, 20] if SMALL else [5, 10, 20, 40, 80]
SELECTORS = ["uniform", "farthest", "kmeans", "cholesky"]
nystrom = NystromDissimilarity("precomputed", correction=None)

_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
curve = LandmarkCurveDisplay.from_estimator(
    nystrom,
    D,
    n_landmarks=NUMBERS,
    landmarks=SELECTORS,
    n_repeats=2 if SMALL else 10,
    random_state=0,
    ax=ax,
)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Where they are
# --------------
# Twelve landmarks of each kind, on one and the same map. Uniform ones are where most
# samples are; the other selectors also send some to where there are few.

Z = nystrom.fit_transform(D)
figure, grid = plt.subplots(2, 2, figsize=(7, 6), layout="constrained")
for ax, name in zip(grid.flat, SELECTORS, strict=True):
    chosen = NystromDissimilarity(
        "precomputed", n_landmarks=12, landmarks=name, random_state=0
    ).fit(D)
    EmbeddingDisplay.from_embedding(
        Z,
        landmark_indices=chosen.component_indices_,
        ax=ax,
        legend=False,
        scatter_kw={"color": "#56B4E9", "s": 12},
    )
    ax.set(title=name, xlabel="", ylabel="", xticks=[], yticks=[])
figure.suptitle("samples, and 12 of them as landmarks (rings)", fontsize=10)
plt.show()

# %%
# What a choice is worth
# ----------------------
# A selector makes comparisons of its own. These are made once, in fit, and their number
# stays below a bound however many objects there are; here, where objects are few, that
# of the last is close to all pairs.

medians = {name: np.median(curve.scores[name], axis=1) for name in SELECTORS}
worst = {name: np.max(curve.scores[name], axis=1) for name in SELECTORS}
at = NUMBERS.index(20)
print(f"20 landmarks{'':8} {'error':>8} {'worst draw':>11} {'comparisons of fit':>19}")
for name in SELECTORS:
    fitted = NystromDissimilarity(
        "precomputed", n_landmarks=20, landmarks=name, random_state=0
    ).fit(D)
    print(
        f"{name:20} {medians[name][at]:8.4f} {worst[name][at]:11.4f} "
        f"{fitted.n_comparisons_:19,}"
    )

# %%
# Answer
# ------

best = min(SELECTORS, key=lambda name: medians[name][at])
target = medians["uniform"][at]
enough = next(m for m, e in zip(NUMBERS, medians[best], strict=True) if e <= target)
print(
    f"Answer: '{best}' is best here. With 20 landmarks its error is "
    f"{medians[best][at] / target:.2f} times that of uniform ones, its worst draw "
    f"{worst[best][at] / worst['uniform'][at]:.2f} times theirs; and {enough} of its "
    f"landmarks are enough for what 20 uniform ones reach."
)
