"""Calibration with two normal-inverse-Gaussian densities (paper, section 5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.generative import Generative
from llrcal.calibrations.table import Table
from llrcal.calibrations.turning_points import turning_points_around
from llrcal.densities.density import Density
from llrcal.densities.nig import NIG


@dataclass(frozen=True, kw_only=True, repr=False)
class NIGCalibration(Generative):
    """One normal-inverse-Gaussian density for each class.

    Each density needs a Bessel function, so LLRs are looked up in a table that reproduces the
    log-ratio of the densities to 1e-9 (absolute error; relative if it is larger than one).
    """

    method: ClassVar[str] = "nig"
    family: ClassVar[type[Density]] = NIG

    def _llrs(self, scores: Array) -> Floats:
        return self._table(scores)

    def _turns(self, low: float, high: float) -> Floats:
        """The roots of the derivative have no closed form, so they are searched for."""
        middle = self._middle
        found = turning_points_around(
            self._log_ratio_from_middle,
            [density.origin + density.location - middle for density in (self.tar, self.non)],
            self._unit,
            (low - middle, high - middle),
        )
        return np.append(super()._turns(low, high), middle + found)

    @cached_property
    def _table(self) -> Table:
        return Table(self._log_ratio_from_middle, origin=self._middle, unit=self._unit)

    def _log_ratio_from_middle(self, distance: Floats) -> Floats:
        tar, non = (d.logpdf_from(self._middle, distance) for d in (self.tar, self.non))
        return np.asarray(tar - non)

    @property
    def _middle(self) -> float:
        """The midpoint between the densities."""
        return (self.tar.origin + self.tar.location) / 2 + (self.non.origin + self.non.location) / 2

    @property
    def _unit(self) -> float:
        """The larger scale, or half the distance if larger, rounded up to a power of two."""
        apart = (self.tar.origin + self.tar.location) - (self.non.origin + self.non.location)
        widest = max(self.tar.scale, self.non.scale, abs(apart) / 2)
        return float(2.0 ** np.ceil(np.log2(widest)))
