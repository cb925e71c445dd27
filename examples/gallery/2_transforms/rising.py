"""
A higher score never means less
===============================

The log-ratio of two Gaussians is a parabola. By default the LLR is held where the parabola turns.
"""

import llrcal

train = llrcal.simulate(targets=300, nontargets=9_000)
free = llrcal.fit(train, method="gaussian", rising=False, bounds="none")
held = llrcal.fit(train, method="gaussian", bounds="none")
llrcal.figures.transforms({"rising=False": free, "rising=True": held}, low=-12, high=12)
