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
        "target tar tgt true genuine client mated match same positive yes bonafide bona-fide "
        "same-speaker same-source same-person same-origin same-voice same-identity within-speaker "
        "within-source intra-speaker intra-source"
    ),
    Label.NONTARGET: (
        "nontarget non-target non imp impostor imposter false nonmated non-mated nonmatch "
        "non-match different diff negative no different-speaker different-speakers "
        "different-source different-sources different-person different-persons different-people "
        "different-origin different-origins different-voice different-voices different-identity "
        "different-identities diff-speaker diff-source between-speaker between-speakers "
        "between-source between-sources inter-speaker inter-source"
    ),
    Label.SPOOF: "spoof spoofed",
}
# Only as written: case and sign matter here.
_EXACT = {
    Label.TARGET: "1 +1 1.0 Hp H1 SS KM",
    Label.NONTARGET: "0 -1 0.0 -1.0 Hd H2 DS KNM",
}

LABEL_OF_WORD: dict[str, Label] = {
    spelling: label
    for label, words in _WORDS.items()
    for hyphenated in words.split()
    for word in (hyphenated.replace("-", joint) for joint in "-_ ")
    for spelling in (word, word.capitalize(), word.title(), word.upper())
} | {word: label for label, words in _EXACT.items() for word in words.split()}
"""What each word means. A hyphen may be an underscore or a blank, and words are in lower case,
capitalized (the first word, or each), or in upper case."""

FORENSIC_WORDS = frozenset({"Hp", "Hd", "H1", "H2", "SS", "DS"})
"""Labels of tools that often write LLRs as common logarithms."""


def words_of(label: Label) -> list[str]:
    """Every word for one kind of trial."""
    return [word for word, meaning in LABEL_OF_WORD.items() if meaning is label]
