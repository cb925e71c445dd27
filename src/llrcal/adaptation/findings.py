"""What an adaptation has to say, and when it is better not made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from llrcal.adaptation.hypotheses import Averaged
from llrcal.adaptation.move import Place
from llrcal.arrays import LARGEST, Floats
from llrcal.calibrations.adapted import Adapted, Estimate
from llrcal.messages import Setting
from llrcal.notes import Note

# Each was chosen well beyond what pairs of conditions showed on which an adaptation helped.
MOST_MISFIT = 0.05  # nats per score
MOST_EER = 0.3  # the upper end of its interval; or half as much again as in the old place
MOST_OFF = 2.5  # deviations of the share of targets
FEWEST = 100  # unlabelled scores
FEWEST_LABELLED = 5  # of each class, without unlabelled ones
MOST_MOVED = 2.0  # prior deviations of one class against the other, and of shapes
ONE_CLASS = 4.0  # nats by which scores look more like one class than like both
IN_THE_WAY = {"does not fit", "cannot tell", "share", "few scores", "far", "one class"}


def moves_found(place: Place, found: Averaged, draws: Floats) -> dict[str, Estimate]:
    """How far each class has moved and widened, in score units and as a factor."""
    rows = []
    for moves in (found.moves, *draws):
        row = []
        for old, new in zip((place.tar, place.non), place.moved(moves), strict=True):
            before, after = place.density(old), place.density(new.theta)
            row += [after.location - before.location, after.scale / before.scale]
        rows.append(row)
    names = ("tar_shift", "tar_widening", "non_shift", "non_widening")
    return dict(zip(names, map(estimate, zip(*rows, strict=True)), strict=True))


def notes_on(
    what: Adapted, found: Averaged, odds_deviation: float, old_eer: float, one_class: float
) -> Iterator[Note]:
    """Everything a reader should know, what is in the way of adapting first."""
    labelled = min(what.tar, what.non)
    if what.unlabelled < FEWEST and labelled < FEWEST_LABELLED:
        yield Note.warning(
            "few scores",
            f"{what.unlabelled:,} unlabelled scores and {labelled} labelled ones of a class "
            f"say too little about the new place; give {FEWEST} or more unlabelled scores, or "
            f"{FEWEST_LABELLED} labelled ones of each class",
        )
    if what.misfit > MOST_MISFIT:
        yield Note.warning(
            "does not fit",
            "the model does not fit these scores, however it is moved: they differ from it by "
            f"{what.misfit:.2g} nats per score (up to {MOST_MISFIT:g} is usual). Are they of "
            "the same recognizer, and do targets and non-targets occur among them?",
        )
    if what.eer.high > max(MOST_EER, 1.5 * old_eer):
        yield Note.warning(
            "cannot tell",
            "the scores cannot tell the classes apart: their equal-error-rate in the new place "
            f"may be as high as {100 * what.eer.high:.0f} %. Are there targets among them? "
            "Give a few labelled scores of the new place, or check ",
            Setting("p_target"),
        )
    if what.unlabelled and abs(found.moves[-1]) > MOST_OFF * odds_deviation:
        times = what.share.value / what.p_target
        off = f"{times:.3g} times" if times > 1 else f"1/{1 / times:.3g} of"
        yield Note.warning(
            "share",
            f"the scores suggest that {100 * what.share.value:.3g} % of them are targets, "
            f"{off} what was said: check ",
            Setting("p_target"),
            ", or give a larger ",
            Setting("factor"),
        )
    # The model can be bent, but the scores are not what they should be.
    if one_class > ONE_CLASS:
        yield Note.warning(
            "one class",
            f"the {what.unlabelled:,} unlabelled scores look more like one class alone than like "
            "both: are there targets and non-targets among them?",
        )
    if found.furthest > MOST_MOVED and not what.tar:  # labelled scores may say anything
        yield Note.warning(
            "far",
            "to fit these scores, one class would have to move against the other, or change its "
            f"shape, by {found.furthest:.1f} prior deviations (up to {MOST_MOVED:g} is usual). Are "
            "they of the same recognizer, and is a higher score still more evidence for a target?",
        )
    yield from _remarks(what, found, odds_deviation)


def _remarks(what: Adapted, found: Averaged, odds_deviation: float) -> Iterator[Note]:
    if found.unmoved > 0.5:
        yield Note.of("nothing moved", "the scores look as in the old place: nothing has moved")
    if what.unlabelled:
        low, high = what.share.low, what.share.high
        told = math.exp(2 * 1.96 * odds_deviation)
        spread = (high / (1 - high)) / max(low / (1 - low), 1e-300) if high < 1 else told
        if spread > 0.7 * told:
            text = "the scores say little about the share of targets: it is taken as given"
            yield Note.of("share taken", text)
    if found.optima > 1:
        yield Note.warning(
            "several optima",
            f"the search found {found.optima} optima; the best of them was taken",
        )
    if not all(hypothesis.solution.converged for hypothesis in found.hypotheses):
        yield Note.warning("not converged", "not every search converged")


def estimate(values: Iterable[float]) -> Estimate:
    """The first of some values, with the middle 95 % of the others, draws of it, around it."""
    value, *draws = map(float, values)
    draws.sort()
    low, high = (draws[round(level * (len(draws) - 1))] for level in (0.025, 0.975))
    if not all(map(math.isfinite, (value, low, high))):
        return Estimate(0.0, -LARGEST, LARGEST)
    return Estimate(value, min(low, value), max(high, value))
