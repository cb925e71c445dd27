"""
Four ways to end
================

How far to trust the formula: everywhere, to the ends of the training scores, to what the number
of trials supports (the default), or to the empirical bounds.
"""

import llrcal

train = llrcal.simulate(targets=300, nontargets=9_000)
cals = {
    "bounds none": llrcal.fit(train, method="logistic", bounds="none"),
    "bounds range": llrcal.fit(train, method="logistic", bounds="range"),
    "bounds counts": llrcal.fit(train, method="logistic", bounds="counts"),
    "bounds elub": llrcal.fit(train, method="logistic", bounds="elub"),
}
llrcal.figures.transforms(cals, low=-10, high=15)
