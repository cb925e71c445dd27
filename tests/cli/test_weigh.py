"""``llrcal weigh``: the answers of ``Calibration.weigh``, in a table and in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llrcal import Calibration, fit
from llrcal.method_table import MethodName
from tests.calibrations.model_files import KEPT
from tests.cli.running import document, llrcal, only_line
from tests.trial_sets import normal

TAR, NON = normal(200, 2.0, 1.0), normal(2000, -1.0, 1.0)
METHODS = pytest.mark.parametrize("method", ["smooth", "logistic"])


def saved(folder: Path, method: MethodName) -> Calibration:
    calibration = fit(TAR, NON, method=method)
    calibration.save(folder / "model.json")
    return calibration


@METHODS
def test_json(method: MethodName, tmp_path: Path) -> None:
    calibration = saved(tmp_path, method)
    scores = [-1.25, 0.4, 3.5, 99.0]
    result = llrcal("weigh", tmp_path / "model.json", *scores, "--level 0.9 --json")
    assert (result.exit_code, result.stderr) == (0, "")
    answer = document(result.stdout)
    weights = [calibration.weigh(score, level=0.9) for score in scores]
    assert answer["scores"] == [weight.to_dict() for weight in weights]
    codes = [(note["code"], note["place"]) for note in answer["notes"]]
    assert codes == [("training", ""), ("range", "score 99")]


@METHODS
def test_table(method: MethodName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    saved(tmp_path, method)
    result = llrcal("weigh", tmp_path / "model.json", "-2.5 1.5 99")
    assert result.exit_code == 0
    assert "support for Hd" in result.stdout
    assert "support for Hp" in result.stdout
    assert "95 % interval" in result.stdout
    assert "held at the bound" in result.stdout
    assert result.stderr.count("note: trained on 200 target trials and 2,000") == 1
    assert "warning: score 99: the score lies above all training scores" in result.stderr


def test_old_models_have_no_intervals() -> None:
    result = llrcal("weigh", KEPT / "logistic.json", "-2.5 1.5")
    assert "interval" not in result.stdout
    assert result.stderr.count("has no intervals; train it again") == 1


def test_infinite_scores(tmp_path: Path) -> None:
    saved(tmp_path, "logistic")
    result = llrcal("weigh", tmp_path / "model.json", "-inf --json")
    assert json.loads(result.stdout)["scores"][0]["score"] == "-inf"


def test_no_prior_is_asked_for(tmp_path: Path) -> None:
    saved(tmp_path, "logistic")
    result = llrcal("weigh", tmp_path / "model.json", "1 --p-target 0.5")
    assert result.exit_code == 2
    assert "not a valid float" in result.stderr


def test_wrong_use(tmp_path: Path) -> None:
    saved(tmp_path, "smooth")
    only_line(llrcal("weigh", tmp_path / "model.json", "nan"), "NaN")
    only_line(llrcal("weigh", tmp_path / "model.json", "1 --level 95"), "level is 95.0")
    comma = llrcal("weigh", tmp_path / "model.json", "2,5")
    assert comma.exit_code == 2
    assert "'2,5' is not a valid float" in comma.stderr
    only_line(llrcal("weigh", tmp_path / "none.json", "1"), "none.json")
    assert llrcal("weigh", tmp_path / "model.json").exit_code == 2
