"""
ROC and its convex hull
=======================

Minimum costs, minCllr and the equal error-rate are those of the hull.
"""

import matplotlib.pyplot as plt

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=200, nontargets=4_000, condition="test")
ev = llrcal.evaluate(test.mapped(llrcal.fit(train)))
figure, ax = plt.subplots()
ax.plot(*ev.roc(), color="grey", label="ROC")
ax.plot(ev.hull.pfa, ev.hull.pmiss, "o-", markersize=3, label="convex hull")
ax.plot([0, 0.12], [0, 0.12], ":", color="black", label=f"EER {ev.eer:.2%}")
ax.set(xlim=(0, 0.12), ylim=(0, 0.2), xlabel="false-alarm rate", ylabel="miss rate")
ax.legend()
