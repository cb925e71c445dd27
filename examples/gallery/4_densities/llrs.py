"""
Scores become LLRs
==================

Calibration stretches the scores; the order of the trials stays. LLRs end at
what the number of trials supports, which many targets reach.
"""

import matplotlib.pyplot as plt

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
llrs = train.mapped(llrcal.fit(train))
figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for ax, name, trials in ((axes[0], "score", train), (axes[1], "LLR", llrs)):
    for values, label in zip(trials, ("targets", "non-targets"), strict=True):
        ax.hist(values, 60, density=True, histtype="step", label=label)
    ax.set(xlabel=name, ylabel="density")
axes[0].legend()
