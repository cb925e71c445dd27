"""Files of counted trials: written, read wherever scores are, added up, and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal import Counts, OptionError, TrialFileError, Trials
from tests import beyond_memory
from tests.cli.running import done, refused
from tests.cli.running import llrcal as command_line

RNG = np.random.default_rng(1)
SCORES = np.round(RNG.normal(0, 1, 40), 2)
TARGETS, NONTARGETS = RNG.integers(0, 9, (2, 40))
WHOLE = Counts(SCORES, TARGETS, NONTARGETS)
GROUPED = Counts(
    SCORES,
    TARGETS,
    NONTARGETS,
    without=tuple(Counts(np.round(SCORES, 1), TARGETS // g, NONTARGETS // g) for g in (1, 2, 3)),
)
ENDINGS = ("csv", "csv.gz", "parquet", "npz")


def columns(counts: Counts) -> list[list[float]]:
    return [column.tolist() for column in (counts.scores, counts.targets, counts.nontargets)]


def read(source: Any, **options: Any) -> Counts:
    found: Any = llrcal.read_trials(source, **options)
    assert isinstance(found, Counts)
    return found


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("counts", [WHOLE, GROUPED])
def test_what_is_saved_is_read(there: Path, ending: str, counts: Counts) -> None:
    counts.save(there / f"counts.{ending}")
    found = read(there / f"counts.{ending}")
    assert columns(found) == columns(counts)
    assert list(map(columns, found.without)) == list(map(columns, counts.without))
    tar, non = counts.counts
    text = f"counted trials: {len(counts.scores)} distinct scores, {tar} targets, {non} non-targets"
    assert text in str(found.notes[0])


def test_text_by_other_programs(there: Path) -> None:
    text = "# made elsewhere\nwithout;nontargets;score;targets;who\r\n;3; 1.5 ;2;x\n0;1;-1;0;y\n"
    Path("counts.txt").write_text(text + "2;1;-1;0;z\n1;1;1.5;1;z\n1;1;1;1.0;z\n2;1;1;1;y\n")
    found = read("counts.txt")
    assert columns(found) == [[-1, 1.5], [0, 2], [1, 3]]
    assert list(map(columns, found.without)) == [
        [[1, 1.5], [1, 1], [1, 1]],
        [[-1, 1], [0, 1], [1, 1]],
    ]


def test_frames() -> None:
    frame = pl.DataFrame({"score": [1.0, 0.0], "targets": [1, 2], "nontargets": [3, 4]})
    assert columns(read(frame)) == [[0, 1], [2, 1], [4, 3]]


def test_several_files_add_up(there: Path) -> None:
    Path("night").mkdir()
    GROUPED.save("night/a.csv")
    GROUPED.save("night/b.parquet")
    for source in ("night", "night/*", ["night/a.csv", "night/b.parquet"]):
        found: Any = llrcal.open_trials(source)
        assert found.targets.tolist() == (2 * GROUPED.targets).tolist()
        assert found.without[2].counts == tuple(2 * n for n in GROUPED.without[2].counts)
    WHOLE.save("night/c.npz")
    with pytest.raises(TrialFileError, match=r"c.npz: leaves out other groups of speakers than"):
        llrcal.open_trials("night")
    Path("night/c.npz").write_text("1.5 target\n")
    with pytest.raises(TrialFileError, match=r"c.npz: holds no counted trials, but another of the"):
        llrcal.open_trials("night")


def test_nan_scores(there: Path) -> None:
    Path("counts.csv").write_text("score,targets,nontargets\nnan,2,1\n1.5,3,4\n0,1,0\n")
    with pytest.raises(TrialFileError, match=r"line 2: the score is not a number \(NaN\)"):
        read("counts.csv")
    found = read("counts.csv", on_nan="drop")
    assert columns(found) == [[0, 1.5], [1, 3], [0, 4]]
    assert "3 of 11 trials left out because their score is NaN" in str(found.notes[1])


def test_infinite_llrs(there: Path) -> None:
    llrs = WHOLE.mapped(lambda scores: np.where(scores > 1, np.inf, scores))
    llrs.save("llrs.csv")
    with pytest.raises(TrialFileError, match="is infinite; only LLRs may be"):
        read("llrs.csv")
    assert columns(read("llrs.csv", allow_infinite=True)) == columns(llrs)
    assert beyond_memory.evaluate("llrs.csv").cllr == llrcal.evaluate(llrs).cllr


@pytest.fixture
def files(there: Path) -> Path:
    """The same trials, counted and written out, and a model."""
    WHOLE.save("counts.parquet")
    tar, non = (np.repeat(GROUPED.scores, n) for n in (GROUPED.targets, GROUPED.nontargets))
    labels = ["target"] * len(tar) + ["nontarget"] * len(non)
    frame = pl.DataFrame({"score": np.concatenate([tar, non]), "label": labels})
    frame.write_csv("written.csv")
    llrcal.fit(tar, non, method="gaussian").save("old.json")
    return there


SOURCES = ("counts.parquet", "written.csv")


@pytest.mark.usefixtures("files")
@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
class TestEverywhere:
    """Counts are read wherever scores are, and say the same."""

    def test_in_pieces(self) -> None:
        cal, expected = (beyond_memory.fit(source, method="nig") for source in SOURCES)
        assert cal.to_model() == expected.to_model()
        assert len({repr(llrcal.watch(cal, llrcal.open_scores(source))) for source in SOURCES}) == 1

    @pytest.mark.parametrize(
        "command",
        [
            "fit {} --method pav -o {}.json",
            "evaluate {} --forensic --error-rates --inverted",
            "evaluate {} --distance",
            "decide {} --fmr 0.2 --inverted",
            "watch old.json {}",
            "adapt old.json {} -o {}.json",
        ],
    )
    def test_verbs(self, command: str) -> None:
        said = [done(*command.replace("{}", source).split()).stdout for source in SOURCES]
        first, second = (text.replace(one, "FILE") for text, one in zip(said, SOURCES, strict=True))
        assert first == second
        if ".json" in command.rsplit(maxsplit=1)[-1]:
            assert Path("counts.parquet.json").read_text() == Path("written.csv.json").read_text()

    @pytest.mark.parametrize("ending", ENDINGS)
    def test_scores_become_llrs(self, ending: str) -> None:
        GROUPED.save(f"grouped.{ending}")
        done("apply", "old.json", f"grouped.{ending}", "-o", f"llrs.{ending}")
        cal = llrcal.load("old.json")
        assert isinstance(cal, llrcal.Calibration)
        expected, found = GROUPED.mapped(cal), read(f"llrs.{ending}")
        assert columns(found) == columns(expected)
        assert columns(found.without[2]) == columns(expected.without[2])
        llrcal.apply_files(cal, f"grouped.{ending}", f"again.{ending}")
        assert columns(read(f"again.{ending}")) == columns(expected)


@pytest.mark.usefixtures("files")
def test_what_needs_single_trials() -> None:
    with pytest.raises(TrialFileError, match="counted trials, and single ones are needed here"):
        llrcal.read_trials("counts.parquet", nontargets="written.csv")
    for options in ({"key": "written.csv"}, {"keep": ["who"]}):
        with pytest.raises(OptionError, match="holds counted trials, which have neither ids nor"):
            llrcal.read_trials("counts.parquet", **options)
    words = "counts.parquet: holds counted trials, and single ones are needed here"
    refused(words, "fuse", "counts.parquet", "written.csv", "-o", "fusion.json")
    refused(words, "convert", "counts.parquet", "-o", "scores.csv")
    words = "labelled scores are given one by one, and these are counted"
    refused(words, "adapt", "old.json", "--labelled", "counts.parquet", "-o", "new.json")
    result = command_line("compare --data counts.parquet --out results")
    assert result.exit_code == 2
    assert "--folds needs single trials, and these are counted; leave it out" in result.stderr


def test_where_nothing_can_be_written(there: Path) -> None:
    with pytest.raises(OptionError, match=r"counts are written to files that end in .csv, .parq"):
        WHOLE.save("counts.txt")
    with pytest.raises(OptionError, match="is not a folder"):
        WHOLE.save("nowhere/counts.csv")


def test_a_single_trial_written_out_is_no_count(there: Path) -> None:
    """A column of another name, or a label called targets, is what it was."""
    Path("trials.csv").write_text("score,targets\n1.5,1\n-2,0\n")
    assert isinstance(llrcal.read_trials("trials.csv"), Trials)
