"""What a score is worth: its LLR, and what people should know about it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from llrcal.arrays import LARGEST
from llrcal.calibrations.bounds import TrainedOn
from llrcal.inputs.beside_scores import supporting
from llrcal.messages import Setting
from llrcal.notebook import html_table
from llrcal.notes import Note

_FEW = 50  # trials of a class, or as many as its speakers make


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
    held: bool = False
    """Whether the LLR is held at a bound, since the training trials support no more."""
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
        """The verbal equivalent, by the ENFSI guideline for evaluative reporting (2015).

        It covers the interval: where that has more than one word, those of both ends are given.
        """
        return in_words(*self._reach)

    @property
    def in_short(self) -> str:
        """The same in a few words, for tables."""
        return in_short(*self._reach)

    @property
    def shown(self) -> str:
        """The LR for people, and whether it is held."""
        return shown_ratio(self.lr) + (", held at the bound" if self.held else "")

    @property
    def _reach(self) -> tuple[float, float]:
        """The ends of the LLR and its interval together."""
        ends = (self.llr, *(self.interval or ()))
        return min(ends), max(ends)

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain values."""
        word = support(self.llr)
        return {
            "score": self.score,
            "llr": self.llr,
            "log10_lr": self.log10_lr,
            "lr": self.lr,
            "held": self.held,
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
            f"<score {self.score:g}: LR {self.shown} (log10 LR {self.log10_lr:.3g}"
            f"{between}), {self.in_words}>"
        )

    def _repr_html_(self) -> str:
        rows = {
            "LR": self.shown,
            "log10 LR": f"{self.log10_lr:.3f}",
            "LLR (nats)": f"{self.llr:.3f}",
            **{f"LR, {name}": ends for name, ends in self._shown_interval.items()},
            "in words (ENFSI 2015)": self.in_words,
        }
        return html_table(f"Weight of the score {self.score:g}", rows, map(str, self.notes))


def _ratio(llr: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(llr))


def shown_ratio(lr: float) -> str:
    """A likelihood-ratio with four digits, and with commas if it is large."""
    return f"{lr:,.0f}" if 1000 <= lr < 1e7 else f"{lr:.4g}"


def range_notes(score: float, training_range: tuple[float, float], policy: str) -> Iterator[Note]:
    """On a score beyond those of training."""
    low, high = training_range
    is_low, is_high = -LARGEST < low > score, LARGEST > high < score
    if is_low or is_high:
        where = f"below all training scores, which begin at {low:.6g}"
        if is_high:
            where = f"above all training scores, which end at {high:.6g}"
        does = "the LLR is that of the nearest one"
        if policy == "none":
            does = "the LLR is extrapolated, where nothing was learned"
        yield Note.warning("range", f"the score lies {where}; {does}")


def training_note(trained: TrainedOn, ends: tuple[float, float] | None) -> Note:
    """How many trials and speakers there are, what they support, and what to do if they are few."""
    text = trained.in_words()
    if ends is not None:
        least, greatest = (shown_ratio(_ratio(end)) for end in ends)
        text += f", which support LRs from {least} to {greatest}"
    if min(supporting((trained.tar, trained.non), trained.speakers)) >= _FEW:
        return Note.of("training", f"trained on {text}")
    return Note.warning(
        "few trained",
        f"trained on {text}; these are few, so test what such LRs are worth: llrcal compare with ",
        Setting("folds", "all"),
        ", and read docs/few-trials.md",
    )


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


def in_short(low: float, high: float) -> str:
    """The verbal equivalent of LLRs from one to another in a few words, for tables."""
    return _claim(low, high, "Hp", "Hd") or "no support"


def in_words(low: float, high: float) -> str:
    """The verbal equivalent of LLRs in nats, from one to another.

    Examples
    --------
    >>> from llrcal.calibrations.weighing import in_words
    >>> in_words(1.0, 5.0)
    'weak to moderately strong support for same source (Hp) rather than different sources (Hd)'
    >>> in_words(-3.0, 5.0)[:55]
    'anything from moderate support for different sources (H'
    """
    claim = _claim(low, high, HP, HD)
    if claim is None:
        return "no support for one proposition over the other"
    if HP in claim and HD in claim:
        return f"anything from {claim}"
    return f"{claim} rather than {HD if HP in claim else HP}"


def _claim(low: float, high: float, hp: str, hd: str) -> str | None:
    """What LLRs from one to another support, and how much; None if nothing."""
    weaker, stronger = sorted((low, high), key=abs)
    if support(stronger) is None:
        return None
    if low < 0 < high and support(weaker) is not None:
        return f"{support(low)} support for {hd} to {support(high)} support for {hp}"
    words = dict.fromkeys(support(llr) or "no" for llr in (weaker, stronger))
    return f"{' to '.join(words)} support for {hp if stronger > 0 else hd}"
