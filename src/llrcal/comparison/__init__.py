"""Every calibration trained on one set of trials and tested on another."""

from llrcal.comparison.comparison import Candidate, Comparison, compare
from llrcal.evaluation.operating_point import OperatingPoint

__all__ = ["Candidate", "Comparison", "OperatingPoint", "compare"]
