"""
The ten calibrations of the paper
=================================

``fit_all`` trains all of them in the same passes over the scores: two linear methods at three
weights, and four that are not linear. ``compare`` does both, and evaluates them.
"""

import llrcal

train = llrcal.simulate(targets=500, nontargets=10_000)
test = llrcal.simulate(targets=500, nontargets=10_000, condition="test")
found = llrcal.compare(train, test, methods=llrcal.PAPER, replicates=0)
evs = {label: candidate.evaluation for label, candidate in found.candidates.items()}
llrcal.figures.bayes_error(evs)
