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
from llrcal.method_table import methods_to_compare
from tests.cli.running import done, refused
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


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:
    """The same trials in several forms; keys in another order than the scores."""
    for name in CLASSES:
        rows = in_file_order(name)
        tar, non = classes(rows)
        np.savez(f"{name}.npz", tar=tar, non=non)
        lines: dict[str, list[str]] = {"txt": [], "key": [], "labelled": [], "distances": []}
        for i, (score, is_target) in enumerate(rows):
            trial, word = (
                f"m{i % 20} {'t' if name == 'test' else 'u'}{i}",
                "target" if is_target else "nontarget",
            )
            lines["txt"].append(f"{trial} {score!r}\n")
            lines["key"].insert(0, f"{trial} {word}\n")
            lines["labelled"].append(f"{trial} {score!r} {word}\n")
            lines["distances"].append(f"{trial} {-score!r} {word}\n")
        for ending, text in lines.items():
            Path(f"{name}.{ending}").write_text("".join(text))


def compared(out: str | Path, *arguments: str) -> str:
    """Compare, and return what is said; without pictures, which have tests of their own."""
    return done("compare --replicates 10 --formats none --out", out, *arguments).stderr


def files_of(ending: str, *, keys: bool = False) -> str:
    words = (f"--{name} {name}.{ending}" for name in CLASSES)
    more = (f"--{name}-key {name}.key" for name in CLASSES if keys)
    return " ".join([*words, *more])


@pytest.fixture(scope="module")
def from_arrays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("from-arrays") / "out"


@pytest.fixture(autouse=True)
def _compared(_files: None, from_arrays: Path) -> None:
    if not from_arrays.exists():
        compared(from_arrays, files_of("npz"), "--preset sre16")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["txt", "labelled"])
def test_text_gives_the_bytes_of_arrays(from_arrays: Path, form: str) -> None:
    said = compared("out", files_of(form, keys=form == "txt"), "--preset sre16")
    names = [*from_arrays.glob("*.csv"), *from_arrays.glob("*.md"), *from_arrays.glob("*/*.json")]
    assert len(names) > 12
    for path in names:
        other = Path("out") / path.relative_to(from_arrays)
        one, two = (file.read_bytes().splitlines() for file in (path, other))
        if path.suffix == ".md":  # only ids tell that speakers repeat
            assert b"since 'm0' has several trials" in two.pop()
            assert b"where speakers have several trials" in one.pop()
        assert two == one
    assert said.count("scores and key joined on enrol and test") == (2 if form == "txt" else 0)


