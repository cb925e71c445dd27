"""Files as people write them: each convention by hand, with nothing of the code under test."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
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


def _key(rows: Rows, *words: str, joint: str = " ") -> str:
    return lines(rows, lambda r: (r.enrol, r.test, r.word(*words)), joint=joint)


def kaldi(rows: Rows) -> Written:
    scores = lines(rows, lambda r: (r.enrol, r.test, r.score))
    return Written(scores, reversed_lines(_key(rows, "nontarget", "target")))


def sitw(rows: Rows) -> Written:
    scores = lines(rows, lambda r: (r.enrol, r.test, r.score), joint="\t")
    return Written(scores, _key(rows, "imp", "tgt"))


def wespeaker(rows: Rows) -> Written:
    words = "nontarget", "target", "spoof"
    return Written(lines(rows, lambda r: (r.enrol, r.test, r.score, r.word(*words))))


def wespeaker_unlabelled(rows: Rows) -> Written:
    scores = lines(rows, lambda r: (r.enrol, r.test, r.score))
    return Written(scores, _key(rows, "nontarget", "target"))


def speechbrain(rows: Rows) -> Written:
    return Written(lines(rows, lambda r: (r.enrol, r.test, r.word("0", "1"), r.score)))


def voxceleb(rows: Rows) -> Written:
    scores = lines(rows, lambda r: (r.score, r.enrol, r.test))
    key = lines(rows, lambda r: (r.word("0", "1"), r.enrol, r.test))
    return Written(scores, reversed_lines(key))


def voxceleb_in_order(rows: Rows) -> Written:
    key = lines(rows, lambda r: (r.word("0", "1"), r.enrol, r.test))
    return Written(lines(rows, lambda r: (r.score,)), key)


def voxceleb_labelled(rows: Rows) -> Written:
    return Written(lines(rows, lambda r: (r.word("0", "1"), r.score, r.enrol, r.test)))


def nist(rows: Rows) -> Written:
    scores = lines(rows, lambda r: (r.enrol, r.test, r.score), joint="\t")
    key = _key(rows, "nontarget", "target", joint="\t")
    return Written(
        "modelid\tsegmentid\tLLR\n" + scores,
        "modelid\tsegmentid\ttargettype\n" + reversed_lines(key),
    )


def nist_with_sides(rows: Rows) -> Written:
    """Every recording has both sides, and the other one would get another score."""
    scores = lines(rows, lambda r: (r.enrol, r.test, "ab"[r.kind], r.score), joint="\t")
    key = lines(
        rows, lambda r: (r.enrol, r.test, "ab"[r.kind], r.word("nontarget", "target")), joint="\t"
    )
    return Written(
        "modelid\tsegmentid\tside\tLLR\n" + scores,
        "modelid\tsegmentid\tside\ttargettype\n" + reversed_lines(key),
        ids=("enrol", "test", "side"),
    )


def nist_without_names(rows: Rows) -> Written:
    scores = lines(rows, lambda r: (r.enrol, r.test, "ab"[r.kind], r.score))
    key = lines(rows, lambda r: (r.enrol, r.test, "ab"[r.kind], r.word("nontarget", "target")))
    return Written(scores, key, ids=("enrol", "test", "side"))


def hyperion(rows: Rows, *, joint: str = ",") -> Written:
    words = "nontarget", "target", "spoof"
    key = "modelid,segmentid,targettype\n" + _key(rows, *words, joint=",")
    scores = lines(rows, lambda r: (r.enrol, r.test, r.score), joint=",")
    return Written(
        ("modelid,segmentid,LLR\n" + scores).replace(",", joint), key.replace(",", joint)
    )


def hyperion_tabs(rows: Rows) -> Written:
    return hyperion(rows, joint="\t")


def hyperion_quality(rows: Rows) -> Written:
    """Scores with measures of quality on both sides, and labels in the same file."""
    words = "nontarget", "target", "spoof"
    body = lines(
        rows, lambda r: (r.enrol, r.test, "17.25", r.score, r.word(*words), "0.5"), joint=","
    )
    return Written("modelid,segmentid,snr,LLR,targettype,duration\n" + body)


def asvspoof2019(rows: Rows) -> Written:
    words = "nontarget", "target", "spoof"
    kinds = "bonafide", "bonafide", "A07"
    body = lines(rows, lambda r: (r.word(*kinds), r.word(*words), r.score))
    return Written(body, ids=())


def asvspoof2019_speakers(rows: Rows) -> Written:
    words = "nontarget", "target", "spoof"
    kinds = "bonafide", "bonafide", "A07"
    body = lines(rows, lambda r: (r.enrol, r.word(*kinds), r.word(*words), r.score))
    return Written(body, ids=("enrol",))


def asvspoof2019_protocol(rows: Rows) -> Written:
    """Scores of a detector of spoofing, whose targets are bona fide."""
    key = lines(
        rows,
        lambda r: ("LA_0009", r.test, "-", r.word("A07", "-", "A19"),
                   r.word("spoof", "bonafide", "spoof")),
    )  # fmt: skip
    scores = lines(rows, lambda r: (r.test, r.score))
    return Written(scores, reversed_lines(key), ids=("test",))


def asvspoof2021(rows: Rows) -> Written:
    key = lines(
        rows,
        lambda r: ("LA_0009", r.test, "alaw", "ita_tx", r.word("A07", "-", "A19"),
                   r.word("spoof", "bonafide", "spoof"), "notrim", "eval"),
    )  # fmt: skip
    scores = lines(rows, lambda r: (r.test, r.score))
    return Written(scores, reversed_lines(key), ids=("test",))


def asvspoof2021_df(rows: Rows) -> Written:
    key = lines(
        rows,
        lambda r: ("LA_0023", r.test, "nocodec", "asvspoof", r.word("A14", "-", "A19"),
                   r.word("spoof", "bonafide", "spoof"), "notrim", "progress",
                   "traditional_vocoder", "-", "-", "-", "-"),
    )  # fmt: skip
    scores = lines(rows, lambda r: (r.test, r.score))
    return Written(scores, reversed_lines(key), ids=("test",))


def asvspoof5(rows: Rows) -> Written:
    scores = lines(rows, lambda r: (r.test, r.score), joint="\t")
    key = lines(rows, lambda r: (r.test, r.word("spoof", "bonafide", "spoof")), joint="\t")
    return Written(
        "filename\tcm-score\n" + scores,
        "filename\tcm-label\n" + reversed_lines(key),
        ids=("test",),
    )


def bob4(rows: Rows) -> Written:
    """The claimed and the real person; they are the same one in a target trial."""
    return Written(lines(rows, lambda r: (r.enrol, r.word("somebody", r.enrol), r.test, r.score)))


def bob5(rows: Rows) -> Written:
    body = lines(
        rows, lambda r: (f"of-{r.enrol}", r.enrol, r.word("else", f"of-{r.enrol}"), r.test, r.score)
    )
    return Written(body)


def named_csv(rows: Rows, *, joint: str = ",") -> Written:
    body = lines(
        rows, lambda r: (r.word("False", "True"), r.test, r.score, r.enrol, "eng"), joint=joint
    )
    return Written(joint.join(("label", "test", "score", "enrol", "language")) + "\n" + body)


def named_tsv(rows: Rows) -> Written:
    return named_csv(rows, joint="\t")


def named_with_semicolons(rows: Rows) -> Written:
    return named_csv(rows, joint=";")


def lir(rows: Rows) -> Written:
    body = lines(rows, lambda r: (r.word("Hd", "Hp"), r.score), joint=",")
    return Written("hypothesis,LLR\n" + body, ids=())


def score_and_label(rows: Rows) -> Written:
    return Written(lines(rows, lambda r: (r.score, r.word("impostor", "genuine"))), ids=())


def label_and_score(rows: Rows) -> Written:
    return Written(lines(rows, lambda r: (r.word("non", "tar"), r.score)), ids=())


def recordings(rows: Rows) -> Written:
    body = lines(rows, lambda r: (r.test, r.score, r.word("nontarget", "target")))
    return Written(body, ids=("test",))


def two_columns_of_numbers(rows: Rows) -> Written:
    """Scores in one file and labels in the other, with nothing else."""
    scores = lines(rows, lambda r: (r.score,))
    return Written(scores, lines(rows, lambda r: (r.word("0", "1"),)), ids=())


CONVENTIONS: tuple[Callable[[Rows], Written], ...] = (
    kaldi,
    sitw,
    wespeaker,
    wespeaker_unlabelled,
    speechbrain,
    voxceleb,
    voxceleb_in_order,
    voxceleb_labelled,
    nist,
    nist_with_sides,
    nist_without_names,
    hyperion,
    hyperion_tabs,
    hyperion_quality,
    asvspoof2019,
    asvspoof2019_speakers,
    bob4,
    bob5,
    named_csv,
    named_tsv,
    named_with_semicolons,
    lir,
    score_and_label,
    label_and_score,
)
"""What holds targets and non-targets."""

BY_RECORDING: tuple[Callable[[Rows], Written], ...] = (
    asvspoof2019_protocol,
    asvspoof2021,
    asvspoof2021_df,
    asvspoof5,
)
"""What holds bona fide recordings and spoofs, one trial each."""

WITH_SPOOFS: tuple[Callable[[Rows], Written], ...] = (
    wespeaker,
    hyperion,
    hyperion_tabs,
    hyperion_quality,
    asvspoof2019,
    asvspoof2019_speakers,
)
"""What may hold targets, non-targets and spoofs."""


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
