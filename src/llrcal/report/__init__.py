"""A comparison as one HTML file that anybody can open, with nothing to fetch."""

from llrcal.report.build import build_report

__all__ = ["build_report"]
