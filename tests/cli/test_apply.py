"""``llrcal apply``: the file as it was, with LLRs; and what else can be asked for."""

from __future__ import annotations

import gzip
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from llrcal import fit, load
from tests.cli.running import done, refused
from tests.conftest import real_scores
from tests.trial_sets import normal

TAR, NON = normal(80, 2.5, 1.5), normal(300, -1.5, 1.2)
SCORES = np.random.default_rng(8).normal(0, 2, 40)
# A little of everything: a mark, comments, blank lines, runs of blanks, both line ends.
TEXT = (
    "\ufeff# scores of system 7\r\n"
    + "".join(f"m{i % 3}  t{i}\t{s!r} \n" for i, s in enumerate(SCORES.tolist()[:20]))
    + "\n# the other half\n"
    + "".join(f"\u00e9{i % 3} t{i} {s!r}\r\n" for i, s in enumerate(SCORES.tolist()[20:], 20))
).removesuffix("\r\n")
MODEL = fit(TAR, NON, method="nig")


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:
    MODEL.save("nig.json")
    Path("scores.txt").write_bytes(TEXT.encode())


def rows_in(name: str = "out") -> list[list[str]]:
    lines = Path(name).read_text("utf-8-sig").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def column(place: int = 2, name: str = "out") -> list[float]:
    return [float(row[place]) for row in rows_in(name)]


def around_scores(content: bytes) -> list[bytes]:
    """All that is not a number with a point, on each line; blanks may be fewer."""
    rest = re.sub(rb"-?\d+\.\d+(?:e-?\d+)?", b"", content)
    return [b" ".join(line.split()) for line in rest.split(b"\n")]


def piped(*arguments: str, **streams: int) -> subprocess.Popen[bytes]:
    """The command with real pipes."""
    words = [sys.executable, "-m", "llrcal", "apply", "nig.json", *arguments]
    streams = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    } | streams
    return subprocess.Popen(words, env={**os.environ, "TERM": "xterm"}, **streams)  # type: ignore[call-overload]


# ------------------------------------------------------------------------- beyond the training


def test_many_scores_beyond_those_of_training_are_told_of() -> None:
    low, high = MODEL.training_range
    inside = np.linspace(low, high, 296).tolist()
    for count, words in ((3, ""), (4, "warning: 4 of 300 scores (1.3 %) lie beyond the training")):
        scores = [*inside, *[high + 1] * count]
        lines = (f"m t{i} {score!r}\n" for i, score in enumerate(scores))
        Path("a.txt").write_text("".join(lines))
        said = done(f"apply nig.json a.txt -o out{count} --quiet").stderr
        assert said.startswith(words)
        assert ("calibrate on trials like these" in said) == bool(words)


# ------------------------------------------------------------------------------------ the file


def test_a_file_keeps_all_but_its_scores() -> None:
    result = done("apply nig.json scores.txt -o out")
    assert result.stdout == ""
    assert around_scores(Path("out").read_bytes()) == around_scores(TEXT.encode())
    assert column() == MODEL(SCORES).tolist()
    assert result.stderr == "scores.txt: Kaldi scores (enrol,test,score), separated by space\n"
    assert done("apply nig.json scores.txt -o again --quiet").output == ""


@pytest.mark.slow
def test_from_standard_input_to_standard_output() -> None:
    """Real pipes: nothing but the file on the one, nothing but words on the other."""
    ours, said = piped("-", "-o", "-").communicate(TEXT.encode())
    assert around_scores(ours) == around_scores(TEXT.encode())
    Path("out").write_bytes(ours)
    assert column() == MODEL(SCORES).tolist()
    assert said == b"standard input: Kaldi scores (enrol,test,score), separated by space\n"


