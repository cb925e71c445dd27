"""
What adaptation gains
=====================

Bayes error in new conditions: as trained, and after ``adapt``, which saw no label.
"""

import warnings

import numpy as np

import llrcal

warnings.simplefilter("ignore", llrcal.LlrcalWarning)  # of the first, which loses much
train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=1_000, nontargets=20_000, condition="test")
there = test.mapped(lambda scores: 0.8 * scores - 0.3)
cal = llrcal.fit(train)
adapted = llrcal.adapt(cal, np.concatenate(tuple(there)))
evs = {
    "as trained": llrcal.evaluate(there.mapped(cal)),
    "adapted": llrcal.evaluate(there.mapped(adapted)),
}
llrcal.figures.bayes_error(evs)
