"""What an adaptation has found, and what a reader should know of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from llrcal.adaptation.field import Field
from llrcal.arrays import Floats
from llrcal.calibrations.adapted import Adapted
from llrcal.messages import Setting
from llrcal.notes import Note

# When to warn: the probability of a doubt, deviations of the share of targets from what was said,
# and the fewest scores. None of this changes what is returned.
_DOUBTFUL, _MOST_OFF, _FEWEST, _FEWEST_LABELLED = 0.1, 2.5, 100, 5
_HARDLY_ANY = 1e-9  # a share


def findings(
    field: Field, llrs: Floats, p_target: float | None, factor: float, **chosen: Any
) -> Adapted:
    """What was found, given the LLRs that are returned and what was chosen."""
    shares = field.estimate(field.shares)
    at = min(max(shares.value, _HARDLY_ANY), 1 - _HARDLY_ANY) if p_target is None else p_target
    cllr, eer, dcf = map(field.estimate, field.predicted(llrs, at))
    tar, non = (round(float(few.sum())) for few in field.data.labelled)
    return Adapted(
        **chosen,
        p_target=p_target and float(p_target),
        factor=float(factor),
        speakers=field.data.speakers,
        unlabelled=round(field.data.pool.count),
        tar=tar,
        non=non,
        effective=field.data.effective,
        unmoved=field.unmoved_if_neutral,
        unknown=field.probability(kind="unknown"),
        wrong_share=field.probability(share="wrong"),
        only_targets=field.probability(share="only targets"),
        only_non_targets=field.probability(share="only non-targets"),
        share=shares,
        cllr_before=field.estimate(field.predicted(field.old_llrs, at)[0]),
        cllr=cllr,
        eer=eer,
        dcf=dcf,
        **_moves(field),
    )


def _moves(field: Field) -> dict[str, Any]:
    """How far each class has moved and widened, in score units and as a factor."""
    trained = (field.classes.tar, field.classes.non)
    out = {}
    for name, side, place in zip(
        ("tar", "non"), trained, field.classes.places(field.draws), strict=True
    ):
        shift = (place.location - side.location) * field.classes.unit
        out[f"{name}_shift"] = field.estimate(shift)
        out[f"{name}_widening"] = field.estimate(np.exp(place.log_scale + place.noise))
    return out


def notes_on(what: Adapted) -> Iterator[Note]:
    """Everything a reader should know, what may be wrong first."""
    costs = f"Expected Cllr: {what.cllr_before.value:.3f} as it was"
    if what.choice:  # or nothing is returned
        costs += f", {what.cllr.value:.3f} as it is returned"
    alone = what.only_targets + what.only_non_targets
    if alone > _DOUBTFUL:
        side = "targets" if what.only_targets > what.only_non_targets else "non-targets"
        yield Note.warning(
            "one class",
            f"the {what.unlabelled:,} unlabelled scores may be of {side} alone "
            f"({_sure(alone)}): are there targets and non-targets among them? {costs}",
        )
    if what.unknown > _DOUBTFUL:
        yield Note.warning(
            "unknown",
            "no move of the training classes seems to explain these scores "
            f"({_sure(what.unknown)}). If so, their order is taken to mean what it did in "
            "training, but not the strength of the evidence, so LLRs are smaller. If they are of "
            "another recognizer, or in other units, train a "
            f"calibration for them. {costs}",
        )
    share, told = what.share.value, what.p_target
    if told is not None and what.unlabelled and alone < 0.5:
        off = abs(np.log(_odds(share)) - np.log(_odds(told))) / np.log(what.factor)
        if off > _MOST_OFF:
            yield Note.warning(
                "share",
                f"the scores suggest that {100 * share:.3g} % of them are targets, where "
                f"{100 * told:.3g} % were said: check ",
                Setting("p_target"),
                f". {costs}",
            )
    labelled = min(what.tar, what.non)
    if what.unlabelled < _FEWEST and labelled < _FEWEST_LABELLED:
        yield Note.warning(
            "few scores",
            f"{what.unlabelled:,} unlabelled scores and {labelled} labelled ones of a class say "
            f"little about the field; {_FEWEST} or more unlabelled scores, or "
            f"{_FEWEST_LABELLED} labelled ones of each class, would say more",
        )
    if what.unlabelled and what.speakers is None:
        yield Note.of(
            "speakers",
            f"assumed that the scores are of many speakers, so that {what.unlabelled:,} of them "
            f"weigh as much as {what.effective:,.0f} independent ones; if they are of fewer than "
            "some hundred, say how many: ",
            Setting("speakers"),
        )
    if what.choice and what.unmoved > 0.5:
        yield Note.of("nothing moved", "nothing shows that the scores have shifted")
    elif what.choice == "as it was":
        yield Note.of(
            "left",
            "the scores may have shifted, but these say too little of how: no new calibration is "
            "expected to be better. Labelled scores would tell",
        )


def _sure(probability: float) -> str:
    return f"{100 * min(probability, 0.99):.0f} % sure"


def _odds(share: float) -> float:
    share = min(max(share, _HARDLY_ANY), 1 - _HARDLY_ANY)
    return share / (1 - share)
