"""The command line: one file per verb."""

from __future__ import annotations

import click

from llrcal.version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="llrcal", message="%(prog)s %(version)s")
def main() -> None:
    """Turn recognizer scores into calibrated log-likelihood-ratios."""
