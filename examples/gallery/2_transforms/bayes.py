"""
Few trials: integrate the parameters out
========================================

With 15 targets, nobody knows the tail of a density. ``bayes=True`` averages over all parameters
that agree with the trials, and is more modest where there are none.
"""

import llrcal

few = llrcal.simulate(targets=15, nontargets=300)
methods = [("gaussian", {}), ("gaussian", {"bayes": True})]
cals = llrcal.fit_all(few, methods=methods, bounds="none")
llrcal.figures.transforms(cals, limit=15)
