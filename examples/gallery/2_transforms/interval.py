"""
How sure is one LLR?
====================

The band is a 95 % interval of the LLR at each score; ``cal.interval(score)`` gives its ends.
"""

import llrcal

few, many = (llrcal.simulate(targets=n, nontargets=30 * n) for n in (40, 1_000))
cals = {"40 targets": llrcal.fit(few), "1,000 targets": llrcal.fit(many)}
llrcal.figures.transforms(cals, level=0.95)
