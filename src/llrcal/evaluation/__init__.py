"""Pure functions of target and non-target log-likelihood-ratios."""

from llrcal.evaluation.costs import RuleCost as RuleCost
from llrcal.evaluation.costs import cllr as cllr
from llrcal.evaluation.evaluate import ByCondition as ByCondition
from llrcal.evaluation.evaluate import evaluate as evaluate
from llrcal.evaluation.evaluate import optimal_llrs as optimal_llrs
from llrcal.evaluation.evaluation import Evaluation as Evaluation
from llrcal.evaluation.operating_points import OperatingPoint as OperatingPoint
