"""What all comparisons would cost, and what landmarks would."""

from dataclasses import dataclass

from ..factor import count_extra_probes

__all__ = ["ComparisonCost", "count_landmark_run"]


@dataclass(frozen=True)
class ComparisonCost:
    """Comparisons of all pairs against those of a fit with landmarks.

    Attributes
    ----------
    comparisons_per_second : float or None
        As measured on the sample, with the `n_jobs` given; None for a precomputed
        matrix.
    n_full : int
        Comparisons of all pairs, each once and with the diagonal: N (N + 1) / 2.
    n_landmark_run : int
        Comparisons that the recommended estimator makes in fit, those of the landmark
        selection included.
    n_per_new_object : int
        Comparisons that each new object needs: the number of landmarks.
    seconds_full, seconds_landmark_run : float or None
        The same in seconds.
    """

    comparisons_per_second: float | None
    n_full: int
    n_landmark_run: int
    n_per_new_object: int
    seconds_full: float | None
    seconds_landmark_run: float | None

    @classmethod
    def of(cls, sample, n_landmarks, landmarks, *, probed):
        """Extrapolate from the time that a sample took.

        Parameters
        ----------
        sample : ComparedSample
        n_landmarks : int
        landmarks : {"uniform", "kmeans", "cholesky"}
            How they are selected.
        probed : bool
            Whether the estimator compares probes; a psd kernel needs none.
        """
        N = sample.n_objects
        full = N * (N + 1) // 2
        run = count_landmark_run(N, n_landmarks, landmarks, probed=probed)
        rate = None
        if sample.seconds > 0:
            rate = (sample.n_comparisons - 1) / sample.seconds
        return cls(
            comparisons_per_second=rate,
            n_full=full,
            n_landmark_run=run,
            n_per_new_object=n_landmarks,
            seconds_full=None if rate is None else full / rate,
            seconds_landmark_run=None if rate is None else run / rate,
        )


def count_landmark_run(n_objects, n_landmarks, landmarks, *, probed):
    """Return how many comparisons a fit makes at most, to a few percent.

    The rows of all objects against the landmarks, the probes among themselves, and the
    same once more for the pilot embedding of a selector.
    """
    m = n_landmarks
    count = _count_pass(n_objects, m, n_probes="auto" if probed else 0)
    if landmarks in _PILOTS:
        candidates = min(n_objects, max(10 * m, 1000))
        n_pilot = min(max(_PILOTS[landmarks] * m, _SMALLEST[landmarks]), candidates)
        wanted = min(4 * n_pilot, int((2.0 * candidates * n_pilot) ** 0.5)) - n_pilot
        count += _count_pass(candidates, n_pilot, n_probes=wanted)
    return count


# Landmarks of the pilot embedding per landmark, and at least, as in the selectors.
_PILOTS = {"kmeans": 1, "cholesky": 4}
_SMALLEST = {"kmeans": 1, "cholesky": 60}


def _count_pass(n_objects, n_landmarks, *, n_probes):
    m = n_landmarks
    # Landmarks among themselves once; every other object with each of them.
    count = m * (m + 1) // 2 + (n_objects - m) * m
    extra = count_extra_probes(n_probes, n_objects, m, 0) or 0
    return count + extra * (extra + 1) // 2
