"""Files as people write them: each convention by hand, with nothing of the code under test."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from llrcal import Trials

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": zstd.compress,
}


@dataclass(frozen=True)
class Row:
    """One trial, as texts; ``kind`` is 1 for a target, 0 for a non-target, 2 for a spoof."""

    enrol: str
    test: str
    score: str
    kind: int

    def word(self, *words: str) -> str:
        """The word for this kind of trial among those for non-target, target and spoof."""
        return words[self.kind]


Rows = tuple[Row, ...]

EXAMPLE: Rows = (
    Row("id10270", "x6uYqmx31kE/00001.wav", "2.5", 1),
    Row("id10270", "ize_eiCFEg0/00003.wav", "-1.25", 0),
    Row("id10300", "ize_eiCFEg0/00003.wav", "0.75", 1),
    Row("id10300", "GWXujl-xAVM/00017.wav", "-3e-05", 0),
    Row("id10270", "8jEAjG6SegY/00008.wav", "7", 1),
    Row("id10301", "8jEAjG6SegY/00008.wav", "-12.125", 0),
    Row("id10301", "x6uYqmx31kE/00001.wav", "0.5", 0),
)
SPOOFED: Rows = (*EXAMPLE[:3], Row("id10270", "LA_E_1000147", "1.5", 2), *EXAMPLE[3:])


def by_recording(rows: Iterable[Row]) -> Rows:
    """The same trials with a recording of its own for each, as in tests of spoofing."""
    return tuple(
        Row(row.enrol, f"LA_E_{number:07d}", row.score, row.kind)
        for number, row in enumerate(rows, 1)
    )


@dataclass(frozen=True)
class Written:
    """The texts of a score file and of its key, and what is to be told to the reader."""

    scores: str
    key: str | None = None
    ids: tuple[str, ...] = ("enrol", "test")
    """Which ids the files hold."""
    options: Mapping[str, str] = field(default_factory=dict)

    def save(self, folder: Path, packed: Callable[[bytes], bytes] = bytes) -> list[Path]:
        """The files, written to a folder."""
        paths = [folder / "scores.txt", folder / "key.txt"]
        texts = [self.scores] if self.key is None else [self.scores, self.key]
        for path, text in zip(paths, texts, strict=False):
            path.write_bytes(packed(text.encode()))
        return paths[: len(texts)]


def lines(rows: Iterable[Row], line: Callable[[Row], Iterable[str]], *, joint: str = " ") -> str:
    """One line a trial, of fields with a joint between them."""
    return "".join(joint.join(line(row)) + "\n" for row in rows)


def reversed_lines(text: str) -> str:
    """The same lines from the last to the first."""
    return "".join(reversed(text.splitlines(keepends=True)))


@dataclass(frozen=True)
class Form:
    """A convention: how a line of the scores looks, and one of the key, with fields in braces."""

    name: str
    scores: str
    key: str = ""
    words: str = "nontarget target spoof"
    """The labels of non-targets, targets and spoofs."""
    names: str = ""
    """The first line of the scores; then that of the key."""
    ids: str = "enrol test"
    attacks: str = "A07 - A19"

    def __call__(self, rows: Rows) -> Written:
        first, _, second = self.names.partition("|")
        scores = self._text(rows, self.scores, first)
        order = -1 if "{test}" in self.scores else 1  # with ids, any order will do
        key = self._text(rows[::order], self.key, second) if self.key else None
        return Written(scores, key, tuple(self.ids.split()))

    def _text(self, rows: Rows, line: str, names: str) -> str:
        return (names and f"{names}\n") + "".join(
            f"{line}\n".format_map(self._fields(r)) for r in rows
        )

    def _fields(self, row: Row) -> dict[str, str]:
        """The fields of a trial; in a target trial the real person is the claimed one."""
        return {
            "enrol": row.enrol,
            "test": row.test,
            "score": row.score,
            "side": "abc"[row.kind],
            "label": row.word(*self.words.split()),
            "attack": row.word(*self.attacks.split()),
            "real": row.word("somebody", row.enrol, "nobody"),
        }

    def separated_by(self, sign: str, name: str) -> Form:
        """The same with another sign in place of commas."""
        parts = {part: getattr(self, part).replace(",", sign) for part in _TEXTS}
        return replace(self, name=name, **parts)


_TEXTS = ("scores", "key", "names")
_PAIR, _BONAFIDE, _NUMBERS = "{enrol} {test} {score}", "spoof bonafide spoof", "0 1"
_NIST = "modelid\tsegmentid\tLLR|modelid\tsegmentid\ttargettype"
kaldi = Form("kaldi", _PAIR, "{enrol} {test} {label}")
sitw = Form("sitw", "{enrol}\t{test}\t{score}", "{enrol} {test} {label}", "imp tgt")
speechbrain = Form("speechbrain", "{enrol} {test} {label} {score}", words=_NUMBERS)
voxceleb = Form("voxceleb", "{score} {enrol} {test}", "{label} {enrol} {test}", _NUMBERS)
wespeaker = Form("wespeaker", "{enrol} {test} {score} {label}")
hyperion = Form(
    "hyperion",
    "{enrol},{test},{score}",
    "{enrol},{test},{label}",
    names="modelid,segmentid,LLR|modelid,segmentid,targettype",
)
hyperion_quality = Form(  # with measures of quality on both sides, and labels in the same file
    "hyperion_quality",
    "{enrol},{test},17.25,{score},{label},0.5",
    names="modelid,segmentid,snr,LLR,targettype,duration",
)
bob4 = Form("bob4", "{enrol} {real} {test} {score}")
bob5 = Form("bob5", "of-{enrol} {enrol} of-{real} {test} {score}")
named_csv = Form(
    "named_csv",
    "{label},{test},{score},{enrol},eng",
    words="False True",
    names="label,test,score,enrol,language",
)
named_tsv = named_csv.separated_by("\t", "named_tsv")
lir = Form("lir", "{label},{score}", words="Hd Hp", names="hypothesis,LLR", ids="")
recordings = Form("recordings", "{test} {score} {label}", ids="test")
two_columns_of_numbers = Form("numbers", "{score}", "{label}", _NUMBERS, ids="")
_2019 = Form("asvspoof2019", "{attack} {label} {score}", ids="", attacks="bonafide bonafide A07")

WITH_SPOOFS = (
    wespeaker,
    hyperion,
    hyperion.separated_by("\t", "hyperion_tabs"),
    hyperion_quality,
    _2019,
    replace(_2019, name="asvspoof2019_speakers", scores="{enrol} " + _2019.scores, ids="enrol"),
)
"""What may hold targets, non-targets and spoofs."""

CONVENTIONS = (
    *WITH_SPOOFS,
    kaldi,
    sitw,
    speechbrain,
    voxceleb,
    Form("voxceleb_in_order", "{score}", "{label} {enrol} {test}", _NUMBERS),
    Form("voxceleb_labelled", "{label} {score} {enrol} {test}", words=_NUMBERS),
    Form("nist", "{enrol}\t{test}\t{score}", "{enrol}\t{test}\t{label}", names=_NIST),
    Form(  # every recording has both sides, and the other one would get another score
        "nist_with_sides",
        "{enrol}\t{test}\t{side}\t{score}",
        "{enrol}\t{test}\t{side}\t{label}",
        names=_NIST.replace("id\tL", "id\tside\tL").replace("\tt", "\tside\tt"),
        ids="enrol test side",
    ),
    Form(
        "nist_without_names",
        "{enrol} {test} {side} {score}",
        "{enrol} {test} {side} {label}",
        ids="enrol test side",
    ),
    bob4,
    bob5,
    named_csv,
    named_tsv,
    named_csv.separated_by(";", "named_with_semicolons"),
    lir,
    Form("score_and_label", "{score} {label}", words="impostor genuine", ids=""),
    Form("label_and_score", "{label} {score}", words="non tar", ids=""),
)
"""What holds targets and non-targets."""

_2021 = "LA_0009 {test} alaw ita_tx {attack} {label} notrim eval"
_BY_RECORDING = (
    Form("asvspoof2019_protocol", "{test} {score}", "LA_0009 {test} - {attack} {label}", _BONAFIDE),
    Form("asvspoof2021", "{test} {score}", _2021, _BONAFIDE),
    Form("asvspoof2021_df", "{test} {score}", f"{_2021} vocoder - - - -", _BONAFIDE),
    Form(
        "asvspoof5",
        "{test}\t{score}",
        "{test}\t{label}",
        _BONAFIDE,
        "filename\tcm-score|filename\tcm-label",
    ),
)
BY_RECORDING = tuple(replace(form, ids="test") for form in _BY_RECORDING)
"""What holds bona fide recordings and spoofs, one trial each."""


def assert_reads(trials: Trials, rows: Iterable[Row], ids: tuple[str, ...]) -> None:
    """The trials are these: scores, labels and ids in the order of the file."""
    expected = list(rows)
    assert trials.scores.tolist() == [float(row.score) for row in expected]
    assert trials.labels.tolist() == [row.kind == 1 for row in expected]
    assert trials.tar.tolist() == [float(row.score) for row in expected if row.kind == 1]
    assert trials.non.tolist() == [float(row.score) for row in expected if row.kind != 1]
    if not ids:
        assert trials.ids is None
        return
    assert trials.ids is not None
    assert trials.ids.columns == list(ids)
    for name in ids:
        values = ["ab"[row.kind] if name == "side" else getattr(row, name) for row in expected]
        assert trials.ids[name].to_list() == values
