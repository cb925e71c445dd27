"""Benchmarks: side by side with the peers, in one run, as ratios."""
