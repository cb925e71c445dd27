"""The verdict at the top of the page: another box where no calibration is fit."""

from __future__ import annotations

from llrcal.comparison import Comparison
from llrcal.report.text import sentence


def verdict_class(comparison: Comparison) -> str:
    """The class of the section, by which it is framed and coloured."""
    return "fit" if comparison.verdict.fit else "unfit"


def verdict_heading(comparison: Comparison) -> str:
    """The word above it, which says the same to those who see no colours."""
    return "Verdict" if comparison.verdict.fit else "Verdict: not fit for use"


def verdict_words(comparison: Comparison) -> str:
    """The verdict and what it rests on."""
    verdict = comparison.verdict
    headline = f'<p class="verdict">{sentence(verdict.headline)}</p>'
    return f'{headline}\n<p class="basis">{sentence(verdict.basis)}</p>'
