"""The equal error-rate of the ROC convex hull.

If scores are tied or few, EERs read off the steps of the ROC differ between programs. That of the
convex hull is well defined: it is the largest minimum Bayes error over all priors, and can be
reached by choosing between two thresholds at random.
"""

from __future__ import annotations

from llrcal.onepass.hull import Hull


def eer(hull: Hull) -> float:
    """Rate at which misses and false alarms are equal on the hull, as a fraction."""
    pmiss, pfa = hull.pmiss, hull.pfa
    difference = pmiss - pfa
    after = int((difference >= 0).argmax())
    before = after - 1
    share = -difference[before] / (difference[after] - difference[before])
    return float(pmiss[before] + share * (pmiss[after] - pmiss[before]))
