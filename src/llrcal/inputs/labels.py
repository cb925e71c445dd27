"""The words that people use for target, non-target and spoof trials, in one table."""

from __future__ import annotations

from enum import IntEnum


class Label(IntEnum):
    """What a trial is. A spoof is neither of the two until the reader says what to make of it."""

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
# As they are, for hypotheses are told apart by their capitals and numbers by their signs.
_EXACT = {
    Label.TARGET: "1 +1 1.0 Hp H1",
    Label.NONTARGET: "0 -1 0.0 -1.0 Hd H2",
}

LABEL_OF_WORD: dict[str, Label] = {
    spelling: label
    for label, words in _WORDS.items()
    for word in words.split()
    for spelling in (word, word.capitalize(), word.upper())
} | {word: label for label, words in _EXACT.items() for word in words.split()}
"""What each word means. Spelling is strict: small letters, a capital first, or all capitals."""

LABELS = tuple(LABEL_OF_WORD)
"""Every word that is understood as a label."""

FORENSIC_WORDS = frozenset({"Hp", "Hd", "H1", "H2"})
"""Labels of tools whose LLRs are common logarithms."""


def words_of(label: Label) -> list[str]:
    """Every word for one kind of trial."""
    return [word for word, meaning in LABEL_OF_WORD.items() if meaning is label]
