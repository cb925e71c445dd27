"""
Two conditions side by side
===========================

The same recognizer on good recordings, and on shorter ones over worse channels.
"""

import llrcal

train = llrcal.simulate(targets=1_000, nontargets=20_000)
test = llrcal.simulate(targets=1_000, nontargets=20_000, condition="test")
cal = llrcal.fit(train)
other = llrcal.simulate(targets=1_000, nontargets=20_000, seed=2)
evs = {
    "good recordings": llrcal.evaluate(other.mapped(cal)),
    "bad recordings": llrcal.evaluate(test.mapped(cal)),
}
llrcal.figures.det(evs)
