"""``llrcal compare`` with one set of trials, and with a learning curve."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import llrcal as package
from tests.cli.running import llrcal, only_line, run
from tests.comparison.test_folds import crossed

QUICK = "--replicates 0 --alpha 0.5 --formats none"


def table(path: Path) -> Path:
    """Trials with their speakers, as a table."""
    trials = crossed(speakers=20)
    assert trials.tar_speakers is not None
    assert trials.non_speakers is not None
    lines = ["enrol_speaker,test_speaker,score"]
    for scores, pairs in ((trials.tar, trials.tar_speakers), (trials.non, trials.non_speakers)):
        rows = zip(pairs.tolist(), scores.tolist(), strict=True)
        lines += [f"spk{one},spk{other},{score!r}" for (one, other), score in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folds")
    table(folder / "all.csv")
    trials = crossed(speakers=20)
    np.savez(folder / "plain.npz", tar=trials.tar, non=trials.non)
    np.savez(folder / "other.npz", tar=trials.tar, non=trials.non)
    return folder


@pytest.mark.slow
def test_speakers_of_a_file_part_the_folds(folder: Path) -> None:
    command = "compare --data all.csv --folds 4 --out speakers --learning-curve"
    ran = run(command, QUICK.replace("none", "svg"), cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert "4 folds, dealt by speaker with seed 0" in ran.stderr
    assert "tested by one of 10 calibrations, which has seen neither" in ran.stderr
    out = folder / "speakers"
    trials = package.read_trials(folder / "all.csv")
    found = package.compare(trials, folds=4, replicates=0, methods=["pav", "nig"])
    with (out / "metrics.csv").open() as file:
        rows = {row["method"]: row for row in csv.DictReader(file)}
    for method, candidate in found.candidates.items():
        assert float(rows[method]["cllr"]) == candidate.evaluation.cllr
        # What is saved was trained on all trials.
        assert package.load(out / "models" / f"{method}.json") == candidate.calibration
    with (out / "learning-curve.csv").open() as file:
        sizes = [row for row in csv.DictReader(file) if row["calibration"] == "pav"]
    assert float(sizes[-1]["speakers"]) == 12  # 15 within each of four folds, 10 between any two
    assert float(sizes[-1]["cllr"]) == found.candidates["pav"].evaluation.cllr
    assert (out / "figures" / "learning-curve.svg").exists()
    assert 'id="learning"' in (out / "report.html").read_text("utf-8")
    assert "the least mean Bayes error" in " ".join(ran.stdout.split())


@pytest.mark.slow
def test_without_speakers_it_warns_even_if_quiet(folder: Path) -> None:
    ran = run("compare --data plain.npz --out plain --quiet", QUICK, cwd=folder)
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr.startswith("warning: cross-validation in 5 folds, dealt by trial")
    assert ran.stderr.count("\n") == 1
    assert not (folder / "plain" / "learning-curve.csv").exists()


@pytest.mark.parametrize("order", ["same order", "another order", "no ids"])
def test_speakers_may_be_in_the_key(tmp_path: Path, order: str) -> None:
    lines = table(tmp_path / "all.csv").read_text().splitlines()[1:]
    rows = [(f"m{i},t{i}", *line.rsplit(",", 1)) for i, line in enumerate(lines)]
    ids = order != "no ids"
    scores = [f"{trial},{score}" if ids else score for trial, _, score in rows]
    key = [f"{trial}," * ids + f"{who},{_label(who)}" for trial, who, _ in rows]
    if order == "another order":
        key.reverse()
    head = "enrol,test," * ids
    (tmp_path / "scores.csv").write_text("\n".join([f"{head}score", *scores]) + "\n")
    names = f"{head}enrol_speaker,test_speaker,label"
    (tmp_path / "key.csv").write_text("\n".join([names, *key]) + "\n")
    joined = package.read_trials(tmp_path / "scores.csv", key=tmp_path / "key.csv")
    known = crossed(speakers=20)
    assert joined.tar_speakers is not None
    assert joined.non_speakers is not None
    assert np.array_equal(joined.tar, known.tar)
    assert len(np.unique(joined.tar_speakers)) == 20
    # The numbers of speakers are others, but trials have the same in common.
    pairs = {(*map(int, one),): [] for one in joined.non_speakers}  # type: ignore[var-annotated]
    for one, score in zip(joined.non_speakers.tolist(), joined.non.tolist(), strict=True):
        pairs[(*one,)].append(score)
    assert sorted(map(tuple, pairs.values())) == sorted(
        tuple(known.non[4 * i : 4 * i + 4].tolist()) for i in range(190)
    )


def _label(who: str) -> str:
    one, other = who.split(",")
    return "target" if one == other else "nontarget"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--data all.csv --test other.npz", "--test is given as well: give either --data, or"),
        ("--data all.csv --train-key other.npz", "--train-key is given as well"),
        ("--train all.csv --test other.npz --folds 5", "--folds is for one set of trials"),
        ("--train all.csv --folds 5", "give it as --data"),
        ("--train all.csv", "--test is missing: give --train and --test, or one set"),
        ("--test all.csv", "--train is missing"),
        ("", "--train is missing"),
        ("--train all.csv --test other.npz --data-key other.npz", "--data-key is for --data"),
        ("--train all.csv --test other.npz --data-nontargets x", "--data-nontargets is for --data"),
        ("--train all.csv --test other.npz --train-nontargets x", "x: cannot be read: No such"),
        ("--train all.csv --train x --test x --test-nontargets x", "not --test-nontargets"),
        ("--data all.csv --data x --data-nontargets x", "several systems need labels or keys"),
        ("--data all.csv --data other.npz --learning-curve", "--learning-curve is for the scores"),
        ("--data all.csv --folds 50", "50 folds by speaker are too many: there are 20 speakers"),
        ("--data all.csv --folds 50", "give --folds 20"),
        ("--data all.csv --folds 2", "2 folds by speaker are too few: without folds 1 and 2"),
        ("--data plain.npz --folds all", "speakers are not known; give --folds 5"),
        ("--data all.csv --folds 1", "--folds is '1'; give a whole number from 2 on, or all"),
        ("--data all.csv --folds some", "--folds is 'some'; give a whole number from 2 on, or all"),
        ("--data all.csv --llrs new/llrs.txt", "name it .csv, .tsv or .parquet"),
        ("--data all.csv --llrs all.csv", "all.csv"),
        ("--data all.csv --llrs nowhere/llrs.csv", "nowhere is not a folder"),
        ("--train plain.npz --test other.npz --in-pieces --llrs new.csv",
         "cannot be read in pieces with --llrs"),
        ("--data plain.npz --in-pieces", "cannot be read in pieces with --folds"),
        ("--train plain.npz --test other.npz --in-pieces --learning-curve",
         "cannot be read in pieces with --learning-curve"),
        ("--train all.csv --test ./all.csv", "of a training trial"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    only_line(llrcal("compare", words, "--out new --quiet", QUICK), said)
    assert sorted(folder.rglob("*")) == before


def test_llrs_of_the_cross_validation_are_written_and_evaluated(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder of results, and out of it; with the numbers of the comparison."""
    monkeypatch.chdir(folder)
    command = f"compare --data all.csv --folds 4 --out llrs --json --forensic {QUICK}"
    answer = json.loads(llrcal(command, "--llrs llrs/llrs.csv").stdout)
    assert answer["llrs"] == "llrs/llrs.csv"
    recommended = answer["calibrations"][answer["verdict"]["recommended"]]
    found = json.loads(llrcal("evaluate llrs/llrs.csv --forensic --json").stdout)
    for name in ("tar_count", "non_count", "cllr", "min_cllr", "eer", "act_dcf", "forensic"):
        assert found[name] == recommended[name]
    trials, llrs = (package.read_trials(name) for name in ("all.csv", "llrs/llrs.csv"))
    assert np.array_equal(trials.labels, llrs.labels)
    for name in ("tar_speakers", "non_speakers", "speaker_names"):
        assert np.array_equal(getattr(trials, name), getattr(llrs, name))
    done = llrcal(f"compare --data all.csv --out forensic --llrs llrs.parquet --forensic {QUICK}")
    assert "LLRs of" in done.stdout
    assert "Forensic figures of merit of" in done.stdout
    assert package.read_trials("llrs.parquet").speakers is not None


