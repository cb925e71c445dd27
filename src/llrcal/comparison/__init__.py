"""Every calibration trained on one set of trials and tested on another."""

from llrcal.comparison.candidate import Candidate
from llrcal.comparison.comparing import compare
from llrcal.comparison.comparison import Comparison
from llrcal.comparison.folds import Folds
from llrcal.comparison.learning import learning_curve
from llrcal.comparison.learning_curve import LearningCurve
from llrcal.evaluation.operating_point import OperatingPoint

__all__ = [
    "Candidate",
    "Comparison",
    "Folds",
    "LearningCurve",
    "OperatingPoint",
    "compare",
    "learning_curve",
]
