"""Tests of the fusion of several systems."""
