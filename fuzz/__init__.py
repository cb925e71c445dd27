"""Fuzzing: every reader is given damaged files, and must read them right or refuse them."""
