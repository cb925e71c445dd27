"""
One data set: cross-validation
==============================

Every trial gets its LLR from a calibration that has seen neither it nor its speakers. The bars
are 95 % intervals.
"""

import matplotlib.pyplot as plt

import llrcal

trials = llrcal.simulate(targets=600, nontargets=12_000)
methods = ["smooth", "logistic", "pav", "gaussian", "nig"]
found = llrcal.compare(trials, folds=5, methods=methods, replicates=50).ranking
figure, ax = plt.subplots()
for place, (label, value) in enumerate(found.values.items()):
    ax.plot(found.intervals[label], [place, place], color="grey")
    ax.plot(value, place, "o", color="black")
ax.set(yticks=range(len(found.values)), yticklabels=list(found.values), xlabel="mean Bayes error")
