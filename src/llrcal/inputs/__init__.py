"""Inputs: arrays of scores and words for labels, checked once."""
