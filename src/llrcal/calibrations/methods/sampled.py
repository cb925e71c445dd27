"""Student-T and normal-inverse-Gaussian calibrations with their parameters integrated out.

:mod:`llrcal.fitting.posterior` draws parameters from the posterior, given the scores of a class,
and :mod:`llrcal.fitting.posterior` keeps a few hundred of them. The predictive density is the mean
of their densities, but for a score in n + 2 that comes from elsewhere
(:mod:`llrcal.densities.mixture`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.calibrations.curve import Formula
from llrcal.calibrations.methods.densities import LogRatio, log_ratio_formula
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty, from_draws
from llrcal.declaration import NotNegative, Positive, schema
from llrcal.densities.density import Shapes
from llrcal.densities.mixture import Predictive
from llrcal.densities.nig import NIGShapes
from llrcal.densities.student_t import StudentTShapes
from llrcal.fitting.posterior import LEAST_EFFECTIVE, Draws, posterior_draws, thinned
from llrcal.fitting.report import Report
from llrcal.notes import Note
from llrcal.onepass.summary import Summary

_MOST_DRAWS = 2**12  # in a model file; those that are written here have 256


_AS_MANY = schema(as_many_as="weights")


def _within(limits: tuple[float, float]) -> tuple[tuple[str, float], ...]:
    return schema(minimum=limits[0], maximum=limits[1])


_LIMITS = [_within(limits) for limits in NIGShapes.limits()]
_Location = Annotated[float, _LIMITS[0]]
_LogScale = Annotated[float, _LIMITS[1]]
_Asymmetry = Annotated[float, _LIMITS[2]]
_RootTail = Annotated[float, _LIMITS[3]]
_LogInverseDof = Annotated[float, _within(StudentTShapes.tails)]


@dataclass(frozen=True, kw_only=True)
class KeptDraws:
    """Draws of the parameters of the density of a class, as they are kept."""

    origin: Annotated[float, "A score amid those of training, from which scores are measured."]
    middle: Annotated[float, "Median of the training scores of the class, seen from origin."]
    spread: Annotated[
        Positive,
        "Distance of the quartiles of these scores, or their standard deviation if that is zero.",
    ]
    elsewhere: Annotated[
        float,
        schema(minimum=0, maximum=0.5),
        "Probability of Cauchy's density around middle, whose scale is spread, in place of the "
        "draws; zero in files that lack it.",
    ] = 0.0
    effective_draws: Annotated[
        tuple[NotNegative, NotNegative, NotNegative],
        "How many draws those from the posterior were worth: in all, at lowest_score, and at "
        "highest_score. LLRs do not depend on them.",
    ]
    weights: Annotated[
        tuple[Positive, ...], schema(minItems=1, maxItems=_MOST_DRAWS), "Of the draws."
    ]
    location: Annotated[
        tuple[_Location, ...], _AS_MANY, "Of each draw, seen from middle, in units of spread."
    ]
    log_scale: Annotated[tuple[_LogScale, ...], _AS_MANY, "Of each draw, in units of spread."]

    shapes: ClassVar[type[Shapes]]

    @classmethod
    def of(cls, draws: Draws, scores: Summary) -> Self:
        """A few of the draws."""
        rows, weights = thinned(draws)
        grid = scores.grid
        return cls(
            origin=grid.origin,
            middle=draws.middle * grid.unit,
            spread=draws.spread * grid.unit,
            elsewhere=1 / (scores.count + 2),
            effective_draws=tuple(draws.effective.tolist()),
            weights=tuple(weights.tolist()),
            **cls._named(rows.T),
        )

    @classmethod
    def _named(cls, columns: Floats) -> dict[str, Any]:
        return {
            name: tuple(column)
            for name, column in zip(cls.shapes.names, columns.tolist(), strict=True)
        }

    @property
    def coordinates(self) -> tuple[tuple[float, ...], ...]:
        """One tuple for each coordinate of the shapes, of as many numbers as there are draws."""
        return tuple(getattr(self, name) for name in self.shapes.names)

    def with_coordinates(self, columns: Floats) -> Self:
        """The same with other coordinates."""
        return replace(self, **self._named(columns))

    @cached_property
    def density(self) -> Predictive:
        """The mean of their densities."""
        measures = self.origin, self.middle, self.spread
        return Predictive(self.shapes, *measures, self.weights, self.coordinates, self.elsewhere)

    @property
    def params(self) -> dict[str, Any]:
        """What there is to say of them."""
        return {
            "location": self.density.origin + self.density.location,
            "scale": self.density.scale,
            "draws": len(self.weights),
            "effective draws": self.effective_draws[0],
            "effective draws at the lower end": self.effective_draws[1],
            "effective draws at the upper end": self.effective_draws[2],
            "from elsewhere": self.elsewhere,
        }


@dataclass(frozen=True, kw_only=True)
class StudentTDraws(KeptDraws):
    """Draws of Student-T densities."""

    log_inverse_dof: Annotated[tuple[_LogInverseDof, ...], _AS_MANY, "Log of 1 / dof of each draw."]

    shapes: ClassVar[type[Shapes]] = StudentTShapes


@dataclass(frozen=True, kw_only=True)
class NIGDraws(KeptDraws):
    """Draws of normal-inverse-Gaussian densities."""

    asymmetry: Annotated[tuple[_Asymmetry, ...], _AS_MANY, "v of each draw."]
    root_tail: Annotated[tuple[_RootTail, ...], _AS_MANY, "Square root of k of each draw."]

    shapes: ClassVar[type[Shapes]] = NIGShapes


@dataclass(frozen=True, kw_only=True, repr=False)
class SampledBayes(LogRatio):
    """The log-ratio of two predictive densities, each of which is a mean over draws."""

    tar: Annotated[KeptDraws, "Density of the targets."]
    non: Annotated[KeptDraws, "Density of the non-targets."]

    draws: ClassVar[type[KeptDraws]]

    @classmethod
    def _fit_class(cls, scores: Summary, ends: tuple[float, float]) -> tuple[KeptDraws, Report]:
        draws = posterior_draws(cls.draws.shapes, scores, ends)
        kept = cls.draws.of(draws, scores)
        points, grid = scores.points(), scores.grid
        logs = kept.density.logpdf_from(grid.origin, points.values * grid.unit)
        report = Report.of(draws.mode, -weighted_sum(logs, points.weights), draw_notes(draws))
        if report.converged:
            origin = "from the posterior" if draws.replaced is None else "of Markov chains"
            report = replace(report, reason=f"{len(draws.rows):,} draws {origin}")
        return kept, report

    @property
    def params(self) -> dict[str, Any]:
        prior = self.draws.shapes.prior
        return {"tar": self.tar.params, "non": self.non.params, "prior": prior}

    def uncertainty(self, data: Training) -> Uncertainty:
        at = data.places
        tar, non = (
            (one.density.log_densities(at), np.array(one.weights)) for one in (self.tar, self.non)
        )
        return from_draws(at, tar, non, eer_score=self.bounds.eer_score)

    @property
    def formula(self) -> Formula:
        return log_ratio_formula(self.tar.density, self.non.density)


@dataclass(frozen=True, kw_only=True, repr=False)
class StudentTBayes(SampledBayes):
    """One Student-T density for each class, with its parameters integrated out."""

    tar: Annotated[StudentTDraws, "Density of the targets."]
    non: Annotated[StudentTDraws, "Density of the non-targets."]

    method: ClassVar[str] = "student-t"
    draws: ClassVar[type[KeptDraws]] = StudentTDraws


@dataclass(frozen=True, kw_only=True, repr=False)
class NIGBayes(SampledBayes):
    """One normal-inverse-Gaussian density for each class, with its parameters integrated out."""

    tar: Annotated[NIGDraws, "Density of the targets."]
    non: Annotated[NIGDraws, "Density of the non-targets."]

    method: ClassVar[str] = "nig"
    draws: ClassVar[type[KeptDraws]] = NIGDraws


def draw_notes(draws: Draws) -> tuple[Note, ...]:
    """A note if draws were worth too little somewhere in the range, and what was done."""
    every, low, high = draws.effective
    worth = f"{every:.0f}, and {low:.0f} and {high:.0f} at the ends of the range of scores"
    if not draws.enough:
        note = Note.warning(
            "few draws",
            f"{len(draws.rows):,} draws from the posterior are worth only {worth}, where at least "
            f"{LEAST_EFFECTIVE:.0f} were wanted: LLRs there may be wrong by more than 0.1. Remove "
            "scores that are far from all others, or use gaussian or logistic",
        )
    elif draws.replaced is not None:
        note = Note.of(
            "chain",
            f"draws from the posterior were worth only {draws.replaced.min():.0f} somewhere in the "
            f"range of scores, so those of Markov chains took their place, which are worth {worth}",
        )
    else:
        return ()
    return (note,)
