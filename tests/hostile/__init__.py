"""Inputs that break other programs, and what llrcal does with each: a table that is also a test."""
