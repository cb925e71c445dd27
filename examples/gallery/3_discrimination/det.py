"""
DET curve with decisions
========================

Both error-rates at every threshold, on probit axes. The full mark is the decision at a prior of 1
%, and the hollow one the best there is.
"""

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=1_000, nontargets=20_000, condition="test")
cals = llrcal.fit_all(train, methods=["smooth", "gaussian"])
evs = {label: llrcal.evaluate(test.mapped(cal)) for label, cal in cals.items()}
llrcal.figures.det(evs, p_target=0.01)
