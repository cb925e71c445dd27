"""Folders, patterns and clusters: what the verbs write is what they write of one file in memory."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from llrcal.calibrations import METHODS
from llrcal.scale import dask_engine as cluster
from llrcal.scale import opening as options
from tests.cli.running import answer, done, llrcal, only_line, refused
from tests.trial_sets import normal

pytestmark = pytest.mark.slow

TAR, NON = normal(700, 2.5, 1.5), normal(4300, -1.5, 1.2)
PARTS = 4


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file, and the same trials in a folder of Parquet and text files, one of them empty."""
    folder = tmp_path_factory.mktemp("pieces")
    order = np.random.default_rng(1).permutation(len(TAR) + len(NON))
    frame = pl.DataFrame(
        {"score": np.concatenate([TAR, NON])[order], "label": order < len(TAR)}
    ).with_columns(label=pl.when("label").then(pl.lit("target")).otherwise(pl.lit("nontarget")))
    frame.write_parquet(folder / "all.parquet")
    (folder / "parts").mkdir()
    size = frame.height // PARTS
    for number in range(PARTS):
        part = frame.slice(number * size, size)
        if number % 2:
            part.write_csv(folder / "parts" / f"{number}.csv")
        else:
            part.write_parquet(folder / "parts" / f"{number}.parquet")
    frame.head(0).write_parquet(folder / "parts" / "empty.parquet")
    return folder


