"""Linear calibration from two Gaussians with a shared variance (paper, section 4.1).

The weighted maximum-likelihood criterion has the closed-form solution

    v = alpha v_tar + (1 - alpha) v_non,
    slope = (m_tar - m_non) / v,    offset = -slope (m_tar + m_non) / 2,

with m and v the mean and the (1/n) variance of each class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from llrcal.arrays import LARGEST
from llrcal.calibrations.linear import Linear, check_line
from llrcal.calibrations.normal_draws import (
    check_variance,
    moments_from,
    origin_and_unit,
    shared_variance,
)
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty
from llrcal.declaration import Positive
from llrcal.fitting.report import Report

_LEAST = float(np.finfo(np.float64).smallest_subnormal)


@dataclass(frozen=True, kw_only=True, repr=False)
class LinearGaussian(Linear):
    """Shared-variance Gaussian calibration; the means are kept relative to the origin."""

    mean_tar: Annotated[float, "Mean of the targets, from the origin. It takes no part in LLRs."]
    mean_non: Annotated[float, "Mean of the non-targets, likewise."]
    variance: Annotated[Positive, "Their shared variance, likewise."]

    method: ClassVar[str] = "linear-gaussian"

    @classmethod
    def fit(cls, data: Training, *, alpha: float | str = 0.5) -> Self:
        weight = data.weight(alpha)
        origin, unit = origin_and_unit(data)
        mean_tar, var_tar = moments_from(data.tar, origin, unit)
        mean_non, var_non = moments_from(data.non, origin, unit)
        variance = weight * var_tar + (1 - weight) * var_non
        check_variance(variance, weight)
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
            variance=min(max(variance * unit * unit, _LEAST), LARGEST),  # the closest double
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
