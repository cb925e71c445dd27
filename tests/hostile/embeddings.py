"""Embeddings that are hostile to whoever pairs them."""

from __future__ import annotations

from typing import Any

import numpy as np

import llrcal
from llrcal.errors import DegenerateError, OptionError, ScoreError, TrialFileError
from tests.hostile.case import Answered, Case, Refused, Section

WHO = np.arange(60) // 6
VECTORS = np.random.default_rng(3).normal(size=(10, 8))[WHO] + np.arange(480).reshape(60, 8) % 7


def paired(vectors: Any, speakers: Any = WHO, **options: Any) -> Any:
    return lambda: llrcal.pairs(vectors, speakers, **options)


def with_row(number: int, value: float) -> Any:
    changed = VECTORS.copy()
    changed[number] = value
    return changed


def check_any_length(counts: llrcal.Counts) -> None:
    plain = llrcal.pairs(VECTORS, WHO)
    assert counts.counts == plain.counts
    assert np.abs(counts.scores - plain.scores).max() <= 2.0**-21


def check_triples(counts: llrcal.Counts) -> None:
    assert len(counts) == 180 * 179 // 2
    assert [note.code for note in counts.notes] == ["duplicates"]


def cut_off() -> Any:
    np.save("whole.npy", VECTORS)
    with open("whole.npy", "rb") as whole, open("cut.npy", "wb") as file:  # noqa: PTH123
        file.write(whole.read()[:-100])
    return llrcal.pairs("cut.npy", WHO)


CASES = (
    Case(
        "a NaN among embeddings",
        paired(with_row(17, np.nan)),
        Refused(ScoreError, "a value is NaN", "row 17"),
        "Refused.",
    ),
    Case(
        "an infinite embedding",
        paired(with_row(4, np.inf)),
        Refused(ScoreError, "a value is infinite", "row 4"),
        "Refused.",
    ),
    Case(
        "an embedding of zeros, for cosines",
        paired(with_row(9, 0.0)),
        Refused(ScoreError, "has no direction", "row 9"),
        "Refused.",
    ),
    Case(
        "embeddings with norms from 1e-300 to 1e300, for cosines",
        paired(VECTORS * 10.0 ** np.linspace(-300, 300, 60)[:, None]),
        Answered(check_any_length),
        "The same as without; no square overflows.",
    ),
    Case(
        "embeddings with norms of 1e300, for dot products",
        paired(VECTORS * 1e300, similarity="dot"),
        Refused(ScoreError, "do not fit into doubles", "embeddings", "scale them"),
        "Refused.",
    ),
    Case(
        "one embedding",
        paired(VECTORS[:1], WHO[:1]),
        Refused(ScoreError, "no pair left to be a trial", "embeddings"),
        "Refused.",
    ),
    Case(
        "embeddings that are all the same",
        paired(np.ones((60, 3))),
        Refused(DegenerateError, "all 60 embeddings", "are the same"),
        "Refused.",
    ),
    Case(
        "a million embeddings, of which three are different",
        paired(np.tile(np.eye(3), (333_334, 1)), np.arange(1_000_002)),
        Refused(
            DegenerateError, "1,000,002 embeddings", "only 3 are different", "leave the copies"
        ),
        "Refused, before a pair is counted.",
    ),
    Case(
        "every embedding three times",
        paired(np.repeat(VECTORS, 3, axis=0), np.repeat(WHO, 3)),
        Answered(check_triples),
        "All pairs, and a note.",
    ),
    Case(
        "embeddings of other lengths",
        paired([[1.0, 2.0], [3.0]], [1, 2]),
        Refused(ScoreError, "different lengths", "embeddings", "pass a matrix"),
        "Refused.",
    ),
    Case(
        "two sets from two extractors",
        paired(VECTORS, (WHO, WHO), test=VECTORS[:, :7]),
        Refused(ScoreError, "8 dimensions", "test 7", "not from one extractor"),
        "Refused.",
    ),
    Case(
        "fewer speakers than embeddings",
        paired(VECTORS, WHO[1:]),
        Refused(ScoreError, "60 embeddings", "(59,)", "one label for each"),
        "Refused.",
    ),
    Case(
        "an embedding whose speaker is None",
        paired(VECTORS, [None, *WHO[1:].tolist()]),
        Refused(ScoreError, "no label", "row 0"),
        "Refused.",
    ),
    Case(
        "embeddings on a device that is not there",
        paired(VECTORS, device="cuda:99"),
        Refused(OptionError, "torch", "device='cuda:99'"),
        "Refused, with what to do.",
    ),
    Case(
        "a file of embeddings that is cut off",
        cut_off,
        Refused(TrialFileError, "cut off", "cut.npy"),
        "Refused, before it is mapped into memory.",
    ),
)

SECTION = Section(
    "Q",
    "Embeddings",
    "Vectors and speakers, of which all pairs are to be counted.",
    CASES,
)
