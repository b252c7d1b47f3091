"""Small real sets of objects that are compared, under terms that allow passing on.

Each is an ``.npz`` archive in the folder ``data`` beside this module, whose README says
where it comes from and what its licence is. A loader returns what those of scikit-learn
do; its docstring is the description, ``DESCR``.
"""

import inspect
from importlib import resources
from typing import Any

import numpy as np
from scipy.spatial.distance import squareform
from sklearn.utils import Bunch

VOTES = (
    "handicapped infants",
    "water project cost sharing",
    "adoption of the budget resolution",
    "physician fee freeze",
    "El Salvador aid",
    "religious groups in schools",
    "anti-satellite test ban",
    "aid to Nicaraguan contras",
    "MX missile",
    "immigration",
    "synfuels corporation cutback",
    "education spending",
    "superfund right to sue",
    "crime",
    "duty-free exports",
    "export administration act South Africa",
)
ATOMS = ("C", "N", "O", "F", "I", "Cl", "Br")


def _read(name):
    """Return the arrays of an archive as a dict."""
    archive = resources.files("skproxy.datasets") / "data" / f"{name}.npz"
    with archive.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}


def _given(loader, data, labels, return_X_y, **more):
    """Return data and coded labels, as a pair or in a Bunch with all else."""
    names, codes = np.unique(labels, return_inverse=True)
    names = np.asarray(more.pop("target_names", names))
    if return_X_y:
        return data, codes
    return Bunch(
        data=data,
        target=codes,
        target_names=names,
        DESCR=inspect.getdoc(loader),
        **more,
    )


def load_peptides(*, return_X_y: bool = False) -> Any:
    """Load 5,200 peptides, half of them antimicrobial: strings.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    peptides : Bunch or tuple
        ``data``, a list of 5,200 str of the 20 letters of amino acids; ``target``,
        ndarray of shape (5200,), 0 for the background, 1 for antimicrobial ones;
        ``target_names``; ``DESCR``.

    Notes
    -----
    ``AMPvsUniProt`` of modlAMP 4.3.3; licence: BSD-3-Clause (package). Not shuffled.

    References
    ----------
    .. [1] A. T. Müller, G. Gabernet, J. A. Hiss, G. Schneider (2017). "modlAMP: Python
       for antimicrobial peptides". Bioinformatics 33(17), 2753-2755.
       doi:10.1093/bioinformatics/btx285.

    Examples
    --------
    >>> from skproxy.datasets import load_peptides
    >>> peptides, active = load_peptides(return_X_y=True)
    >>> peptides[0], int(active[0])
    ('GLWSKIKEVGKEAAKAAAKAAGKAALGAVSEAV', 1)
    """
    arrays = _read("peptides")
    return _given(
        load_peptides,
        arrays["sequences"].tolist(),
        arrays["y"],
        return_X_y,
        target_names=["background", "antimicrobial"],
    )


def load_promoters(*, return_X_y: bool = False) -> Any:
    """Load 106 stretches of DNA, half of them promoters of genes: strings.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    promoters : Bunch or tuple
        ``data``, a list of 106 str of 57 letters a, c, g, t; ``target``, ndarray of
        shape (106,), 1 for promoters; ``target_names``; ``DESCR``.

    Notes
    -----
    E. coli; UCI Machine Learning Repository, doi:10.24432/C5S01D; licence: CC BY 4.0.
    Not shuffled.

    Examples
    --------
    >>> from skproxy.datasets import load_promoters
    >>> sequences, promoter = load_promoters(return_X_y=True)
    >>> len(sequences), sequences[0][:12]
    (106, 'gccttctccaaa')
    """
    arrays = _read("promoters")
    return _given(
        load_promoters,
        arrays["sequences"].tolist(),
        arrays["promoter"],
        return_X_y,
        target_names=["other", "promoter"],
    )


def load_globins(*, return_X_y: bool = False) -> Any:
    """Load evolutionary dissimilarities among 213 globins: a matrix of all pairs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    globins : Bunch or tuple
        ``data``, ndarray of shape (213, 213), the dissimilarities; ``target``, ndarray
        of shape (213,), the family; ``target_names``; ``DESCR``.

    Notes
    -----
    ``protein`` of evclust 0.2.1, after Hofmann and Buhmann (1997); licence: MIT
    (package). Families are alpha and beta haemoglobins (HA, HB), myoglobins (M) and
    others (G).

    Examples
    --------
    >>> from skproxy.datasets import load_globins
    >>> globins = load_globins()
    >>> globins.data.shape, globins.target_names.tolist()
    ((213, 213), ['G', 'HA', 'HB', 'M'])
    """
    arrays = _read("globins")
    D = squareform(arrays["D"].astype(np.float64))
    return _given(load_globins, D, arrays["y"], return_X_y)


