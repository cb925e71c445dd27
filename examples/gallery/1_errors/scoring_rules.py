"""
What a scoring rule weighs
==========================

Each proper scoring rule is a weighted mean of Bayes errors. These are the weights.
"""

import llrcal

llrcal.figures.scoring_rules(["boosting", "log", "brier", (1, -0.5)])
