"""
Communities: Lingoes's constant, or landmarks
=============================================

Question: Bray-Curtis dissimilarities of ecological communities have negative
eigenvalues, and the textbook adds Lingoes's constant to all squared dissimilarities
until none is left. What does that do to the share of the variation that something
explains, and to the prediction of new samples? Are landmarks an alternative?
"""

# %%
# Samples and their species
# -------------------------
# 300 samples from three habitats, each a count of 200 species that have their optima
# along two gradients of the environment; made up, as such tables are when methods are
# tried. Bray-Curtis compares two samples by what they do not share.

import os

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from skproxy import EigenCorrector, NystromDissimilarity
from skproxy.datasets import make_communities
from skproxy.inspection import EmbeddingDisplay, SpectrumDisplay

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))

counts, habitat = make_communities(100 if SMALL else 300, random_state=0)
habitat = np.array(["dry", "moist", "wet"])[habitat]
bray_curtis = squareform(pdist(counts, "braycurtis"))

# %%
# Five ways to coordinates
# ------------------------
# The first three take the full matrix of dissimilarities. Principal coordinates drop
# negative eigenvalues, ``correction="clip"``; Lingoes's constant lifts all; and many
# ecologists take square roots first, ``power=1``, which leave Bray-Curtis without any.
# The other two never see the full matrix: each sample is compared with 50 landmarks.


def from_matrix(correction, power=2):
    """Return an estimator of coordinates from the full matrix."""
    return EigenCorrector(
        correction, input="dissimilarity", output="features", power=power
    )


def from_landmarks(power=2):
    """Return an estimator of coordinates from comparisons with 50 landmarks."""
    return NystromDissimilarity(
        "braycurtis",
        power=power,
        correction="clip",
        n_landmarks=50,
        landmarks="kmeans",
        random_state=0,
    )


WAYS = {
    "full matrix, clip": (from_matrix("clip"), bray_curtis),
    "full matrix, Lingoes": (from_matrix("lingoes"), bray_curtis),
    "full matrix, square roots": (from_matrix("clip", power=1), bray_curtis),
    "50 landmarks, clip": (from_landmarks(), counts),
    "50 landmarks, square roots": (from_landmarks(power=1), counts),
}

# %%
# What is asked of them
# ---------------------
# How much of the whole do the first two axes show? How much does the habitat explain
# (the R2 of a PERMANOVA)? And how well is the habitat of samples predicted that took
# no part in any of it: the best accuracy of a small search over ``C``.


def explained(Z, labels):
    """Return the share of the variation that lies between the groups."""
    within = sum(
        np.square(Z[labels == label] - Z[labels == label].mean(axis=0)).sum()
        for label in np.unique(labels)
    )
    return 1 - within / np.square(Z - Z.mean(axis=0)).sum()


folds = RepeatedStratifiedKFold(
    n_splits=3 if SMALL else 5, n_repeats=1 if SMALL else 2, random_state=0
)
rows = {}
for name, (estimator, samples) in WAYS.items():
    Z = estimator.fit_transform(samples)
    variances = np.sort(Z.var(axis=0))[::-1]
    pipeline = Pipeline([("coordinates", estimator), ("svc", SVC())])
    search = GridSearchCV(pipeline, {"svc__C": [1, 10, 100]}, cv=folds)
    search.fit(samples, habitat)
    rows[name] = (
        len(samples) if samples is bray_curtis else estimator.n_landmarks_,
        variances[:2].sum() / variances.sum(),
        explained(Z, habitat),
        search.best_score_,
    )

print(f"{'':28} {'comparisons':>12} {'first two':>10} {'explained by':>13}")
print(f"{'':28} {'a new sample':>12} {'axes':>10} {'habitat':>13} {'accuracy':>9}")
for name, (each, axes, share, accuracy) in rows.items():
    print(f"{name:28} {each:12} {axes:10.1%} {share:13.1%} {accuracy:9.3f}")

# %%
# The picture
# -----------
# The constant is large, because it has to make up for the most negative eigenvalue. It
# is added to each of the 299 eigenvalues, so most of what Lingoes's coordinates hold is
# the constant, not the samples. The maps, their first two axes, do not tell.

lingoes, nystrom = WAYS["full matrix, Lingoes"][0], WAYS["50 landmarks, clip"][0]
figure, panels = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
spectrum = SpectrumDisplay.from_estimator(lingoes, n_eigenvalues=40, ax=panels[0])
panels[0].set(title="Bray-Curtis, and after Lingoes", xlabel="axis")
Z = WAYS["full matrix, clip"][0].transform(bray_curtis)
map_ = EmbeddingDisplay.from_embedding(Z, habitat, ax=panels[1])
map_.legend_.set_loc("lower center")
panels[1].set_title(f"Compared with all {len(counts)}")
map_ = EmbeddingDisplay.from_estimator(nystrom, counts, habitat, ax=panels[2])
map_.legend_.set_loc("lower center")
panels[2].set_title("Compared with 50 landmarks")
for panel in panels:
    panel.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Answer
# ------

clipped, lifted = (rows[f"full matrix, {name}"][2] for name in ("clip", "Lingoes"))
each, _, sampled, accuracy = rows["50 landmarks, clip"]
best = max(rows, key=lambda name: rows[name][3])
print(
    f"Answer: Lingoes's constant dilutes what habitat explains from {clipped:.0%} "
    f"to {lifted:.0%}, and new samples are predicted with accuracy "
    f"{rows['full matrix, Lingoes'][3]:.3f}."
)
print(
    f"{each} landmarks say {sampled:.0%} and predict with {accuracy:.3f}. Most "
    f"accurate is '{best}', {rows[best][3]:.3f}, at {rows[best][0]} comparisons."
)
