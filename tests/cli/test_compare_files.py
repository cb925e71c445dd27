"""``llrcal compare`` on files of any kind: the numbers of the arrays, and distances as they are."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from llrcal import evaluate, fit, load
from llrcal.arrays import Array
from tests.cli.running import llrcal, only_line
from tests.trial_sets import normal

CLASSES = {
    "train": (normal(80, 2.5, 1.4), normal(400, -1.5, 1.2)),
    "test": (normal(90, 2.2, 1.5), normal(500, -1.4, 1.3)),
}


def in_file_order(name: str) -> list[tuple[float, bool]]:
    """Scores and what they are, targets and non-targets mixed."""
    tar, non = CLASSES[name]
    rows = [(score, True) for score in tar.tolist()] + [(score, False) for score in non.tolist()]
    return [rows[i] for i in np.random.default_rng(len(rows)).permutation(len(rows)).tolist()]


def classes(rows: Sequence[tuple[float, bool]]) -> tuple[Array, Array]:
    tar, non = ([score for score, is_target in rows if is_target is kind] for kind in (True, False))
    return np.array(tar), np.array(non)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same trials in several forms; keys in another order than the scores."""
    folder = tmp_path_factory.mktemp("compare-files")
    for name in CLASSES:
        rows = in_file_order(name)
        ids = [f"m{i % 20} t{i}" for i in range(len(rows))]
        words = ["target" if is_target else "nontarget" for _, is_target in rows]
        tar, non = classes(rows)
        np.savez(folder / f"{name}.npz", tar=tar, non=non)
        scores = [f"{i} {score!r}\n" for i, (score, _) in zip(ids, rows, strict=True)]
        key = [f"{i} {word}\n" for i, word in zip(ids, words, strict=True)]
        (folder / f"{name}.txt").write_text("".join(scores))
        (folder / f"{name}.key").write_text("".join(reversed(key)))
        labelled = [f"{s.strip()} {w}\n" for s, w in zip(scores, words, strict=True)]
        (folder / f"{name}.labelled").write_text("".join(labelled))
        distances = [
            f"{i} {-score!r} {w}\n" for i, (score, _), w in zip(ids, rows, words, strict=True)
        ]
        (folder / f"{name}.distances").write_text("".join(distances))
    return folder


def compared(out: Path, *arguments: object) -> str:
    """Compare, and return what is said; without pictures, which have tests of their own."""
    quick = ("--replicates", 10, "--formats", "none")
    result = llrcal("compare", "--out", out, *quick, *arguments)
    assert result.exit_code == 0, result.stderr
    return result.stderr


def files_of(folder: Path, ending: str, *, keys: bool = False) -> list[object]:
    out: list[object] = []
    for name in CLASSES:
        out += [f"--{name}", folder / f"{name}{ending}"]
        out += [f"--{name}-key", folder / f"{name}.key"] if keys else []
    return out


