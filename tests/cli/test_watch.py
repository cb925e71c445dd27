"""``llrcal watch``: a verdict, an exit status, and the next command to type."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from llrcal import Calibration, fit, watch
from tests.cli.running import document, llrcal, refused
from tests.trial_sets import normal

TAR, NON = normal(300, 2.0, 1.0), normal(3000, -1.0, 1.0)
FIELD = np.concatenate([normal(150, 2.0, 1.0), normal(2850, -1.0, 1.0)])
FILES = {
    "same": FIELD,
    "moved": FIELD + 2,
    "strange": np.random.default_rng(0).exponential(300, 3000),
}


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
        "strange": (3, "moved, cost unknown", "llrcal watch model.json strange.npy --p-target"),
    }
    for name, (status, verdict, command) in said.items():
        result = llrcal("watch model.json", f"{name}.npy")
        assert result.exit_code == status, result.output
        assert result.stdout.startswith(verdict)
        assert command in result.stderr
        assert "expected" in result.stdout
    result = llrcal("watch model.json strange.npy --p-target 0.1 --quiet")
    assert result.exit_code == 3
    assert result.stdout == ""
    assert result.stderr.startswith("warning: ")


def test_json_is_the_answer_of_python(model: Calibration) -> None:
    for name in ("same", "moved"):
        result = llrcal("watch model.json", f"{name}.npy", "--json --p-target 0.05 --factor 3")
        found = document(result.stdout)
        expected = watch(model, FILES[name], p_target=0.05, factor=3).to_dict()
        assert {key: found[key] for key in ("verdict", "cost", "unmoved")} == {
            key: expected[key] for key in ("verdict", "cost", "unmoved")
        }
        assert found["moved"] == (result.exit_code == 3)
        assert found["differences"][0]["low"] == "-inf"


@pytest.mark.slow
@pytest.mark.usefixtures("model")
def test_in_pieces_and_with_a_figure(here: Path) -> None:
    (here / "parts").mkdir()
    for number, part in enumerate((FILES["moved"][:500], FILES["moved"][500:])):
        np.save(here / "parts" / f"{number}.npy", part)
    one = document(llrcal("watch model.json moved.npy --json").stdout)
    result = llrcal("watch model.json parts --json --out figures")
    many = document(result.stdout)
    of_reading = [found["notes"].pop(0)["code"] for found in (one, many)]
    assert of_reading == ["read", "read"]
    assert {**many, "source": "", "figures": None} == {**one, "source": ""}
    names = {path.name for path in (here / "figures").iterdir()}
    assert names == {"watch.png", "watch.pdf", "watch.svg"}
    again = llrcal("watch model.json parts --out figures --json")
    assert (again.exit_code, again.stdout) == (2, "")
    assert "figures exists already" in again.stderr


@pytest.mark.usefixtures("model")
def test_wrong_use(here: Path) -> None:
    np.save(here / "ones.npy", np.ones(600))
    np.save(here / "nan.npy", np.append(FIELD, np.nan))
    refused("none.npy", "watch model.json none.npy")
    refused("all 600 unlabelled scores equal 1", "watch model.json ones.npy --json --quiet")
    refused("--p-target", "watch model.json same.npy --p-target 1.5")
    refused("nan.npy", "watch model.json nan.npy")
    assert llrcal("watch model.json nan.npy --on-nan drop").exit_code == 0


def test_apply_tells_as_well(model: Calibration, here: Path) -> None:
    """Of all scores together, in one file and in many; a file that has not moved says nothing."""
    assert "llrcal watch" not in llrcal("apply model.json same.npy -o new.npy").stderr
    result = llrcal("apply model.json moved.npy -o moved-llrs.npy")
    assert result.exit_code == 0
    assert "see llrcal watch model.json moved.npy" in result.stderr
    assert "warning: moved: the scores differ from those of training" in result.stderr
    np.testing.assert_array_equal(
        np.load(here / "moved-llrs.npy"), model.without_warnings(FILES["moved"])
    )
    (here / "parts").mkdir()
    for number, part in enumerate(np.array_split(FILES["moved"], 3)):
        np.save(here / "parts" / f"{number}.npy", part)
    assert (
        "see llrcal watch model.json parts" in llrcal("apply model.json parts -o new-parts").stderr
    )
    np.save(here / "ones.npy", np.full(600, 9.0))
    assert (
        "lie beyond the training scores"
        in llrcal("apply model.json ones.npy -o new-ones.npy").stderr
    )
