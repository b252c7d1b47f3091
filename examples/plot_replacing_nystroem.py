"""
Replacing scikit-learn's Nystroem
=================================

Question: what changes, if in code that uses scikit-learn's ``Nystroem`` the import line
is changed, and nothing else?
"""

# %%
# One line
# --------

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import Nystroem as Theirs
from sklearn.metrics.pairwise import pairwise_kernels

# from sklearn.kernel_approximation import Nystroem
from skproxy import Nystroem

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))
X = load_digits().data[: 500 if SMALL else None] / 16.0

# %%
# A kernel that is positive semi-definite
# ---------------------------------------
# Nothing changes: the same landmarks, the same features, the same attributes.

same = {}
for kernel in ("rbf", "laplacian", "polynomial"):
    parameters = {"kernel": kernel, "gamma": 0.02, "n_components": 100}
    theirs = Theirs(**parameters, random_state=0).fit_transform(X)
    ours = Nystroem(**parameters, random_state=0).fit_transform(X)
    same[kernel] = np.abs(ours - theirs).max() / np.abs(theirs).max()
    print(f"{kernel:12} features differ by {same[kernel]:.0e} of the largest")

# %%
# A kernel that is not
# --------------------
# The hyperbolic tangent of inner products has negative eigenvalues. Features cannot
# show these, so their moduli are taken: silently by scikit-learn, by
# ``correction="flip"`` here. But scikit-learn inverts the landmarks' kernel, whose
# eigenvalues have both signs, and some may be very close to zero; then the error is
# large, and it does not go away with more landmarks. Here the map is fitted by least
# squares to a few objects more and read from one pass over the data, which takes more
# comparisons in fit; in transform there are as many as before.
#
# The error is that of the inner products of the features, relative to the kernel whose
# eigenvalues have been flipped, which is what both are after.

tanh = {"kernel": "sigmoid", "gamma": 0.1, "coef0": -2.0}
K = pairwise_kernels(X, metric="sigmoid", gamma=0.1, coef0=-2.0)
eigenvalues, eigenvectors = np.linalg.eigh(K)
flipped = (eigenvectors * np.abs(eigenvalues)) @ eigenvectors.T
moduli = np.sort(np.abs(eigenvalues))[::-1]

NUMBERS = [10, 50] if SMALL else [10, 20, 50, 100, 200]
N_DRAWS = 3 if SMALL else 20
errors = {"scikit-learn": [], "skproxy": []}
for n_components in NUMBERS:
    for name, estimator in (("scikit-learn", Theirs), ("skproxy", Nystroem)):
        draws = []
        for seed in range(N_DRAWS):
            model = estimator(**tanh, n_components=n_components, random_state=seed)
            Z = model.fit_transform(X)
            draws.append(np.linalg.norm(Z @ Z.T - flipped) / np.linalg.norm(K))
        errors[name].append(draws)
errors = {name: np.array(draws) for name, draws in errors.items()}
least = [np.linalg.norm(moduli[m:]) / np.linalg.norm(K) for m in NUMBERS]

print(f"\n{'error, tanh':12} {'scikit-learn':>22} {'skproxy':>22} {'least':>8}")
print(f"{'landmarks':12}" + f" {'median':>13} {'worst':>8}" * 2 + f" {'possible':>8}")
for m, theirs, ours, bound in zip(NUMBERS, *errors.values(), least, strict=True):
    columns = "".join(f" {np.median(d):13.4f} {d.max():8.4f}" for d in (theirs, ours))
    print(f"{m:<12}{columns} {bound:8.4f}")

# %%
# The picture
# -----------

figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.3), layout="constrained")
shown = np.random.RandomState(0).permutation(len(X))[:40]
rbf = {"gamma": 0.02, "n_components": 100, "random_state": 0}
left.plot(
    Theirs(**rbf).fit(X).transform(X[shown]).ravel(),
    Nystroem(**rbf).fit(X).transform(X[shown]).ravel(),
    "o",
    color="#0072B2",
    markersize=3,
)
left.axline((0, 0), slope=1, color="black", linewidth=0.8)
left.set(xlabel="feature, scikit-learn", ylabel="feature, skproxy")
left.set_title("rbf: the same features")

STYLES = {"scikit-learn": ("#D55E00", "o"), "skproxy": ("#0072B2", "s")}
for name, (colour, marker) in STYLES.items():
    draws = errors[name]
    right.fill_between(
        NUMBERS, draws.min(axis=1), draws.max(axis=1), color=colour, alpha=0.2, lw=0
    )
    right.plot(
        NUMBERS, np.median(draws, axis=1), color=colour, marker=marker, label=name
    )
right.plot(NUMBERS, least, "--", color="black", label="least possible")
right.set(xscale="log", yscale="log", xlabel="landmarks, and features")
right.set(ylabel="relative error of the kernel", xticks=NUMBERS)
right.xaxis.set_major_formatter("{x:g}")
right.minorticks_off()
right.set_title(f"tanh: median, best to worst of {N_DRAWS} draws")
right.legend(frameon=False, loc="lower left")
for panel in (left, right):
    panel.grid(alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Answer
# ------

theirs, ours = (draws[-1] for draws in errors.values())
print(
    f"comparisons of fit, {NUMBERS[-1]} landmarks, tanh: {model.n_comparisons_:,} "
    f"instead of {NUMBERS[-1] ** 2:,}"
)
nothing = "nothing" if max(same.values()) < 1e-10 else "something"
print(
    f"Answer: with a positive semi-definite kernel {nothing} (features differ by "
    f"{max(same.values()):.0e}). With an indefinite one the error changes: with "
    f"{NUMBERS[-1]} landmarks from {np.median(theirs):.4f} (worst {theirs.max():.4f}) "
    f"to {np.median(ours):.4f} (worst {ours.max():.4f}); {least[-1]:.4f} is possible."
)