def test_presets_are_the_columns(from_arrays: Path) -> None:
    with (from_arrays / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    priors = {name for name in rows[0] if name.startswith("act_dcf_")}
    ends = {f"act_dcf_{p}{end}" for p in ("p0.01", "p0.005") for end in ("", "_low", "_high")}
    assert priors == ends
    tar, non = classes(in_file_order("test"))
    calibration = fit(*classes(in_file_order("train")), method="nig")
    ev = evaluate(calibration(tar), calibration(non))
    [row] = [row for row in rows if row["method"] == "nig"]
    assert float(row["act_dcf_p0.005"]) == ev.act_dcf(0.005)
    assert float(row["cllr"]) == ev.cllr


@pytest.mark.slow
def test_distances(from_arrays: Path) -> None:
    """Negated scores are distances: the same numbers, and models that take them as they are."""
    files = files_of("distances")
    refused("If these are distances, give --distance", "compare --out out --quiet", files)
    assert not Path("out").exists()
    compared("out", files, "--preset sre16 --distance")
    assert Path("out/metrics.csv").read_bytes() == (from_arrays / "metrics.csv").read_bytes()
    tar, _ = CLASSES["test"]
    for path in Path("out/models").iterdir():
        model, opposite = load(path), load(from_arrays / "models" / path.name)
        assert model.lower_is_better
        assert model(-tar).tolist() == opposite(tar).tolist()


@pytest.mark.slow
def test_columns_hold_for_both_files() -> None:
    for name in CLASSES:
        rows = [f"{s!r},0.5,{int(k)}" for s, k in in_file_order(name)]
        Path(f"{name}.csv").write_text("\n".join(["plda,cosine,label", *rows]))
    said = "2 columns could be the score: plda, cosine"
    refused(said, "compare --out out --quiet", files_of("csv"))
    compared("out", files_of("csv"), "--columns score=plda --alpha 0.5")
    assert len(list(Path("out/models").iterdir())) == 7


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (f"{files_of('labelled')} --train-key none.key", "none.key: cannot be read: No such file"),
        (f"{files_of('labelled')} --format htk", "cannot be 'htk'; choose kaldi"),
        (f"{files_of('labelled')} --test-key other.key", "trials of other.key have no score"),
        (f"{files_of('npz')} --distance", "If these are similarities, leave out --distance"),
        (
            "--train train.txt --test test.labelled",
            "there are scores but no labels; give a key: --train-key FILE",
        ),
        (f"{files_of('npz')} --alpha 2", "alpha is 2.0"),
        (f"{files_of('npz')} --out train.npz/out", "train.npz/out"),
        (f"{files_of('npz')} --formats png,gif", "png, pdf, svg, or several, not 'gif'"),
    ],
)
def test_wrong_use_leaves_nothing(here: Path, arguments: str, words: str) -> None:
    Path("other.key").write_text("m0 t0 target\nm9 t9 target\nx y nontarget\n")
    before = sorted(here.iterdir())
    where = "" if "--out" in arguments else "--out out"
    refused(words, "compare --quiet", where, arguments)
    assert sorted(here.iterdir()) == before


@pytest.mark.slow
def test_trials_that_are_left_out_are_in_the_report(from_arrays: Path) -> None:
    for name in CLASSES:
        rows = [(s, "target" if k else "nontarget") for s, k in in_file_order(name)]
        frame = pl.DataFrame([(np.nan, "target"), *rows], ["score", "label"], orient="row")
        frame.write_parquet(f"{name}.parquet")
    files = files_of("parquet")
    refused("--on-nan drop", "compare --out out --quiet", files)
    compared("out", files, "--on-nan drop")
    for page in ("report.html", "metrics.md"):
        said = "1 of 481 trials left out because their score is NaN"
        assert said in (Path("out") / page).read_text("utf-8")
    models = list(Path("out/models").iterdir())
    assert len(models) == len(methods_to_compare())
    for model in models:
        assert load(model) == load(from_arrays / "models" / model.name)


@pytest.mark.slow
def test_the_paper_is_plain_formulas() -> None:
    compared("out", files_of("npz"), "--paper")
    for path in Path("out/models").iterdir():
        bounds = load(path).bounds
        assert (bounds.policy, bounds.eer_score) == ("none", None)


def test_conditions_are_asked_of_test_trials_alone(tmp_path: Path) -> None:
    rooms = "".join(
        f"m{i % 20},t{i},{int(is_target)},{'hall' if i % 3 else 'booth'}\n"
        for i, (_, is_target) in enumerate(in_file_order("test"))
    )
    Path("rooms.csv").write_text(f"enrol,test,label,room\n{rooms}")
    test, train = "--test-key rooms.csv --by room", "--train-key train.key"
    compared(tmp_path / "one", "--train train.labelled --test test.txt", test)
    for name in CLASSES:
        for system in "ab":
            Path(f"{system}-{name}.txt").write_bytes(Path(f"{name}.txt").read_bytes())
    systems = "--train a-train.txt --train b-train.txt --test a-test.txt --test b-test.txt"
    compared(tmp_path / "two", systems, train, test)
    for folder in ("one", "two"):
        tables = (path.read_text() for path in (tmp_path / folder).glob("*.csv"))
        assert any("booth" in table for table in tables)
