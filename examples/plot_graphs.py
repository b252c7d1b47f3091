"""
Your own measure, on graphs
===========================

Question: you have a Python function that compares two graphs, and nothing else. How
does one get from there to a classifier of scikit-learn, and does it take all pairs?
"""

# %%
# Molecules
# ---------
# 188 molecules, most of them mutagenic: a bacterium mutates on contact (Debnath et al.
# 1991). Each is a graph: the kinds of its atoms, and for each atom the neighbours it is
# bound to.

import os
from collections import Counter
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from skproxy import NeucMDS, NystromDissimilarity
from skproxy.datasets import load_mutag
from skproxy.inspection import EmbeddingDisplay

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))


class Molecule:
    """Atoms and the neighbours they are bound to; a class of your own will do."""

    def __init__(self, atoms, neighbours):
        self.atoms = atoms
        self.neighbours = neighbours


mutag = load_mutag()
mutagenic = mutag.target == 1
molecules = []
for atoms, bonds in mutag.data:
    neighbours = [[] for _ in atoms]
    for a, b in bonds:
        neighbours[a].append(b)
        neighbours[b].append(a)
    molecules.append(Molecule(atoms, neighbours))

# %%
# A measure of your own
# ---------------------
# An atom is described by its kind, then by those of its neighbours, then by those of
# their neighbours (Weisfeiler and Lehman's refinement). Two molecules differ by the
# share of descriptions that they do not have in common. Nothing but Python here: any
# function of two objects that returns a number will do, symmetric and zero from an
# object to itself. It need not be a metric.


@cache
def descriptions(molecule):
    """Count the descriptions of all atoms, from the plain to the far-sighted."""
    seen = list(molecule.atoms)
    counts = Counter(seen)
    for _ in range(3):
        seen = [
            f"{mine}({','.join(sorted(seen[other] for other in around))})"
            for mine, around in zip(seen, molecule.neighbours, strict=True)
        ]
        counts.update(seen)
    return counts


n_compared = 0


def unlikeness(one, other):
    """Return the share of descriptions that two molecules do not have in common."""
    global n_compared
    n_compared += 1
    ours, theirs = descriptions(one), descriptions(other)
    shared = sum(min(ours[what], theirs[what]) for what in ours.keys() & theirs.keys())
    return 1.0 - 2.0 * shared / (sum(ours.values()) + sum(theirs.values()))


# %%
# Three classifiers
# -----------------
# The nearest neighbours, and a support vector machine on the vectors that comparisons
# with a few landmarks give: a list of molecules goes in. Both are searched over, in the
# same folds.

folds = RepeatedStratifiedKFold(
    n_splits=3 if SMALL else 10, n_repeats=1 if SMALL else 2, random_state=0
)
everything = np.array([[unlikeness(a, b) for b in molecules] for a in molecules])
nearest = GridSearchCV(
    KNeighborsClassifier(metric="precomputed"), {"n_neighbors": [1, 3, 5]}, cv=folds
).fit(everything, mutagenic)
rows = [("nearest neighbours, all", nearest, len(molecules))]
for n_landmarks in (10, 20):
    vectors = NystromDissimilarity(unlikeness, n_landmarks=n_landmarks, random_state=0)
    pipeline = Pipeline([("vectors", vectors), ("svc", SVC())])
    search = GridSearchCV(pipeline, {"svc__C": [1, 10, 30]}, cv=folds)
    search.fit(molecules, mutagenic)
    rows.append((f"{n_landmarks} landmarks", search, n_landmarks))

n_compared = 0
rows[2][1].predict(molecules[:5])
print(f"5 molecules were classified by {n_compared} calls of the function.")

print(f"\n{'':26} {'comparisons a prediction':>26} {'accuracy':>9}")
for name, search, each in rows:
    print(f"{name:26} {each:26} {search.best_score_:9.3f}")

# %%
# The picture
# -----------
# The map of the molecules, and some of them. A molecule is drawn by the same means, as
# a map of its atoms: :class:`skproxy.NeucMDS` of the numbers of bonds between them.


def draw(molecule, ax):
    """Draw the atoms of a molecule and its bonds."""
    n_atoms = len(molecule.atoms)
    steps = np.where(np.eye(n_atoms, dtype=bool), 0.0, np.inf)
    for a, around in enumerate(molecule.neighbours):
        steps[a, around] = 1.0
    for through in range(n_atoms):
        steps = np.minimum(steps, steps[:, [through]] + steps[through])
    Z = NeucMDS(2, metric="precomputed", method="cmds").fit_transform(steps)
    # Classical scaling puts atoms on top of each other that are bound to the same one;
    # Guttman's steps towards the least stress part them.
    Z += np.random.RandomState(0).uniform(-0.1, 0.1, Z.shape)
    for _ in range(100):
        weights = steps / (cdist(Z, Z) + np.eye(n_atoms))
        Z = (weights.sum(axis=1, keepdims=True) * Z - weights @ Z) / n_atoms
    for a, around in enumerate(molecule.neighbours):
        for b in around:
            ax.plot(*Z[[a, b]].T, color="0.6", linewidth=1.2, zorder=1)
    colours = {"C": "#000000", "N": "#0072B2", "O": "#D55E00"}
    for kind in dict.fromkeys(molecule.atoms):
        here = np.array([atom == kind for atom in molecule.atoms])
        ax.scatter(
            *Z[here].T,
            s=26,
            color=colours.get(kind, "#009E73"),
            zorder=2,
            clip_on=False,
        )
    ax.set_aspect("equal")
    ax.axis("off")


best = rows[2][1].best_estimator_["vectors"]
labels = np.where(mutagenic, "mutagenic", "not mutagenic")
Z = best.transform(molecules)

figure = plt.figure(figsize=(11, 4.8), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[1.1, 1])
EmbeddingDisplay.from_estimator(best, molecules, labels, ax=left.subplots())
left.axes[0].spines[["top", "right"]].set_visible(False)
left.axes[0].set_title("Molecules, by comparisons with 20 of them")
grid = right.subplots(2, 3)
for line, which, label in zip(
    grid, (mutagenic, ~mutagenic), ("mutagenic", "not mutagenic"), strict=True
):
    # the one in the middle of its class, and others half-way out and far out
    away = np.linalg.norm(Z - np.median(Z[which], axis=0), axis=1)
    order = np.flatnonzero(which)[np.argsort(away[which])]
    for ax, at in zip(line, (0, len(order) // 2, -1), strict=True):
        draw(molecules[order[at]], ax)
    line[0].set_title(label, loc="left")
right.supxlabel("carbon black, nitrogen blue, oxygen orange, others green", fontsize=9)
plt.show()

# %%
# Answer
# ------

few, all_of_them = rows[2], rows[0]
print(
    f"Answer: by NystromDissimilarity(unlikeness) in a Pipeline, with {few[2]} "
    f"comparisons a prediction instead of {all_of_them[2]}. Accuracy is "
    f"{few[1].best_score_:.3f}, and that of the nearest neighbours among all "
    f"{all_of_them[1].best_score_:.3f}."
)
