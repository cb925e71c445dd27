"""
Tippett plot
============

The share of LRs at or above each value, of comparisons of the same source and of different
sources, with bands.
"""

import llrcal

training = llrcal.simulate(targets=300, nontargets=9_000)
validation = llrcal.simulate(targets=300, nontargets=9_000, seed=1)
llrs = validation.mapped(llrcal.fit(training, bounds="elub"))
ev = llrcal.evaluate(llrs)
llrcal.figures.tippett(ev, level=0.95, replicates=100)
