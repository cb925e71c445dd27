"""A calibration as a table of quadratic pieces, which takes a search and five operations to use.

Whatever the method, the LLR is then a function of z = (score - origin) * per_unit, held at both
ends of the table: a piece is y + (z - p) (a + b |z - p|), as in
:mod:`llrcal.fitting.quadratic_pieces`. So LLRs of a calibration that rises never fall here, either.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from llrcal.arrays import LARGEST, Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.pav import PAV
from llrcal.calibrations.rising_pieces import rising_pieces
from llrcal.errors import OptionError
from llrcal.fitting.quadratic_pieces import QuadraticPieces

_TOLERANCE = 1e-8  # nats; relative above one, for LLRs of up to 20
_CLOSE = 3e-7  # of what is checked
_CUTS = (16, 256, 4096)  # of the training range, before halving; more if a detail was missed
_OCTAVES = 20  # beyond the training range, if the formula goes on there
_CHECKED = 100_000  # scores
_CHECKED_BEYOND = 0.25  # of the training range, on both sides


@dataclass(frozen=True)
class PieceTable:
    """The pieces, and how far from the calibration they were seen to be."""

    pieces: QuadraticPieces
    origin: float
    per_unit: float
    """Negative if lower scores are better."""
    largest_error: float
    """Nats, over evenly spaced scores of the training range and beyond."""

    def __call__(self, scores: Floats) -> Floats:
        """LLRs of scores, as exported code works them out."""
        with np.errstate(over="ignore"):
            return self.pieces((scores - self.origin) * self.per_unit)

    @classmethod
    def of(cls, calibration: Calibration) -> PieceTable:
        """The table of a calibration."""
        if isinstance(calibration, PAV):
            sign = -1.0 if calibration.lower_is_better else 1.0
            return _checked(calibration, _steps(calibration), 0.0, sign)
        low, high = calibration.training_range
        if max(-low, high) >= LARGEST:
            raise OptionError("the model does not know its training range; train it again")
        unit = 2.0 ** math.frexp(high / 16 - low / 16)[1] if low < high else 1.0
        unit *= -1.0 if calibration.lower_is_better else 1.0
        origin = low / 2 + high / 2
        for cuts in _CUTS:
            pieces = _pieces(calibration, origin, unit, cuts)
            table = _checked(calibration, pieces, origin, 1 / unit)
            if table.largest_error <= _CLOSE:
                break
        return table


def _checked(
    calibration: Calibration, pieces: QuadraticPieces, origin: float, per_unit: float
) -> PieceTable:
    """A table with its largest error."""
    table = PieceTable(pieces, origin, per_unit, 0.0)
    low, high = np.clip(calibration.training_range, -LARGEST / 4, LARGEST / 4)
    beyond = _CHECKED_BEYOND * (high - low) or 1.0
    scores = np.linspace(low - beyond, high + beyond, _CHECKED)
    error = np.abs(table(scores) - calibration.quietly(scores))
    return replace(table, largest_error=float(error.max()))


def _steps(pav: PAV) -> QuadraticPieces:
    """Steps as pieces without slope. Bounds leave those of PAV as they are, or move them."""
    knots = np.array(pav.scores)
    llrs = pav.quietly(-knots if pav.lower_is_better else knots)
    level = np.zeros(len(knots))
    return QuadraticPieces(
        np.append(knots, knots[-1]), np.column_stack([knots, llrs, level, level])
    )


def _pieces(calibration: Calibration, origin: float, unit: float, cuts: int) -> QuadraticPieces:
    """Pieces between turning places: those that fall are the negative of pieces that rise."""
    function = _of_distance(calibration.quietly, origin, unit)
    places = _places(calibration, origin, unit, cuts)
    turns = (calibration.turning_places - origin) / unit
    turns = np.unique(np.clip(turns, places[0], places[-1]))
    largest = max(map(abs, calibration.llr_range))
    parts = []
    for low, high in pairwise(turns if len(turns) > 1 else np.repeat(turns, 2)):
        at_low, at_high = function(np.array([low, high]))
        sign = 1.0 if at_low <= at_high else -1.0
        part = rising_pieces(
            _times(sign, function),
            np.union1d([low, high], places[(low < places) & (places < high)]),
            anchor=float(np.clip(0.0, low, high)),
            tolerance=_TOLERANCE / min(max(largest / 20, 1.0), 1000.0),
        )
        parts.append((part.knots, part.rows * [1.0, sign, sign, sign]))
    knots = [edges[:-1] for edges, _ in parts] + [parts[-1][0][-1:]]
    return QuadraticPieces(np.concatenate(knots), np.concatenate([rows for _, rows in parts]))


def _times(sign: float, function: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    return lambda z: sign * function(z)


def _places(calibration: Calibration, origin: float, unit: float, cuts: int) -> Floats:
    """Where to cut first: the training range evenly, and octaves beyond where LLRs go on."""
    low, high = np.sort((np.array(calibration.training_range) - origin) / unit)
    places = np.linspace(low, high, cuts + 1)
    if calibration.bounds.policy != "none":
        return np.unique(places)
    octaves = np.exp2(np.arange(_OCTAVES + 1.0)) * max(high, 1.0)
    return np.unique(np.concatenate([-octaves, places, octaves]))


def _of_distance(
    llrs: Callable[[Floats], Floats], origin: float, unit: float
) -> Callable[[Floats], Floats]:
    """LLRs as a function of the distance from an origin in units.

    Scores around 1e9 that differ by 1e-3 are doubles with gaps in between, which distances resolve:
    there, the LLR is a straight line from one score to the next.
    """

    def function(z: Floats) -> Floats:
        score = origin + z * unit
        missed = (z - (score - origin) / unit) * unit
        beside = np.nextafter(score, np.where(missed < 0, -np.inf, np.inf))
        at_score, at_beside = llrs(score), llrs(beside)
        return np.asarray(at_score + missed / (beside - score) * (at_beside - at_score))

    return function
