"""What a score is worth: its LLR, and what people should know about it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from llrcal.arrays import LARGEST, ArrayLike
from llrcal.calibrations.uncertainty import no_interval
from llrcal.errors import OptionError
from llrcal.inputs.scores import as_floats
from llrcal.notebook import html_table
from llrcal.notes import Note

if TYPE_CHECKING:
    from llrcal.calibrations.calibration import Calibration


@dataclass(frozen=True, repr=False)
class Weight:
    """The weight of evidence of one score. Hp is the proposition of a target, Hd the other."""

    score: float
    llr: float
    """Natural logarithm of the likelihood-ratio."""
    interval: tuple[float, float] | None
    """Interval for the LLR in nats; None if the calibration gives none, or all of it is held at a
    bound."""
    level: float
    """Probability with which the interval contains the LLR."""
    notes: tuple[Note, ...] = ()

    @property
    def log10_lr(self) -> float:
        """Common logarithm of the likelihood-ratio."""
        return self.llr / math.log(10)

    @property
    def lr(self) -> float:
        """The likelihood-ratio; infinite if it is too large for a double."""
        return _ratio(self.llr)

    @property
    def lr_interval(self) -> tuple[float, float] | None:
        """Interval for the likelihood-ratio."""
        if self.interval is None:
            return None
        low, high = self.interval
        return _ratio(low), _ratio(high)

    @property
    def in_words(self) -> str:
        """The verbal equivalent, by the ENFSI guideline for evaluative reporting (2015)."""
        return in_words(self.llr)

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain values."""
        word = support(self.llr)
        return {
            "score": self.score,
            "llr": self.llr,
            "log10_lr": self.log10_lr,
            "lr": self.lr,
            "level": self.level,
            "llr_interval": None if self.interval is None else list(self.interval),
            "lr_interval": None if self.lr_interval is None else list(self.lr_interval),
            "support": word,
            "supports": None if word is None else ("Hp" if self.llr > 0 else "Hd"),
            "in_words": self.in_words,
        }

    @property
    def _shown_interval(self) -> dict[str, str]:
        if self.lr_interval is None:
            return {}
        low, high = map(shown_ratio, self.lr_interval)
        return {f"{100 * self.level:g} % interval": f"{low} to {high}"}

    def __repr__(self) -> str:
        between = "".join(f", {name} {ends}" for name, ends in self._shown_interval.items())
        return (
            f"<score {self.score:g}: LR {shown_ratio(self.lr)} (log10 LR {self.log10_lr:.3g}"
            f"{between}), {self.in_words}>"
        )

    def _repr_html_(self) -> str:
        rows = {
            "LR": shown_ratio(self.lr),
            "log10 LR": f"{self.log10_lr:.3f}",
            "LLR (nats)": f"{self.llr:.3f}",
            **{f"LR, {name}": ends for name, ends in self._shown_interval.items()},
            "in words (ENFSI 2015)": self.in_words,
        }
        return html_table(f"Weight of the score {self.score:g}", rows, map(str, self.notes))


def weighed(calibration: Calibration, score: ArrayLike, *, level: float) -> Weight:
    """What a score is worth by a calibration."""
    array = as_floats(score, "the")
    if array.ndim:
        raise OptionError(f"weigh takes one score, not {array.size}; weigh them one by one")
    value, llr = float(array), float(calibration.without_warnings(array))
    interval = None
    if calibration.margins is not None:
        low, high = calibration.interval(array, level=level)
        # An interval that is held at a bound as a whole would look like certainty.
        interval = (float(low), float(high)) if low < high else None
    return Weight(value, llr, interval, float(level), tuple(_notes(calibration, value, llr)))


def _ratio(llr: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(llr))


def shown_ratio(lr: float) -> str:
    """A likelihood-ratio with four digits, and with commas if it is large."""
    return f"{lr:,.0f}" if 1000 <= lr < 1e7 else f"{lr:.4g}"


def _notes(calibration: Calibration, score: float, llr: float) -> Iterator[Note]:
    """On a score beyond those of training, an LLR at a bound, and a missing interval."""
    bounds, (low, high) = calibration.bounds, calibration.training_range
    is_low, is_high = -LARGEST < low > score, LARGEST > high < score
    if is_low or is_high:
        where = f"below all training scores, which begin at {low:.6g}"
        if is_high:
            where = f"above all training scores, which end at {high:.6g}"
        does = "the LLR is that of the nearest one"
        if bounds.policy == "none":
            does = "the LLR is extrapolated, where nothing was learned"
        yield Note.warning("range", f"the score lies {where}; {does}")
    ends, does = (bounds.least_llr, bounds.greatest_llr), "the LR is held there (ELUB)"
    if bounds.policy == "counts":
        ends = calibration.supported_llrs
        does = "the LR is held back to within a factor of two of these"
    if ends[0] is not None and ends[1] is not None and not ends[0] < llr < ends[1]:
        least, greatest = (shown_ratio(_ratio(end)) for end in (ends[0], ends[1]))
        text = f"the training trials support LRs from {least} to {greatest} only; {does}"
        yield Note.of("at a bound", text)
    if calibration.margins is None:
        yield Note.of("no interval", no_interval(calibration))


# The LR from which on a word applies: examples of verbal equivalents in the ENFSI guideline for
# evaluative reporting in forensic science (European Network of Forensic Science Institutes, 2015).
# It leaves open what holds at the ends of a band, and says nothing of LRs between 1 and 2: here
# they count as no support. The same words are used for the other proposition if the LR is below 1.
BANDS: tuple[tuple[float, str], ...] = (
    (2, "weak"),
    (10, "moderate"),
    (100, "moderately strong"),
    (1_000, "strong"),
    (10_000, "very strong"),
    (1_000_000, "extremely strong"),
)
HP, HD = "same source (Hp)", "different sources (Hd)"


def support(llr: float) -> str | None:
    """How strong the support of an LLR in nats is, whichever way; None below an LR of two.

    Examples
    --------
    >>> import math
    >>> from llrcal.calibrations.weighing import support
    >>> support(math.log(50)), support(-math.log(50)), support(0.0)
    ('moderate', 'moderate', None)
    """
    reached = [word for least, word in BANDS if abs(llr) >= math.log(least)]
    return reached[-1] if reached else None


def in_short(llr: float) -> str:
    """The verbal equivalent in a few words, for tables."""
    word = support(llr)
    return "no support" if word is None else f"{word} support for {'Hp' if llr > 0 else 'Hd'}"


def in_words(llr: float) -> str:
    """The verbal equivalent of an LLR in nats."""
    word = support(llr)
    if word is None:
        return "no support for one proposition over the other"
    first, other = (HP, HD) if llr > 0 else (HD, HP)
    return f"{word} support for {first} rather than {other}"
