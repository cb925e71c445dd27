"""
How many trials do I need?
==========================

Median error against the number of training targets, with bands that hold 80 % of the draws. Where
a line is level, more trials of the same kind would not help.
"""

import llrcal

train, test = (llrcal.simulate(targets=600, nontargets=6_000, seed=seed) for seed in (1, 2))
curve = llrcal.learning_curve(train, test, methods=["smooth", "logistic", "pav"], draws=5)
llrcal.figures.learning_curve(curve)