@pytest.mark.slow
def test_a_reader_who_has_enough_is_no_error() -> None:
    """As in ``llrcal apply ... -o - | head``."""
    with piped("-", "-o", "-") as child:
        assert child.stdout is not None
        child.stdout.close()
        _, said = child.communicate(b"a b 1.5\n" * 100_000)
    assert child.returncode == 141
    assert b"Traceback" not in said


@pytest.mark.slow
def test_progress_is_for_people() -> None:
    """A terminal is shown a bar, and it is gone in the end."""
    pty = pytest.importorskip("pty")
    ours, its = pty.openpty()
    child = piped("scores.txt", "-o", "out", stderr=its)
    os.close(its)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert child.communicate()[0] == b""
    assert child.returncode == 0
    assert b"applying" in shown


@pytest.mark.slow
def test_bytes_of_a_large_file_of_a_recognizer() -> None:
    """TNO's scores in NIST SRE 2008: sixteen columns, of which one is to be replaced."""
    path = real_scores("nist_sre08", "tno.2008.tsv.gz")
    tar, non = (np.load(path.parent / f"{name}.npy") for name in ("tar", "non"))
    fit(tar, non, method="linear-gaussian").save("model.json")
    done("apply model.json", path, "-o out.tsv")
    names, *before = _table(gzip.decompress(path.read_bytes()))
    again, *after = _table(Path("out.tsv").read_bytes())
    assert names == again
    place = names.index("score")
    scores, llrs = ([float(row.pop(place)) for row in rows] for rows in (before, after))
    assert before == after
    assert llrs == load("model.json")(np.array(scores)).tolist()


def _table(content: bytes) -> list[list[str]]:
    assert content.endswith(b"\n")
    return [line.split("\t") for line in content.decode().split("\n")[:-1]]


# -------------------------------------------------------------------------------- other kinds


def test_every_kind_of_file() -> None:
    frame = pl.DataFrame({"test": [f"t{i}" for i in range(40)], "score": SCORES})
    frame.write_parquet("a.parquet")
    frame.write_ipc("a.arrow")
    np.save("a.npy", SCORES)
    np.savez("a.npz", scores=SCORES)
    for kind in ("parquet", "arrow", "npy", "npz"):
        done(f"apply nig.json a.{kind} -o b.{kind}")
    for after in (
        pl.read_parquet("b.parquet")["score"].to_list(),
        pl.read_ipc("b.arrow")["score"].to_list(),
        np.load("b.npy").tolist(),
        np.load("b.npz")["scores"].tolist(),
    ):
        assert after == MODEL(SCORES).tolist()


def test_columns_are_found_as_in_every_verb() -> None:
    Path("a.csv").write_text("test,cosine,plda\na,0.5,1.5\n")
    refused("2 columns could be the score: cosine, plda", "apply nig.json a.csv -o out --quiet")
    done("apply nig.json a.csv -o out --columns score=plda")
    assert Path("out").read_text() == f"test,cosine,plda\na,0.5,{float(MODEL(1.5))!r}\n"


# ---------------------------------------------------------------------- units, decisions, odds


@pytest.mark.parametrize(("units", "base"), [("nats", math.e), ("log10", 10), ("bits", 2)])
def test_units(units: str, base: float) -> None:
    done("apply nig.json scores.txt -o out --units", units)
    assert column() == pytest.approx(MODEL(SCORES) / math.log(base), rel=1e-15)


def test_decisions_and_posteriors() -> None:
    asked = "--decision --posterior --p-target 0.01 --c-miss 10 --c-fa 2 --units bits"
    done("apply nig.json scores.txt -o out", asked)
    llrs, words = MODEL(SCORES), [row[3] for row in rows_in()]
    threshold = math.log(2 * 0.99) - math.log(10 * 0.01)
    assert column() == pytest.approx(llrs / math.log(2), rel=1e-15)
    assert words == np.where(llrs >= threshold, "accept", "reject").tolist()
    assert {*words} == {"accept", "reject"}
    assert column(4) == pytest.approx(1 / (1 + 0.99 / 0.01 * np.exp(-llrs)), rel=1e-12)


