"""A comparison as one HTML file that anybody can open, with nothing to fetch."""

from llrcal.report.build import build_report as build_report
