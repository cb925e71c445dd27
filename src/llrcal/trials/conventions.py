"""Who writes which columns: the conventions for text files, and the names of columns.

A column has a role. ``enrol``, ``test`` and ``side`` identify a trial; ``score`` and ``label`` are
what we are after; ``enrol_speaker`` and ``test_speaker`` are who is speaking, which gives the label
where there is none; ``kind`` is how a recording was made (bona fide, or by which attack), and ``-``
is anything else.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

ConventionName = Literal[
    "kaldi",
    "wespeaker",
    "speechbrain",
    "voxceleb",
    "nist",
    "asvspoof2019",
    "asvspoof2021",
    "bob4",
    "bob5",
    "scores",
    "labels",
    "score-label",
    "label-score",
    "key",
    "recordings",
]
"""What a user can ask for by name: the conventions below."""

IDS = ("enrol", "test", "side")
SPEAKERS = ("enrol_speaker", "test_speaker")
ROLES = (*IDS, "score", "label", *SPEAKERS, "kind", "-")
WANTED = frozenset({*IDS, *SPEAKERS, "score", "label"})
"""Roles of the columns that are read."""
_KEEP = "keep "  # the beginning of the role of a column that is kept under its own name


def kept_role(name: str) -> str:
    """The role of a column that is kept as it is, because the user asks for it by name."""
    return _KEEP + name


def is_kept(role: str) -> bool:
    """Whether a column is kept as it is."""
    return role.startswith(_KEEP)


def is_wanted(role: str) -> bool:
    """Whether a column is read."""
    return role in WANTED or is_kept(role)


COUNTED = ("targets", "nontargets")
"""Names of columns that say how many trials have a score."""


def are_counts(names: Sequence[str]) -> bool:
    """Whether a table with these columns holds counted trials."""
    return {*COUNTED} <= {*names} and len({"score", "scores"} & {*names}) == 1


def roles_of_counts(names: Sequence[str]) -> tuple[str, ...]:
    """The roles of the columns of counted trials: counts are kept as they are."""
    kept = (*COUNTED, "without")
    return tuple(
        "score" if name in ("score", "scores") else kept_role(name) if name in kept else "-"
        for name in names
    )


def known_from(roles: Iterable[str]) -> set[str]:
    """What is known from columns with these roles: the label, too, if there are speakers."""
    return {*roles, "label"} if {*SPEAKERS} <= {*roles} else {*roles}


@dataclass(frozen=True)
class Convention:
    """The columns of a file without a header, and whose they are."""

    name: str
    who: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.who} ({','.join(self.columns)})"


# Name, who writes it, and its columns.
_TABLE = """
kaldi        | Kaldi scores                    | enrol test score
kaldi        | Kaldi, SITW or VOiCES trials    | enrol test label
wespeaker    | wespeaker scores with labels    | enrol test score label
speechbrain  | SpeechBrain scores with labels  | enrol test label score
voxceleb     | VoxCeleb trials                 | label enrol test
voxceleb     | VoxCeleb scores                 | score enrol test
voxceleb     | VoxCeleb scores with labels     | label score enrol test
nist         | NIST scores                     | enrol test side score
nist         | NIST key                        | enrol test side label
asvspoof2019 | ASVspoof 2019 scores            | kind label score
asvspoof2019 | ASVspoof 2019 scores            | enrol kind label score
asvspoof2019 | ASVspoof 2019 protocol          | enrol test - kind label
asvspoof2021 | ASVspoof 2021 scores            | test score
asvspoof2021 | ASVspoof 2021 protocol          | enrol test - - kind label - -
asvspoof2021 | ASVspoof 2021 DF protocol       | enrol test - - kind label - - - - - - -
bob4         | bob scores in four columns      | enrol_speaker test_speaker test score
bob5         | bob scores in five columns      | enrol_speaker enrol test_speaker test score
scores       | scores, one a line              | score
labels       | labels, one a line              | label
score-label  | scores and labels               | score label
label-score  | labels and scores               | label score
key          | a key by recording              | test label
key          | a key by recording              | label test
recordings   | scores with labels by recording | test score label
recordings   | scores with labels by recording | test label score
"""

CONVENTIONS = tuple(
    Convention(name.strip(), who.strip(), tuple(columns.split()))
    for name, who, columns in (line.split("|") for line in _TABLE.strip().splitlines())
)

NAMES = tuple(dict.fromkeys(convention.name for convention in CONVENTIONS))
"""The names of the conventions, which are formats for writing as well."""

_COLUMN_NAMES = {
    "enrol": (
        "enrol enroll enrolment enrollment enrol_id enroll_id enrollid enrolid model modelid "
        "model_id mid reference reference_id file_x speaker1_file enrol_file known_file "
        "known_recording"
    ),
    "test": (
        "test test_id testid tid segment segmentid segment_id seg segid probe probe_id file_y "
        "utt utterance utt_id filename test_file questioned_file questioned_recording"
    ),
    "side": "side chan channel",
    "score": (
        "score scores llr llrs log_lr loglr log10_llr log10_lr log10lr llr_log10 llr10 similarity "
        "asv_score cm_score sasv_score lr lrs likelihood_ratio"
    ),
    "label": (
        "label labels target targettype target_type is_target key truth ground_truth class "
        "hypothesis asv_label cm_label sasv_label same is_same same_speaker same_source genuine y"
    ),
    "enrol_speaker": "enrol_speaker enroll_speaker claimed claimed_id speaker1 enrol_spk",
    "test_speaker": "test_speaker real real_id speaker2 test_spk",
}
ROLE_OF_NAME = {name: role for role, names in _COLUMN_NAMES.items() for name in names.split()}

PEOPLE = ("speaker", "spk", "talker", "subject", "person", "individual", "identity", "source")
"""Words for people in names of columns, the most telling first; the last may mean a data set."""
SIDE_WORDS = {
    role: tuple(words.split())
    for role, words in {
        "enrol_speaker": "1 a x enrol enroll enrolment enrollment reference known suspect first",
        "test_speaker": "2 b y test probe questioned unknown disputed offender second",
    }.items()
}
"""Words for the side of a trial before or after them: ``speaker_A``, ``subject1``."""

# Where the name of a column is cut: at underscores, and after a word for people, or before it.
_PARTS = re.compile(rf"(_|{'|'.join(PEOPLE)})")
_DECISIONS = frozenset({"dec", "decision", "decisions", "accept", "accepted", "pred", "prediction"})


def role_of(name: str) -> str | None:
    """The role of a column with this name, if the name is a common one."""
    return ROLE_OF_NAME.get(_plain(name))


def person_in(name: str) -> tuple[str, str] | None:
    """The word for a person in the name of a column, and the role of one of these on its side."""
    parts = [part for part in _PARTS.split(_plain(name)) if part not in ("", "_", "id")]
    for word, side in permutations(parts) if len(parts) == 2 else ():
        for role, sides in SIDE_WORDS.items():
            if word in PEOPLE and side in sides:
                return word, role
    return None


def is_decision(name: str) -> bool:
    """Whether a column holds decisions of a recognizer, which look like labels."""
    return _plain(name) in _DECISIONS


def unit_in(name: str | None) -> Literal["log10", "ratio"] | None:
    """What the name of a column of LLRs says about their unit, if it says anything."""
    plain = _plain(name or "")
    if "log10" in plain or plain == "llr10":
        return "log10"
    return "ratio" if plain in ("lr", "lrs", "likelihood_ratio") else None


def names_in(text: str) -> list[str]:
    """The names in a list with commas; quotation marks as in CSV: ``"score=a, b",label=c``."""
    if '"' not in text:
        return [name.strip() for name in text.split(",")]
    return [*map(str.strip, next(csv.reader([" ".join(text.split())], skipinitialspace=True)))]


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")
