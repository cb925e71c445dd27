"""
Which scores are accepted?
==========================

``cal.regions`` gives the raw scores whose LLR reaches a Bayes threshold: here for priors from 0.1
% to 50 %.
"""

import matplotlib.pyplot as plt
import numpy as np

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=1_000, nontargets=20_000, condition="test")
cal = llrcal.fit(train)
priors = np.geomspace(0.001, 0.5, 60)
lowest = [cal.regions(np.log((1 - p) / p))[0].low for p in priors]
figure, ax = plt.subplots()
ax.semilogx(priors, lowest)
ax.set(xlabel="prior of a target", ylabel="lowest accepted score")
