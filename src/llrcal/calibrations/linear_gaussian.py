"""Linear calibration from two Gaussians with a shared variance (paper, section 4.1).

The weighted maximum-likelihood criterion has the closed-form solution

    v = alpha v_tar + (1 - alpha) v_non,
    slope = (m_tar - m_non) / v,    offset = -slope (m_tar + m_non) / 2,

with m and v the mean and the (1/n) variance of each class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from llrcal.calibrations.fields import Fields
from llrcal.calibrations.linear import Linear, check_line
from llrcal.calibrations.normal_draws import moments_from, shared_variance
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty
from llrcal.errors import DegenerateError
from llrcal.fitting.report import Report

_LEAST = float(np.finfo(np.float64).smallest_subnormal)
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, kw_only=True, repr=False)
class LinearGaussian(Linear):
    """Shared-variance Gaussian calibration; the means are kept relative to the origin."""

    mean_tar: float
    mean_non: float
    variance: float

    method: ClassVar[str] = "linear-gaussian"

    @classmethod
    def fit(cls, data: Training, *, alpha: float | str = 0.5) -> Self:
        weight = data.weight(alpha)
        tar, non = data.tar, data.non
        spreads = [side.grid.unit for side in (tar, non) if side.least < side.greatest]
        if not spreads:
            raise DegenerateError(
                "each class has a single value, so no variance can be estimated; use pav or "
                "logistic"
            )
        # In a unit of their own, since squares of 1e-200 and 1e200 are out of range.
        unit, origin = max(spreads), non.grid.origin
        (mean_tar, var_tar), (mean_non, var_non) = (
            moments_from(s, origin, unit) for s in (tar, non)
        )
        variance = weight * var_tar + (1 - weight) * var_non
        if not variance > 0:
            raise DegenerateError(
                f"the variance of the scores is {variance:g}, weighted by alpha = {weight:g}: the "
                "class that varies has almost no weight. Give another alpha"
            )
        slope = (mean_tar - mean_non) / variance
        height = -slope * (mean_tar + mean_non) / 2
        check_line(slope / unit, height)
        objective = 0.5 * (math.log(2 * math.pi * variance) + 1) + math.log(unit)
        return cls(
            tar_count=data.tar_count,
            non_count=data.non_count,
            report=Report.closed_form(objective),
            alpha=alpha if isinstance(alpha, str) else weight,
            origin=origin,
            slope=slope / unit,
            height=height,
            mean_tar=mean_tar * unit,
            mean_non=mean_non * unit,
            variance=min(max(variance * unit * unit, _LEAST), _LARGEST),  # the closest double
        )

    def uncertainty(self, data: Training) -> Uncertainty:
        return shared_variance(data, data.weight(self.alpha))

    @property
    def params(self) -> dict[str, Any]:
        return {
            "mean_tar": self.origin + self.mean_tar,
            "mean_non": self.origin + self.mean_non,
            "variance": self.variance,
            **super().params,
        }

    def to_model(self) -> dict[str, Any]:
        moments = {name: getattr(self, name) for name in ("mean_tar", "mean_non", "variance")}
        return super().to_model() | moments

    @classmethod
    def from_model(cls, model: Fields, **common: Any) -> Self:
        moments = {name: model.number(name) for name in ("mean_tar", "mean_non")}
        return super().from_model(model, variance=model.positive("variance"), **moments, **common)
