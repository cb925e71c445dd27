"""
Platt, isotonic and this
========================

Platt's sigmoid is a line, isotonic regression is PAV. With few trials, ``smooth`` lies between
them.
"""

import llrcal

few = llrcal.simulate(targets=60, nontargets=1_000)
names = {"logistic": "Platt (logistic)", "pav": "isotonic (pav)", "smooth": "smooth"}
cals = {text: llrcal.fit(few, method=method) for method, text in names.items()}
llrcal.figures.transforms(cals)
