"""Student-T and normal-inverse-Gaussian calibrations with their parameters integrated out.

:mod:`llrcal.fitting.posterior` draws parameters from the posterior, given the scores of a class,
and keeps a few hundred of them. The predictive density is the mean
of their densities, but for a score in n + 2 that comes from elsewhere
(:mod:`llrcal.densities.mixture`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.calibrations.methods.densities import LogRatio
from llrcal.densities.mixture import NIGPredictive, Predictive, StudentTPredictive
from llrcal.fitting.posterior import LEAST_EFFECTIVE, Draws, posterior_draws, subsample
from llrcal.fitting.report import Report
from llrcal.notes import Note
from llrcal.onepass.summary import Summary


@dataclass(frozen=True, kw_only=True, repr=False)
class SampledBayes(LogRatio):
    """The log-ratio of two predictive densities, each of which is a mean over draws."""

    tar: Annotated[Predictive, "Density of the targets."]
    non: Annotated[Predictive, "Density of the non-targets."]

    family: ClassVar[type[Predictive]]
    bayes: ClassVar[bool] = True

    @classmethod
    def _fit_class(cls, scores: Summary, ends: tuple[float, float]) -> tuple[Predictive, Report]:
        draws = posterior_draws(cls.family.density, scores, ends)
        rows, weights = subsample(draws)
        points, grid = scores.points(), scores.grid
        kept = cls.family(
            origin=grid.origin,
            middle=draws.target.middle * grid.unit,
            spread=draws.target.spread * grid.unit,
            elsewhere=1 / (scores.count + 2),
            effective_draws=tuple(draws.effective.tolist()),
            weights=tuple(weights.tolist()),
            **cls.family.named(rows.T),
        )
        logs = kept.logpdf_from(grid.origin, points.values * grid.unit)
        report = Report.of(draws.mode, -weighted_sum(logs, points.weights), draw_notes(draws))
        if report.converged:
            report = replace(report, reason=f"{len(draws.rows):,} draws from the posterior")
        return kept, report

    @property
    def params(self) -> dict[str, Any]:
        return {**super().params, "prior": self.family.density.prior}

    def _draws(self, density: Predictive, scores: Summary, at: Floats) -> tuple[Floats, Floats]:
        return density.log_densities(at), np.array(density.weights)


@dataclass(frozen=True, kw_only=True, repr=False)
class StudentTBayes(SampledBayes):
    """One Student-T density for each class, with its parameters integrated out."""

    tar: Annotated[StudentTPredictive, "Density of the targets."]
    non: Annotated[StudentTPredictive, "Density of the non-targets."]

    method: ClassVar[str] = "student-t"
    family: ClassVar[type[Predictive]] = StudentTPredictive


@dataclass(frozen=True, kw_only=True, repr=False)
class NIGBayes(SampledBayes):
    """One normal-inverse-Gaussian density for each class, with its parameters integrated out."""

    tar: Annotated[NIGPredictive, "Density of the targets."]
    non: Annotated[NIGPredictive, "Density of the non-targets."]

    method: ClassVar[str] = "nig"
    family: ClassVar[type[Predictive]] = NIGPredictive


def draw_notes(draws: Draws) -> tuple[Note, ...]:
    """A warning if the draws are worth too little somewhere in the range."""
    if draws.effective.min() >= LEAST_EFFECTIVE:
        return ()
    overall, low, high = draws.effective
    note = Note.warning(
        "few draws",
        f"{len(draws.rows):,} draws from the posterior are worth only {overall:.0f}, and {low:.0f} "
        f"and {high:.0f} at the ends of the range of scores, where at least {LEAST_EFFECTIVE:.0f} "
        "were wanted: LLRs there may be wrong by more than 0.1. Remove scores that are far from "
        "all others, or use smooth",
    )
    return (note,)
