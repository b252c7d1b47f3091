"""
Maps that may count an axis negatively
======================================

Question: classical scaling turns dissimilarities into a map by dropping what a
Euclidean space cannot hold. How much does that cost, and what does
:class:`skproxy.NeucMDS`, which may keep negative axes, make of as many columns?
"""

# %%
# Two sets that are not Euclidean
# -------------------------------
# A simplex whose longest axis is a negative one, made for the purpose, and 200
# movements of a hand compared by dynamic time warping. The measure is STRESS: the
# squared error of squared dissimilarities over all pairs, here as a share of the total.

import os
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skproxy import NeucMDS
from skproxy.datasets import load_gunpoint, make_populations, make_random_simplex
from skproxy.metrics import distortion, stress

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))


def warped(a, b, window=15):
    """Return the dynamic time warping dissimilarity of two equally long series."""
    n = len(a)
    costs = np.square(a[:, None] - b)
    before = np.full(n + 1, np.inf)
    before[0] = 0.0
    for i in range(n):
        row = np.full(n + 1, np.inf)
        for j in range(max(0, i - window + 1), min(n, i + window)):
            row[j + 1] = costs[i, j] + min(before[j], before[j + 1], row[j])
        before = row
    return np.sqrt(before[n])


movements, _ = load_gunpoint(return_X_y=True)
try:
    from dtaidistance import dtw

    hands = dtw.distance_matrix_fast(movements, window=15, parallel=False)
except ImportError:  # slower, in Python, on fewer movements
    some = movements[:40]
    hands = np.array([[warped(a, b) for a in some] for b in some])
    hands = (hands + hands.T) / 2

simplex = make_random_simplex(120 if SMALL else 400, random_state=0)
SETS = {"random simplex": (simplex, 1), "hand movements, DTW": (hands, 2)}
METHODS = {
    # colours that people who confuse red and green can tell apart, and markers
    "cmds": ("classical scaling", "#D55E00", "o", "-"),
    "lower": ("Lower-MDS", "#E69F00", "s", "-"),
    "neuc": ("neuc", "#56B4E9", "v", "--"),
    "neuc+": ("neuc+", "#0072B2", "^", "-"),
    "stress": ("stress", "#000000", "D", "-"),
}

# %%
# STRESS against the number of columns
# ------------------------------------
# Classical scaling stops getting better where negative eigenvalues are next, or gets
# worse. The two selections of the paper and ``method="stress"`` do not.

columns = [1, 2, 3, 5, 8, 12, 20, 30] + ([] if SMALL else [50, 80, 110])
shares = {}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    for name, (D, power) in SETS.items():
        total = np.square(D**power).sum()
        for method in METHODS:
            mds = NeucMDS(metric="precomputed", power=power, method=method)
            shares[name, method] = [
                mds.set_params(n_components=k).fit(D).stress_ / total for k in columns
            ]

figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for panel, name in zip(panels, SETS, strict=True):
    for method, (label, colour, marker, line) in METHODS.items():
        panel.plot(
            columns,
            shares[name, method],
            line,
            color=colour,
            marker=marker,
            markersize=4.5,
            linewidth=1.6,
            label=label,
        )
    panel.set(xscale="log", yscale="log", xlabel="columns", title=name)
    panel.set_xticks([1, 2, 5, 10, 20, 50, 100][: 5 if SMALL else 7])
    panel.xaxis.set_major_formatter("{x:g}")
    panel.minorticks_off()
    panel.grid(alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("STRESS, share of the total")
panels[0].legend(frameon=False, fontsize=9, loc="lower left")
plt.show()

# %%
# A map of populations
# --------------------
# 15 populations of three origins, made up, compared by how often alleles occur in them:
# half the sum of the differences of their shares, averaged over the loci (Prevosti's
# distance). What sets populations of one origin apart does not fit into two columns.
# Classical scaling, which only projects, draws all pairs nearer than they are;
# ``method="stress"`` keeps the dissimilarities as well as two columns can, those
# between origins nearly as given. Below each map its dissimilarities, read off the map,
# against the given ones.

n_loci = 30  # two alleles at each
genotypes, population = make_populations(700, n_loci=n_loci, random_state=0)
genotypes = np.maximum(genotypes, 0.0)
frequencies = np.array([genotypes[population == p].sum(axis=0) for p in range(15)])
frequencies *= n_loci / frequencies.sum(axis=1, keepdims=True)
drifted = np.abs(frequencies[:, None] - frequencies).sum(axis=2) / (2 * n_loci)
ORIGINS = {"A": ("#D55E00", "^"), "B": ("#009E73", "s"), "C": ("#0072B2", "o")}
names = np.array([f"{'ABC'[p % 3]}{p // 3 + 1}" for p in range(15)])


pairs = np.triu_indices(len(drifted), 1)

figure, panels = plt.subplots(
    2, 2, figsize=(11, 9), height_ratios=[3, 2], layout="constrained"
)
report = {}
for (above, below), method in zip(panels.T, ("cmds", "stress"), strict=True):
    mds = NeucMDS(2, metric="precomputed", method=method)
    Z = mds.fit_transform(drifted)
    # Columns may be mirrored: A goes to the left, and B up.
    Z = Z * np.where([Z[::3, 0].mean() > 0, Z[1::3, 1].mean() < 0], -1, 1)
    for first, (origin, (colour, marker)) in enumerate(ORIGINS.items()):
        above.scatter(
            *Z[first::3].T, s=55, c=colour, marker=marker, label=f"origin {origin}"
        )
    for name, point in zip(names, Z, strict=True):
        above.annotate(
            name, point, (7, 0), textcoords="offset points", va="center", fontsize=9
        )
    value = stress(drifted, Z, axis_signs=mds.axis_signs_, normalize=True)
    factor = distortion(drifted, Z, axis_signs=mds.axis_signs_)
    report[method] = value, factor
    above.set_title(f"{METHODS[method][0]}: STRESS {100 * value:.1f} % of the total")
    above.set(xticks=[], yticks=[])
    above.set_aspect("equal", adjustable="datalim")
    above.spines[:].set_color("0.8")
    drawn = np.sqrt(np.maximum(mds.pairwise(Z)[pairs], 0.0))
    below.scatter(drifted[pairs], drawn, s=20, color="black", alpha=0.5, lw=0)
    below.plot([0, 0.65], [0, 0.65], color="black", linewidth=1)
    below.annotate("exact", (0.09, 0.15), fontsize=9)
    below.set(xlim=(0, 0.65), ylim=(0, 0.65), xlabel="dissimilarity given")
    below.spines[["top", "right"]].set_visible(False)
panels[0, 0].legend(frameon=False, fontsize=9)
panels[1, 0].set_ylabel("read off the map")
plt.show()

# %%
# New objects get a place as well, which neither scikit-learn's nor scikit-bio's scaling
# offers, from their dissimilarities to the objects on the map.

old, new = hands[::2, ::2], hands[1::2, ::2]
mds = NeucMDS(10, metric="precomputed", method="neuc+").fit(old)
read = mds.pairwise(mds.transform(new), mds.embedding_)
off = np.median(np.abs(np.sqrt(np.maximum(read, 0.0)) - new)) / np.median(new)
print(f"new movements: typically {100 * off:.0f} % off, on ten columns")
for name in SETS:
    print(f"{name}, {columns[-1]} columns, STRESS as a share of the total:")
    for method in METHODS:
        print(f"  {METHODS[method][0]:<18} {shares[name, method][-1]:.1e}")
for method, (value, factor) in report.items():
    print(f"populations, {method}: STRESS {100 * value:.0f} %, distortion {factor:.2f}")

# %%
# Answer
# ------
# No number of columns helps classical scaling past what a Euclidean space holds; maps
# that may count an axis negatively go on. On a map of two columns, dissimilarities come
# out nearer to what they are.

many = {name: shares[name, "cmds"][-1] / shares[name, "stress"][-1] for name in SETS}
halved = report["stress"][0] / report["cmds"][0]
print(
    f"Answer: dropping the rest costs {min(many.values()):,.0f} times the STRESS or "
    f"more that {columns[-1]} columns of either sign need, and on the map of "
    f"populations, two columns, method='stress' leaves {halved:.2f} of it."
)
