"""What a calibration that was adapted to another place has to say of it; see docs/adaptation.md."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from llrcal.arrays import LARGEST
from llrcal.calibrations.fields import Fields


class Estimate(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Adapted:
    """How far a calibration was moved. Shifts are in units of the scores, negated for distances."""

    applied: bool
    """False if the calibration was left as it was."""
    p_target: float
    """The share of targets among the unlabelled scores, as given."""
    factor: float
    """The factor by which that share may be off, as one standard deviation."""
    unlabelled: int
    tar: int
    """Labelled targets of the new place."""
    non: int
    trust: float
    """How many independent scores the unlabelled ones weigh as much as."""
    unmoved: float
    """The probability that nothing has moved."""
    misfit: float
    """Kullback-Leibler divergence of the unlabelled scores from the moved densities, in nats."""
    share: Estimate
    tar_shift: Estimate
    tar_widening: Estimate
    non_shift: Estimate
    non_widening: Estimate
    cllr_before: Estimate
    """Expected in the new place of the calibration as it was, in bits."""
    cllr: Estimate
    eer: Estimate
    dcf: Estimate
    """Normalised, at ``p_target`` with costs of one."""

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain JSON values; an estimate is a list of its value and both ends."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: list(v) if isinstance(v, Estimate) else v for name, v in values}

    @classmethod
    def from_fields(cls, section: Fields) -> Adapted:
        """What :meth:`to_dict` describes."""
        estimates = {
            field.name: Estimate(*section.numbers(field.name, 3))
            for field in fields(cls)
            if field.type == "Estimate"
        }
        out = cls(
            applied=section.flag("applied"),
            p_target=section.between("p_target", 0, 1),
            factor=section.between("factor", 1, LARGEST),
            unlabelled=section.count("unlabelled"),
            tar=section.count("tar"),
            non=section.count("non"),
            trust=section.not_negative("trust"),
            unmoved=section.between("unmoved", 0, 1),
            misfit=section.number("misfit"),
            **estimates,
        )
        section.done()
        return out


def estimate(value: float, draws: Any) -> Estimate:
    """A value, with the middle 95 % of draws around it."""
    ordered = sorted(float(draw) for draw in draws)
    ends = (ordered[round(level * (len(ordered) - 1))] for level in (0.025, 0.975))
    low, high = ends
    if not all(map(math.isfinite, (value, low, high))):
        return Estimate(0.0, -LARGEST, LARGEST)
    return Estimate(value, min(low, value), max(high, value))
