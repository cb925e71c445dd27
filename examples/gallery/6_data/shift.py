"""
My data have shifted
====================

In another place all scores are lower and closer together, and nobody has labels there. ``adapt``
moves both densities until their mixture fits those scores.
"""

import numpy as np

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=1_000, nontargets=20_000, condition="test")
cal = llrcal.fit(train, method="nig")
there = test.mapped(lambda scores: 0.8 * scores - 1)
scores = np.concatenate(tuple(there))  # without labels
adapted = llrcal.adapt(cal, scores, p_target=0.05)
llrcal.figures.adaptation(cal, adapted, scores=scores)
