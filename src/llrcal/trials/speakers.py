"""Who is who: speakers from columns, from ids, or from a list of recordings.

What is found without being asked for counts only if it agrees with all labels: targets have one
speaker, and non-targets two. Names of sessions, data sets or languages do not. What the user asks
for is used as it is, with a warning where labels contradict it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from os import PathLike, fspath
from typing import Protocol

import polars as pl

from llrcal.errors import OptionError, TrialFileError
from llrcal.files.fingerprint import FileFingerprint
from llrcal.inputs.labels import Label
from llrcal.messages import SPEAKER_COLUMNS, Setting
from llrcal.notes import Note
from llrcal.onepass.chunks import MergedByFields
from llrcal.trials.conventions import SPEAKERS
from llrcal.trials.table import Table
from llrcal.trials.text.columns import read_columns

SIDES = ("enrol", "test")
"""The ids that may name speakers."""
_NAMED = 3  # ids in a message
_FIELD = re.compile(r"\{(\w*)\}")
_CODE, CONTRADICTED = "speakers", "speakers contradict the labels"


class Rule(Protocol):
    """Finds the speakers of ids."""

    @property
    def words(self) -> str:
        """The rule, for people."""

    def speakers(self, ids: pl.Series) -> pl.Series:
        """The speaker of each id; null where the rule knows none."""


@dataclass(frozen=True)
class InIds:
    """Ids name their speakers. Polars searches them in linear time, whatever the expression."""

    words: str
    expression: str
    group: int = 1

    @classmethod
    def by_pattern(cls, pattern: str) -> InIds:
        """``{speaker}`` and other fields in braces; each takes as little as possible."""
        literals, fields = _FIELD.split(pattern)[::2], _FIELD.findall(pattern)
        if fields.count("speaker") != 1:
            raise OptionError(
                Setting("speakers_from"), f" {pattern!r:.80} must have {{speaker}} once"
            )
        inner = ["(.+?)" if field == "speaker" else ".*?" for field in fields]
        parts = zip(map(_literal, literals), [*inner, ""], strict=True)
        return cls(f"by {pattern!r}", f"(?s)^{''.join(map(''.join, parts))}$")

    @classmethod
    def by_expression(cls, expression: str) -> InIds:
        """A regular expression with a group of the name ``speaker``, found anywhere in an id."""
        try:
            groups = pl.Series([""]).str.extract_groups(expression).struct.fields
        except pl.exceptions.PolarsError as problem:
            reason = " ".join(str(problem).split())
            raise OptionError(
                Setting("speakers_from"),
                f" {expression!r:.80} is not a regular expression of the kind that needs no "
                f"backtracking: {reason:.200}",
            ) from problem
        if "speaker" not in groups:
            raise OptionError(
                Setting("speakers_from"), f" {expression!r:.80} has no group (?P<speaker>...)"
            )
        return cls(f"by {expression!r:.80}", expression, groups.index("speaker") + 1)

    def speakers(self, ids: pl.Series) -> pl.Series:
        found = ids.str.extract(self.expression, self.group)
        return found.set(found == "", None)


def _literal(text: str) -> str:
    return "".join(c if c.isalnum() else f"\\x{{{ord(c):x}}}" for c in text)


@dataclass(frozen=True)
class InList:
    """A file says who speaks in each recording: on each line an id and a speaker, as in Kaldi."""

    file: FileFingerprint

    @property
    def words(self) -> str:
        return f"by {self.file.path}"

    def speakers(self, ids: pl.Series) -> pl.Series:
        asked = ids.rename("id").to_frame()
        return asked.join(listed(self.file), on="id", how="left", maintain_order="left")["speaker"]


@lru_cache(maxsize=1)
def listed(file: FileFingerprint) -> pl.DataFrame:
    """The ids of a list, each once, and their speakers."""
    known: dict[str, tuple[str, int]] = {}
    for number, row in read_columns(file.path).items():
        if len(row) != len(SIDES):
            raise TrialFileError(
                f"{file.path}: line {number} has {len(row)} columns; a list of speakers has the id "
                "of a recording and its speaker on each line"
            )
        speaker, before = known.setdefault(row[0], (row[1], number))
        if speaker != row[1]:
            lines = f"on lines {before} and {number}"
            raise TrialFileError(f"{file.path}: has two speakers for {row[0]!r:.80}, {lines}")
    pairs = [(one, speaker) for one, (speaker, _) in known.items()]
    return pl.DataFrame(pairs, {"id": pl.String, "speaker": pl.String}, orient="row")


def rule_of(given: object) -> Rule | None:
    """What the user says about speakers; None for ``"none"``, or nothing.

    Raises
    ------
    OptionError
        If it is neither a pattern, nor a regular expression, nor a file.
    """
    if given is None or given == "none":
        return None
    if isinstance(given, str) and "{speaker}" in given:
        return InIds.by_pattern(given)
    if isinstance(given, str) and "<speaker>" in given:
        return InIds.by_expression(given)
    if isinstance(given, str | PathLike):
        with suppress(TrialFileError):
            return InList(FileFingerprint.of(fspath(given)))
    raise OptionError(
        Setting("speakers_from"),
        f" is {given!r:.80}, and there is no such file; give a list of recordings and speakers "
        "(utt2spk), a pattern such as '{speaker}_{rest}', a regular expression with a group "
        "(?P<speaker>...), or none",
    )


@dataclass(frozen=True)
class Agreement(MergedByFields):
    """Whether speakers agree with labels: how many trials of each class, and of those how many not.

    Spoofs say nothing: they imitate the speaker who is claimed.
    """

    targets: int = 0
    apart: int = 0
    """Targets of two speakers."""
    nontargets: int = 0
    alike: int = 0
    """Non-targets of one."""

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Agreement:
        """That of a table with labels and speakers."""
        same = pl.col(SPEAKERS[0]) == pl.col(SPEAKERS[1])
        is_tar, is_non = (pl.col("label") == one.value for one in (Label.TARGET, Label.NONTARGET))
        wrong = is_tar & ~same, is_non & same
        counts = (is_tar, wrong[0], is_non, wrong[1])
        row = frame.select(one.sum().alias(str(i)) for i, one in enumerate(counts)).row(0)
        return cls(*row)

    @property
    def complaint(self) -> str:
        """What does not agree, in words; nothing if all does."""
        return " and ".join(
            f"{wrong:,} of {count:,} {what}"
            for wrong, count, what in (
                (self.apart, self.targets, "targets have two speakers"),
                (self.alike, self.nontargets, "non-targets have one speaker"),
            )
            if wrong
        )


def with_speakers(table: Table, given: object, *, trusted: bool) -> Table:
    """A table with the speakers of its trials, and notes on them, if they can be found.

    ``given`` is what the user says about them; ``trusted``, that columns were named by the user.

    Raises
    ------
    TrialFileError
        If the user asks for speakers that cannot be found.
    """
    if given == "none":
        return table.changed(table.frame.drop(SPEAKERS, strict=False))
    if rule := rule_of(given):
        return _asked_for(table, rule)
    if not table.has("label"):
        return table
    table = _with_columns_that_agree(table, trusted=trusted)
    if all(map(table.has, SPEAKERS)) or not (found := in_folders(table.frame)):
        return table
    rule, frame = found
    return table.changed(frame, _told(frame, rule, table))


def _with_columns_that_agree(table: Table, *, trusted: bool) -> Table:
    """The table without columns of speakers that contradict its labels, unless they are trusted."""
    if not all(map(table.has, SPEAKERS)):
        return table
    complaint = Agreement.of(table.frame).complaint
    if not complaint:
        return table
    if trusted or table.frame[SPEAKERS[0]].dtype.is_integer():  # in arrays that are called so
        return table.changed(table.frame, _contradicted(complaint, table))
    note = Note.warning(
        _CODE,
        f"{complaint}, so the columns of speakers are not used; if they are right, name them: ",
        SPEAKER_COLUMNS,
    )
    return table.changed(table.frame.drop(SPEAKERS), note.about(table.source))


def _asked_for(table: Table, rule: Rule) -> Table:
    """A table with the speakers that the user asks for."""
    try:
        frame = assigned(table.frame.drop(SPEAKERS, strict=False), rule)
    except TrialFileError as problem:
        raise problem.within(table.source) from None
    notes = [_told(frame, rule, table)]
    if table.has("label") and (complaint := Agreement.of(frame).complaint):
        notes.append(_contradicted(complaint, table))
    return table.changed(frame, *notes)


def _told(frame: pl.DataFrame, rule: Rule, table: Table) -> Note:
    count = pl.concat([frame[role].rename("speaker") for role in SPEAKERS]).n_unique()
    one, speaker = frame["test"][0], frame[SPEAKERS[1]][0]
    text = f"{count:,} speakers {rule.words} ({one!r:.80} is of {speaker!r:.80})"
    return Note.of(_CODE, text).about(table.source)


def _contradicted(complaint: str, table: Table) -> Note:
    return Note.warning(_CODE, f"{CONTRADICTED}: {complaint}").about(table.source)


def assigned(frame: pl.DataFrame, rule: Rule) -> pl.DataFrame:
    """The frame with the speakers of its ids.

    An id that the rule does not know may be a speaker itself: models are often called so.

    Raises
    ------
    TrialFileError
        If an id has no speaker.
    """
    if absent := [side for side in SIDES if side not in frame.columns]:
        raise TrialFileError(
            f"there are no {absent[0]} ids, of which the speakers could be found: ",
            Setting("speakers_from"),
        )
    ids = [frame[side].unique(maintain_order=True) for side in SIDES]
    found = [
        pl.DataFrame({one.name: one, role: rule.speakers(one)})
        for one, role in zip(ids, SPEAKERS, strict=True)
    ]
    names = pl.concat([one.to_series(1).rename("speaker") for one in found]).drop_nulls().unique()
    for one in found:
        side, role = one.columns
        bare = pl.when(pl.col(side).is_in(names.implode())).then(pl.col(side))
        table = one.with_columns(pl.col(role).fill_null(bare))
        unknown = table.filter(pl.col(role).is_null())[side]
        if len(unknown):
            raise without_speaker(unknown, f"{table.height:,} {side} ids", rule)
        frame = frame.join(table, on=side, how="left", maintain_order="left")
    return frame


def without_speaker(unknown: pl.Series, of: str, rule: Rule) -> TrialFileError:
    """The error for ids that have no speaker."""
    return TrialFileError(
        f"{len(unknown):,} of {of} have no speaker {rule.words}, such as {_some(unknown)}",
        "; correct ",
        Setting("speakers_from"),
    )


def _some(ids: pl.Series) -> str:
    return ", ".join(f"{one!r:.80}" for one in ids.unique(maintain_order=True).head(_NAMED))


def in_folders(frame: pl.DataFrame) -> tuple[InIds, pl.DataFrame] | None:
    """The rule for ids of the form ``speaker/...``, if these are such, and the frame with speakers.

    Folders that all have in common are passed over. Some speakers have several recordings, and all
    labels agree.
    """
    has_all = {*SIDES, "label"} <= {*frame.columns} and frame.height
    if not has_all or "/" not in frame["test"][0]:
        return None
    ids = pl.concat([frame[side].rename("id") for side in SIDES])
    ids = ids.filter(ids.str.contains("/", literal=True))  # models may be called like speakers
    ends = [str(one).split("/")[:-1] for one in (ids.min(), ids.max())]
    # The folders that the least and the greatest share, all do.
    depth = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*ends, strict=False)))
    rule = InIds("in their ids", rf"^(?:[^/]*/){{{depth}}}([^/]+)/")
    try:
        found = assigned(frame, rule) if min(map(len, ends)) > depth else None
    except TrialFileError:
        return None
    if found is None:
        return None
    agreement = Agreement.of(found)
    if agreement.complaint or not (agreement.targets and agreement.nontargets):
        return None
    people, recordings = (
        pl.concat([found[name].rename("one") for name in names]).n_unique()
        for names in (SPEAKERS, SIDES)
    )
    return (rule, found) if 1 < people < recordings else None
