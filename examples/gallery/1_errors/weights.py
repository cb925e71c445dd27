"""
Trained for one operating point
===============================

A line cannot be right everywhere. ``alpha`` is the weight of the targets in training, and decides
where it is.
"""

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=1_000, nontargets=20_000, seed=1)
methods = [("logistic", {"alpha": alpha}) for alpha in (0.1, 0.5, 0.9)]
cals = llrcal.fit_all(train, methods=methods)
evs = {label: llrcal.evaluate(test.mapped(cal)) for label, cal in cals.items()}
llrcal.figures.bayes_error(evs)
