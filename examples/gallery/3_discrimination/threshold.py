"""
Error-rates against the threshold
=================================

What a threshold on the LLR costs, and the Bayes threshold for a prior of 1 %.
"""

import matplotlib.pyplot as plt
import numpy as np

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=1_000, nontargets=20_000, condition="test")
ev = llrcal.evaluate(test.mapped(llrcal.fit(train)))
thresholds = np.linspace(-8, 8, 400)
figure, ax = plt.subplots()
ax.semilogy(thresholds, ev.pmiss(thresholds), label="misses")
ax.semilogy(thresholds, ev.pfa(thresholds), label="false alarms")
ax.axvline(np.log(99), linestyle=":", color="black", label="Bayes threshold at 1 %")
ax.set(ylim=(1e-4, 1), xlabel="threshold on the LLR", ylabel="error-rate")
ax.legend()
