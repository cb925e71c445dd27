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

from llrcal.calibrations.fields import Fields
from llrcal.calibrations.linear import INVERTED, Linear
from llrcal.errors import DegenerateError
from llrcal.fit_report import Report
from llrcal.training import Training


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
        origin = data.non.grid.origin
        moments = []
        tar, non = data.tar, data.non
        for scores in (tar, non):
            mean, variance = scores.points().mean_and_variance()
            grid = scores.grid
            moments.append((mean * grid.unit + (grid.origin - origin), variance * grid.unit**2))
        (mean_tar, var_tar), (mean_non, var_non) = moments
        variance = weight * var_tar + (1 - weight) * var_non
        if tar.least == tar.greatest and non.least == non.greatest:
            raise DegenerateError(
                "each class consists of one value only: no variance can be estimated"
            )
        if not 0 < variance < math.inf:
            raise DegenerateError(
                f"the variance of the scores is {variance:g} in doubles: multiply them by a "
                "constant that brings them near one"
            )
        slope = (mean_tar - mean_non) / variance
        notes = (INVERTED,) if slope < 0 else ()
        return cls(
            tar_count=data.tar_count,
            non_count=data.non_count,
            report=Report.closed_form(0.5 * (math.log(2 * math.pi * variance) + 1), notes),
            alpha=alpha,
            origin=origin,
            slope=slope,
            height=-slope * (mean_tar + mean_non) / 2,
            mean_tar=mean_tar,
            mean_non=mean_non,
            variance=variance,
        )

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
