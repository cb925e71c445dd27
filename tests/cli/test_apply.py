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

from llrcal import Calibration, fit, load
from llrcal.cli.verbs import verb
from tests.cli.running import llrcal, only_line
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("apply")
    fit(TAR, NON, method="nig").save(folder / "nig.json")
    (folder / "scores.txt").write_bytes(TEXT.encode())
    return folder


@pytest.fixture(scope="module")
def model(folder: Path) -> Calibration:
    return load(folder / "nig.json")


def llrs_in(content: bytes, place: int = 2) -> list[float]:
    lines = content.decode("utf-8-sig").splitlines()
    return [float(line.split()[place]) for line in lines if line and not line.startswith("#")]


def around_scores(content: bytes) -> list[bytes]:
    """All that is not a number with a point."""
    return re.split(rb"-?\d+\.\d+(?:e-?\d+)?", content)


# ------------------------------------------------------------------------- beyond the training


def test_many_scores_beyond_those_of_training_are_told_of(folder: Path, tmp_path: Path) -> None:
    low, high = load(folder / "nig.json").training_range
    inside, outside = np.linspace(low, high, 296), [high + 1] * 4
    for name, scores in (("few", [*inside, *outside[:3]]), ("many", [*inside, *outside])):
        lines = "".join(f"m t{i} {score!r}\n" for i, score in enumerate(map(float, scores)))
        (tmp_path / name).write_text(lines)
        result = llrcal(
            "apply", folder / "nig.json", tmp_path / name, "-o", tmp_path / f"{name}.out", "--quiet"
        )
        assert result.exit_code == 0
        if name == "few":
            assert result.stderr == ""
    assert result.stderr.startswith("warning: 4 of 300 scores (1.3 %) lie beyond the training")
    assert "calibrate on trials like these" in result.stderr


# ------------------------------------------------------------------------------------ the file


