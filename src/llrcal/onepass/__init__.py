"""Any number of scores in one pass: bins, sums, samples and ranks, all of them mergeable.

docs/how-it-works.md goes through these on a set of 52 scores.
"""
