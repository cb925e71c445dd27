"""Which calibration to use, what that rests on, and whether any is fit for the test trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from llrcal.comparison.fitness import Fitness, does_harm, doubts
from llrcal.comparison.ranking import Ranking
from llrcal.notes import Note

if TYPE_CHECKING:
    from llrcal.comparison.comparison import Comparison


@dataclass(frozen=True)
class Verdict:
    """What a comparison comes to. As a string, a few sentences."""

    headline: str
    """What to do, in one sentence."""
    basis: str
    """What that rests on, in a few."""
    best: str
    """Label of the calibration with the least error."""
    equals: tuple[str, ...]
    """Those that cannot be told from the best at 95 %, the better ones first."""
    recommended: str
    """The simplest of all these, where they are fit; the best, if nothing tells them apart."""
    fit: bool
    """Whether the test trials are such that any of them should be used."""
    reasons: tuple[Note, ...] = ()
    """Why none is fit."""

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.headline} {self.basis}"

    def __str__(self) -> str:
        return self.text


def verdict(comparison: Comparison) -> Verdict:
    """The verdict on a comparison."""
    ranking = comparison.ranking
    best, equals = ranking.best, ranking.equals
    fitness = Fitness.of(comparison, best)
    if not fitness.is_fit:
        reasons = doubts(comparison, fitness)
        why = " ".join(f"{note.text[:1].upper()}{note.text[1:]}." for note in reasons)
        headline, basis = "None of these is fit for these trials.", f"{why} {fitness.advice}"
        return Verdict(headline, basis, best, equals, best, False, reasons)
    # Fewer parameters first; of as many, one that has not seen the test scores; the lesser error.
    recommended = min(
        (best, *(label for label in equals if not does_harm(comparison, label))),
        key=lambda label: (
            comparison.candidates[label].parameters,
            comparison.candidates[label].adapted,
            ranking.values[label],
        ),
    )
    headline = f"Use {recommended}." if ranking.draws else f"Least error: {best}."
    seen = ""
    if comparison.candidates[recommended].adapted:
        seen = f"{recommended} has seen the test scores, but not their labels."
    told = (_least(comparison, ranking), _beside(ranking, recommended), seen)
    basis = " ".join(filter(None, told))
    return Verdict(headline, basis, best, equals, recommended, True)


def _least(comparison: Comparison, ranking: Ranking) -> str:
    best, least = ranking.best, ranking.criterion.least(comparison.raw)
    above = ""
    if least > 0:
        above = (
            f", {100 * (ranking.values[best] / least - 1):.1f} % above the minimum for these scores"
        )
    return f"{best} has the least {ranking.criterion.words}: {ranking.described(best)}{above}."


def _beside(ranking: Ranking, recommended: str) -> str:
    """How the others compare with the best."""
    if len(ranking.values) == 1:
        return ""
    if not ranking.draws:
        return (
            "Without bootstrap replicates there is no telling whether the others differ from it "
            "by more than chance."
        )
    by = f" ({ranking.draws}, the same for all)"
    if ranking.equals:
        named = ", ".join(ranking.equals)
        if recommended == ranking.best:
            return f"Cannot be told from it at 95 %{by}, but no reason to prefer: {named}."
        return f"Cannot be told from it at 95 %{by}: {named}. Of these, {recommended} is simplest."
    label, other = next(iter(ranking.others.items()))
    low, high = other.interval
    return (
        f"Every other is worse by more than chance explains{by}: the next is {label}, by "
        f"{other.value:.4f} ({low:.4f} to {high:.4f})."
    )
