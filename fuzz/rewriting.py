"""Text files with LLRs in place of the scores: all but blanks and quotation marks must stay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from fuzz.harness import answer, as_file, free_place, require, same_numbers
from llrcal.arrays import Array, Floats
from llrcal.trials.request import Request
from llrcal.trials.rewriting import rewrite
from llrcal.trials.table_reading import read_table
from llrcal.trials.text.lines import Answers

# What no file has, unless it is made to.
_LLR, _WORD = 8.25390625e-77, "accept-8-25390625"
_TEXT = str(_LLR).encode()
_ADDED = re.compile(rb"[ \t,;](?:%b|decision)(?=\r?\Z)" % _WORD.encode())


def check(data: bytes) -> None:
    """Rewrite a file, with and without a further column."""
    if _TEXT in data or _WORD.encode() in data or b"decision" in data:
        return
    path = as_file(data)
    table = answer(read_table, path, Request("scores"))
    for added in (False, True):
        seen: list[Floats] = []
        out = free_place()
        reading = answer(rewrite, path, out, _answers(seen, added=added), Request("scores"))
        if reading is None:
            require(table is None, "what can be read is not rewritten")
            continue
        scores = np.concatenate(seen)
        if table is not None:  # else an id is missing, which does no harm here
            require(same_numbers(scores, table.frame["score"]), f"other scores: {scores[:20]}")
        require(same_numbers(scores, _replaced(data, Path(out).read_bytes())), "other scores gone")


def _answers(seen: list[Floats], *, added: bool) -> Answers:
    def answers(scores: Floats) -> Mapping[str, Array]:
        seen.append(scores)
        out: dict[str, Array] = {"llr": np.full(len(scores), _LLR)}
        return {**out, "decision": np.full(len(scores), _WORD)} if added else out

    return answers


def _plain(line: bytes) -> bytes:
    """A line without quotation marks, and without blanks that may go."""
    return re.sub(rb" *([,;]) *", rb"\1", b" ".join(line.replace(b'"', b"").split()))


def _replaced(before: bytes, after: bytes) -> list[float]:
    """The scores that were replaced, if nothing else was."""
    end = b"\n" if b"\n" in before or b"\r" not in before else b"\r"
    lines = before.split(end), after.split(end)
    require(len(lines[0]) == len(lines[1]), "another number of lines")
    out: list[float] = []
    for old, new in zip(*lines, strict=True):
        pieces = _plain(_ADDED.sub(b"", new.replace(b'"', b""))).split(_TEXT)
        found = re.fullmatch(rb"([-+.\w]*?)".join(map(re.escape, pieces)), _plain(old), re.DOTALL)
        if found is None:
            require(found, f"{old!r} became {new!r}")
        else:
            out += map(float, found.groups())
    return out
