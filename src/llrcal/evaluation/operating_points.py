"""Operating points: a prior and two costs, all folded into prior log-odds.

Costs other than one are equivalent to another prior: only x = logit p + log(c_miss / c_fa) matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from llrcal.arrays import ArrayLike, Floats
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
    return _checked(x, -np.inf, np.inf, "prior log-odds must be finite numbers, not {}")


def effective_prior_log_odds(p_target: ArrayLike, c_miss: ArrayLike, c_fa: ArrayLike) -> Floats:
    """Prior log-odds with the costs folded in."""
    positive = "be positive and finite"
    p, miss, fa = (
        _checked(as_numbers(value, name), 0.0, most, f"{name} is {{}}; it must {words}")
        for name, value, most, words in (
            ("p_target", p_target, 1.0, "lie strictly between 0 and 1"),
            ("c_miss", c_miss, np.inf, positive),
            ("c_fa", c_fa, np.inf, positive),
        )
    )
    return as_prior_log_odds(np.log(p) - np.log1p(-p) + np.log(miss) - np.log(fa))


def _checked(values: Floats, least: float, most: float, message: str) -> Floats:
    """Values that lie between others; the first that does not is named: there may be thousands."""
    good = (least < values) & (values < most)
    if good.all():
        return values
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
