"""Every calibration trained on one set of trials and tested on another."""

from llrcal.comparison.candidates import Candidate as Candidate
from llrcal.comparison.compare import compare as compare
from llrcal.comparison.comparison import Comparison as Comparison
from llrcal.comparison.folds import Folds as Folds
from llrcal.comparison.folds import cross_validated as cross_validated
from llrcal.comparison.learning_curve import LearningCurve as LearningCurve
from llrcal.comparison.learning_curve import learning_curve as learning_curve
from llrcal.evaluation.operating_points import OperatingPoint as OperatingPoint
