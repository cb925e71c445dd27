"""
Platt, isotonic and this
========================

Platt's sigmoid is a line, isotonic regression is PAV. With few trials, ``smooth`` lies between
them.
"""

import llrcal

few = llrcal.simulate(targets=60, nontargets=1_000)
cals = {
    "Platt (logistic)": llrcal.fit(few, method="logistic"),
    "isotonic (pav)": llrcal.fit(few, method="pav"),
    "smooth": llrcal.fit(few),
}
llrcal.figures.transforms(cals)
