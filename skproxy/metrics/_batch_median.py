"""The exact mean deviation from the median, of values that come in batches.

The median of more values than may be kept is found as on paper, digit by digit:
float64 numbers are mapped to unsigned integers that sort alike, the leading 16 bits
are counted, then the next 16 of those that share the median's leading bits, until what
is left fits into a buffer. Each digit is one more walk over the batches.
"""

import numpy as np

# Values gathered at most (8 MB).
BUFFER_VALUES = 2**20
DIGIT_BITS = 16
SIGN_BIT = np.uint64(1 << 63)


def mean_absolute_deviation(batches, *, n_at_most, buffer_values=BUFFER_VALUES):
    """Return the mean of |x - median(x)| and the number of values.

    Parameters
    ----------
    batches : callable
        Returns a new iterator over float64 vectors, the same at every call.
    n_at_most : int
        A bound of the number of values.
    buffer_values : int, default=2**20
        How many values may be gathered in one array.

    Returns
    -------
    deviation : float
        Zero when there are no values.
    n_values : int
        Number of values met.
    """
    centre = _lower_median(batches, n_at_most, buffer_values)
    # every point between the two middle values gives the same sum: either will do
    total, n_values = 0.0, 0
    for values in batches():
        total += float(np.abs(values - centre).sum())
        n_values += len(values)
    return (total / n_values if n_values else 0.0), n_values


def _lower_median(batches, n_at_most, buffer_values):
    """Return the value at place (n - 1) // 2 of the sorted values."""
    prefix, shift, rank, n_inside = 0, 64, None, n_at_most
    while n_inside > buffer_values and shift:
        shift -= DIGIT_BITS
        counts = np.zeros(2**DIGIT_BITS, dtype=np.int64)
        for values in batches():
            keys = _sortable(values) >> np.uint64(shift)
            keys = keys[keys >> np.uint64(DIGIT_BITS) == prefix]
            digits = (keys & np.uint64(2**DIGIT_BITS - 1)).astype(np.int64)
            counts += np.bincount(digits, minlength=2**DIGIT_BITS)
        if rank is None:
            rank = max(0, (int(counts.sum()) - 1) // 2)
        digit = int(np.searchsorted(np.cumsum(counts), rank, side="right"))
        if digit == len(counts):  # no values at all
            return 0.0
        rank -= int(counts[:digit].sum())
        n_inside = int(counts[digit])
        prefix = (prefix << DIGIT_BITS) | digit
    if not shift:  # all that is left is one value, however often
        return _unsortable(prefix)
    return _gathered(batches, prefix, shift, rank)


def _gathered(batches, prefix, shift, rank):
    """Return the value of given rank among those with the leading bits `prefix`."""
    inside = [np.empty(0)]
    for values in batches():
        if shift < 64:
            values = values[_sortable(values) >> np.uint64(shift) == prefix]
        inside.append(values)
    inside = np.concatenate(inside)
    if not len(inside):
        return 0.0
    rank = (len(inside) - 1) // 2 if rank is None else rank
    return float(np.partition(inside, rank)[rank])


def _sortable(values):
    """Return unsigned integers in the order of the float64 values."""
    bits = (values + 0.0).view(np.uint64)  # + 0.0 makes one zero of the two
    return np.where(bits & SIGN_BIT, ~bits, bits | SIGN_BIT)


def _unsortable(key):
    """Return the float64 value of a key."""
    key = np.uint64(key)
    bits = key ^ SIGN_BIT if key & SIGN_BIT else ~key
    return float(np.array(bits).view(np.float64))
