"""
The LLR of each score, by method
================================

A calibration is a function of the score: a line, a step function, a log-ratio of densities, or a
smooth curve that rises. The shaded scores lie beyond all training scores.
"""

import llrcal

train = llrcal.simulate(targets=300, nontargets=9_000)
cals = llrcal.fit_all(train, methods=["smooth", "logistic", "pav", "nig"])
llrcal.figures.transforms(cals)
