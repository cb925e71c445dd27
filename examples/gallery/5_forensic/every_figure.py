"""
Every figure of an evaluation
=============================

What ``llrcal evaluate --figures`` draws: all that the table of figures has for evaluations.
"""

import llrcal
from llrcal.figures.table import of_evaluations

training = llrcal.simulate(targets=300, nontargets=9_000)
validation = llrcal.simulate(targets=300, nontargets=9_000, seed=1)
ev = llrcal.evaluate(validation.mapped(llrcal.fit(training)))
for draw in of_evaluations({"smooth": ev}, units="log10").values():
    draw()
