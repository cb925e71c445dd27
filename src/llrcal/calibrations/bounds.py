"""What a calibration answers beyond what its training trials can carry.

A formula extends to infinity; the trials it was fitted to do not. There are four policies:

``counts``
    The default. A score beyond all training scores gets the LLR of the nearest one, and LLRs keep
    to what the number of trials supports: from -log(T + 1) to log(N + 1), with T targets and N
    non-targets, which is what PAV with its dummy trials gives if the same trials are perfectly
    apart. Where speakers are known, T and N are at most as many as these can make:
    :func:`llrcal.inputs.beside_scores.supporting`. No LLR is ever beyond these ends. This is in the
    spirit of ELUB (Vergeer et al., Science & Justice 56, 2016).
``elub``
    A score beyond all training scores gets the LLR of the nearest one, and LLRs keep to the
    empirical lower and upper bounds of those of the training trials, which forensic laboratories
    use: :mod:`llrcal.onepass.elub`. The ends are hard.
``range``
    A score beyond all training scores gets the LLR of the nearest one.
``none``
    The formula is used everywhere.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import numpy as np

from llrcal.arrays import LARGEST, Floats
from llrcal.declaration import ALWAYS, LLR, Stored, Trials, field_error, schema
from llrcal.inputs.beside_scores import supporting
from llrcal.notes import Note

Policy = Literal["counts", "elub", "range", "none"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
_FEW, _FEW_OF_ALL = 3, 0.01  # a new set of the same kind has about so many beyond the old one


@dataclass(frozen=True)
class Bounds:
    """A policy, and the least and the greatest training score of both classes together.

    Infinite training scores, which PAV allows, are replaced by the largest finite double, and so
    are unknown ones.
    """

    policy: Annotated[
        str,
        schema(enum=POLICIES),
        ALWAYS,
        "counts: a score beyond the training scores is moved to the nearest of these, and LLRs are "
        "kept between -log(tar + 1) and log(non + 1) with the counts of training, of which no more "
        "count than its speakers can make; elub: the former, and LLRs are kept between least_llr "
        "and greatest_llr; range: the former only; none: neither.",
    ] = "none"
    lowest_score: Annotated[float, ALWAYS, "Least training score of both classes."] = -LARGEST
    highest_score: Annotated[
        float, ALWAYS, "Greatest training score of both classes; not below lowest_score."
    ] = LARGEST
    eer_score: Annotated[
        float | None,
        Stored("meeting", always=True),
        "The score from which outwards LLRs are held where they would fall, between lowest_score "
        "and highest_score; null if they may fall.",
    ] = None
    least_llr: Annotated[
        Annotated[LLR, schema(maximum=0)] | None,
        "The lower bound of LLRs, in nats; only if policy is elub.",
    ] = None
    greatest_llr: Annotated[
        Annotated[LLR, schema(minimum=0)] | None,
        "The upper bound of LLRs, in nats; only if policy is elub.",
    ] = None

    def check(self, where: str) -> None:
        """Refuse bounds of a model file that contradict each other."""
        low, high, meeting = self.lowest_score, self.highest_score, self.eer_score
        if low > high:
            raise field_error(where, "highest_score", f"is {high}, below the lowest score, {low}")
        if meeting is not None and not low <= meeting <= high:
            raise field_error(where, "meeting", f"is {meeting}, not between {low} and {high}")
        is_used = self.policy == "elub"
        for name in ("least_llr", "greatest_llr"):
            if is_used == (getattr(self, name) is None):
                raise field_error(where, name, "is missing" if is_used else "is unknown")

    @classmethod
    def of(
        cls,
        policy: str,
        lowest: float,
        highest: float,
        *,
        eer_score: float | None = None,
    ) -> Bounds:
        """Bounds for training scores that may be infinite."""
        low, high = np.clip([lowest, highest], -LARGEST, LARGEST).tolist()
        if eer_score is not None:
            eer_score = min(max(eer_score, low), high)
        return cls(policy, low, high, eer_score)

    def supported(self, llrs: Floats, least: float, greatest: float) -> Floats:
        """LLRs within two others, as the policy says."""
        ends = self.ends(least, greatest)
        return llrs if ends is None else np.clip(llrs, *ends)

    def ends(self, least: float, greatest: float) -> tuple[float, float] | None:
        """Between which LLRs are kept, if the counts support two others; None if they are not."""
        if self.least_llr is not None and self.greatest_llr is not None:
            return self.least_llr, self.greatest_llr
        return (least, greatest) if self.policy == "counts" else None

    @property
    def reach(self) -> tuple[float, float]:
        """The range of scores beyond which the LLR is constant."""
        if self.policy == "none":
            return -math.inf, math.inf
        return self.lowest_score, self.highest_score


UNBOUNDED = Bounds()


def supported_llrs(
    tar_count: int, non_count: int, speakers: tuple[int, int] | None = None
) -> tuple[float, float]:
    """Least and greatest LLR that these counts can support, by Laplace's rule of succession."""
    tar, non = supporting((tar_count, non_count), speakers)
    return -math.log(tar + 1), math.log(non + 1)


@dataclass(frozen=True)
class TrainedOn:
    """How many trials of either class something was trained on."""

    tar: Annotated[Trials, "Number of target trials."]
    non: Annotated[Trials, "Number of non-target trials."]
    speakers: Annotated[
        tuple[Trials, Trials] | None,
        "Number of different speakers of the target trials, and of the non-target trials, where "
        "they are known.",
    ] = None

    def in_words(self, tar: str = "target", non: str = "non-target") -> str:
        """How many trials there are of either class, and of how many speakers."""
        counts, speakers = (self.tar, self.non), self.speakers
        of = [""] * 2 if speakers is None else [f" of {_counted(n, 'speaker')}" for n in speakers]
        sides = zip(counts, (tar, non), of, strict=True)
        return " and ".join(f"{_counted(n, f'{what} trial')}{who}" for n, what, who in sides)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def more_than_a_few(beyond: int, total: int) -> bool:
    """Whether more scores lie beyond than in any new set: over 3, and over 1 % of them."""
    return beyond > _FEW and beyond > _FEW_OF_ALL * total


class OutOfRangeCounter:
    """Counts the scores that lie beyond a range of training scores, batch by batch.

    Several threads may count at the same time.
    """

    def __init__(self, low: float, high: float) -> None:
        # The largest doubles stand for infinite training scores, or for unknown ones.
        self._low = low if low > -LARGEST else -math.inf
        self._high = high if high < LARGEST else math.inf
        self._beyond = self.total = 0
        self._lock = threading.Lock()

    def count(self, scores: Floats) -> None:
        beyond = 0
        if scores.size and not (self._low <= scores.min() and scores.max() <= self._high):
            beyond = int(((scores < self._low) | (scores > self._high)).sum())
        with self._lock:
            self._beyond += beyond
            self.total += scores.size

    @property
    def notes(self) -> tuple[Note, ...]:
        """A warning, if they were more than a few."""
        if not more_than_a_few(self._beyond, self.total):
            return ()
        share = self._beyond / self.total
        note = Note.warning(
            "range",
            f"{self._beyond:,} of {self.total:,} scores ({100 * share:.1f} %) lie beyond the "
            f"training scores, {self._low:.4g} to {self._high:.4g}, where nothing was learned. If "
            "these trials are of another kind than those of training, do not trust their LLRs: "
            "calibrate on trials like these, or adapt to their scores: see llrcal adapt",
        )
        return (note,)
