"""
ECE plot
========

Empirical cross-entropy at every prior. Where a solid line is above the dotted one, the evidence
does harm.
"""

import llrcal

training = llrcal.simulate(targets=300, nontargets=9_000)
validation = llrcal.simulate(targets=300, nontargets=9_000, seed=1)
llrs = validation.mapped(llrcal.fit(training, bounds="elub"))
ev = llrcal.evaluate(llrs)
llrcal.figures.ece(ev, level=0.95, replicates=100)
