"""The words that people use for target, non-target and spoof trials, in one table."""

from __future__ import annotations

from enum import IntEnum


class Label(IntEnum):
    """The kind of a trial. A spoof is neither of the other two until the user decides."""

    NONTARGET = 0
    TARGET = 1
    SPOOF = 2


_WORDS = {
    Label.TARGET: (
        "target tar tgt true genuine client mated match same positive yes bonafide bona-fide"
    ),
    Label.NONTARGET: (
        "nontarget non-target non_target non imp impostor imposter false nonmated non-mated "
        "nonmatch non-match different diff negative no"
    ),
    Label.SPOOF: "spoof spoofed",
}
# Only as written: case and sign matter here.
_EXACT = {
    Label.TARGET: "1 +1 1.0 Hp H1 SS",
    Label.NONTARGET: "0 -1 0.0 -1.0 Hd H2 DS",
}

LABEL_OF_WORD: dict[str, Label] = {
    spelling: label
    for label, words in _WORDS.items()
    for word in words.split()
    for spelling in (word, word.capitalize(), word.upper())
} | {word: label for label, words in _EXACT.items() for word in words.split()}
"""What each word means. Words are lower case, capitalized, or upper case."""

FORENSIC_WORDS = frozenset({"Hp", "Hd", "H1", "H2", "SS", "DS"})
"""Labels of tools that often write LLRs as common logarithms."""


def words_of(label: Label) -> list[str]:
    """Every word for one kind of trial."""
    return [word for word, meaning in LABEL_OF_WORD.items() if meaning is label]
