"""
How often is evidence misleading?
=================================

With calibrated LRs, at most one comparison of different sources in k has an LR above k: the
dotted line.
"""

import matplotlib.pyplot as plt
import numpy as np

import llrcal

training = llrcal.simulate(targets=300, nontargets=9_000)
validation = llrcal.simulate(targets=300, nontargets=9_000, seed=1)
llrs = validation.mapped(llrcal.fit(training, bounds="elub"))
ev = llrcal.evaluate(llrs)
strengths = np.geomspace(1, 1_000, 60)
rates = [ev.forensic.misleading(strength) for strength in strengths]
figure, ax = plt.subplots()
ax.loglog(strengths, [rate.non for rate in rates], label="different sources, LR > k")
ax.loglog(strengths, [rate.tar for rate in rates], label="same source, LR < 1/k")
ax.loglog(strengths, 1 / strengths, ":", color="black", label="1/k")
ax.set(xlabel="k", ylabel="share of comparisons")
ax.legend()
