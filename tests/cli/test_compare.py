"""``llrcal compare``: what it writes, and that it writes the same twice."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import llrcal as package
from llrcal.method_table import methods_to_compare
from tests.cli.running import document, run

pytestmark = pytest.mark.slow  # draws every figure of a comparison twice

QUICK = "--alpha 0.5 --formats none"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare")
    for seed, name in enumerate(("train", "test")):
        rng = np.random.default_rng(seed)
        np.savez(folder / name, tar=rng.normal(3, 1.3, 300), non=rng.gamma(4, 0.7, 9000) - 4)
    for out, asked in (("one", "--json"), ("two", "--formats svg")):
        command = f"compare --train train.npz --test test.npz --replicates 20 --out {out}"
        ran = run(command, asked, cwd=folder)
        assert ran.returncode == 0, ran.stderr
        (folder / f"{out}.txt").write_text(ran.stdout)
    return folder


def test_everything_is_written(results: Path) -> None:
    out = results / "one"
    names = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    models = [name for name in names if name.startswith("models/")]
    assert len(models) == len(methods_to_compare())
    assert {"metrics.csv", "metrics.md", "metrics.tex", "report.html"} <= set(names)
    figures = {name.rsplit(".", 1)[0] for name in names if name.startswith("figures/")}
    assert len(figures) >= 10
    for figure in figures:
        assert {f"{figure}.png", f"{figure}.pdf", f"{figure}.svg"} <= set(names)


def test_models_give_the_numbers_of_the_table(results: Path) -> None:
    test = package.read_trials(results / "test.npz")
    with (results / "one" / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        label = "-".join(part for part in (row["method"], row["alpha"]) if part)
        calibration = package.load(results / "one" / "models" / f"{label}.json")
        ev = package.evaluate(calibration(test.tar), calibration(test.non))
        assert float(row["cllr"]) == ev.cllr
        assert float(row["act_dcf_p0.01"]) == ev.act_dcf(0.01)


def test_json_has_the_numbers_of_the_table(results: Path) -> None:
    answer = document((results / "one.txt").read_text())
    with (results / "one" / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    found = answer["calibrations"]
    for row in rows:
        one = found["-".join(part for part in (row["method"], row["alpha"]) if part)]
        assert (one["cllr"], one["mean_error"]) == (float(row["cllr"]), float(row["mean_error"]))
        assert one["intervals"]["eer"] == [float(row["eer_low"]), float(row["eer_high"])]
        at = one["p_target"].index(0.01)
        assert one["act_dcf"][at] == float(row["act_dcf_p0.01"])
    assert [one["value"] for one in found.values()] == sorted(
        one["value"] for one in found.values()
    )
    assert answer["verdict"]["headline"] in (results / "two.txt").read_text()
    assert {note["code"] for note in answer["notes"]} >= {"read"}


def test_the_same_run_twice_gives_the_same_bytes(results: Path) -> None:
    paths = [path for path in sorted((results / "two").rglob("[!.]*")) if path.is_file()]
    assert {path.suffix for path in paths} == {".csv", ".html", ".json", ".md", ".svg", ".tex"}
    for path in paths:
        other = results / "one" / path.relative_to(results / "two")
        # The report shows a command, which names its folder.
        expected = other.read_bytes().replace(b"apply one/models/", b"apply two/models/")
        assert path.read_bytes() == expected, path.name


def test_terminal_names_the_recommended_method_and_the_report(results: Path) -> None:
    said = (results / "two.txt").read_text()
    assert "Use " in said
    assert "two/report.html" in said.replace("\n", "")


def test_terminal_shows_the_verdict_in_a_box_with_intervals(results: Path) -> None:
    said = (results / "two.txt").read_text()
    assert "─ Verdict ─" in said
    assert "95 % interval" in said
    assert "mean error" in said
    assert "NOT FIT" not in said


def test_a_shift_is_seen_at_once(results: Path) -> None:
    rng = np.random.default_rng(5)
    np.savez(results / "noisy", tar=rng.normal(1, 1.3, 2000), non=rng.gamma(4, 0.7, 9000) - 4)
    asked = "--train train.npz --test noisy.npz --out noisy --replicates 40"
    ran = run("compare", asked, QUICK, cwd=results)
    assert "NOT FIT FOR USE" in ran.stdout
    assert "No calibration here is reliable on the test trials." in ran.stdout
    assert "\n* " not in ran.stdout  # nothing is marked as recommended
    assert "╔═" in ran.stdout
    assert "distribution functions" in ran.stdout


def test_criterion(results: Path) -> None:
    command = f"compare --train train.npz --test test.npz {QUICK}"
    ran = run(command, "--out p --p-target 0.2 --replicates 20", cwd=results)
    assert "the Bayes error at p0.2" in ran.stdout
    ran = run(command, "--out none --criterion points", cwd=results)
    assert ran.returncode == 2
    assert "none was asked for" in ran.stderr


def test_quiet_says_nothing(results: Path) -> None:
    asked = "--out three --quiet --replicates 0 --alpha 0.7 --formats none"
    ran = run("compare --train train.npz --test test.npz", asked, cwd=results)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert (results / "three" / "models" / "logistic-0.7.json").exists()
    assert not (results / "three" / "figures").exists()


def test_demo_needs_no_file(tmp_path: Path) -> None:
    ran = run("demo --out out --replicates 0 --formats none --quiet", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert (tmp_path / "out" / "report.html").exists()
    again = run("demo --out out --quiet", cwd=tmp_path)
    assert again.returncode == 2
    assert "out exists already" in again.stderr


def test_simulated_trials_can_be_read(tmp_path: Path) -> None:
    assert run("simulate --out scores --quiet", cwd=tmp_path).returncode == 0
    for name in ("train", "test"):
        trials = package.read_trials(tmp_path / "scores" / f"{name}.npz")
        assert trials.has_speakers
        assert len(trials.tar) < len(trials.non)
