"""Calibrations that integrate their parameters out."""
