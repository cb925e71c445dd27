"""What an adaptation has found, and what a reader should know of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from llrcal.adaptation.field import Field, places_of
from llrcal.adaptation.prediction import Bins, estimate, predicted
from llrcal.adaptation.source import APART, DEVIATIONS, TOGETHER
from llrcal.arrays import Floats
from llrcal.calibrations.adapted import Adapted
from llrcal.messages import Setting
from llrcal.notes import Note

# When to warn. None of this changes what is returned.
_MOST_MISFIT = 0.05  # nats per score
_SUSPICION = 0.05  # the probability of a lie
_MOST_OFF, _WRONG_SHARE = 2.5, 0.2  # deviations of the share of targets; the probability of another
_FEWEST, _FEWEST_LABELLED = 100, 5  # unlabelled scores; labelled ones of each class
# A far move: prior deviations; or bits of Cllr that it costs, should nothing have moved after all.
_FAR_TOGETHER, _FAR_APART, _HARMFUL = 1.2, 2.0, 0.25
_IS_WILD = 0.5  # the probability that a labelled score is


def findings(field: Field, llrs: Floats, p_target: float | None) -> dict[str, Any]:
    """Fields of :class:`Adapted`, for the LLRs that are returned."""
    shares = estimate(field.shares, field)
    at = min(max(shares.value, 1e-9), 1 - 1e-9) if p_target is None else p_target
    before, after = (predicted(field, each, at) for each in (field.old_llrs, llrs))
    mixture = shares.value * field.known[0] + (1 - shares.value) * field.known[1]
    pool = field.data.pool
    lies = ("wrong_share", "only_targets", "only_non_targets", "other_scores", "reversed")
    return {
        "trust": field.data.trust,
        "unmoved": min(field.unmoved, 1.0),
        **{lie: min(field.probability(_NAMES.get(lie, lie)), 1.0) for lie in lies},
        "misfit": Bins.of(field, mixture).divergence(pool.count) if pool.count else 0.0,
        "share": shares,
        "cllr_before": estimate(before.cllr, field),
        "cllr": estimate(after.cllr, field),
        "eer": estimate(after.eer, field),
        "dcf": estimate(after.dcf, field),
        **_moves(field),
    }


_NAMES = {
    "wrong_share": "wrong share",
    "only_targets": "only targets",
    "only_non_targets": "only non-targets",
    "other_scores": "other scores",
}


def _moves(field: Field) -> dict[str, Any]:
    """How far each class has moved and widened, in score units and as a factor."""
    before = places_of(field.source, field.source.still[None, :])
    after = places_of(field.source, field.draws)
    (tar, tar_scale), (non, non_scale) = (
        (after[i] - before[i], np.exp(after[i + 1] - before[i + 1])) for i in (0, 2)
    )
    names = ("tar_shift", "tar_widening", "non_shift", "non_widening")
    return {
        name: estimate(draws, field)
        for name, draws in zip(names, (tar, tar_scale, non, non_scale), strict=True)
    }


def notes_on_scores(field: Field, p_target: float | None, factor: float) -> Iterator[Note]:
    """What may be wrong with unlabelled scores."""
    what = findings(field, field.old_llrs, p_target)
    yield from _doubts(
        Adapted(
            applied=False,
            p_target=p_target,
            factor=factor,
            unlabelled=round(field.data.pool.count),
            tar=0,
            non=0,
            **what,
        )
    )


def notes_on(what: Adapted, field: Field) -> Iterator[Note]:
    """Everything a reader should know, what may be wrong first."""
    yield from _doubts(what)
    yield from _oddities(what, field)
    if what.unmoved > 0.5:
        yield Note.of("nothing moved", "the scores look as in training: nothing has moved")
    if not all(one.solution.converged for one in field.hypotheses):
        yield Note.warning("not converged", "not every search converged")


def _doubts(what: Adapted) -> Iterator[Note]:
    """A warning of each lie that may have been told, with the expected cost of either choice."""
    before, after = what.cllr_before.value, what.cllr.value
    costs = f"Expected Cllr: {before:.3f} as it was"
    if what.choice:  # or nothing is returned
        costs += f", {after:.3f} as it is returned"
    doubts = {
        "one class": (
            what.only_targets + what.only_non_targets,
            f"the {what.unlabelled:,} unlabelled scores look like "
            f"{'targets' if what.only_targets > what.only_non_targets else 'non-targets'} alone: "
            "are there targets and non-targets among them?",
        ),
        "other scores": (
            what.other_scores,
            "the scores do not look like those of training, however these are moved. Are they of "
            "the same recognizer, in the same units?",
        ),
        "reversed": (
            what.reversed,
            "the scores look as if they ran the other way: is a higher score still more evidence "
            "for a target?",
        ),
    }
    for code, (probability, text) in doubts.items():
        if probability > _SUSPICION:
            sure = f"{100 * min(probability, 0.99):.0f} % sure"
            yield Note.warning(code, f"{text} ({sure}.) {costs}")
    share, told = what.share.value, what.p_target
    if told is None or not what.unlabelled or what.only_targets + what.only_non_targets > 0.5:
        return
    off = abs(np.log(_odds(share)) - np.log(_odds(told))) / np.log(what.factor)
    if off > _MOST_OFF or what.wrong_share > _WRONG_SHARE:
        times = share / told
        rather = f"{times:.3g} times" if times > 1 else f"1/{1 / times:.3g} of"
        yield Note.warning(
            "share",
            f"the scores suggest that {100 * share:.3g} % of them are targets, {rather} what was "
            "said: check ",
            Setting("p_target"),
            f". {costs}",
        )


def _odds(share: float) -> float:
    share = min(max(share, 1e-9), 1 - 1e-9)
    return share / (1 - share)


def _oddities(what: Adapted, field: Field) -> Iterator[Note]:
    labelled = min(what.tar, what.non)
    if what.unlabelled < _FEWEST and labelled < _FEWEST_LABELLED:
        yield Note.warning(
            "few scores",
            f"{what.unlabelled:,} unlabelled scores and {labelled} labelled ones of a class say "
            f"little about the field; {_FEWEST} or more unlabelled scores, or "
            f"{_FEWEST_LABELLED} labelled ones of each class, would say more",
        )
    if what.misfit > _MOST_MISFIT and what.other_scores < _SUSPICION:
        yield Note.warning(
            "does not fit",
            "the classes of training do not fit these scores, however they are moved: they differ "
            f"by {what.misfit:.2g} nats per score (up to {_MOST_MISFIT:g} is usual)",
        )
    if not what.tar and (_is_far(field) or (what.applied and field.harm > _HARMFUL)):
        harm = max(field.harm, 0.0) if what.applied else 0.0
        yield Note.warning(
            "far",
            "the classes have moved far, as far as unlabelled scores can tell. Should nothing have "
            f"moved after all, this calibration would cost {harm:.2f} bits more than the one that "
            "was: are the scores of the same recognizer, targets and non-targets among them, and "
            "is a higher score still more evidence for a target?",
        )
    yield from _wild(field)


def _is_far(field: Field) -> bool:
    """Whether the mean move is one that hardly ever occurs."""
    deviations = np.abs((field.importance @ field.draws)[:-1] / list(DEVIATIONS.values()))
    apart = deviations[APART.start :]
    return bool((deviations[TOGETHER] > _FAR_TOGETHER).any() or (apart > _FAR_APART).any())


def _wild(field: Field) -> Iterator[Note]:
    """A warning of labelled scores that fit neither class."""
    data, model = field.data, field.source
    for (density, scores), side, name in zip(
        data.labelled, model.moved(field.best.mean), ("target", "non-target"), strict=True
    ):
        own = data.labelled_logs(density, scores, side.theta)[2] if scores.count else np.ones(0)
        wild = scores.values[own < 1 - _IS_WILD] * model.unit + model.origin
        if len(wild):
            yield Note.warning(
                "wild",
                f"{len(wild)} of the labelled {name} scores, such as {wild[0]:.6g}, "
                f"{'do' if len(wild) > 1 else 'does'} not fit the others, and "
                f"{'were' if len(wild) > 1 else 'was'} hardly used: are their labels right?",
            )
