"""What became of a search: whether it reached the optimum, and where it is if it did not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Floats
from llrcal.densities.density import HALF_LOG_TWO_PI, Density
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from llrcal.fitting.report import Report
from studies.contenders import End, Family, climb_from, tie_share

REACHED = 1e-6  # nats per score from the best end of all
CLOSE = 1e-4  # likewise: not the optimum, but of little consequence
_STATIONARY = 1e-6  # largest component of the gradient in the contender's own coordinates
_CURVED = 1e-6  # least negative curvature of a saddle, relative to the largest curvature
_MISSTATED = 1e-8  # nats per score, or this share of them
_AT_LIMIT = 1e-9  # of 1/dof, or of the search's c = kappa cosh^2 v
_LEAST_KAPPA = 2.0**-49  # just above the least that llrcal gives a density
_CAUCHY = 1e16  # from here on, a tail's other part is below the last bit

PLACES = ("other maximum", "gaussian limit", "saddle", "under way", "below the dof floor")


@dataclass(frozen=True)
class Verdict:
    """One contender on one set of scores."""

    place: str
    """``optimum``, ``error``, or one of ``PLACES``."""
    seconds: float
    gap: float | None = None
    """Nats per score below the best end."""
    says_success: bool = False
    iterations: int = 0
    evaluations: int = 0
    saddles: int = 0
    """Saddle points escaped from, or noticed."""
    slope: float | None = None
    """Largest component of the gradient, in textbook coordinates that the contender chose."""
    least_curvature: float | None = None
    """Least eigenvalue of the Hessian there."""


def verdicts(
    family: Family, scores: Floats, ends: dict[str, tuple[End | None, float]]
) -> dict[str, Verdict]:
    """Each contender's end, and its seconds, against the best of them."""
    arrived = [end for end, _ in ends.values() if end is not None]
    best = max(end.loglik for end in arrived if _in_bounds(family, scores, end))
    return {
        who: _verdict(family, scores, end, best, seconds) if end else Verdict("error", seconds)
        for who, (end, seconds) in ends.items()
    }


def _verdict(family: Family, scores: Floats, end: End, best: float, seconds: float) -> Verdict:
    known = end.own is not None and bool(np.isfinite(end.own.hessian).all())
    return Verdict(
        place(family, scores, end, best),
        seconds,
        float(best - end.loglik),
        end.says_success,
        end.iterations,
        end.evaluations,
        end.saddles,
        float(np.abs(end.own.gradient).max()) if end.own and known else None,
        float(np.linalg.eigvalsh(end.own.hessian)[0]) if end.own and known else None,
    )


def place(family: Family, scores: Floats, end: End, best: float) -> str:
    """Where a search ended."""
    if not _in_bounds(family, scores, end):
        return "below the dof floor"
    if best - end.loglik <= REACHED:
        return "optimum"
    if _is_maximum(family, scores, end):
        return "other maximum"
    gaussian = -HALF_LOG_TWO_PI - 0.5 - np.log(scores.std())
    # It has found the Gaussian, and next to nothing of what the family offers beyond it.
    if abs(end.loglik - gaussian) < 0.1 * (best - gaussian):
        return "gaussian limit"
    if _is_saddle(end):
        return "saddle"
    return "under way"


def _in_bounds(family: Family, scores: Floats, end: End) -> bool:
    """Whether the T's dof is above the value at which its likelihood has no bound."""
    _, upper = family.density.bounds(tie_share(scores))
    return bool(np.all(end.theta <= upper * (1 + 1e-9)))


def _is_maximum(family: Family, scores: Floats, end: End) -> bool:
    """Whether a climb in well-behaved coordinates gains nothing."""
    try:
        return climb_from(family, scores, end.theta).loglik - end.loglik < REACHED
    except (ValueError, np.linalg.LinAlgError):
        return False


def _is_saddle(end: End) -> bool:
    """Whether the end is stationary in its own coordinates, with curvature of both signs."""
    if end.own is None or not np.isfinite(end.own.hessian).all():
        return False
    curvature = np.linalg.eigvalsh(end.own.hessian)
    stationary = np.abs(end.own.gradient).max() < _STATIONARY
    return bool(stationary and curvature[0] < -_CURVED * np.abs(curvature).max())


def has_maximum(family: Family, scores: Floats) -> bool:
    """Whether ties leave the likelihood a maximum, so that a fitter has something to find.

    T: if the dof is kept above k / (n - k) for k ties (Fernandez and Steel, Biometrika 1999), which
    llrcal does up to half of the scores. NIG: below a half, and below a third where no score lies
    beyond the tie: as delta, or the distance d of an inverse Gaussian's edge, shrinks onto it, the
    likelihood goes like delta^(n - 2k), or d^((n - 3k) / 2).
    """
    values, counts = np.unique(scores, return_counts=True)
    if values.size < family.density.least_distinct:
        return False
    most, at_end = counts.max(), counts[[0, -1]].max()
    if family.density is NIG:
        return bool(2 * most < scores.size and 3 * at_end < scores.size)
    return bool(2 * most <= scores.size)


def unbounded_dof(scores: Floats) -> float:
    """The dof of a T below which its likelihood grows without bound on k ties: k / (n - k)."""
    share = tie_share(scores)
    return share / (1 - share) if share < 1 else np.inf


def least_dof(scores: Floats) -> float:
    """The floor that llrcal promises for the T's dof."""
    return max(0.1, 1.25 * unbounded_dof(scores))


def faults(density: Density, report: Report, scores: Floats) -> list[str]:
    """What is wrong with what llrcal says of its fit, whatever the height of it."""
    true = float(density.logpdf(scores).mean())
    out = []
    if not abs(density.loglik - true) <= _MISSTATED * max(1, abs(true)):
        out.append(f"misstates its likelihood by {density.loglik - true:.1e}")
    limits = active_limits(density, scores)
    out += [
        f"unreported bound: {limit}"
        for limit in limits
        if not any(limit in note.text for note in report.notes)
    ]
    out += [
        f"note on a bound that is not active: {note}"
        for note in report.notes
        if not any(limit in note.text for limit in limits)
    ]
    return out


def active_limits(density: Density, scores: Floats) -> list[str]:
    """The bounds and limits at which a fit is, each by words that a note on it must have."""
    if isinstance(density, StudentT):
        if density.inverse_dof < _AT_LIMIT:
            return ["Gaussian limit"]
        at_floor = density.inverse_dof * least_dof(scores) > 1 - _AT_LIMIT
        return ["dof is at its floor"] if at_floor else []
    if isinstance(density, NIG):
        kappa, v = np.expm1(density.tail), density.asymmetry
        c = kappa * np.cosh(v) ** 2  # of the free coordinates
        at = {
            "edge kappa = 0": c < _AT_LIMIT or kappa < _LEAST_KAPPA,
            "heavy as Cauchy's": c > _CAUCHY,
            "|beta| is alpha": np.cosh(v) > _CAUCHY,
        }
        return [limit for limit, active in at.items() if active]
    return []
