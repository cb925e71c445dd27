"""``llrcal adapt``: a model, scores from the field, and a model for the field."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from llrcal import Calibration, fit, load
from llrcal.adaptation.adapt import adaptation
from tests.cli.running import document, llrcal, only_line
from tests.trial_sets import normal

TAR, NON = normal(300, 2.0, 1.0), normal(3000, -1.0, 1.0)
FIELD = np.concatenate([normal(100, 4.0, 1.0), normal(1900, 1.0, 1.0)])


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calibration:
    monkeypatch.chdir(tmp_path)
    calibration = fit(TAR, NON)
    calibration.save("old.json")
    np.save("scores.npy", FIELD)
    return calibration


@pytest.mark.slow
@pytest.mark.parametrize(("told", "p_target"), [("", None), ("--p-target 0.05", 0.05)])
def test_the_answer_of_python_with_pictures(
    told: str, p_target: float | None, old: Calibration
) -> None:
    words = f"adapt old.json scores.npy -o new.json --figures figures --json {told}"
    result = llrcal(words)
    assert result.exit_code == 0, result.stderr
    new, expected = load("new.json"), adaptation(old, FIELD, p_target=p_target)
    assert new == expected
    assert expected.adapted is not None
    answer = document(result.stdout)
    assert answer.items() >= expected.adapted.to_dict().items()
    assert (answer["choice"], answer["p_target"]) == ("moved", p_target)
    names = {path.name for path in Path("figures").iterdir()}
    assert names >= {"mixture.png", "mixture.pdf", "transforms.svg"}


def test_figures_are_replaced_if_that_is_asked_for(old: Calibration) -> None:
    words = "adapt old.json scores.npy -o new.json --figures figures"
    assert llrcal(words).exit_code == 0
    Path("figures/mixture.png").chmod(0o600)
    Path("new.json").unlink()
    refused = llrcal(words)
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert not Path("new.json").exists()
    assert llrcal(words, "--force").exit_code == 0
    assert Path("figures/mixture.png").stat().st_mode & 0o077


def test_the_table_says_what_was_chosen_and_what_is_doubtful(old: Calibration) -> None:
    result = llrcal("adapt old.json scores.npy -o new.json")
    assert result.stdout.startswith("smooth, moved: 2,000 unlabelled scores")
    for words in ("share of targets", "expected Cllr as it was", "expected DCF at 0.0"):
        assert words in result.stdout
    assert "probability that nothing has moved: " in result.stdout
    assert "no move explains" not in result.stdout
    np.save("others.npy", np.random.default_rng(0).exponential(300, 3000))
    result = llrcal("adapt old.json others.npy -o new.json --force")
    assert result.exit_code == 0
    assert "probability that no move explains the scores: " in result.stdout
    assert "shift of scores" not in result.stdout
    assert "warning: no move of the training classes seems to explain these scores" in result.stderr


def test_scores_as_in_training_leave_a_model_as_it_was(old: Calibration) -> None:
    np.save("same.npy", np.concatenate([TAR, NON]))
    result = llrcal("adapt old.json same.npy -o new.json")
    assert result.stdout.startswith("smooth, left as it was: ")
    scores = np.linspace(-4, 4, 50)
    new = load("new.json")
    np.testing.assert_array_equal(new(scores), old(scores))
    np.testing.assert_array_equal(new.interval(scores), old.interval(scores))


@pytest.mark.slow
def test_a_folder_in_pieces_gives_the_same_model(old: Calibration) -> None:
    Path("parts").mkdir()
    for number, part in enumerate((FIELD[:500], FIELD[500:])):
        np.save(f"parts/{number}.npy", part)
    for source in ("scores.npy", "parts"):
        result = llrcal(f"adapt old.json {source} --p-target 0.05 -o {source}.json")
        assert result.exit_code == 0, result.stderr
    assert Path("parts.json").read_bytes() == Path("scores.npy.json").read_bytes()
    assert "2 pieces of about 2,000 trials" in result.stderr


def test_what_is_wrong_is_refused_before_scores_are_read(old: Calibration) -> None:
    """Which do not even exist."""
    replace(old, portrait=None).save("without.json")
    only_line(llrcal("adapt without.json none.npy -o new.json"), "Train it again")
    wrong_share = "adapt old.json none.npy --p-target 0 -o new.json"
    only_line(llrcal(wrong_share), "--p-target is 0.0; give the rough share")
    only_line(llrcal("adapt old.json -o new.json"), "there is nothing to adapt to")
    assert not Path("new.json").exists()
