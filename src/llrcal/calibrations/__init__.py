"""The calibrations of the paper: one file per method."""

from llrcal.calibrations.bounds import Bounds
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.conditioned import Conditioned
from llrcal.calibrations.fits import fit, fit_all
from llrcal.calibrations.methods import METHODS, PAPER, Method
from llrcal.calibrations.model_file import load
from llrcal.calibrations.thresholds import Interval

__all__ = [
    "METHODS",
    "PAPER",
    "Bounds",
    "Calibration",
    "Conditioned",
    "Interval",
    "Method",
    "fit",
    "fit_all",
    "load",
]
