"""Pure functions of target and non-target log-likelihood-ratios."""

from llrcal.evaluation.cllr import cllr
from llrcal.evaluation.evaluation import Evaluation, evaluate, optimal_llrs
from llrcal.evaluation.operating_point import OperatingPoint

__all__ = ["Evaluation", "OperatingPoint", "cllr", "evaluate", "optimal_llrs"]
