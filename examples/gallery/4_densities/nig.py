"""
Densities over histograms
=========================

A normal-inverse-Gaussian density for each class; the LLR is the log of their ratio.
"""

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
tar, non = train
cal = llrcal.fit(train, method="nig")
llrcal.figures.densities(cal, tar=tar, non=non)
