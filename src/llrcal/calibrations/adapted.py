"""What a calibration that was adapted to another place has to say of it; see docs/adaptation.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from llrcal.declaration import NotNegative, Share, schema, to_json

_WITH_INTERVAL = ": value, and both ends of the 95 % interval."


class Estimate(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Adapted:
    """How far a calibration was moved. Shifts are in units of the scores, negated for distances."""

    applied: Annotated[bool, "False if the calibration was left as it was."]
    p_target: Annotated[Share, "Share of targets among the unlabelled scores, as given."]
    factor: Annotated[
        float,
        schema(minimum=1),
        "The factor by which that share may be off, as one standard deviation.",
    ]
    unlabelled: Annotated[int, "Number of unlabelled scores."]
    tar: Annotated[int, "Number of labelled targets of the new place."]
    non: Annotated[int, "Number of labelled non-targets of the new place."]
    trust: Annotated[
        NotNegative, "How many independent scores the unlabelled ones weigh as much as."
    ]
    unmoved: Annotated[Share, "Probability that nothing has moved."]
    misfit: Annotated[
        float,
        "Kullback-Leibler divergence of the unlabelled scores from the moved densities, in nats.",
    ]
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
        "Expected normalised detection cost at p_target with costs of one" + _WITH_INTERVAL,
    ]

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain JSON values; an estimate is a list of its value and both ends."""
        plain: dict[str, Any] = to_json(self)
        return plain
