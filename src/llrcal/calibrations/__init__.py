"""The calibrations of the paper: one file per method."""

from llrcal.calibrations.bounds import Bounds as Bounds
from llrcal.calibrations.calibration import Calibration as Calibration
from llrcal.calibrations.conditioned import Conditioned as Conditioned
from llrcal.calibrations.curve import Interval as Interval
from llrcal.calibrations.fit import fit as fit
from llrcal.calibrations.fit import fit_all as fit_all
from llrcal.calibrations.loading import load as load
from llrcal.calibrations.methods import METHODS as METHODS
from llrcal.calibrations.methods import PAPER as PAPER
from llrcal.calibrations.methods import Method as Method
