"""
PAV plot
========

Calibrated LLRs follow the diagonal. Below it LLRs claim too much, above it too little.
"""

import llrcal

training = llrcal.simulate(targets=300, nontargets=9_000)
validation = llrcal.simulate(targets=300, nontargets=9_000, seed=1)
llrs = validation.mapped(llrcal.fit(training, bounds="elub"))
ev = llrcal.evaluate(llrs)
tar, non = llrs
overconfident = llrcal.evaluate(1.6 * tar, 1.6 * non)
llrcal.figures.reliability({"LLRs": ev, "LLRs times 1.6": overconfident})
