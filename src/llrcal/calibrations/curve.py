"""Calibrations by a smooth formula, which may bend back, and whose last digits may fall.

The formula is a function of the distance from a middle, so that scores around 1e9 that differ by
1e-3 lose no digits. Where LLRs are to rise, :mod:`llrcal.calibrations.rising` holds them where the
formula falls, and :mod:`llrcal.calibrations.rising_pieces` take its place.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.rising_pieces import rising_pieces
from llrcal.calibrations.turning_points import turning_points_around
from llrcal.densities.density import FURTHEST
from llrcal.fitting.quadratic_pieces import QuadraticPieces

_OCTAVES = np.exp2(np.arange(np.ceil(np.log2(FURTHEST)))) - 1  # 0, 1, 3, 7, ...


class Curve(Calibration):
    """A calibration whose LLR is a smooth function of the score."""

    @abstractmethod
    def _from_middle(self, distance: Floats) -> Floats:
        """The formula at distances from the middle."""

    @property
    @abstractmethod
    def _middle(self) -> float:
        """A score where the densities are."""

    @property
    @abstractmethod
    def _unit(self) -> float:
        """How wide the details of the formula are."""

    @property
    def _centres(self) -> Sequence[float]:
        """Distances from the middle at which there may be narrower details."""
        return ()

    def _searched_turns(self, low: float, high: float) -> Floats:
        """The turning points of a formula for which they have no closed form."""
        ends = low - self._middle, high - self._middle
        turns = turning_points_around(self._from_middle, self._centres, self._unit, ends)
        return self._middle + turns

    def _rising_llrs(self, scores: Floats) -> Floats:
        return self._pieces(self._in_units(scores))

    @cached_property
    def _pieces(self) -> QuadraticPieces:
        held = [(*self._in_units(np.array([part.low, part.high, part.at])),) for part in self.held]

        def function(z: Floats) -> Floats:
            for low, high, at in held:
                z = np.where((low < z) & (z < high), at, z)
            return self._from_middle(z * self._unit)

        low, high = np.clip(self._in_units(np.array(self.bounds.reach)), -FURTHEST, FURTHEST)
        anchor = self._in_units(np.array([self.bounds.meeting]))
        details = np.array([*self._centres]) / self._unit
        places = np.concatenate([-_OCTAVES, _OCTAVES, details, anchor, *held])
        places = np.union1d([low, high], places[(low < places) & (places < high)])
        return rising_pieces(function, places, anchor=float(np.clip(anchor, low, high)[0]))

    def _in_units(self, scores: Floats) -> Floats:
        with np.errstate(over="ignore"):  # scores near the largest double
            return np.asarray((scores - self._middle) / self._unit)
