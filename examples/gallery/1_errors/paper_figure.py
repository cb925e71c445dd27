"""
Two panels for a paper
======================

``column_style`` has the fonts and line widths of a column, and ``save`` writes PNG, PDF and SVG.
"""

import matplotlib.pyplot as plt

import llrcal

train, test = (llrcal.simulate(targets=500, nontargets=10_000, seed=seed) for seed in (1, 2))
cals = llrcal.fit_all(train, methods=["smooth", "pav"])
evs = {label: llrcal.evaluate(test.mapped(cal)) for label, cal in cals.items()}
with llrcal.figures.column_style():
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
    llrcal.figures.bayes_error(evs, ax=left)
    llrcal.figures.transforms(cals, ax=right)
# llrcal.figures.save(figure, "figures", "two-panels")
