"""Pieces of a set of trials: where they are, and how to read them."""
