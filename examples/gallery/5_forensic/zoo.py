"""
Zoo plot
========

Which speakers are hard to recognize, on the left, and which are mistaken for others, below; larger
points have a larger share of Cllr.
"""

import llrcal

training = llrcal.simulate(targets=800, nontargets=20_000)
validation = llrcal.simulate(targets=800, nontargets=20_000, seed=1)
ev = llrcal.evaluate(validation.mapped(llrcal.fit(training)))
llrcal.figures.zoo(ev)
