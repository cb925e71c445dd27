"""
Zoo plot
========

Which speakers are hard to recognize, and which are mistaken for others: the animals of Doddington,
and of Yager and Dunstone, with how many there would be by chance.
"""

import llrcal

training = llrcal.simulate(targets=800, nontargets=20_000)
validation = llrcal.simulate(targets=800, nontargets=20_000, seed=1)
ev = llrcal.evaluate(validation.mapped(llrcal.fit(training)))
llrcal.figures.zoo(ev)
