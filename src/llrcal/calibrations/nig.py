"""Calibration with two normal-inverse-Gaussian densities (paper, section 5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.generative import Generative
from llrcal.calibrations.shape_draws import near
from llrcal.calibrations.table import Table
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty
from llrcal.densities.density import Density
from llrcal.densities.nig import NIG, NIGShapes


@dataclass(frozen=True, kw_only=True, repr=False)
class NIGCalibration(Generative):
    """One normal-inverse-Gaussian density for each class.

    Each density needs a Bessel function, so LLRs are looked up in a table that reproduces the
    log-ratio of the densities to 1e-9 (absolute error; relative if it is larger than one).
    """

    tar: Annotated[NIG, "Density of the targets."]
    non: Annotated[NIG, "Density of the non-targets."]

    method: ClassVar[str] = "nig"
    family: ClassVar[type[Density]] = NIG

    def _llrs(self, scores: Array) -> Floats:
        return self._table(scores)

    def uncertainty(self, data: Training) -> Uncertainty:
        tar, non = (
            np.array([one.location, np.log(one.scale), one.asymmetry, np.sqrt(one.tail)])
            for one in (self.tar, self.non)
        )
        return near(NIGShapes, data, (tar, non), self.bounds.meeting)

    def _turns(self, low: float, high: float) -> Floats:
        return np.append(super()._turns(low, high), self._searched_turns(low, high))

    @cached_property
    def _table(self) -> Table:
        # A power of two, as it always was: models give the LLRs that they gave.
        unit = float(2.0 ** np.ceil(np.log2(self._unit)))
        return Table(self._from_middle, origin=self._middle, unit=unit)