@pytest.fixture(scope="module")
def from_arrays(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("from-arrays") / "out"
    compared(out, *files_of(folder, ".npz"), "--preset", "sre16")
    return out


@pytest.mark.slow
@pytest.mark.parametrize("form", ["keys", "labels"])
def test_text_gives_the_bytes_of_arrays(
    folder: Path, from_arrays: Path, tmp_path: Path, form: str
) -> None:
    ending, keys = (".txt", True) if form == "keys" else (".labelled", False)
    files = files_of(folder, ending, keys=keys)
    said = compared(tmp_path / "out", *files, "--preset", "sre16")
    names = sorted(path.relative_to(from_arrays) for path in from_arrays.rglob("*"))
    assert len(names) > 12
    for name in names:
        if name.suffix in (".csv", ".md", ".json"):
            assert (tmp_path / "out" / name).read_bytes() == (from_arrays / name).read_bytes(), name
    if form == "keys":
        assert said.count("scores and key joined on enrol and test") == 2


def test_presets_are_the_columns(from_arrays: Path) -> None:
    with (from_arrays / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    priors = [name.removeprefix("act_dcf_") for name in rows[0] if name.startswith("act_dcf_")]
    assert {name for name in priors if not name.endswith(("low", "high"))} == {"p0.01", "p0.005"}
    tar, non = classes(in_file_order("test"))
    train = classes(in_file_order("train"))
    [row] = [row for row in rows if row["method"] == "nig"]
    calibration = fit(*train, method="nig")
    ev = evaluate(calibration(tar), calibration(non))
    assert float(row["act_dcf_p0.005"]) == ev.act_dcf(0.005)
    assert float(row["cllr"]) == ev.cllr


@pytest.mark.slow
def test_distances(folder: Path, from_arrays: Path, tmp_path: Path) -> None:
    """Negated scores are distances: the same numbers, and models that take them as they are."""
    out = tmp_path / "out"
    files = files_of(folder, ".distances")
    only_line(
        llrcal("compare", *files, "--out", out, "--quiet"),
        "If these are distances, give --distance",
    )
    assert not out.exists()
    compared(out, *files, "--preset", "sre16", "--distance")
    assert (out / "metrics.csv").read_bytes() == (from_arrays / "metrics.csv").read_bytes()
    tar, _ = CLASSES["test"]
    for path in sorted((out / "models").iterdir()):
        model, opposite = load(path), load(from_arrays / "models" / path.name)
        assert model.lower_is_better
        assert model(-tar).tolist() == opposite(tar).tolist()


@pytest.mark.slow
def test_likenesses_are_no_distances(folder: Path, tmp_path: Path) -> None:
    files = files_of(folder, ".npz")
    result = llrcal("compare", *files, "--out", tmp_path / "out", "--distance", "--quiet")
    only_line(result, "If these are similarities, leave out --distance")
    assert not any(tmp_path.iterdir())


@pytest.mark.slow
def test_columns_hold_for_both_files(folder: Path, tmp_path: Path) -> None:
    for name in CLASSES:
        rows = [f"{s!r},0.5,{int(k)}" for s, k in in_file_order(name)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["plda,cosine,label", *rows]))
    files = files_of(tmp_path, ".csv")
    said = "2 columns could be the score: plda, cosine"
    only_line(llrcal("compare", *files, "--out", tmp_path / "out", "--quiet"), said)
    compared(tmp_path / "out", *files, "--columns", "score=plda", "--alpha", 0.5)
    assert len(list((tmp_path / "out" / "models").iterdir())) == 7


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--train-key", "none.key"], "none.key: cannot be read: No such file"),
        (["--format", "htk"], "--format cannot be 'htk'; choose kaldi"),
        (["--test-key", "train.key"], "trials of train.key have no score"),
    ],
)
def test_wrong_use_leaves_nothing(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "train.key").write_text("m0 t0 target\nm9 t9 target\nx y nontarget\n")
    before = sorted(tmp_path.iterdir())
    files = ("--train", "train.labelled", "--test", "test.txt", "--test-key", "test.key")
    result = llrcal("compare", *files, *arguments, "--out", "out", "--quiet")
    only_line(result, words)
    assert sorted(tmp_path.iterdir()) == before


def test_the_key_of_a_set_is_asked_for_by_its_option(folder: Path, tmp_path: Path) -> None:
    files = ("--train", folder / "train.txt", "--test", folder / "test.labelled")
    result = llrcal("compare", *files, "--out", tmp_path / "out", "--quiet")
    only_line(result, "there are scores but no labels; give a key: --train-key FILE")


@pytest.mark.slow
def test_trials_that_are_left_out_are_in_the_report(folder: Path, tmp_path: Path) -> None:
    for name in CLASSES:
        rows = [(s, "target" if k else "nontarget") for s, k in in_file_order(name)]
        frame = pl.DataFrame([(np.nan, "target"), *rows], ["score", "label"], orient="row")
        frame.write_parquet(tmp_path / f"{name}.parquet")
    files = files_of(tmp_path, ".parquet")
    only_line(llrcal("compare", *files, "--out", tmp_path / "out", "--quiet"), "--on-nan drop")
    drop = ("--on-nan", "drop", "--replicates", 0, "--formats", "none")
    assert llrcal("compare", *files, "--out", tmp_path / "out", *drop).exit_code == 0
    said = "1 of 481 trials left out because their score is NaN"
    assert said in (tmp_path / "out" / "report.html").read_text("utf-8")
    assert said in (tmp_path / "out" / "metrics.md").read_text()
    expected = compared(tmp_path / "whole", *files_of(folder, ".npz"), "--replicates", 0)
    assert "left out" not in expected
    models = [path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.json")]
    assert len(models) == 11
    for model in models:
        assert load(tmp_path / "out" / model) == load(tmp_path / "whole" / model)


@pytest.mark.slow
def test_the_paper_is_plain_formulas(folder: Path, tmp_path: Path) -> None:
    compared(tmp_path / "out", *files_of(folder, ".npz"), "--paper")
    for path in (tmp_path / "out" / "models").iterdir():
        bounds = load(path).bounds
        assert (bounds.policy, bounds.eer_score) == ("none", None)
