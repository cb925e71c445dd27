"""Scores that are too many for memory, or for one machine: read in pieces, met in small values."""
