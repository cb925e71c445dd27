"""Calibration with two normal-inverse-Gaussian densities (paper, section 5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.generative import Generative
from llrcal.calibrations.table import Table
from llrcal.densities.density import Density
from llrcal.densities.nig import NIG


@dataclass(frozen=True, kw_only=True, repr=False)
class NIGCalibration(Generative):
    """One normal-inverse-Gaussian density for each class.

    Each density needs a Bessel function, so LLRs are looked up in a table that reproduces the
    log-ratio of the densities to 1e-9 (absolutely, or relatively where it is larger than one).
    """

    method: ClassVar[str] = "nig"
    family: ClassVar[type[Density]] = NIG

    def _llrs(self, scores: Array) -> Floats:
        return self._table(scores)

    @cached_property
    def _table(self) -> Table:
        places = [density.origin + density.location for density in (self.tar, self.non)]
        widest = max(self.tar.scale, self.non.scale, abs(places[0] - places[1]) / 2)
        origin = places[0] / 2 + places[1] / 2

        def log_ratio(distance: Floats) -> Floats:
            tar, non = (d.logpdf_from(origin, distance) for d in (self.tar, self.non))
            return np.asarray(tar - non)

        return Table(log_ratio, origin=origin, unit=float(2.0 ** np.ceil(np.log2(widest))))
