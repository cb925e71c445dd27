"""
The same tails by three families
================================

On a logarithmic axis, the tails show what a family can do and cannot.
"""

import matplotlib.pyplot as plt

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
tar, non = train
figure, axes = plt.subplots(1, 3, figsize=(11, 4), sharey=True, layout="constrained")
cals = llrcal.fit_all(train, methods=["gaussian", "student-t", "nig"])
for ax, (method, cal) in zip(axes, cals.items(), strict=True):
    llrcal.figures.densities(cal, tar=tar, non=non, log=True, ax=ax, legend=False)
    ax.set_title(method)
    ax.label_outer()
