"""``llrcal fuse`` and ``llrcal apply`` with a fusion, and ``llrcal evaluate --by``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from llrcal import evaluate, fit, fuse, load
from llrcal.arrays import Floats
from tests.cli.running import answer, done, refused

RNG = np.random.default_rng(6)
LABELS = np.arange(240) < 80
WHERE = RNG.choice(["mic", "phone, far"], 240)
TIMES = RNG.exponential(5, 240)
SCORES = RNG.normal(np.where(LABELS, 1, -1)[:, None], 1, (240, 2))
IDS = {"enrol": [f"m{i}" for i in range(240)], "test": [f"t{i}" for i in range(240)]}
FILES = "cos-dev.txt plda-dev.txt"


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:
    for place, name in enumerate(("cos", "plda")):
        column = SCORES[:, place].tolist()
        lines = [f"m{i} t{i} {column[i]!r}\n" for i in RNG.permutation(240).tolist()]
        Path(f"{name}-dev.txt").write_text("".join(lines))
    frame = pl.DataFrame({**IDS, "label": LABELS.astype(int), "line": WHERE, "seconds": TIMES})
    frame.write_csv("key.csv")
    table = frame.rename({"label": "y"}).with_columns(cos=SCORES[:, 0], plda=SCORES[:, 1])
    table.write_csv("all.csv")


def llrs_in(name: str) -> Floats:
    """LLRs in the order of the trials."""
    written = pl.read_csv(name)
    both = pl.DataFrame(IDS).join(written, on=["enrol", "test"], maintain_order="left")
    return both["score"].to_numpy()


def check_decisions(name: str, llrs: Floats, prior: float) -> None:
    decided = pl.read_csv(name)
    odds = np.exp(llrs) * prior / (1 - prior)
    assert (decided["decision"].to_numpy() == "accept").tolist() == (odds >= 1).tolist()
    assert np.allclose(decided["posterior"], odds / (1 + odds), rtol=1e-12)


@pytest.mark.slow
def test_files_give_the_fusion_of_python_and_its_llrs() -> None:
    found = answer("fuse", FILES, "--key key.csv -o f.json")
    expected = fuse(SCORES[LABELS], SCORES[~LABELS], names=["cos", "plda"])
    for name, weight in expected.weights.items():
        assert found["weights"][name]["value"] == pytest.approx(weight.value, rel=1e-9)
    # The other way round, under other names: systems are matched by what they are called.
    for name in ("cos", "plda"):
        Path(f"{name}-dev.txt").rename(f"{name}-eval.txt")
    swapped = "apply f.json plda-eval.txt cos-eval.txt"
    done(swapped, "-o llrs.csv")
    assert np.allclose(llrs_in("llrs.csv"), expected(SCORES), rtol=0, atol=1e-9)
    done(swapped, "-o decided.csv --decision --posterior --p-target 0.01")
    check_decisions("decided.csv", pl.read_csv("decided.csv")["score"].to_numpy(), 0.01)
    words = "give a file of each, or one table with a column"
    refused(words, "apply f.json plda-eval.txt -o x")
    refused("have no intervals", swapped, "-o x --interval")
    refused("format npz needs score,label", swapped, "-o x.npz")
    refused("write .txt, .csv or .parquet", swapped, "-o x.h5 --decision --p-target 0.1")
    words = "no 'cos'; unknown: 'key'. Expected are 'cos', 'plda'"
    refused(words, "apply f.json plda-eval.txt key.csv -o x")


def test_columns_of_one_table_with_side_information_and_conditions() -> None:
    asked = "--scores cos,plda --label y --quality seconds --condition line"
    said = done("fuse all.csv", asked, "-o f.json").stdout
    assert "cos x seconds" in said
    assert "phone, far" in said
    refused("give their column by --condition", "apply f.json all.csv -o llrs.txt")
    done("apply f.json all.csv -o llrs.txt --condition line")
    expected = load("f.json")(SCORES, quality=TIMES, condition=WHERE)
    rows = [line.split() for line in Path("llrs.txt").read_text().splitlines()]
    assert [float(row[2]) for row in rows] == expected.tolist()
    point = "--decision --posterior --p-target 0.1"
    done("apply f.json all.csv -o decided.csv --condition line", point)
    check_decisions("decided.csv", expected, 0.1)
    for one in answer("evaluate llrs.txt --key key.csv --by line")["by"]["cells"]:
        part = np.equal(WHERE, one["values"][0])
        assert evaluate(expected[part & LABELS], expected[part & ~LABELS]).cllr == one["cllr"]


def test_side_information_of_recordings_and_of_trials_in_a_file_of_its_own() -> None:
    """Values of both sides become their minimum and maximum; those of trials stay as they are."""
    long, short = TIMES.tolist(), TIMES[::-1].tolist()
    sides = [f"m{i} {long[i]!r}\nt{i} {short[i]!r}\n" for i in range(240)]
    Path("utt2dur").write_text("".join(sides))
    lines = [f"m{i},t{i},{long[i]!r}\n" for i in range(240)]
    Path("trials.csv").write_text("".join(["model,segment,seconds\n", *reversed(lines)]))
    both = np.stack([TIMES, TIMES[::-1]], axis=1)
    for name, side in (("utt2dur", both[:, None, :]), ("trials.csv", TIMES)):
        done("fuse", FILES, "--key key.csv -o f.json --force --quality", name)
        expected = fuse(SCORES[LABELS], SCORES[~LABELS], quality=(side[LABELS], side[~LABELS]))
        Path("llrs.csv").unlink(missing_ok=True)
        done("apply f.json", FILES, "-o llrs.csv --quality", name)
        llrs = expected(SCORES, quality=side)
        assert np.allclose(llrs_in("llrs.csv"), llrs, rtol=0, atol=1e-8)
    Path("utt2dur").write_text("m0 1.5\nt0 2.5\n")
    words = "has no finite numbers on 239 of 240 trials, such as"
    refused(words, "apply f.json", FILES, "--quality utt2dur --quiet -o x.csv")


def test_a_calibration_by_condition_from_file_to_file() -> None:
    done("fit all.csv --columns score=cos,label=y --condition line -o c.json")
    tar, non = SCORES[LABELS, 0], SCORES[~LABELS, 0]
    expected = fit(tar, non, condition=(WHERE[LABELS], WHERE[~LABELS]))
    assert load("c.json") == expected
    applied = "apply c.json all.csv --columns score=cos"
    refused("give their column by --condition", applied, "-o x.csv")
    done(applied, "--condition line -o llrs.csv")
    llrs = expected(SCORES[:, 0], condition=WHERE)
    assert np.allclose(llrs_in("llrs.csv"), llrs, rtol=1e-12)
    refused("calibrations by condition are not exported", "export c.json -o x.c")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("all.csv --scores cos,foo --label y", "there is no column 'foo'"),
        ("all.csv --label y", "several systems, name them: --scores A,B"),
        ("all.csv key.csv --scores cos,plda", "are those of one file"),
        ("all.csv --scores cos --label y --quality line", "is not a number"),
        ("all.csv --scores cos --label y --condition x", "there is no column 'x'"),
        ("all.csv all.csv --key key.csv", "both systems would be called 'all'"),
        ("all.csv --scores cos,cos --label y", "--scores is 'cos,cos'; give names, each once"),
        ("all.csv --scores cos, --label y", "--scores is 'cos,'; give names, each once"),
        ("all.csv --scores= --label y", "--scores is ''; give a value"),
        ("all.csv --scores cos --label y --quality=", "--quality is ''; give a value"),
        ("all.csv --scores cos --label y --condition=", "--condition is ''; give a value"),
        ("all.csv --scores cos --label y --quality y", "labels are no side information"),
        ("all.csv --scores cos --label y --condition y", "labels are no conditions"),
        (f"{FILES} --key key.csv --quality label", "labels are no side information"),
        (f"{FILES} --key key.csv --condition label", "labels are no conditions"),
    ],
)
def test_wrong_use_ends_in_one_line(arguments: str, words: str) -> None:
    refused(words, "fuse", arguments, "-o f.json --quiet")
    assert not Path("f.json").exists()


def test_a_table_in_pieces_gives_the_same_file() -> None:
    given = "fuse all.csv --scores cos,plda --label y --quality seconds"
    done(given, "-o whole.json")
    done(given, "-o pieces.json --in-pieces")
    assert Path("whole.json").read_bytes() == Path("pieces.json").read_bytes()
    for option in ("--condition line", "--key key.csv"):
        words = f"cannot be read in pieces with {option.split()[0]}"
        refused(words, given, "--in-pieces -o no.json", option)
    words = "systems in several files, rather than in columns of one table (--scores)"
    refused(words, "fuse", FILES, "--in-pieces -o no.json")
