"""``llrcal adapt``: a model, scores of another place, and a model for that place."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from llrcal import Calibration, adapt, fit, load
from tests.cli.running import llrcal
from tests.trial_sets import normal

TAR, NON = normal(300, 2.0, 1.0), normal(3000, -1.0, 1.0)
THERE = np.concatenate([normal(100, 4.0, 1.0), normal(1900, 1.0, 1.0)])


@pytest.fixture
def old(tmp_path: Path) -> Calibration:
    calibration = fit(TAR, NON, method="gaussian")
    calibration.save(tmp_path / "old.json")
    np.save(tmp_path / "scores.npy", THERE)
    return calibration


@pytest.mark.slow
def test_the_answer_of_python_with_pictures(old: Calibration, tmp_path: Path) -> None:
    files = tmp_path / "old.json", tmp_path / "scores.npy"
    figures = tmp_path / "figures"
    asked = ("--p-target", 0.05, "-o", tmp_path / "new.json", "--out", figures, "--json")
    result = llrcal("adapt", *files, *asked)
    assert result.exit_code == 0, result.stderr
    new, expected = load(tmp_path / "new.json"), adapt(old, THERE, p_target=0.05)
    assert new == expected
    assert json.loads(result.stdout)
    assert {path.suffix for path in figures.iterdir()} >= {".png", ".pdf"}


@pytest.mark.slow
def test_a_folder_in_pieces_gives_the_same_model(old: Calibration, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for number, part in enumerate((THERE[:500], THERE[500:])):
        np.save(tmp_path / "parts" / f"{number}.npy", part)
    one, many = tmp_path / "one.json", tmp_path / "many.json"
    for source, new in ((tmp_path / "scores.npy", one), (tmp_path / "parts", many)):
        result = llrcal("adapt", tmp_path / "old.json", source, "--p-target 0.05 -o", new)
        assert result.exit_code == 0, result.stderr
    assert many.read_bytes() == one.read_bytes()
    assert "2 pieces of about 2,000 trials" in result.stderr


def test_a_calibration_without_densities_is_refused(tmp_path: Path) -> None:
    """Before the scores are read, which do not even exist."""
    fit(TAR, NON).save(tmp_path / "old.json")
    result = llrcal(
        "adapt", tmp_path / "old.json", tmp_path / "scores.npy", "-o", tmp_path / "new.json"
    )
    assert result.exit_code == 2
    assert "nig" in result.stderr
    assert not (tmp_path / "new.json").exists()