def test_several_systems_in_folds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every candidate, the fusion included, is trained without the speakers of what it tests."""
    monkeypatch.chdir(folder)
    trials = package.read_trials("all.csv")
    assert trials.speakers is not None
    rng, who = np.random.default_rng(0), np.concatenate(trials.speakers)
    lines = [f"m{i},t{i},spk{a},spk{b},{_label(f'{a},{b}')}" for i, (a, b) in enumerate(who)]
    for name, noise in (("cos", 1.0), ("plda", 1.5)):
        scores = trials.scores + rng.normal(0, noise, len(trials))
        rows = [f"m{i},t{i},{score!r}" for i, score in enumerate(scores.tolist())]
        Path(f"{name}-all.csv").write_text("\n".join(["enrol,test,score", *rows]) + "\n")
    head = "enrol,test,enrol_speaker,test_speaker,label"
    Path("key.csv").write_text("\n".join([head, *lines]) + "\n")
    command = "compare --data cos-all.csv --data plda-all.csv --data-key key.csv --folds 4 --json"
    answer = json.loads(llrcal(command, f"--out systems --llrs systems.csv {QUICK}").stdout)
    assert [*answer["calibrations"]] == sorted(
        answer["calibrations"], key=lambda label: answer["calibrations"][label]["mean_error"]
    )
    assert {*answer["calibrations"]} == {"cos", "plda", "fusion"}
    written = package.evaluate(package.read_trials("systems.csv"))
    assert written.cllr == answer["calibrations"][answer["verdict"]["recommended"]]["cllr"]
