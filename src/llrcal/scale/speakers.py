"""Who is speaking in trials in pieces: a pass finds all speakers, another gathers their trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import polars as pl

from llrcal.errors import ScoreError, TrialFileError
from llrcal.evaluation.llrs import WholeLLRs
from llrcal.messages import Setting
from llrcal.notes import Note, warn
from llrcal.onepass.chunks import MergedByFields
from llrcal.scale.columns import classes
from llrcal.scale.engine import Engine
from llrcal.scale.piece import PEEK, Piece
from llrcal.trials.conventions import SPEAKERS
from llrcal.trials.request import ReadOptions
from llrcal.trials.speakers import (
    CONTRADICTED,
    SIDES,
    Agreement,
    Rule,
    in_folders,
    rule_of,
    without_speaker,
)

_AT_A_TIME = 2**18  # trials, with their ids
_LOOKED_AT = 8  # pieces, to find out whether ids name speakers


class Names(frozenset[str | int]):
    """The names of some speakers or ids, or their numbers."""

    def merge(self, other: Names) -> Names:
        """Those of both."""
        return Names(self | other)


_NOBODY = Names()


@dataclass(frozen=True)
class FoundSpeakers(MergedByFields):
    """Who is speaking in some trials."""

    tar: Names = _NOBODY
    """The speakers of targets."""
    non: Names = _NOBODY
    bare: Names = _NOBODY
    """Ids that must be the names of speakers."""
    named: Names = _NOBODY
    """The speakers that other ids name."""
    agreement: Agreement = field(default_factory=Agreement)


@dataclass(frozen=True)
class Who:
    """Where the speakers of trials in pieces are named."""

    rule: Rule | None
    """How they follow from ids; None if they are in columns of their own."""
    guessed: bool
    """Whether they count only if they agree with all labels."""

    @classmethod
    def of(cls, pieces: Sequence[Piece], options: ReadOptions) -> Who | None:
        """What the user says of them, or what columns and the first ids suggest."""
        if rule := rule_of(options.speakers_from):
            return cls(rule, guessed=False)
        if options.speakers_from is not None or not pieces:
            return None
        if all(piece.names_speakers for piece in pieces):
            return cls(None, guessed=not options.names_speakers)
        some = [pieces[i * len(pieces) // _LOOKED_AT] for i in range(_LOOKED_AT)]
        read = (next(one.read((*SIDES, "label"), PEEK), None) for one in dict.fromkeys(some))
        found = [frame for frame in read if frame is not None and frame.width == len(SIDES) + 1]
        in_ids = in_folders(pl.concat(found)) if found else None
        return None if in_ids is None else cls(in_ids[0], guessed=True)

    @property
    def notes(self) -> list[Note]:
        """What is said of them before trials are read."""
        return [] if self.rule is None else [Note.of("speakers", f"speakers {self.rule.words}")]

    def frames(
        self, pieces: Sequence[Piece]
    ) -> Iterator[tuple[Piece, pl.DataFrame, FoundSpeakers]]:
        """Scores, labels and speakers, many at a time; and what the ids say."""
        columns = SPEAKERS if self.rule is None else SIDES
        for piece in pieces:
            for frame in piece.read(("score", "label", *columns), _AT_A_TIME):
                if absent := [name for name in columns if name not in frame.columns]:
                    raise TrialFileError(
                        f"{piece.file or piece.name}: there is no {absent[0]}, to know who is "
                        "speaking; do without: ",
                        Setting("speakers_from", "none"),
                    )
                if self.rule is None:
                    yield piece, frame, FoundSpeakers()
                else:
                    yield piece, *_with_speakers(frame, self.rule)


def _with_speakers(frame: pl.DataFrame, rule: Rule) -> tuple[pl.DataFrame, FoundSpeakers]:
    in_ids = FoundSpeakers()
    for side, role in zip(SIDES, SPEAKERS, strict=True):
        ids = frame[side].unique()
        names = rule.speakers(ids)
        bare, named = Names(ids.filter(names.is_null())), Names(names.drop_nulls())
        in_ids = in_ids.merge(FoundSpeakers(bare=bare, named=named))
        table = pl.DataFrame({side: ids, role: names.fill_null(ids)})
        frame = frame.join(table, on=side, how="left", maintain_order="left")
    return frame, in_ids


def _find(who: Who, pieces: Sequence[Piece]) -> FoundSpeakers:
    """The work on some pieces: find out who is speaking."""
    found = FoundSpeakers()
    for piece, frame, in_ids in who.frames(pieces):
        both = classes(frame, piece.request, piece.file or piece.name)
        tar, non = (
            Names().union(*(frame[role].filter(pl.Series(of)).unique() for role in SPEAKERS))
            for of in both
        )
        here = FoundSpeakers(Names(tar), Names(non), agreement=Agreement.of(frame))
        found = found.merge(in_ids).merge(here)
    return found


def find_speakers(who: Who, pieces: Sequence[Piece], engine: Engine) -> FoundSpeakers | None:
    """Who is speaking in all trials; None if that was guessed, and labels contradict it.

    Raises
    ------
    TrialFileError
        If an id has no speaker.
    """
    found: FoundSpeakers = engine.reduce(pieces, partial(_find, who), "finding speakers")
    wrong = found.agreement.complaint
    unknown = found.bare - found.named
    if wrong and who.guessed and not all(isinstance(name, int) for name in found.tar | found.non):
        warn([Note.warning("speakers", f"{wrong}, so trials are drawn, and not speakers")])
        return None
    if unknown and who.rule is not None:
        raise without_speaker(pl.Series(sorted(unknown)), "the ids", who.rule)
    if wrong:
        warn([Note.warning("speakers", f"{CONTRADICTED}: {wrong}")])
    return found


def gather(who: Who, found: FoundSpeakers, pieces: Sequence[Piece], engine: Engine) -> WholeLLRs:
    """All LLRs with their speakers, in memory: 16 bytes for each trial."""
    if found.agreement.apart:
        raise ScoreError(f"{found.agreement.complaint}. A target trial has one speaker")
    everyone = found.tar | found.non
    is_text = any(isinstance(name, str) for name in everyone)
    names = sorted(map(str, everyone)) if is_text else sorted(everyone, key=int)
    numbers = pl.DataFrame({"name": names}).with_row_index("number")
    parts = engine.reduce(pieces, partial(_gather, who, numbers), "gathering speakers")
    every = pl.concat(parts).sort("llr", *SPEAKERS)  # pieces may be done in any order
    (tar, tar_pairs), (non, non_pairs) = (
        (side["llr"].to_numpy(), side.select(SPEAKERS).to_numpy())
        for side in (every.filter("is_target"), every.filter(~pl.col("is_target")))
    )
    return WholeLLRs(tar, non, (tar_pairs, non_pairs))


def _gather(who: Who, numbers: pl.DataFrame, pieces: Sequence[Piece]) -> tuple[pl.DataFrame, ...]:
    """The work on some pieces: LLRs, classes, and speakers by number."""
    out = []
    for piece, frame, _ in who.frames(pieces):
        is_tar, is_non = classes(frame, piece.request, piece.file or piece.name)
        kept = frame.with_columns(is_target=is_tar).filter(is_tar | is_non)
        llrs = piece.transformed(kept["score"].to_numpy().astype(np.float64))
        columns = [pl.Series("llr", llrs), kept["is_target"]]
        for role in SPEAKERS:
            asked = kept.select(name=pl.col(role).cast(numbers.schema["name"]))
            place = asked.join(numbers, on="name", how="left", maintain_order="left")["number"]
            columns.append(place.cast(pl.Int32).alias(role))
        out.append(pl.DataFrame(columns))
    return tuple(out)
