"""
Bayes error of four methods
===========================

Solid lines are what decisions at a prior cost, and the dashed line is the least that any
threshold could reach. 1 is the cost of deciding by the prior alone. The vertical lines are where
the rule of 30 ends.
"""

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=1_000, nontargets=20_000, condition="test")
methods = ["smooth", "logistic", "gaussian", "nig"]
cals = llrcal.fit_all(train, methods=methods)
evs = {label: llrcal.evaluate(test.mapped(cal)) for label, cal in cals.items()}
llrcal.figures.bayes_error(evs)
