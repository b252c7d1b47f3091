"""Proximities that are not Euclidean, made to order, and small real sets.

Every generator here makes dissimilarities (or similarities) whose departure from
Euclidean geometry is known, from papers that studied it. Most return the square matrix
of all pairs, for `metric="precomputed"`; which `power` belongs to it is in the
docstring, because some are squared already and may be negative.

:func:`make_balls`, :func:`make_euclidean_balls`
    Distances between the surfaces of balls, which break the triangle inequality.
:func:`make_random_simplex`, :func:`make_signed_spectrum`
    Matrices with a given signature or with given eigenvalues of either sign.
:func:`make_checkerboard`, :func:`make_three_gaussians`
    Labelled points on which a choice of landmarks or kernel succeeds or fails.
:func:`make_communities`, :func:`make_populations`
    Tables as ecologists and geneticists have them, of species and of alleles.
:func:`knn_graph_dissimilarity`, :func:`missing_pixel_dissimilarity`
    Ways to take points and compare them in a way that is not Euclidean any more.
:func:`load_peptides`, :func:`load_promoters`
    Strings.
:func:`load_gunpoint`, :func:`load_italy_power`, :func:`load_vowels`
    Time series; the last of twelve channels and of unequal lengths.
:func:`load_globins`, :func:`load_moving_pictures`
    Matrices of all pairs, of proteins and of communities.
:func:`load_mutag`, :func:`load_votes`, :func:`load_penguins`
    Graphs, and tables with missing values.
"""

from skproxy.datasets._balls import make_balls, make_euclidean_balls
from skproxy.datasets._communities import make_communities
from skproxy.datasets._loaders import (
    load_globins,
    load_gunpoint,
    load_italy_power,
    load_moving_pictures,
    load_mutag,
    load_penguins,
    load_peptides,
    load_promoters,
    load_votes,
    load_vowels,
)
from skproxy.datasets._perturbed import (
    knn_graph_dissimilarity,
    missing_pixel_dissimilarity,
)
from skproxy.datasets._points import make_checkerboard, make_three_gaussians
from skproxy.datasets._populations import make_populations
from skproxy.datasets._spectra import make_random_simplex, make_signed_spectrum

__all__ = [
    "knn_graph_dissimilarity",
    "load_globins",
    "load_gunpoint",
    "load_italy_power",
    "load_moving_pictures",
    "load_mutag",
    "load_penguins",
    "load_peptides",
    "load_promoters",
    "load_votes",
    "load_vowels",
    "make_balls",
    "make_checkerboard",
    "make_communities",
    "make_euclidean_balls",
    "make_populations",
    "make_random_simplex",
    "make_signed_spectrum",
    "make_three_gaussians",
    "missing_pixel_dissimilarity",
]
