"""
The weight of a score in words
==============================

``cal.weigh(score)`` gives LR, interval and verbal equivalent. The lines are where words change.
"""

import matplotlib.pyplot as plt
import numpy as np

import llrcal

cal = llrcal.fit(llrcal.simulate(targets=300, nontargets=9_000), bounds="elub")
scores = np.linspace(0, 5, 200)
low, high = cal.interval(scores)
figure, ax = plt.subplots()
ax.plot(scores, cal(scores) / np.log(10))
ax.fill_between(scores, low / np.log(10), high / np.log(10), alpha=0.3)
for power, word in enumerate(["weak", "moderate", "moderately strong", "strong"]):
    ax.text(0, power + 0.1, word)
    ax.axhline(power, linewidth=0.5, color="grey")
ax.set(xlabel="score", ylabel="log10 LR")
