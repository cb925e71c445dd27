"""Trials in text files: which column is what, and the parsing of every line."""
