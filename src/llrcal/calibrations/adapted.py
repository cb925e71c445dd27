"""What a calibration that was adapted to the field has to say of it; see docs/adaptation.md."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, NamedTuple

import numpy as np

from llrcal.calibrations.curve import Formula
from llrcal.declaration import LLR, NotNegative, Share, field_error, schema, to_json

_WITH_INTERVAL = ": value, and both ends of the 95 % interval."


class Estimate(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Adapted:
    """What was found in the field. Shifts are in units of the scores, negated for distances."""

    applied: Annotated[bool, "False if the calibration was left as it was."]
    choice: Annotated[
        str,
        'What was chosen: "as it was", "in between", "moved", "order" (no move explains the '
        'scores, whose order alone was used) or "no evidence" (an LLR of 0).',
    ] = ""
    p_target: Annotated[
        Share | None, "Share of targets among the unlabelled scores, if it was given."
    ] = None
    factor: Annotated[
        float,
        schema(minimum=1),
        "The factor by which that share may be off, as one standard deviation.",
    ]
    speakers: Annotated[
        float | None,
        schema(minimum=1),
        "Number of speakers among the unlabelled scores, if it was given; less if some have more "
        "scores than others.",
    ] = None
    unlabelled: Annotated[int, "Number of unlabelled scores."]
    tar: Annotated[int, "Number of labelled targets from the field."]
    non: Annotated[int, "Number of labelled non-targets from the field."]
    effective: Annotated[
        NotNegative, "How many independent scores the unlabelled ones weigh as much as."
    ]
    unmoved: Annotated[
        Share, "Probability that nothing has moved, if that is as likely beforehand as a move."
    ]
    unknown: Annotated[Share, "Probability that no move explains the scores."] = 0.0
    wrong_share: Annotated[Share, "Probability that the share of targets is another."] = 0.0
    only_targets: Annotated[Share, "Probability that all unlabelled scores are of targets."] = 0.0
    only_non_targets: Annotated[
        Share, "Probability that all unlabelled scores are of non-targets."
    ] = 0.0
    share: Annotated[Estimate, "Share of targets" + _WITH_INTERVAL]
    tar_shift: Annotated[Estimate, "Shift of the targets" + _WITH_INTERVAL]
    tar_widening: Annotated[Estimate, "Factor by which the targets are wider" + _WITH_INTERVAL]
    non_shift: Annotated[Estimate, "Shift of the non-targets" + _WITH_INTERVAL]
    non_widening: Annotated[Estimate, "Factor by which the non-targets are wider" + _WITH_INTERVAL]
    cllr_before: Annotated[
        Estimate, "Cllr in bits, expected of the calibration as it was" + _WITH_INTERVAL
    ]
    cllr: Annotated[Estimate, "Expected Cllr in bits" + _WITH_INTERVAL]
    eer: Annotated[Estimate, "Expected equal-error-rate" + _WITH_INTERVAL]
    dcf: Annotated[
        Estimate,
        "Expected normalised detection cost at p_target (if it was not given, at the share that "
        "was found) with costs of one" + _WITH_INTERVAL,
    ]
    scores: Annotated[
        tuple[float, ...],
        schema(rising=True),
        "Scores, in strictly rising order, at which LLRs were worked out anew: in place of the "
        "model, LLRs lie on straight lines between them. If there are none, the model holds.",
    ] = ()
    llrs: Annotated[tuple[LLR, ...], "The LLRs of these scores, which never fall."] = ()

    def check(self, where: str) -> None:
        """Refuse LLRs of a model file that fall."""
        if len(self.scores) == 1:
            raise field_error(where, "scores", "has 1 value; there must be none, or at least 2")
        if len(self.llrs) != len(self.scores):
            raise field_error(where, "llrs", "must have as many values as there are scores")
        if (np.diff(self.llrs) < 0).any():
            raise field_error(where, "llrs", "must not fall")

    @property
    def formula(self) -> Formula | None:
        """LLRs as they were worked out anew; None if the model holds."""
        if not self.scores:
            return None
        at, llrs = np.array(self.scores), np.array(self.llrs)
        middle, unit = float(at[len(at) // 2]), float(np.median(np.diff(at)))
        distances = at - middle
        return Formula(
            lambda distance: np.interp(distance, distances, llrs), middle, unit, distances
        )

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain JSON values; an estimate is a list of its value and both ends."""
        names = [entry.name for entry in fields(self) if entry.name not in ("scores", "llrs")]
        return {name: to_json(getattr(self, name)) for name in names}
