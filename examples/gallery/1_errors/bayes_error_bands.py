"""
How sure is the curve?
======================

The band holds 95 % of the curves of test sets that were drawn from this one, by speaker.
"""

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=1_000, nontargets=20_000, condition="test")
ev = llrcal.evaluate(test.mapped(llrcal.fit(train)))
llrcal.figures.bayes_error({"smooth": ev}, level=0.95, replicates=100)
