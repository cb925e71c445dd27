"""Likelihood-ratios in words, by the ENFSI guideline for evaluative reporting (2015).

ENFSI guideline for evaluative reporting in forensic science, European Network of Forensic Science
Institutes, 2015: examples of verbal equivalents. The guideline says nothing of LRs between 1 and
2; here they count as no support. The same words are used for the alternative proposition if the LR
is below one.
"""

from __future__ import annotations

import math

# The LR from which on a word applies; the guideline leaves open what holds at the ends of a band.
BANDS: tuple[tuple[float, str], ...] = (
    (2, "weak"),
    (10, "moderate"),
    (100, "moderately strong"),
    (1_000, "strong"),
    (10_000, "very strong"),
    (1_000_000, "extremely strong"),
)
HP, HD = "same source (Hp)", "different sources (Hd)"


def support(llr: float) -> str | None:
    """How strong the support of an LLR in nats is, whichever way; None below an LR of two.

    Examples
    --------
    >>> import math
    >>> from llrcal.calibrations.verbal_scale import support
    >>> support(math.log(50)), support(-math.log(50)), support(0.0)
    ('moderate', 'moderate', None)
    """
    reached = [word for least, word in BANDS if abs(llr) >= math.log(least)]
    return reached[-1] if reached else None


def in_short(llr: float) -> str:
    """The verbal equivalent in a few words, for tables."""
    word = support(llr)
    return "no support" if word is None else f"{word} support for {'Hp' if llr > 0 else 'Hd'}"


def in_words(llr: float) -> str:
    """The verbal equivalent of an LLR in nats."""
    word = support(llr)
    if word is None:
        return "no support for one proposition over the other"
    first, other = (HP, HD) if llr > 0 else (HD, HP)
    return f"{word} support for {first} rather than {other}"
