"""Any number of scores in one pass: bins, sums, samples and ranks, all of which merge."""
