"""Pure functions of target and non-target log-likelihood-ratios."""

from llrcal.evaluation.cllr import cllr
from llrcal.evaluation.evaluation import Evaluation, evaluate, optimal_llrs

__all__ = ["Evaluation", "cllr", "evaluate", "optimal_llrs"]
