"""Pure functions of target and non-target log-likelihood-ratios."""

from llrcal.evaluation.by_condition import ByCondition
from llrcal.evaluation.cllr import cllr
from llrcal.evaluation.evaluating import evaluate
from llrcal.evaluation.evaluation import Evaluation
from llrcal.evaluation.operating_point import OperatingPoint
from llrcal.evaluation.optimal import optimal_llrs
from llrcal.evaluation.rule_cost import RuleCost

__all__ = [
    "ByCondition",
    "Evaluation",
    "OperatingPoint",
    "RuleCost",
    "cllr",
    "evaluate",
    "optimal_llrs",
]