def load_moving_pictures(*, return_X_y: bool = False) -> Any:
    """Load UniFrac distances among 33 samples of human bacteria: a matrix of all pairs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    moving_pictures : Bunch or tuple
        ``data``, ndarray of shape (33, 33), unweighted UniFrac distances; ``target``,
        ndarray of shape (33,), where on the body; ``target_names``; ``DESCR``.

    Notes
    -----
    A part of the Moving Pictures study of Caporaso et al. (2011), as scikit-bio 0.7.4
    has it; licence: BSD-3-Clause (package).

    Examples
    --------
    >>> from skproxy.datasets import load_moving_pictures
    >>> samples = load_moving_pictures()
    >>> samples.data.shape, samples.target_names.tolist()
    ((33, 33), ['gut', 'left palm', 'right palm', 'tongue'])
    """
    arrays = _read("moving_pictures")
    D = squareform(arrays["D"].astype(np.float64))
    return _given(load_moving_pictures, D, arrays["site"], return_X_y)


def load_gunpoint(*, return_X_y: bool = False) -> Any:
    """Load 200 movements of a hand, with and without a gun: series of one length.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    gunpoint : Bunch or tuple
        ``data``, ndarray of shape (200, 150), the horizontal place of the hand;
        ``target``, ndarray of shape (200,), 0 for a drawn gun, 1 for a pointing finger;
        ``target_names``; ``DESCR``.

    Notes
    -----
    GunPoint of the UCR archive, as aeon 1.6.0 has it; licence: BSD-3-Clause (package).
    Each series has mean 0 and standard deviation 1. Of the 200, the archive trains with
    the first 50.

    Examples
    --------
    >>> from skproxy.datasets import load_gunpoint
    >>> movements, finger = load_gunpoint(return_X_y=True)
    >>> movements.shape
    (200, 150)
    """
    arrays = _read("gunpoint")
    X = arrays["X"].astype(np.float64)
    names = ["gun", "finger"]
    return _given(load_gunpoint, X, arrays["y"], return_X_y, target_names=names)


def load_italy_power(*, return_X_y: bool = False) -> Any:
    """Load 1,096 days of Italy's demand for power, hour by hour: series of one length.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    italy_power : Bunch or tuple
        ``data``, ndarray of shape (1096, 24), one row for each day; ``target``, ndarray
        of shape (1096,), the season; ``target_names``; ``feature_names``, the hours;
        ``DESCR``.

    Notes
    -----
    ItalyPowerDemand of the UCR archive, as aeon 1.6.0 has it; licence: BSD-3-Clause
    (package). Each day has mean 0 and standard deviation 1. Of the 1,096, the archive
    trains with the first 67.

    Examples
    --------
    >>> from skproxy.datasets import load_italy_power
    >>> days = load_italy_power()
    >>> days.data.shape, days.target_names.tolist()
    ((1096, 24), ['October to March', 'April to September'])
    """
    arrays = _read("italy_power")
    return _given(
        load_italy_power,
        arrays["X"].astype(np.float64),
        arrays["y"],
        return_X_y,
        target_names=["October to March", "April to September"],
        feature_names=[f"{hour}:00" for hour in range(24)],
    )


def load_vowels(*, return_X_y: bool = False) -> Any:
    """Load 640 utterances of two vowels by nine men: series of twelve channels.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    vowels : Bunch or tuple
        ``data``, a list of 640 ndarrays of shape (12, n_timepoints), 7 to 29 points
        long; ``target``, ndarray of shape (640,), the speaker, 0 to 8;
        ``target_names``; ``feature_names``, of the channels; ``DESCR``.

    Notes
    -----
    Coefficients of a linear prediction, rounded to thousandths. JapaneseVowels of the
    UCI Machine Learning Repository, doi:10.24432/C5NS47; licence: CC BY 4.0. Of the
    640, the repository trains with the first 270.

    References
    ----------
    .. [1] M. Kudo, J. Toyama, M. Shimbo (1999). "Multidimensional curve classification
       using passing-through regions". Pattern Recognition Letters 20(11-13),
       1103-1111. doi:10.1016/S0167-8655(99)00077-X.

    Examples
    --------
    >>> from skproxy.datasets import load_vowels
    >>> utterances, speaker = load_vowels(return_X_y=True)
    >>> utterances[0].shape, utterances[1].shape
    ((12, 20), (12, 26))
    """
    arrays = _read("vowels")
    ends = np.cumsum(arrays["lengths"], dtype=np.intp)
    pieces = np.split(arrays["thousandths"] / 1000.0, ends[:-1], axis=1)
    return _given(
        load_vowels,
        [np.ascontiguousarray(piece) for piece in pieces],
        arrays["speaker"],
        return_X_y,
        target_names=[f"speaker {number}" for number in range(1, 10)],
        feature_names=[f"coefficient {number}" for number in range(1, 13)],
    )


