"""Pure functions of target and non-target log-likelihood-ratios."""

from llrcal.evaluation.by_condition import ByCondition as ByCondition
from llrcal.evaluation.cllr import cllr as cllr
from llrcal.evaluation.evaluating import evaluate as evaluate
from llrcal.evaluation.evaluation import Evaluation as Evaluation
from llrcal.evaluation.operating_point import OperatingPoint as OperatingPoint
from llrcal.evaluation.optimal import optimal_llrs as optimal_llrs
from llrcal.evaluation.rule_cost import RuleCost as RuleCost
