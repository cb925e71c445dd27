"""Who is speaking in trials in pieces, and test sets drawn by speaker.

One pass finds out who there is. In another, every trial becomes a number, made of its cell on the
LLR axis and its two speakers, and these numbers are divided by cells onto disk. What is drawn in
each cell is summed part by part: memory holds the counts of drawn sets, and never the trials. The
sets are those that are drawn in memory, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from llrcal.arrays import Array, Counts, Floats
from llrcal.errors import ScoreError, TrialFileError
from llrcal.evaluation.bootstrap import (
    Bootstrap,
    SpeakerDraws,
    blocks,
    distinguished,
    keys_of,
    weighted_counts,
)
from llrcal.evaluation.statistics import Statistic
from llrcal.messages import Setting
from llrcal.notes import Note, warn
from llrcal.scale.columns import classes
from llrcal.scale.engine import Engine
from llrcal.scale.piece import PEEK, Piece
from llrcal.scale.spill import Spill, part_count
from llrcal.trials.conventions import SPEAKERS
from llrcal.trials.request import ReadOptions
from llrcal.trials.speakers import (
    SIDES,
    Agreement,
    Rule,
    in_folders,
    rule_of,
    without_speaker,
)

_KEY = np.dtype([("key", np.int64)])
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MOST_PAIRS = 2**14  # of speakers, which tell whether a draw leaves any trial
_MOST_CELLS = 2**12  # of a part
_AT_A_TIME = 2**18  # trials, with their ids
_LOOKED_AT = 8  # pieces, to find out whether ids name speakers


class InIds(NamedTuple):
    """Ids that must be the names of speakers, and speakers that others name."""

    bare: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()

    def merge(self, other: InIds) -> InIds:
        """Those of both; associative and commutative."""
        return InIds(self.bare | other.bare, self.named | other.named)


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

    def frames(self, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, pl.DataFrame, Spoken]]:
        """Scores and labels, many at a time, and who is speaking."""
        columns = SPEAKERS if self.rule is None else SIDES
        for piece in pieces:
            for frame in piece.read(("score", "label", *columns), _AT_A_TIME):
                if absent := [name for name in columns if name not in frame.columns]:
                    raise TrialFileError(
                        f"{piece.file or piece.name}: there is no {absent[0]}, to know who is "
                        "speaking; do without: ",
                        Setting("speakers_from", "none"),
                    )
                yield piece, frame, self._spoken(frame.select(columns))

    def _spoken(self, frame: pl.DataFrame) -> Spoken:
        in_ids, tables = InIds(), []
        for name in frame.columns:
            ids = frame[name].unique()
            found = ids if self.rule is None else self.rule.speakers(ids)
            if self.rule is not None:
                bare = ids.filter(found.is_null())
                in_ids = in_ids.merge(InIds(frozenset(bare), frozenset(found.drop_nulls())))
            tables.append(pl.DataFrame({"id": ids, "name": found.fill_null(ids)}))
        names = pl.concat(tables, how="vertical_relaxed")["name"].unique().sort()
        number = names.to_frame().with_row_index("number")
        codes = [
            frame.select(id=name).join(
                table.cast({"name": names.dtype}).join(number, on="name"),
                on="id",
                how="left",
                maintain_order="left",
            )["number"]
            for name, table in zip(frame.columns, tables, strict=True)
        ]
        return Spoken(names, np.stack([one.to_numpy() for one in codes], axis=1), in_ids)


class Spoken(NamedTuple):
    """Who is speaking in some trials."""

    names: pl.Series
    pairs: Array
    """The places of both speakers of each trial among the names."""
    in_ids: InIds


class Seen(NamedTuple):
    """Who is speaking in some trials."""

    pairs: tuple[pl.DataFrame, ...]
    """Some pairs of speakers, of targets and of non-targets: see ``_some``."""
    people: tuple[frozenset[str | int], ...]
    """All speakers, likewise."""
    in_ids: InIds
    agreement: Agreement

    def merge(self, other: Seen) -> Seen:
        """Who is speaking in both; associative and commutative."""
        both = zip(self.pairs, other.pairs, strict=True)
        pairs = (_some(pl.concat(one, how="vertical_relaxed")) for one in both)
        people = (one | two for one, two in zip(self.people, other.people, strict=True))
        return Seen(
            tuple(pairs),
            tuple(people),
            self.in_ids.merge(other.in_ids),
            self.agreement.merge(other.agreement),
        )


def _some(pairs: pl.DataFrame) -> pl.DataFrame:
    """Pairs that are the same wherever they come from: those with the least hashes."""
    once = pairs.unique()
    return once[_least(*(once[role].hash().to_numpy() for role in SPEAKERS))]


def _least(enrol: Array, test: Array) -> Array:
    """The places of the least hashes of pairs, given those of both sides."""
    hashes = (enrol * _ODD) ^ test  # so that the order matters
    if len(hashes) <= _MOST_PAIRS:
        return np.arange(len(hashes))
    return np.argpartition(hashes, _MOST_PAIRS)[:_MOST_PAIRS]


_NOBODY = pl.DataFrame(schema=dict.fromkeys(SPEAKERS, pl.Null))


def seen_in(who: Who, pieces: Sequence[Piece]) -> Seen:
    """The work on some pieces: find out who is speaking."""
    every = Seen((_NOBODY, _NOBODY), (frozenset(), frozenset()), InIds(), Agreement())
    for piece, frame, (names, pairs, in_ids) in who.frames(pieces):
        both = classes(frame, piece.request, piece.file or piece.name)
        kept = [_by_name(pairs[of], names) for of in both]
        people = [frozenset(names[np.flatnonzero(np.bincount(pairs[of].ravel()))]) for of in both]
        labelled = _table(pairs.T).with_columns(frame["label"])
        every = every.merge(Seen(tuple(kept), tuple(people), in_ids, Agreement.of(labelled)))
    return every


def _by_name(pairs: Array, names: pl.Series) -> pl.DataFrame:
    """Some of the distinct pairs of trials."""
    keys = np.sort(pairs[:, 0].astype(np.int64) * len(names) + pairs[:, 1])
    enrol, test = np.divmod(keys[np.diff(keys, prepend=-1) > 0], len(names))
    hashes = names.hash().to_numpy()
    chosen = _least(hashes[enrol], hashes[test])
    return _table(names[one[chosen]] for one in (enrol, test))


def _table(sides: Iterable[Any]) -> pl.DataFrame:
    """Something of both speakers, in columns."""
    return pl.DataFrame(dict(zip(SPEAKERS, sides, strict=True)))


@dataclass(frozen=True)
class Numbers:
    """Speakers by number, in the order of their names, as in memory."""

    names: tuple[str | int, ...]

    @classmethod
    def of(cls, people: frozenset[str | int]) -> Numbers:
        """Numbers of speakers whose names are all text, or else all whole numbers."""
        is_text = any(isinstance(one, str) for one in people)
        return cls(tuple(sorted(map(str, people)) if is_text else sorted(people, key=int)))

    @cached_property
    def _table(self) -> pl.DataFrame:
        return pl.DataFrame({"name": self.names}).with_row_index("number")

    def __len__(self) -> int:
        return len(self.names)

    def of_names(self, names: pl.Series) -> Array:
        """The number of each of some speakers."""
        asked = names.rename("name").cast(self._table.schema["name"]).to_frame()
        found = asked.join(self._table, on="name", how="left", maintain_order="left")
        return found["number"].to_numpy().astype(np.int64)


def people_in(who: Who, pieces: Sequence[Piece], engine: Engine) -> Seen | None:
    """Who is speaking in all trials; None if that was guessed, and labels contradict it.

    Raises
    ------
    TrialFileError
        If an id has no speaker.
    ScoreError
        If a target trial has two speakers.
    """
    found: Seen = engine.reduce(pieces, partial(seen_in, who), "looking who is speaking")
    wrong, everyone = found.agreement.complaint, found.people[0] | found.people[1]
    unknown = found.in_ids.bare - found.in_ids.named
    if wrong and who.guessed and not all(isinstance(one, int) for one in everyone):
        warn([Note.warning("speakers", f"{wrong}, so trials are drawn, and not speakers")])
        return None
    if unknown and who.rule is not None:
        raise without_speaker(pl.Series(sorted(unknown)), "the ids", who.rule)
    if found.agreement.apart:
        raise ScoreError(f"{wrong}. A target trial has one speaker")
    return found


@dataclass(frozen=True, kw_only=True)
class DrawnInPieces(Bootstrap):
    """Draws of a test set in pieces by speaker; ``speakers`` are those of each class."""

    numbers: Numbers
    draws: SpeakerDraws
    who: Who
    pieces: tuple[Piece, ...]
    engine: Engine

    @classmethod
    def of(
        cls, who: Who, found: Seen, pieces: Sequence[Piece], engine: Engine, count: int, seed: int
    ) -> DrawnInPieces:
        """So many draws, given who is speaking."""
        numbers = Numbers.of(found.people[0] | found.people[1])
        people = len(numbers)
        sides = [
            distinguished(np.stack([numbers.of_names(pairs[role]) for role in SPEAKERS], 1), people)
            for pairs in found.pairs
        ]
        draws = SpeakerDraws.of(sides, people, count, seed)
        tar, non = (
            np.sort(numbers.of_names(pl.Series([*side], strict=False))) for side in found.people
        )
        return cls(
            count,
            seed,
            (tar, non),
            numbers=numbers,
            draws=draws,
            who=who,
            pieces=tuple(pieces),
            engine=engine,
        )

    def _by_speaker(self, every: Sequence[Statistic]) -> Iterator[tuple[int, Counts, Counts]]:
        for i, one in enumerate(every):
            yield from ((i, *both) for both in self._drawn(one))

    def _drawn(self, one: Statistic) -> Iterator[tuple[Counts, Counts]]:
        """Counts of both classes in cells, in one drawn set after the other."""
        base = self.draws.people + 1
        rows_of = partial(_keys, self.who, self.numbers, one.edges, base)
        counts = one.sides[0].counts + one.sides[1].counts
        cuts = _cuts(counts, base)
        spill = Spill(self.pieces, _KEY, rows_of, partial(_number_by_key, cuts), "dividing by LLR")
        work = partial(_drawn_part, self.draws)
        parts, _ = self.engine.divide([spill], len(cuts) + 1, work, "drawing test sets")
        for number in range(self.count):
            both = np.zeros((2, len(counts)), np.int64)
            for part in parts:
                for side, drawn in zip(both, part.drawn, strict=False):  # perhaps nothing
                    side[part.first : part.first + drawn.shape[1]] += drawn[number]
            yield both[0], both[1]


def _keys(who: Who, numbers: Numbers, edges: Floats, base: int, piece: Piece) -> Array:
    """The trials of a piece as numbers: cell, speakers, and class."""
    found = [np.empty(0, np.int64)]
    for _, frame, spoken in who.frames([piece]):
        scores, pairs = frame["score"].to_numpy(), numbers.of_names(spoken.names)[spoken.pairs]
        both = classes(frame, piece.request, piece.file or piece.name)
        for label, of in zip((1, 0), both, strict=True):
            llrs = piece.transformed(scores[of].astype(np.float64))
            cell = np.searchsorted(edges, llrs, side="right") - 1
            keys = keys_of(cell, distinguished(pairs[of], len(numbers)), base)
            found.append(2 * keys + label)
    return np.concatenate(found).astype(_KEY)


def _cuts(counts: Counts, base: int) -> Counts:
    """Where parts begin: at cells, and at enrolment speakers within cells that are too large."""
    parts = part_count(int(counts.sum()))
    rows = -(-int(counts.sum()) // parts)
    cells = np.arange(len(counts))
    part = (np.cumsum(counts) - counts) // rows
    first = (np.diff(part, prepend=0) > 0) | (np.diff(cells // _MOST_CELLS, prepend=0) > 0)
    cuts = [cells[first] * base**2]
    for cell in np.flatnonzero(counts > 2 * rows).tolist():
        shares = int(counts[cell]) // rows
        cuts.append((cell * base + np.arange(1, shares) * base // shares) * base)
    return np.unique(np.concatenate(cuts))


def _number_by_key(cuts: Counts, rows: Array) -> Array:
    """The part of each row."""
    return np.searchsorted(cuts, rows["key"] >> 1, side="right").astype(np.uint16)


class DrawnPart(NamedTuple):
    """How many targets and non-targets of a part are in each drawn set (row) and cell (column)."""

    first: int
    """The first cell."""
    drawn: tuple[Counts, ...]


def _drawn_part(draws: SpeakerDraws, rows: pl.DataFrame) -> tuple[DrawnPart, None]:
    """The work on a part: draw from it."""
    keys, weights = rows["key"].to_numpy(), draws.weights
    if not len(keys):
        return DrawnPart(0, ()), None
    of_a_cell = 2 * len(weights) ** 2
    first, last = (int(end) // of_a_cell for end in (keys.min(), keys.max()))
    drawn = []
    for label in (1, 0):
        own = np.sort((keys[keys % 2 == label] - first * of_a_cell) // 2)
        found = (weighted_counts(own, block, last - first + 1) for block in blocks(weights))
        drawn.append(np.concatenate([_compact(one) for one in found]))
    return DrawnPart(first, tuple(drawn)), None


def _compact(counts: Counts) -> Counts:
    """Counts in as few bytes as hold them."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))
