"""
My data have shifted
====================

In new conditions all scores are lower and closer together, and nobody has labels there. ``adapt``
moves both classes so that their mixture fits those scores.
"""

import numpy as np

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=1_000, nontargets=20_000, condition="test")
cal = llrcal.fit(train)
there = test.mapped(lambda scores: 0.8 * scores - 0.5)
scores = np.concatenate(tuple(there))  # without labels
adapted = llrcal.adapt(cal, scores)
llrcal.figures.adaptation(cal, adapted, scores=scores)