@pytest.mark.parametrize(("asked", "level"), [("--interval", 0.95), ("--interval 0.8", 0.8)])
def test_intervals(asked: str, level: float) -> None:
    done("apply nig.json scores.txt -o out --units bits", asked)
    for place, ends in zip((3, 4), MODEL.interval(SCORES, level=level), strict=True):
        assert column(place) == pytest.approx(ends / math.log(2), rel=1e-15)


def test_intervals_of_many_files() -> None:
    Path("in").mkdir()
    pl.DataFrame({"test": "t", "score": SCORES}).write_parquet("in/a.parquet")
    done("apply nig.json in -o folder --interval")
    after = pl.read_parquet("folder/a.parquet")
    low, high = MODEL.interval(SCORES)
    assert after.columns == ["test", "score", "low", "high"]
    assert (after["low"].to_list(), after["high"].to_list()) == (low.tolist(), high.tolist())


def test_at_the_threshold_a_trial_is_accepted() -> None:
    """With even odds the threshold is zero, which is the LLR halfway between the classes."""
    fit([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], method="linear-gaussian").save("m.json")
    Path("a.txt").write_text("-0.5\n0.0\n0.5\n")
    done("apply m.json a.txt -o out --decision --p-target 0.5")
    llrs, words = zip(*rows_in(), strict=True)
    assert [float(llr) >= 0 for llr in llrs] == [False, True, True]
    assert words == ("reject", "accept", "accept")
    assert abs(float(llrs[1])) < 1e-14


def test_columns_are_added_with_their_names() -> None:
    Path("a.tsv").write_text("modelid\tsegmentid\tLLR\r\na\tb\t1.5\r\n")
    asked = "--decision --posterior --p-target 0.5"
    done("apply nig.json a.tsv -o b.tsv", asked)
    header, row = Path("b.tsv").read_bytes().split(b"\r\n")[:2]
    assert header == b"modelid\tsegmentid\tLLR\tdecision\tposterior"
    assert row.split(b"\t")[3] == b"accept"
    refused("has a column 'decision' already", "apply nig.json b.tsv -o - --quiet", asked)


def test_distances_are_given_as_they_are() -> None:
    fit(-TAR, -NON, method="logistic", lower_is_better=True).save("model.json")
    Path("a.txt").write_text("a b -2.5\nc d 1.5\n")
    done("apply model.json a.txt -o out")
    assert column() == fit(TAR, NON, method="logistic")([2.5, -1.5]).tolist()


# ---------------------------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("scores.txt scores.txt", "scores.txt: is no model of llrcal"),
        ("nig.json late.txt", "late.txt, line 2001: the score 'x' is not a number"),
        ("nig.json infinite.txt", "line 2: the score 'inf' is infinite"),
        ("nig.json scores.txt --posterior", "needs a prior: give --p-target"),
        ("nig.json scores.txt --decision --p-target nan", "p_target is nan"),
        ("nig.json scores.txt --decision --p-target 0.5 --c-miss -1", "c_miss is -1.0"),
        ("nig.json scores.txt --c-miss 10", "costs are for decisions: give --decision"),
        ("nig.json a.npy --decision --p-target 0.5", "no columns can be added"),
        ("nig.json a.npy --interval", "no columns can be added"),
        ("nig.json scores.txt --interval 1", "level is 1.0; give a number strictly"),
    ],
)
def test_a_failure_leaves_nothing(here: Path, arguments: str, words: str) -> None:
    Path("late.txt").write_text("a b 1.5\n" * 2000 + "a b x\n")
    Path("infinite.txt").write_text("a b 1.5\nc d inf\n")
    np.save("a.npy", SCORES)
    before = sorted(here.iterdir())
    refused(words, "apply", arguments, "--quiet -o new.gz")
    assert sorted(here.iterdir()) == before