def written(place: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("method", METHODS)
def test_fit_of_a_folder_is_that_of_one_file(home: Path, tmp_path: Path, method: str) -> None:
    one, many = tmp_path / "one.json", tmp_path / "many.json"
    common = ("--method", method, "--quiet")
    assert llrcal("fit", home / "all.parquet", "-o", one, *common).exit_code == 0
    for source in (home / "parts", home / "parts" / "*"):
        assert llrcal("fit", source, "-o", many, *common).exit_code == 0
        assert many.read_bytes() == one.read_bytes()
        many.unlink()


def test_fit_says_what_it_reads(home: Path, tmp_path: Path) -> None:
    result = llrcal("fit", home / "parts", "-o", tmp_path / "model.json")
    assert f"{home}/parts: 4 pieces of about 5," in result.stderr
    assert "smooth: 700 targets, 4,300 non-targets" in result.stderr


def test_a_large_file_is_read_in_pieces_without_being_asked(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "_LARGE", 1000)
    result = llrcal("fit", home / "all.parquet", "-o", tmp_path / "model.json")
    assert "all.parquet: 1 piece of about 5,000 trials" in result.stderr


def test_evaluate_gives_the_same_numbers(home: Path) -> None:
    def numbers(*arguments: object) -> dict[str, object]:
        result = llrcal("evaluate", *arguments, "--json --units nats --quiet")
        assert result.exit_code == 0, result.stderr
        found: dict[str, object] = json.loads(result.stdout)
        return {key: value for key, value in found.items() if key not in ("source", "notes")}

    expected = numbers(home / "all.parquet")
    assert numbers(home / "parts") == expected
    assert numbers(home / "all.parquet", "--in-pieces") == expected


def test_evaluate_draws_figures(home: Path, tmp_path: Path) -> None:
    place = tmp_path / "figures"
    result = llrcal("evaluate", home / "parts", "--figures", place, "--quiet")
    assert result.exit_code == 0, result.stderr
    assert {"bayes-error.png", "det.pdf", "tippett.svg"} <= set(written(place))


def test_apply_to_a_folder_is_apply_to_each(home: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model.json", tmp_path / "llrs"
    llrcal("fit", home / "parts", "-o", model, "--quiet")
    assert llrcal("apply", model, home / "parts", "-o", out).exit_code == 0
    for source in sorted((home / "parts").iterdir()):
        alone = tmp_path / source.name
        if source.name == "empty.parquet":
            assert pl.read_parquet(out / source.name).height == 0
            continue
        assert llrcal("apply", model, source, "-o", alone, "--quiet").exit_code == 0
        assert (out / source.name).read_bytes() == alone.read_bytes()
    only_line(llrcal("apply", model, home / "parts", "-o", out), "exists already")
    assert llrcal("apply", model, home / "parts", "-o", out, "--force").exit_code == 0


@pytest.mark.slow
def test_compare_gives_the_same_numbers(home: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.parquet"
    is_target = np.arange(300) < 50
    scores = np.random.default_rng(7).normal(np.where(is_target, 2, -1), 1.2)
    pl.DataFrame({"score": scores, "label": is_target}).write_parquet(test)
    tables = []
    for train in (home / "all.parquet", home / "parts"):
        out = tmp_path / train.name
        result = llrcal(
            "compare --train", train, "--test", test, "--out", out,
            "--replicates 0 --formats none",
        )  # fmt: skip
        assert result.exit_code == 0, result.stderr
        assert (out / "report.html").stat().st_size > 100_000
        tables.append(((out / "metrics.csv").read_text(), written(out / "models")))
    assert tables[0] == tables[1]


@pytest.mark.slow
def test_workers_of_our_own(home: Path, tmp_path: Path) -> None:
    one, many = tmp_path / "one.json", tmp_path / "many.json"
    llrcal("fit", home / "all.parquet", "--method pav -o", one, "--quiet")
    result = llrcal("fit", home / "parts", "--method pav -o", many, "--workers 2 --quiet")
    assert result.exit_code == 0, result.stderr
    assert many.read_bytes() == one.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("all.parquet", "--in-pieces", "--key", "-"), "standard input cannot be read in pieces"),
        (("parts", "--duplicates", "first"), "in pieces with --duplicates"),
        (("-", "--in-pieces"), "standard input cannot be read in pieces"),
        (("parts", "--workers", "2", "--scheduler", "tcp://localhost:1"), "not both"),
        (("parts", "--scheduler", "tcp://127.0.0.1:9"), "no Dask scheduler answers at tcp://127"),
        (("none/*.parquet",), "there is no such file"),
        (("backwards.parquet", "--in-pieces"), "targets score lower than non-targets"),
        (("infinite.parquet", "--in-pieces"), "infinite.parquet"),
    ],
)
def test_wrong_use(
    home: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(home, tmp_path / "home")
    monkeypatch.chdir(tmp_path / "home")
    every = pl.read_parquet("all.parquet")
    every.with_columns(-pl.col("score")).write_parquet("backwards.parquet")
    every.with_columns(score=pl.lit(np.inf)).write_parquet("infinite.parquet")
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    result = llrcal("fit", *arguments, "-o", tmp_path / "model.json", "--quiet")
    only_line(result, words)
    assert not (tmp_path / "model.json").exists()


def test_simulate_writes_any_number_of_trials(tmp_path: Path) -> None:
    out = tmp_path / "night"
    assert llrcal("simulate --trials 20000 --out", out, "--quiet").exit_code == 0
    frame = pl.read_parquet(out / "train" / "part-00000.parquet")
    assert frame.columns == ["score", "label"]
    assert frame.height == 20_000
    assert frame["label"].sum() == 14  # as rare as in the paper
    only_line(llrcal("simulate --trials 9 --full --out", out, "--force"), "not both")


def test_intervals_in_pieces_are_those_in_memory(home: Path) -> None:
    asked = "--intervals --replicates 40 --quiet"
    known = answer("evaluate", home / "all.parquet", asked)["intervals"]
    assert answer("evaluate", home / "all.parquet", asked, "--in-pieces")["intervals"] == known
    result = llrcal("evaluate", home / "all.parquet", "--in-pieces --error-rates --quiet")
    only_line(result, "cannot be read in pieces with --error-rates; leave that out, or give one")


def test_a_large_file_is_read_whole_where_that_is_needed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a small file can do, a large one can; unless it is larger than memory."""
    monkeypatch.chdir(tmp_path)
    both = pl.read_parquet(home / "all.parquet").with_columns(test=pl.int_range(pl.len()))
    both.write_parquet("all.parquet")
    both.write_parquet("again.parquet")
    evaluate = "evaluate all.parquet --units nats --json --replicates 40 --intervals --error-rates"
    fuse = "fuse all.parquet again.parquet --quiet -o"
    small, _ = done(evaluate).stdout, done(fuse, "small.json")
    monkeypatch.setattr(options, "_LARGE", 1000)
    assert "1 piece" in done("evaluate all.parquet").stderr
    assert "columns by name" in done("evaluate all.parquet --no-in-pieces").stderr
    assert done(evaluate).stdout == small
    done(fuse, "large.json")
    assert Path("large.json").read_bytes() == Path("small.json").read_bytes()
    monkeypatch.setattr(options, "_memory", lambda: 1000)
    words = "--error-rates needs all trials in memory, and this file of 0 GB is larger than that"
    refused(words, evaluate)
    assert done(evaluate, "--no-in-pieces").stdout == small
    several = "are read in pieces; give one file, or leave out --no-in-pieces"
    refused(several, "evaluate * --no-in-pieces")
    refused("leave out --no-in-pieces", "evaluate all.parquet --no-in-pieces --workers 2")
