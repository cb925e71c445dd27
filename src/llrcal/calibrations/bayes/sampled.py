"""Student-T and normal-inverse-Gaussian calibrations with their parameters integrated out.

:mod:`llrcal.fitting.posterior` draws parameters from the posterior, given the scores of a class,
and :mod:`llrcal.fitting.thinning` keeps a few hundred of them. The predictive density is the mean
of their densities, but for a score in n + 2 that comes from elsewhere
(:mod:`llrcal.densities.mixture`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.calibrations.bayes.costly_curve import CostlyCurve
from llrcal.calibrations.fields import Fields
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty, from_draws
from llrcal.densities.density import Shapes
from llrcal.densities.mixture import Predictive
from llrcal.densities.nig import NIGShapes
from llrcal.densities.student_t import StudentTShapes
from llrcal.errors import DegenerateError
from llrcal.fitting.posterior import LEAST_EFFECTIVE, Draws, posterior_draws
from llrcal.fitting.report import Report
from llrcal.fitting.thinning import thinned
from llrcal.notes import Note
from llrcal.onepass.summary import Summary

_MOST_DRAWS = 2**12  # in a model file; those that are written here have 256


@dataclass(frozen=True, kw_only=True, repr=False)
class SampledBayes(CostlyCurve):
    """The log-ratio of two predictive densities, each of which is a mean over draws."""

    tar: Predictive
    non: Predictive
    tar_effective: tuple[float, float, float]
    """Effective numbers of draws: in all, at the lower end of the scores, and at the upper."""
    non_effective: tuple[float, float, float]

    shapes: ClassVar[type[Shapes]]

    @classmethod
    def fit(cls, data: Training) -> Self:
        sides = data.tar, data.non  # before the range, which takes no pass of its own then
        ends = data.score_range
        tar, tar_report, tar_effective = cls._fit_class(sides[0], "target", ends)
        non, non_report, non_effective = cls._fit_class(sides[1], "non-target", ends)
        share = data.empirical_alpha
        return cls(
            tar_count=data.tar_count,
            non_count=data.non_count,
            tar=tar,
            non=non,
            tar_effective=tar_effective,
            non_effective=non_effective,
            report=Report.joint({"tar": (share, tar_report), "non": (1 - share, non_report)}),
        )

    @classmethod
    def _fit_class(
        cls, scores: Summary, name: str, ends: tuple[float, float]
    ) -> tuple[Predictive, Report, tuple[float, float, float]]:
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                draws = posterior_draws(cls.shapes, scores, ends)
        except DegenerateError as problem:
            raise DegenerateError(f"{name} scores: {problem}") from None
        density = _kept(draws, scores)
        points, grid = scores.points(), scores.grid
        logs = density.logpdf_from(grid.origin, points.values * grid.unit)
        report = Report.of(draws.mode, -weighted_sum(logs, points.weights), draw_notes(draws))
        if report.converged:
            origin = "from the posterior" if draws.replaced is None else "of Markov chains"
            report = replace(report, reason=f"{len(draws.rows):,} draws {origin}")
        every, low, high = draws.effective.tolist()
        return density, report, (every, low, high)

    @property
    def params(self) -> dict[str, Any]:
        sides = ((self.tar, self.tar_effective), (self.non, self.non_effective))
        tar, non = (
            {
                "location": density.origin + density.location,
                "scale": density.scale,
                "draws": len(density.weights),
                "effective draws": effective[0],
                "effective draws at the lower end": effective[1],
                "effective draws at the upper end": effective[2],
                "from elsewhere": density.elsewhere,
            }
            for density, effective in sides
        )
        return {"tar": tar, "non": non, "prior": self.shapes.prior}

    def uncertainty(self, data: Training) -> Uncertainty:
        at = data.places
        sides = (self.tar, self.non)
        tar, non = ((one.log_densities(at), np.array(one.weights)) for one in sides)
        return from_draws(at, tar, non, meeting=self.bounds.meeting)

    def log_ratio(self, distance: Floats) -> Floats:
        tar, non = (d.logpdf_from(self._middle, distance) for d in (self.tar, self.non))
        return np.asarray(tar - non)

    @property
    def _centres(self) -> list[float]:
        return [
            density.origin + density.location - self._middle for density in (self.tar, self.non)
        ]

    @cached_property
    def _narrower(self) -> Predictive:
        """The density with the finer details, from which distances are measured."""
        return min(self.tar, self.non, key=lambda density: density.scale)

    @property
    def _middle(self) -> float:
        return self._narrower.origin + self._narrower.location

    @property
    def _unit(self) -> float:
        return self._narrower.scale

    def to_model(self) -> dict[str, Any]:
        return {
            "bayes": True,
            "tar": _plain(self.tar, self.tar_effective),
            "non": _plain(self.non, self.non_effective),
        }

    @classmethod
    def from_model(cls, model: Fields, **common: Any) -> Self:
        tar, tar_effective = cls._density(model.section("tar"))
        non, non_effective = cls._density(model.section("non"))
        effective: Any = {"tar_effective": tar_effective, "non_effective": non_effective}
        return cls(tar=tar, non=non, **effective, **common)

    @classmethod
    def _density(cls, model: Fields) -> tuple[Predictive, tuple[float, ...]]:
        weights = model.positives("weights", most=_MOST_DRAWS)
        names = cls.shapes.names
        density = Predictive(
            cls.shapes,
            model.number("origin"),
            model.number("middle"),
            model.positive("spread"),
            weights,
            tuple(
                model.numbers(name, len(weights), *limits)
                for name, limits in zip(names, cls.shapes.limits(), strict=True)
            ),
            model.between("elsewhere", 0.0, 0.5) if "elsewhere" in model else 0.0,
        )
        effective = model.not_negatives("effective_draws", 3)
        model.done()
        return density, effective


@dataclass(frozen=True, kw_only=True, repr=False)
class StudentTBayes(SampledBayes):
    """One Student-T density for each class, with its parameters integrated out."""

    method: ClassVar[str] = "student-t"
    shapes: ClassVar[type[Shapes]] = StudentTShapes


@dataclass(frozen=True, kw_only=True, repr=False)
class NIGBayes(SampledBayes):
    """One normal-inverse-Gaussian density for each class, with its parameters integrated out."""

    method: ClassVar[str] = "nig"
    shapes: ClassVar[type[Shapes]] = NIGShapes


def _kept(draws: Draws, scores: Summary) -> Predictive:
    """The predictive density of a few draws."""
    rows, weights = thinned(draws)
    grid = scores.grid
    return Predictive(
        draws.shapes,
        grid.origin,
        draws.middle * grid.unit,
        draws.spread * grid.unit,
        tuple(weights.tolist()),
        tuple(tuple(column) for column in rows.T.tolist()),
        1 / (scores.count + 2),
    )


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


def _plain(density: Predictive, effective: tuple[float, float, float]) -> dict[str, Any]:
    columns = zip(density.shapes.names, density.coordinates, strict=True)
    return {
        "origin": density.origin,
        "middle": density.middle,
        "spread": density.spread,
        "elsewhere": density.elsewhere,
        "effective_draws": list(effective),
        "weights": list(density.weights),
        **{name: list(column) for name, column in columns},
    }
