"""Operating points: a prior and two costs, all folded into prior log-odds.

Costs other than one are equivalent to another prior: only x = logit p + log(c_miss / c_fa) matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from llrcal.arrays import ArrayLike, Bools, Floats
from llrcal.errors import OptionError


def as_numbers(values: ArrayLike, name: str) -> Floats:
    """An option as doubles; text is not parsed, and None does not become NaN."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        array = np.array("")
    objects = array.ravel() if array.dtype.kind == "O" else ()  # such as fractions, or None
    if array.dtype.kind not in "biufO" or not all(isinstance(value, Real) for value in objects):
        raise OptionError(f"{name} must be a number or an array of numbers, not {values!r:.50}")
    return array.astype(np.float64)


def as_prior_log_odds(prior_log_odds: ArrayLike) -> Floats:
    """Prior log-odds as an array; anything that is not finite is refused."""
    x = as_numbers(prior_log_odds, "prior log-odds")
    _check(x, np.isfinite(x), "prior log-odds must be finite numbers, not {}")
    return x


def effective_prior_log_odds(p_target: ArrayLike, c_miss: ArrayLike, c_fa: ArrayLike) -> Floats:
    """Prior log-odds with the costs folded in."""
    p, miss, fa = (
        as_numbers(value, name)
        for name, value in (("p_target", p_target), ("c_miss", c_miss), ("c_fa", c_fa))
    )
    _check(p, (p > 0) & (p < 1), "p_target is {}; it must lie strictly between 0 and 1")
    for name, cost in (("c_miss", miss), ("c_fa", fa)):
        good = (cost > 0) & np.isfinite(cost)
        _check(cost, good, f"{name} is {{}}; it must be positive and finite")
    return as_prior_log_odds(np.log(p) - np.log1p(-p) + np.log(miss) - np.log(fa))


def _check(values: Floats, good: Bools, message: str) -> None:
    """Refuse the first bad value, and say where it is among several: there may be thousands."""
    if not good.all():
        first = int(np.argmin(good))
        where = f" at index {first}" if values.ndim else ""
        raise OptionError(message.format(f"{float(values.flat[first])!r}{where}"))


@dataclass(frozen=True)
class OperatingPoint:
    """The prior of a target trial, and the costs of the two errors."""

    p_target: float
    c_miss: float = 1.0
    c_fa: float = 1.0

    def __post_init__(self) -> None:
        x = effective_prior_log_odds(self.p_target, self.c_miss, self.c_fa)  # checks the values
        if x.ndim:
            raise OptionError("an operating point has one prior and two costs; make several points")

    @property
    def prior_log_odds(self) -> float:
        """Prior log-odds with the costs folded in."""
        return float(effective_prior_log_odds(self.p_target, self.c_miss, self.c_fa))

    @property
    def name(self) -> str:
        """A short name: ``p0.01``, or ``p0.01-miss10-fa1`` if the costs are not both one."""
        prior = f"p{self.p_target:g}"
        if self.c_miss == self.c_fa == 1:
            return prior
        return f"{prior}-miss{self.c_miss:g}-fa{self.c_fa:g}"


DEFAULT_POINTS = tuple(map(OperatingPoint, (0.001, 0.01, 0.1, 0.5)))

_PRIORS = {
    "sre10": (0.001,),
    "sre12": (0.01, 0.001),
    "sre16": (0.01, 0.005),
    "sre18-cmn2": (0.01, 0.005),
    "sre18-vast": (0.05,),
    "sre19-cts": (0.01, 0.005),
    "sre19-av": (0.05,),
    "voxsrc": (0.05,),
}
PRESETS: dict[str, tuple[OperatingPoint, ...]] = {
    "sre08": (OperatingPoint(0.01, 10, 1),),
    **{name: tuple(map(OperatingPoint, priors)) for name, priors in _PRIORS.items()},
}
"""Operating points by name: those of the NIST evaluations and of the VoxCeleb challenges.

Where there are two, the evaluation goes by the average of their normalised costs. SRE21 is not
here: its priors (0.01 and 0.05) are known from one participant's recipe, not from a second source.
"""
