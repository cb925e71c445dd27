"""A posterior predictive density: the weighted mean of the densities of some draws.

No family is right far out, and many scores make it certain of tails that none of them has shown. So
a score may also come from elsewhere, with a probability that falls as scores are seen: by Laplace's
rule of succession 1 / (n + 2), if none of n did. Elsewhere is wide: Cauchy's density around the
median of the scores, with the distance of their quartiles as its scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.declaration import NotNegative, Spread, Stored, schema
from llrcal.densities.density import FURTHEST, Shaped
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT

_AT_ONCE = 2**16  # log densities
_MOST_DRAWS = 2**12  # in a model file; those that are written here have 256
_AS_MANY = schema(as_many_as="weights")
# Within these, in standard units, log densities are finite.
_DrawWeight = Annotated[float, schema(exclusiveMinimum=0, maximum=1)]
_Location = Annotated[float, schema(minimum=-FURTHEST, maximum=FURTHEST)]
_LogScale = Annotated[float, schema(minimum=-160, maximum=160)]
_Asymmetry = Annotated[float, schema(minimum=-40, maximum=40)]
_RootTail = Annotated[float, schema(minimum=NIG.tails[0], maximum=NIG.tails[1])]
_LogInverseDof = Annotated[float, schema(minimum=StudentT.tails[0], maximum=StudentT.tails[1])]


@dataclass(frozen=True, kw_only=True)
class Predictive:
    """Draws of the parameters of a density of (score - origin - middle) / spread."""

    origin: Annotated[float, "A score amid those of training, from which scores are measured."]
    middle: Annotated[float, "Median of the training scores of the class, seen from origin."]
    spread: Annotated[
        Spread,
        "Distance of the quartiles of these scores, or their standard deviation if that is zero.",
    ]
    elsewhere: Annotated[
        float,
        schema(exclusiveMinimum=0, maximum=0.5),
        "Probability of Cauchy's density around middle, whose scale is spread, in place of the "
        "draws.",
    ]
    effective_draws: Annotated[
        tuple[NotNegative, NotNegative, NotNegative],
        "How many draws those from the posterior were worth: in all, at lowest_score, and at "
        "highest_score. LLRs do not depend on them.",
    ]
    weights: Annotated[
        tuple[_DrawWeight, ...], schema(minItems=1, maxItems=_MOST_DRAWS), "Of the draws."
    ]
    locations: Annotated[
        tuple[_Location, ...],
        Stored("location"),
        _AS_MANY,
        "Of each draw, seen from middle, in units of spread.",
    ]
    log_scales: Annotated[
        tuple[_LogScale, ...],
        Stored("log_scale"),
        _AS_MANY,
        "Of each draw, in units of spread.",
    ]

    density: ClassVar[type[Shaped]]
    """The family of the densities."""

    @classmethod
    def named(cls, columns: Floats) -> dict[str, Any]:
        """Coordinates by the names of their fields."""
        names = ("locations", "log_scales", *cls.density.names[2:])
        pairs = zip(names, columns.tolist(), strict=True)
        return {name: tuple(column) for name, column in pairs}

    @cached_property
    def rows(self) -> Floats:
        """The coordinates of each draw."""
        shape = (getattr(self, name) for name in self.density.names[2:])
        return np.column_stack([self.locations, self.log_scales, *shape])

    @property
    def params(self) -> dict[str, Any]:
        """What there is to say of them."""
        return {
            "location": self.origin + self.location,
            "scale": self.scale,
            "draws": len(self.weights),
            "effective draws": self.effective_draws[0],
            "effective draws at the lower end": self.effective_draws[1],
            "effective draws at the upper end": self.effective_draws[2],
            "from elsewhere": self.elsewhere,
        }

    @cached_property
    def location(self) -> float:
        """The mean of the locations, seen from the origin."""
        locations = weighted_sum(self.rows[:, 0], np.array(self.weights))
        return self.middle + self.spread * locations

    @cached_property
    def scale(self) -> float:
        """The geometric mean of the scales."""
        logs = weighted_sum(self.rows[:, 1], np.array(self.weights))
        return self.spread * float(np.exp(logs))

    def logpdf_from(self, origin: float, distance: Floats) -> Floats:
        """Log density at ``origin + distance``, without rounding the sum."""
        standard = self._standard(distance + (origin - self.origin))
        step = max(1, _AT_ONCE // len(self.weights))
        parts = [standard[at : at + step] for at in range(0, max(1, len(standard)), step)]
        return np.concatenate([self._logpdf(part) for part in parts])

    def log_densities(self, scores: Floats) -> Floats:
        """Log densities of each draw (row) at some scores, none of which come from elsewhere."""
        standard = self._standard(scores - self.origin)
        return np.asarray(self.density.logpdfs(self.rows, standard) - np.log(self.spread))

    def _standard(self, centred: Floats) -> Floats:
        return np.clip((centred - self.middle) / self.spread, -FURTHEST, FURTHEST)

    def _logpdf(self, standard: Floats) -> Floats:
        logs = self.density.logpdfs(self.rows, standard) + np.log(self.weights)[:, None]
        largest = logs.max(axis=0, initial=-np.inf)
        logs -= largest
        total = largest + np.log(np.exp(logs).sum(axis=0))
        total = with_elsewhere(total, standard, self.elsewhere)
        return np.asarray(total - np.log(self.spread))


def with_elsewhere(logs: Floats, standard: Floats, probability: float) -> Floats:
    """Log densities at scores in standard units if some come from Cauchy's density."""
    cauchy = -np.log(np.pi) - np.log1p(standard * standard)
    return np.asarray(np.logaddexp(np.log1p(-probability) + logs, np.log(probability) + cauchy))


@dataclass(frozen=True, kw_only=True)
class StudentTPredictive(Predictive):
    """The mean of Student-T densities."""

    log_inverse_dof: Annotated[tuple[_LogInverseDof, ...], _AS_MANY, "Log of 1 / dof of each draw."]

    density = StudentT


@dataclass(frozen=True, kw_only=True)
class NIGPredictive(Predictive):
    """The mean of normal-inverse-Gaussian densities."""

    asymmetry: Annotated[tuple[_Asymmetry, ...], _AS_MANY, "v of each draw."]
    root_tail: Annotated[tuple[_RootTail, ...], _AS_MANY, "Square root of k of each draw."]

    density = NIG
