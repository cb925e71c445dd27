"""``llrcal watch``: a verdict, an exit status, and the next command to type."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from llrcal import Calibration, fit
from llrcal.adaptation.watch import watched
from llrcal.cli.watch import STATUS
from tests.cli.running import document, llrcal, refused
from tests.trial_sets import normal

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
TAR, NON = normal(300, 2.0, 1.0), normal(3000, -1.0, 1.0)
FIELD = np.concatenate([normal(150, 2.0, 1.0), normal(2850, -1.0, 1.0)])
SUNK = np.concatenate([normal(150, 0.2, 1.0), normal(2850, -1.0, 1.0)])
FILES = {"same": FIELD, "moved": FIELD + 2, "sunk": SUNK}


@pytest.fixture
def model(here: Path) -> Calibration:
    calibration = fit(TAR, NON, method="gaussian")
    calibration.save(here / "model.json")
    for name, scores in FILES.items():
        np.save(here / f"{name}.npy", scores)
    return calibration


@pytest.mark.usefixtures("model")
def test_exit_statuses_and_next_commands() -> None:
    said = {
        "same": (0, "as in training", "There is nothing to do."),
        "moved": (3, "moved: ", "llrcal adapt model.json moved.npy -o adapted.json"),
        "sunk": (4, "cannot tell: ", "llrcal watch model.json sunk.npy --p-target SHARE"),
    }
    for name, (status, verdict, command) in said.items():
        result = llrcal("watch model.json", f"{name}.npy")
        assert result.exit_code == status, result.output
        assert result.stdout.startswith(verdict)
        assert command in result.stderr
        assert "expected" in result.stdout
    result = llrcal("watch model.json moved.npy --p-target 0.05 --speakers 30")
    assert "moved.npy --p-target 0.05 --speakers 30 -o adapted.json" in result.stderr
    np.save("strange.npy", np.random.default_rng(0).exponential(300, 3000))
    result = llrcal("watch model.json strange.npy --quiet")
    assert result.exit_code == 3
    assert result.stdout == ""
    assert result.stderr.startswith("warning: ")


@pytest.mark.usefixtures("model")
def test_speakers_are_a_number_or_looked_up(here: Path) -> None:
    many = document(llrcal("watch model.json moved.npy --json --speakers 3000").stdout)
    few = document(llrcal("watch model.json moved.npy --json --speakers 20").stdout)
    assert few["effective"] < 0.2 * many["effective"]
    assert "speakers" not in [note["code"] for note in few["notes"]]
    names = [f"s{number % 20:02}_{number}" for number in range(len(FIELD))]
    named = pl.DataFrame({"enrol": names, "test": names, "score": FILES["moved"]})
    named.write_csv(here / "named.csv")
    found = document(llrcal("watch model.json named.csv --json --speakers {speaker}_{rest}").stdout)
    assert found["effective"] == pytest.approx(few["effective"])
    refused("--speakers", "watch model.json moved.npy --speakers 0")


def test_json_is_the_answer_of_python(model: Calibration) -> None:
    for name, scores in FILES.items():
        result = llrcal("watch model.json", f"{name}.npy", "--json --p-target 0.05 --factor 3")
        found = document(result.stdout)
        expected = watched(model, scores, p_target=0.05, factor=3).to_dict()
        assert {key: found[key] for key in ("verdict", "cost", "unmoved")} == {
            key: expected[key] for key in ("verdict", "cost", "unmoved")
        }
        assert STATUS[found["verdict"]] == result.exit_code
        assert found["differences"][0]["low"] == "-inf"


@pytest.mark.slow
@pytest.mark.usefixtures("model")
def test_in_pieces_and_with_a_figure(here: Path) -> None:
    (here / "parts").mkdir()
    for number, part in enumerate((FILES["moved"][:500], FILES["moved"][500:])):
        np.save(here / "parts" / f"{number}.npy", part)
    one = document(llrcal("watch model.json moved.npy --json").stdout)
    result = llrcal("watch model.json parts --json --figures figures")
    many = document(result.stdout)
    of_reading = [found["notes"].pop(0)["code"] for found in (one, many)]
    assert of_reading == ["read", "read"]
    assert {**many, "source": "", "figures": None} == {**one, "source": ""}
    names = {path.name for path in (here / "figures").glob("[!.]*")}
    assert names == {"watch.png", "watch.pdf", "watch.svg"}
    again = llrcal("watch model.json parts --figures figures --json")
    assert (again.exit_code, again.stdout) == (2, "")
    assert "figures exists already" in again.stderr


@pytest.mark.usefixtures("model")
def test_wrong_use(here: Path) -> None:
    np.save(here / "ones.npy", np.ones(600))
    np.save(here / "nan.npy", np.append(FIELD, np.nan))
    refused("none.npy", "watch model.json none.npy")
    refused("all 600 unlabelled scores equal 1", "watch model.json ones.npy --json --quiet")
    refused("--p-target", "watch model.json same.npy --p-target 1.5")
    refused("--speakers is 'me', and there is no", "watch model.json same.npy --speakers me")
    refused("--speakers", "watch model.json same.npy --speakers '{speaker}_{rest}'")
    refused("--speakers is 0.0; give the number", "watch model.json same.npy --speakers 0")
    refused("nan.npy", "watch model.json nan.npy")
    assert llrcal("watch model.json nan.npy --on-nan drop").exit_code == 0


def test_apply_tells_as_well(model: Calibration, here: Path) -> None:
    """Of all scores together, in one file and in many; a file that has not moved says nothing."""
    assert "llrcal watch" not in llrcal("apply model.json same.npy -o new.npy").stderr
    result = llrcal("apply model.json moved.npy -o moved-llrs.npy")
    assert result.exit_code == 0
    assert "warning: these 3,000 scores do not look like those of training" in result.stderr
    np.testing.assert_array_equal(
        np.load(here / "moved-llrs.npy"), model.without_warnings(FILES["moved"])
    )
    (here / "parts").mkdir()
    for number, part in enumerate(np.array_split(FILES["moved"], 3)):
        np.save(here / "parts" / f"{number}.npy", part)
    assert "these 3,000 scores do not look" in llrcal("apply model.json parts -o new-parts").stderr
    np.save(here / "ones.npy", np.full(600, 9.0))
    assert (
        "lie beyond the training scores"
        in llrcal("apply model.json ones.npy -o new-ones.npy").stderr
    )


@pytest.mark.usefixtures("model")
def test_apply_tells_the_same_in_any_order(here: Path) -> None:
    """Two kinds of recordings in turn are a field as in training; one score for all is none.

    Calling a calibration says nothing of the field: it would go by what it saw before.
    """
    scores = np.sort(np.concatenate([normal(1000, 2.0, 1.0), normal(19_000, -1.0, 1.0)]))
    in_turn = scores.reshape(2, -1).T.ravel()
    for name, given in {"sorted": scores, "in-turn": in_turn}.items():
        for called_with in (given, given + 1.5):
            fit(TAR, NON, method="gaussian")(called_with)
        np.save(here / f"{name}.npy", given)
        np.save(here / f"{name}-moved.npy", given + 1.5)
        assert "llrcal watch" not in llrcal(f"apply model.json {name}.npy -o {name}-new.npy").stderr
    said = [
        llrcal(f"apply model.json {name}-moved.npy -o {name}-llrs.npy").stderr.replace(name, "")
        for name in ("sorted", "in-turn")
    ]
    assert "these 20,000 scores do not look like those of training" in said[0]
    assert said[0] == said[1]
    np.save(here / "constant.npy", np.full(20_000, 0.3))
    constant = llrcal("apply model.json constant.npy -o constant-new.npy").stderr
    assert "these 20,000 scores do not look like those of training" in constant


def test_apply_tells_of_distances_as_well(here: Path) -> None:
    fit(-TAR, -NON, method="gaussian", lower_is_better=True).save(here / "model.json")
    for name, scores in FILES.items():
        np.save(here / f"{name}.npy", -scores)
    same, moved = (
        llrcal(f"apply model.json {name}.npy -o {name}-llrs.npy").stderr
        for name in ("same", "moved")
    )
    assert "do not look like" not in same
    assert "these 3,000 scores do not look like" in moved


@pytest.mark.slow
def test_the_nightly_job_of_the_page_runs_twice_a_day(model: Calibration, here: Path) -> None:
    """And ends as it should whether or not the scores have shifted."""
    (script,) = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    Path("watch.sh").write_text(script)
    programs = {
        "llrcal": f'exec "{sys.executable}" -m llrcal "$@"',
        "mail": 'echo "$2" >> sent; cat >> sent',
    }
    Path("bin").mkdir()
    for name, line in programs.items():
        Path("bin", name).write_text(f"#!/bin/sh\n{line}\n")
        Path("bin", name).chmod(0o755)
    Path("night").mkdir()
    environment = {**os.environ, "PATH": f"{here}/bin:{os.environ['PATH']}"}
    for name, sent in (("same", False), ("sunk", False), ("sunk", False), ("moved", True)):
        pl.DataFrame({"score": FILES[name]}).write_parquet("night/a.parquet")
        ran = subprocess.run(
            ["/bin/sh", "watch.sh"], env=environment, capture_output=True, check=False
        )
        assert ran.returncode == 0
        assert b"failed" not in ran.stderr
        assert document(Path("watch.json").read_text())["verb"] == "watch"
        assert Path("sent").exists() is sent
        (figures,) = Path().glob("watch-*")
        assert (figures / "watch.png").exists()
