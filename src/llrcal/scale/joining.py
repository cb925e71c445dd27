"""Scores and a key that are both in pieces, joined on the ids of the trials.

Ids are compared by 64-bit hashes. Where two rows of one side share a hash, their ids are looked up:
either a trial is repeated, or, once in a blue moon, two trials share a hash, and all is done again
with other hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from typing import Literal

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.messages import Setting
from llrcal.notes import Note, Severity
from llrcal.scale.engines.engine import Engine
from llrcal.scale.matching import Join, Tally, Those
from llrcal.scale.pieces.piece import Piece
from llrcal.scale.repeated import Named
from llrcal.scale.trials_in_pieces import TrialsInPieces
from llrcal.trials.joining import named
from llrcal.trials.request import ReadOptions

_SEEDS = 4  # attempts; even the second is hardly ever needed


def joined_pieces(
    scores: Sequence[Piece],
    key: Sequence[Piece],
    engine: Engine,
    *,
    options: ReadOptions,
    sources: tuple[str, str],
) -> TrialsInPieces:
    """The trials of files with scores and of other files with labels.

    Raises
    ------
    TrialFileError
        If trials are missing, unknown or repeated and the options do not say what to do; the
        message names some of them.
    """
    for pieces, source in zip((scores, key), sources, strict=True):
        if not pieces:
            raise TrialFileError(f"{source}: holds no trials")
    ids = _ids_in_common(scores[0], key[0])
    for seed in range(_SEEDS):
        join = Join(tuple(scores), tuple(key), ids, options.request("scores"), sources[0], seed)
        found = engine.joined(join)
        check = _Check(join, engine, options, sources, found.tally)
        if check.is_true():
            break
    notes = check.refuse()
    text = f"{found.tally.rows:,} scores joined with {sources[1]} on {' and '.join(ids)}"
    return TrialsInPieces(
        tuple(found.pieces),
        found.engine,
        sources[0],
        (Note.of("joined", text).about(sources[0]), *notes),
    )


def _ids_in_common(scores: Piece, key: Piece) -> tuple[str, ...]:
    first, other = next(scores.tables(), None), next(key.tables(), None)
    if first is None or other is None:
        empty = scores if first is None else key
        raise TrialFileError(f"{empty.file}: holds no trials")
    ids = tuple(role for role in first.ids if role in other.ids)
    if not ids:
        raise TrialFileError(
            f"{scores.file} and {key.file} have no ids in common to join them on, and in pieces "
            "they are joined in no other way; name the columns: ",
            Setting("columns", "enrol=NAME,test=NAME"),
            " and ",
            Setting("key_columns", "enrol=NAME,test=NAME"),
        )
    return ids


@dataclass(frozen=True)
class _Check:
    """What became of a join, and whether it may be used."""

    join: Join
    engine: Engine
    options: ReadOptions
    sources: tuple[str, str]
    tally: Tally

    @property
    def _twice(self) -> list[tuple[Those, Literal["scores", "key"], str]]:
        """Trials that may occur more than once."""
        tally, is_error = self.tally, self.options.duplicates == "error"
        every: list[tuple[Those, Literal["scores", "key"], str]] = [
            (tally.torn, "key", "trials are both target and non-target"),
        ]
        if is_error:
            every += [
                (tally.repeated, "scores", "repeated trials"),
                (tally.repeated_in_key, "key", "repeated trials"),
            ]
        return [entry for entry in every if entry[0].count]

    def is_true(self) -> bool:
        """Whether rows that share a hash are of the same trial."""
        return all(self._examples(those, side, twice=True).height for those, side, _ in self._twice)

    def refuse(self) -> list[Note]:
        """Refuse what the options do not allow; notes on the rest."""
        ids = self.join.ids
        for those, side, what in self._twice:
            examples = named(self._examples(those, side, twice=True), ids)
            source = self.sources[side == "key"]
            message = f"{source}: {those.count:,} {what}, such as {examples}"
            if those is self.tally.torn:
                raise TrialFileError(message)
            raise TrialFileError(
                f"{message}; remove them, or keep them all: ", Setting("duplicates", "all")
            )
        tally, notes = self.tally, []
        if tally.unknown.count == tally.rows:
            raise TrialFileError(
                f"{self.sources[0]} and {self.sources[1]} have no trial in common: "
                f"{self._named(tally.unknown, 'scores')} against "
                f"{self._named(tally.missing, 'key')}"
            )
        for setting, those, side, what in (
            ("missing", tally.missing, "key", f"trials of {self.sources[1]} have no score"),
            ("unknown", tally.unknown, "scores", f"scores of {self.sources[0]} are not in the key"),
        ):
            if those.count and getattr(self.options, setting) == "error":
                raise TrialFileError(
                    f"{those.count:,} {what}, such as {self._named(those, side)}; to leave them "
                    "out: ",
                    Setting(setting, "skip"),
                )
            if those.count:
                text = f"{those.count:,} {what}; left out"
                notes.append(Note.of(setting, text, severity=Severity.WARNING))
        return notes

    def _named(self, those: Those, side: str) -> str:
        return named(self._examples(those, side, twice=False), self.join.ids)

    def _examples(self, those: Those, side: str, *, twice: bool) -> pl.DataFrame:
        """The ids of some trials, each once, in order."""
        pieces = self.join.key if side == "key" else self.join.scores
        work = Named(those.hashes, self.join.ids, self.join.seed)
        found = self.engine.reduce(pieces, work, add, "looking up trials")
        frame: pl.DataFrame = pl.concat(found, how="diagonal")
        ids = list(self.join.ids)
        if twice:
            frame = frame.filter(pl.struct(ids).is_duplicated())
        return frame.unique(ids).sort(ids)
