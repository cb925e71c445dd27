"""``llrcal fuse`` and ``llrcal apply`` with a fusion, and ``llrcal evaluate --by``."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from llrcal import Fused, evaluate, fit, fuse, load
from tests.cli.running import llrcal, only_line

RNG = np.random.default_rng(6)
LABELS = np.arange(240) < 80
WHERE = RNG.choice(["mic", "phone, far"], 240)
TIMES = RNG.exponential(5, 240)
SCORES = RNG.normal(np.where(LABELS, 1, -1)[:, None], 1, (240, 2))
IDS = {"enrol": [f"m{i}" for i in range(240)], "test": [f"t{i}" for i in range(240)]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place, name in enumerate(("cos", "plda")):
        column = SCORES[:, place].tolist()
        lines = [f"m{i} t{i} {column[i]!r}\n" for i in RNG.permutation(240).tolist()]
        (tmp_path / f"{name}-dev.txt").write_text("".join(lines))
    frame = pl.DataFrame({**IDS, "label": LABELS.astype(int), "line": WHERE, "seconds": TIMES})
    frame.write_csv(tmp_path / "key.csv")
    table = frame.rename({"label": "y"}).with_columns(cos=SCORES[:, 0], plda=SCORES[:, 1])
    table.write_csv(tmp_path / "all.csv")
    return tmp_path


@pytest.mark.slow
def test_files_give_the_fusion_of_python_and_its_llrs(folder: Path) -> None:
    files = folder / "cos-dev.txt", folder / "plda-dev.txt"
    made = llrcal(
        "fuse",
        *files,
        "--key",
        folder / "key.csv",
        "-o",
        folder / "f.json",
        "--json",
        "--contributions",
    )
    assert made.exit_code == 0, made.stderr
    expected = fuse(SCORES[LABELS], SCORES[~LABELS], names=["cos", "plda"])
    document = json.loads(made.stdout)
    for name, weight in expected.weights.items():
        assert document["weights"][name]["value"] == pytest.approx(weight.value, rel=1e-9)
    held_out = document["contributions"]["cllr"]
    assert held_out["fused"] < min(held_out["alone"].values())
    # The other way round, under other names: systems are matched by what they are called.
    for name in ("cos", "plda"):
        (folder / f"{name}-dev.txt").rename(folder / f"{name}-eval.txt")
    swapped = folder / "plda-eval.txt", folder / "cos-eval.txt"
    done = llrcal("apply", folder / "f.json", *swapped, "-o", folder / "llrs.csv")
    assert done.exit_code == 0, done.stderr
    llrs = pl.DataFrame(IDS).join(
        pl.read_csv(folder / "llrs.csv"), on=["enrol", "test"], maintain_order="left"
    )
    assert np.allclose(llrs["score"].to_numpy(), expected(SCORES), rtol=0, atol=1e-9)
    at = ("--decision", "--posterior", "--p-target", 0.01, "--c-miss", 10)
    done = llrcal("apply", folder / "f.json", *swapped, "-o", folder / "llrs.txt", *at)
    assert done.exit_code == 0, done.stderr
    for line in (folder / "llrs.txt").read_text().splitlines():
        llr, decision, posterior = line.split()[2:]
        odds = math.exp(float(llr)) * 0.01 / 0.99
        assert decision == ("accept" if 10 * odds >= 1 else "reject")
        assert float(posterior) == pytest.approx(odds / (1 + odds), rel=1e-12)
    one = ("apply", folder / "f.json", swapped[0])
    only_line(llrcal(*one, "-o", folder / "x"), "give a file of each, or one table with a column")
    only_line(llrcal(*one, swapped[1], "-o", folder / "x", "--interval"), "have no intervals")
    only_line(llrcal(*one, swapped[1], "-o", folder / "x.npz"), "write .txt, .csv or .parquet")
    only_line(
        llrcal("apply", folder / "f.json", swapped[0], folder / "key.csv", "-o", folder / "x"),
        "no 'cos'; unknown: 'key'. Expected are 'cos', 'plda'",
    )


def test_columns_of_one_table_with_side_information_and_conditions(folder: Path) -> None:
    asked = ("--scores", "cos,plda", "--label", "y", "--quality", "seconds", "--condition", "line")
    made = llrcal("fuse", folder / "all.csv", *asked, "-o", folder / "f.json")
    assert made.exit_code == 0, made.stderr
    assert "cos x seconds" in made.stdout
    assert "phone, far" in made.stdout
    fused = Fused.load(folder / "f.json")
    applied = "apply", folder / "f.json", folder / "all.csv", "-o", folder / "llrs.txt"
    only_line(llrcal(*applied), "give their column by --condition")
    done = llrcal(*applied, "--condition", "line")
    assert done.exit_code == 0, done.stderr
    expected = fused(SCORES, quality=TIMES, condition=WHERE)
    rows = [line.split() for line in (folder / "llrs.txt").read_text().splitlines()]
    assert [float(row[2]) for row in rows] == expected.tolist()
    point = ("--decision", "--posterior", "--p-target", "0.1")
    done = llrcal(*applied[:-1], folder / "decided.csv", "--condition", "line", *point)
    assert done.exit_code == 0, done.stderr
    decided = pl.read_csv(folder / "decided.csv")
    assert (decided["decision"].to_numpy() == "accept").tolist() == (expected >= np.log(9)).tolist()
    assert np.allclose(decided["posterior"], 1 / (1 + 9 * np.exp(-expected)))

    by = ("--key", folder / "key.csv", "--by", "line", "--json")
    shown = llrcal("evaluate", folder / "llrs.txt", *by)
    assert shown.exit_code == 0, shown.stderr
    found = {one["values"][0]: one["cllr"] for one in json.loads(shown.stdout)["by"]["cells"]}
    for name, cllr in found.items():
        part = np.equal(WHERE, name)
        assert evaluate(expected[part & LABELS], expected[part & ~LABELS]).cllr == cllr


def test_side_information_of_recordings_and_of_trials_in_a_file_of_its_own(folder: Path) -> None:
    """Values of both sides become their minimum and maximum; those of trials stay as they are."""
    long, short = TIMES.tolist(), TIMES[::-1].tolist()
    sides = [(f"m{i}", long[i]) for i in range(240)] + [(f"t{i}", short[i]) for i in range(240)]
    (folder / "utt2dur").write_text("".join(f"{name} {value!r}\n" for name, value in sides))
    lines = [f"m{i},t{i},{long[i]!r}\n" for i in range(240)]
    (folder / "trials.csv").write_text("".join(["model,segment,seconds\n", *reversed(lines)]))
    both = np.stack([TIMES, TIMES[::-1]], axis=1)
    for name, side in (("utt2dur", both[:, None, :]), ("trials.csv", TIMES)):
        quality = ("--quality", folder / name)
        files = (folder / "cos-dev.txt", folder / "plda-dev.txt")
        made = llrcal(
            "fuse", *files, "--key", folder / "key.csv", *quality, "-o", folder / "f.json"
        )
        assert made.exit_code == 0, made.stderr
        expected = fuse(SCORES[LABELS], SCORES[~LABELS], quality=(side[LABELS], side[~LABELS]))
        done = llrcal("apply", folder / "f.json", *files, *quality, "-o", folder / "llrs.csv")
        assert done.exit_code == 0, done.stderr
        llrs = pl.DataFrame(IDS).join(
            pl.read_csv(folder / "llrs.csv"), on=["enrol", "test"], maintain_order="left"
        )
        found = llrs["score"].to_numpy()
        assert np.allclose(found, expected(SCORES, quality=side), rtol=0, atol=1e-8)
    (folder / "utt2dur").write_text("m0 1.5\nt0 2.5\n")
    wrong = ("--quality", folder / "utt2dur", "--quiet")
    only_line(
        llrcal("apply", folder / "f.json", *files, *wrong, "-o", folder / "x.csv"),
        "has no finite numbers on 239 of 240 trials, such as",
    )


def test_a_calibration_by_condition_from_file_to_file(folder: Path) -> None:
    table = (folder / "all.csv", "--columns", "score=cos,label=y")
    made = llrcal("fit", *table, "--condition", "line", "-o", folder / "c.json")
    assert made.exit_code == 0, made.stderr
    tar, non = SCORES[LABELS, 0], SCORES[~LABELS, 0]
    expected = fit(tar, non, condition=(WHERE[LABELS], WHERE[~LABELS]))
    assert load(folder / "c.json") == expected
    applied = ("apply", folder / "c.json", folder / "all.csv", "--columns", "score=cos")
    only_line(llrcal(*applied, "-o", folder / "x.csv"), "give their column by --condition")
    done = llrcal(*applied, "--condition", "line", "-o", folder / "llrs.csv")
    assert done.exit_code == 0, done.stderr
    llrs = pl.read_csv(folder / "llrs.csv")["score"].to_numpy()
    assert np.allclose(llrs, expected(SCORES[:, 0], condition=WHERE), rtol=1e-12)
    only_line(
        llrcal("export", folder / "c.json", "-o", folder / "x.c"), "is a calibration by condition"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("all.csv", "--scores", "cos,foo", "--label", "y"), "there is no column 'foo'"),
        (("all.csv", "--label", "y"), "several systems, name them: --scores A,B"),
        (("all.csv", "key.csv", "--scores", "cos,plda"), "are those of one file"),
        (
            ("all.csv", "--scores", "cos", "--label", "y", "--quality", "line"),
            "is not a number",
        ),
        (
            ("all.csv", "--scores", "cos", "--label", "y", "--condition", "x"),
            "there is no column 'x'",
        ),
        (("all.csv", "all.csv", "--key", "key.csv"), "both systems would be called 'all'"),
    ],
)
def test_wrong_use_ends_in_one_line(
    folder: Path, arguments: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    result = llrcal("fuse", *arguments, "-o", "f.json", "--quiet")
    only_line(result, words)
    assert not (folder / "f.json").exists()


def test_a_table_in_pieces_gives_the_same_file(folder: Path) -> None:
    given = folder / "all.csv", "--scores", "cos,plda", "--label", "y", "--quality", "seconds"
    for name, options in (("whole", []), ("pieces", ["--in-pieces"])):
        made = llrcal("fuse", *given, "-o", folder / f"{name}.json", *options)
        assert made.exit_code == 0, made.stderr
    assert (folder / "whole.json").read_bytes() == (folder / "pieces.json").read_bytes()
    for option, value in (("--condition", "line"), ("--key", folder / "key.csv")):
        made = llrcal("fuse", *given, "--in-pieces", option, value, "-o", folder / "no.json")
        only_line(made, f"a fusion in pieces cannot be made with {option}")
    files = folder / "cos-dev.txt", folder / "plda-dev.txt"
    made = llrcal("fuse", *files, "--in-pieces", "-o", folder / "no.json")
    only_line(made, "systems are columns of one table: name them by --scores")