def load_mutag(*, return_X_y: bool = False) -> Any:
    """Load 188 molecules, most of them mutagenic: graphs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    mutag : Bunch or tuple
        ``data``, a list of 188 pairs ``(atoms, bonds)``: a list of symbols of elements,
        and a list of pairs of positions in it, each bond once; ``target``, ndarray of
        shape (188,), 1 for mutagenic ones; ``target_names``; ``DESCR``.

    Notes
    -----
    MUTAG of the TU Dortmund collection, as grakel 0.1.11 has it; licence: BSD-3-Clause
    (package).

    References
    ----------
    .. [1] A. K. Debnath, R. L. Lopez de Compadre, G. Debnath, A. J. Shusterman,
       C. Hansch (1991). "Structure-activity relationship of mutagenic aromatic and
       heteroaromatic nitro compounds". Journal of Medicinal Chemistry 34, 786-797.
       doi:10.1021/jm00106a046.

    Examples
    --------
    >>> from skproxy.datasets import load_mutag
    >>> molecules, mutagenic = load_mutag(return_X_y=True)
    >>> atoms, bonds = molecules[0]
    >>> "".join(atoms), bonds[:2]
    ('CCCCCCCCCCCCCCNOO', [(0, 1), (0, 5)])
    """
    arrays = _read("mutag")
    symbols = np.array(ATOMS)[arrays["atom"]].tolist()
    starts = np.searchsorted(arrays["graph"], np.arange(188)).tolist()
    molecules: list[tuple[list[str], list[tuple[int, int]]]] = [
        (symbols[start:end], [])
        for start, end in zip(starts, [*starts[1:], len(symbols)], strict=True)
    ]
    for a, b in arrays["edges"].tolist():
        if a < b:  # bonds stand there in both directions
            owner = arrays["graph"][a]
            first = starts[owner]
            molecules[owner][1].append((a - first, b - first))
    for _, bonds in molecules:
        bonds.sort()
    names = ["not mutagenic", "mutagenic"]
    return _given(
        load_mutag, molecules, arrays["mutagenic"], return_X_y, target_names=names
    )


def load_votes(*, return_X_y: bool = False) -> Any:
    """Load 16 votes of 435 members of a parliament: a table with missing values.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    votes : Bunch or tuple
        ``data``, ndarray of shape (435, 16), 1 for yea, 0 for nay, NaN where a member
        did not say; ``target``, ndarray of shape (435,), the party; ``target_names``;
        ``feature_names``, what was voted on; ``DESCR``.

    Notes
    -----
    The House of Representatives of the United States in 1984. Congressional Voting
    Records of the UCI Machine Learning Repository, doi:10.24432/C5C01P; licence: CC BY
    4.0.

    Examples
    --------
    >>> from skproxy.datasets import load_votes
    >>> votes = load_votes()
    >>> votes.data.shape, votes.target_names.tolist()
    ((435, 16), ['democrat', 'republican'])
    """
    arrays = _read("votes")
    X = np.where(arrays["votes"] < 0, np.nan, arrays["votes"])
    names = list(VOTES)
    return _given(load_votes, X, arrays["party"], return_X_y, feature_names=names)


def load_penguins(*, return_X_y: bool = False) -> Any:
    """Load measures, island and sex of 344 penguins: a mixed table with missing values.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    penguins : Bunch or tuple
        ``data``, ndarray of shape (344, 6) of objects: four lengths and weights as
        float, island and sex as str, None where missing; ``target``, ndarray of shape
        (344,), the species; ``target_names``; ``feature_names``; ``DESCR``.

    Notes
    -----
    Palmer Station Antarctica LTER and K. Gorman, as palmerpenguins 0.1.6 has it;
    licence: CC0 1.0. As a data frame: ``pandas.DataFrame(penguins.data,
    columns=penguins.feature_names).infer_objects()``.

    References
    ----------
    .. [1] K. B. Gorman, T. D. Williams, W. R. Fraser (2014). "Ecological sexual
       dimorphism and environmental variability within a community of Antarctic penguins
       (genus Pygoscelis)". PLoS ONE 9(3), e90081. doi:10.1371/journal.pone.0090081.

    Examples
    --------
    >>> from skproxy.datasets import load_penguins
    >>> penguins = load_penguins()
    >>> penguins.data[0].tolist()
    [39.1, 18.7, 181.0, 3750.0, 'Torgersen', 'male']
    """
    arrays = _read("penguins")
    X = np.column_stack(
        [arrays["measures"].astype(object), arrays["island"], arrays["sex"]]
    )
    X[:, :4][np.isnan(arrays["measures"])] = None
    X[arrays["sex"] == "", 5] = None
    names = ["bill length, mm", "bill depth, mm", "flipper length, mm", "body mass, g"]
    names += ["island", "sex"]
    return _given(load_penguins, X, arrays["species"], return_X_y, feature_names=names)