def test_a_file_keeps_all_but_its_scores(folder: Path, model: Calibration, tmp_path: Path) -> None:
    result = llrcal("apply", folder / "nig.json", folder / "scores.txt", "-o", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (0, "")
    after = (tmp_path / "out").read_bytes()
    assert around_scores(after) == around_scores(TEXT.encode())
    assert llrs_in(after) == model(SCORES).tolist()
    assert result.stderr == (
        f"{folder / 'scores.txt'}: Kaldi scores (enrol,test,score), separated by space\n"
    )


@pytest.mark.slow
def test_from_standard_input_to_standard_output(folder: Path, model: Calibration) -> None:
    """Real pipes: nothing but the file on the one, nothing but words on the other."""
    ran = subprocess.run(
        [sys.executable, "-m", "llrcal", "apply", str(folder / "nig.json"), "-", "-o", "-"],
        input=TEXT.encode(),
        capture_output=True,
        check=True,
    )
    assert around_scores(ran.stdout) == around_scores(TEXT.encode())
    assert llrs_in(ran.stdout) == model(SCORES).tolist()
    assert ran.stderr.decode().splitlines() == [
        "standard input: Kaldi scores (enrol,test,score), separated by space"
    ]


def test_quiet(folder: Path, tmp_path: Path) -> None:
    paths = (folder / "nig.json", folder / "scores.txt", "-o", tmp_path / "out")
    assert llrcal("apply", *paths, "--quiet").output == ""


@pytest.mark.slow
def test_progress_is_for_people(folder: Path, tmp_path: Path) -> None:
    """A terminal is shown a bar, and it is gone in the end."""
    pty = pytest.importorskip("pty")
    ours, its = pty.openpty()
    command = ["apply", str(folder / "nig.json"), str(folder / "scores.txt"), "-o", "out"]
    child = subprocess.Popen(
        [sys.executable, "-m", "llrcal", *command],
        stdout=subprocess.PIPE,
        stderr=its,
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm"},
    )
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
def test_bytes_of_a_large_file_of_a_recognizer(tmp_path: Path) -> None:
    """TNO's scores in NIST SRE 2008: sixteen columns, of which one is to be replaced."""
    path = real_scores("nist_sre08", "tno.2008.tsv.gz")
    tar, non = (np.load(path.parent / f"{name}.npy") for name in ("tar", "non"))
    fit(tar, non, method="linear-gaussian").save(tmp_path / "model.json")
    result = llrcal("apply", tmp_path / "model.json", path, "-o", tmp_path / "out.tsv")
    assert result.exit_code == 0
    names, *before = _table(path)
    again, *after = _table(tmp_path / "out.tsv")
    assert names == again
    place = names.index("score")
    assert [row[:place] + row[place + 1 :] for row in before] == [
        row[:place] + row[place + 1 :] for row in after
    ]
    scores = np.array([float(row[place]) for row in before])
    expected = load(tmp_path / "model.json")(scores)
    assert [float(row[place]) for row in after] == expected.tolist()


def _table(path: Path) -> list[list[str]]:
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    assert text.endswith(b"\n")
    return [line.split("\t") for line in text.decode().split("\n")[:-1]]


# -------------------------------------------------------------------------------- other kinds


def test_every_kind_of_file(folder: Path, model: Calibration, tmp_path: Path) -> None:
    expected = model(SCORES).tolist()
    frame = pl.DataFrame({"test": [f"t{i}" for i in range(40)], "score": SCORES})
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ipc(tmp_path / "a.arrow")
    np.save(tmp_path / "a.npy", SCORES)
    np.savez(tmp_path / "a.npz", scores=SCORES)
    for kind in ("parquet", "arrow", "npy", "npz"):
        paths = (folder / "nig.json", tmp_path / f"a.{kind}", "-o", tmp_path / f"b.{kind}")
        assert llrcal("apply", *paths).exit_code == 0, kind
    assert pl.read_parquet(tmp_path / "b.parquet")["score"].to_list() == expected
    assert pl.read_ipc(tmp_path / "b.arrow")["score"].to_list() == expected
    assert np.load(tmp_path / "b.npy").tolist() == expected
    assert np.load(tmp_path / "b.npz")["scores"].tolist() == expected


def test_columns_are_found_as_in_every_verb(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("test,cosine,plda\na,0.5,1.5\n")
    paths = (folder / "nig.json", tmp_path / "a.csv", "-o", tmp_path / "out")
    only_line(llrcal("apply", *paths, "--quiet"), "2 columns could be the score: cosine, plda")
    assert llrcal("apply", *paths, "--columns", "score=plda").exit_code == 0
    llr = load(folder / "nig.json")(1.5)
    assert (tmp_path / "out").read_text() == f"test,cosine,plda\na,0.5,{float(llr)!r}\n"


# ---------------------------------------------------------------------- units, decisions, odds


@pytest.mark.parametrize(("units", "base"), [("nats", math.e), ("log10", 10), ("bits", 2)])
def test_units(folder: Path, model: Calibration, tmp_path: Path, units: str, base: float) -> None:
    paths = (folder / "nig.json", folder / "scores.txt", "-o", tmp_path / "out")
    assert llrcal("apply", *paths, "--units", units).exit_code == 0
    after = llrs_in((tmp_path / "out").read_bytes())
    assert after == pytest.approx([llr / math.log(base) for llr in model(SCORES)], rel=1e-15)


def test_decisions_and_posteriors(folder: Path, model: Calibration, tmp_path: Path) -> None:
    paths = (folder / "nig.json", folder / "scores.txt", "-o", tmp_path / "out")
    asked = ("--decision", "--posterior", "--p-target", 0.01, "--c-miss", 10, "--c-fa", 2)
    assert llrcal("apply", *paths, *asked, "--units", "bits").exit_code == 0
    lines = (tmp_path / "out").read_text("utf-8-sig").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    threshold = math.log(2 * 0.99) - math.log(10 * 0.01)
    seen = set()
    for row, llr in zip(rows, model(SCORES).tolist(), strict=True):
        posterior = 1 / (1 + 0.99 / 0.01 * math.exp(-llr))
        assert float(row[2]) == pytest.approx(llr / math.log(2), rel=1e-15)
        assert row[3] == ("accept" if llr >= threshold else "reject")
        assert float(row[4]) == pytest.approx(posterior, rel=1e-12)
        seen.add(row[3])
    assert seen == {"accept", "reject"}


@pytest.mark.parametrize(("asked", "level"), [(["--interval"], 0.95), (["--interval", 0.8], 0.8)])
def test_intervals(
    folder: Path, model: Calibration, tmp_path: Path, asked: list[str | float], level: float
) -> None:
    paths = (folder / "nig.json", folder / "scores.txt", "-o", tmp_path / "out")
    assert llrcal("apply", *paths, "--units", "bits", *asked).exit_code == 0
    after = (tmp_path / "out").read_bytes()
    for place, ends in zip((3, 4), model.interval(SCORES, level=level), strict=True):
        assert llrs_in(after, place) == pytest.approx(ends / math.log(2), rel=1e-15)


def test_intervals_of_many_files(folder: Path, model: Calibration, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    pl.DataFrame({"test": "t", "score": SCORES}).write_parquet(tmp_path / "in" / "a.parquet")
    paths = (folder / "nig.json", tmp_path / "in", "-o", tmp_path / "out")
    assert llrcal("apply", *paths, "--interval").exit_code == 0
    after = pl.read_parquet(tmp_path / "out" / "a.parquet")
    low, high = model.interval(SCORES)
    assert after.columns == ["test", "score", "low", "high"]
    assert (after["low"].to_list(), after["high"].to_list()) == (low.tolist(), high.tolist())


def test_at_the_threshold_a_trial_is_accepted(tmp_path: Path) -> None:
    """With even odds the threshold is zero, which is the LLR halfway between the classes."""
    fit([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], method="linear-gaussian").save(tmp_path / "m.json")
    (tmp_path / "a.txt").write_text("-0.5\n0.0\n0.5\n")
    paths = (tmp_path / "m.json", tmp_path / "a.txt", "-o", "-")
    result = llrcal("apply", *paths, "--decision", "--p-target", 0.5, "--quiet")
    rows = [line.split() for line in result.stdout.splitlines()]
    assert [(float(llr) >= 0, word) for llr, word in rows] == [
        (False, "reject"), (True, "accept"), (True, "accept")
    ]  # fmt: skip
    assert abs(float(rows[1][0])) < 1e-14


def test_columns_are_added_with_their_names(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("modelid\tsegmentid\tLLR\r\na\tb\t1.5\r\n")
    paths = (folder / "nig.json", tmp_path / "a.tsv", "-o", tmp_path / "b.tsv")
    asked = ("--decision", "--posterior", "--p-target", 0.5)
    assert llrcal("apply", *paths, *asked).exit_code == 0
    header, row = (tmp_path / "b.tsv").read_bytes().split(b"\r\n")[:2]
    assert header == b"modelid\tsegmentid\tLLR\tdecision\tposterior"
    assert row.split(b"\t")[3] == b"accept"
    only_line(
        llrcal("apply", folder / "nig.json", tmp_path / "b.tsv", "-o", "-", *asked, "--quiet"),
        "has a column 'decision' already",
    )


def test_distances_are_given_as_they_are(tmp_path: Path) -> None:
    fit(-TAR, -NON, method="logistic", lower_is_better=True).save(tmp_path / "model.json")
    (tmp_path / "a.txt").write_text("a b -2.5\nc d 1.5\n")
    result = llrcal("apply", tmp_path / "model.json", tmp_path / "a.txt", "-o", "-", "--quiet")
    expected = fit(TAR, NON, method="logistic")([2.5, -1.5])
    assert [float(line.split()[2]) for line in result.stdout.splitlines()] == expected.tolist()


# ---------------------------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.json", "scores.txt"], "none.json: cannot be read: No such file"),
        (["scores.txt", "scores.txt"], "scores.txt: is no model of llrcal"),
        (["nig.json", "none.txt"], "none.txt: cannot be read: No such file"),
        (["nig.json", "key.txt"], "there are labels but no scores: this is a key"),
        (["nig.json", "late.txt"], "late.txt, line 2001: the score 'x' is not a number"),
        (["nig.json", "infinite.txt"], "line 2: the score 'inf' is infinite"),
        (["nig.json", "scores.txt", "--decision"], "needs a prior: give --p-target"),
        (["nig.json", "scores.txt", "--posterior"], "needs a prior: give --p-target"),
        (["nig.json", "scores.txt", "--decision", "--p-target", "0"], "p_target is 0.0"),
        (["nig.json", "scores.txt", "--decision", "--p-target", "nan"], "p_target is nan"),
        (
            ["nig.json", "scores.txt", "--decision", "--p-target", "0.5", "--c-miss", "-1"],
            "c_miss is -1.0",
        ),
        (["nig.json", "scores.txt", "--p-target", "0.5"], "a prior does not change LLRs"),
        (["nig.json", "a.npy", "--decision", "--p-target", "0.5"], "no columns can be added"),
        (["nig.json", "a.npy", "--interval"], "no columns can be added"),
        (["nig.json", "scores.txt", "--interval", "1"], "level is 1.0; give a number strictly"),
    ],
)
@pytest.mark.parametrize("out", ["there", "new.gz"])
def test_a_failure_leaves_what_was_there(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
    out: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nig.json").write_bytes((folder / "nig.json").read_bytes())
    (tmp_path / "scores.txt").write_bytes(TEXT.encode())
    (tmp_path / "key.txt").write_text("a b target\nc d nontarget\n")
    (tmp_path / "late.txt").write_text("a b 1.5\n" * 2000 + "a b x\n")
    (tmp_path / "infinite.txt").write_text("a b 1.5\nc d inf\n")
    (tmp_path / "there").write_text("precious")
    np.save(tmp_path / "a.npy", SCORES)
    before = sorted(tmp_path.iterdir())
    only_line(llrcal("apply", *arguments, "-o", out, "--quiet"), words)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "there").read_text() == "precious"


@pytest.mark.slow
def test_a_reader_who_has_enough_is_no_error(folder: Path) -> None:
    """As in ``llrcal apply ... -o - | head``."""
    command = [sys.executable, "-m", "llrcal", "apply", str(folder / "nig.json"), "-", "-o", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.close()
        _, said = child.communicate(b"a b 1.5\n" * 100_000)
    assert child.returncode == 141
    assert b"Traceback" not in said


def test_help_names_every_unit() -> None:
    [units] = [param for param in verb("apply").params if param.name == "units"]
    assert list(units.type.choices) == ["nats", "log10", "bits"]  # type: ignore[attr-defined]
