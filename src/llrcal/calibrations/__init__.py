"""The calibrations of the paper: one file per method."""

from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.methods import METHODS, PAPER, fit, fit_all
from llrcal.calibrations.model_file import load

__all__ = ["METHODS", "PAPER", "Calibration", "fit", "fit_all", "load"]
