"""devPAV: how far LLRs lie from those of PAV, in log10.

The PAV transform is drawn over the LLRs of the trials, straight lines connecting its points, and
devPAV is its mean distance from the identity over the range of LLRs in which it is finite. It is
zero for perfect calibration. Vergeer, Alberink, Sjerps and Ypma, Forensic Science International 321
(2021), 110722.
"""

from __future__ import annotations

import math

import numpy as np

from llrcal.arrays import Floats
from llrcal.onepass.ends import Ends
from llrcal.onepass.hull import Hull

_ROOM = 0.125  # differences of the largest doubles would overflow


def dev_pav(hull: Hull, ends: Ends) -> float:
    """The devPAV from the blocks of PAV and the least and greatest LLR in each.

    NaN if PAV is finite nowhere, since the classes do not overlap; infinite if it is finite at an
    infinite LLR.
    """
    finite = np.isfinite(hull.llrs)
    if not finite.any():
        return math.nan
    llrs = np.column_stack([ends.least[finite], ends.greatest[finite]]).ravel()
    if np.isinf(llrs).any():
        return math.inf
    pav = np.repeat(hull.llrs[finite], 2)
    width, distance = np.diff(llrs * _ROOM), pav * _ROOM - llrs * _ROOM
    if not width.any():
        return float(abs(distance[0]) / _ROOM / math.log(10))
    return float(width / width.sum() @ _mean_size(distance) / _ROOM / math.log(10))


def _mean_size(distance: Floats) -> Floats:
    """The mean absolute value on each of the straight lines between neighbouring distances."""
    before, after = distance[:-1], distance[1:]
    total = np.abs(before) + np.abs(after)
    crosses = (before < 0) != (after < 0)
    share = np.divide(before, total, out=np.zeros_like(total), where=total > 0)
    other = np.divide(after, total, out=np.zeros_like(total), where=total > 0)
    return np.where(crosses, share * before + other * after, total) / 2
