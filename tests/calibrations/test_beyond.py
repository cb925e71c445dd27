"""Calling a calibration warns of scores beyond the training scores, if they are more than a few."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.bounds import POLICIES
from llrcal.figures import column_figure
from llrcal.method_table import MethodName
from llrcal.onepass.chunks import CHUNK
from tests.trial_sets import normal

TAR, NON = normal(150, 2.0, 1.0), normal(600, -1.0, 1.0)
LOW, HIGH = float(NON.min()), float(TAR.max())
EVERY_METHOD = pytest.mark.parametrize("method", llrcal.METHODS)


def scores(beyond: int, total: int) -> Floats:
    """So many scores, as many of them as asked for beyond those of training, on both sides."""
    far = [LOW - 1, math.nextafter(HIGH, math.inf), math.inf, -math.inf]
    inside = np.linspace(LOW, HIGH, total - beyond)
    return np.random.default_rng(0).permutation(np.append(inside, np.resize(far, beyond)))


def warned(calibration: llrcal.Calibration, asked: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        calibration(asked)
    assert all(one.category is llrcal.LlrcalWarning for one in found)
    assert all(one.filename == __file__ for one in found)
    return [str(one.message) for one in found]


@EVERY_METHOD
@pytest.mark.parametrize("bounds", POLICIES)
def test_a_call_warns_whatever_the_bounds(method: MethodName, bounds: Any) -> None:
    calibration = llrcal.fit(TAR, NON, method=method, bounds=bounds)
    (text,) = warned(calibration, scores(40, 1_000))
    assert text.startswith(
        f"40 of 1,000 scores (4.0 %) lie beyond the training scores, {LOW:.4g} to {HIGH:.4g}, "
        "where nothing was learned."
    )


@pytest.mark.parametrize(
    ("beyond", "total", "expected"),
    [
        (1, 1, 0),
        (3, 4, 0),
        (4, 4, 1),
        (4, 399, 1),
        (4, 400, 0),
        (10, 1_000, 0),
        (11, 1_000, 1),
        (0, 0, 0),
    ],
)
def test_more_than_three_and_more_than_a_hundredth(beyond: int, total: int, expected: int) -> None:
    calibration = replace(llrcal.fit(TAR, NON), portrait=None)  # or it says that all are unlike it
    assert len(warned(calibration, scores(beyond, total))) == expected


@pytest.mark.slow
def test_threads_count_every_score_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLRCAL_THREADS", "4")
    total = 20 * CHUNK + 7
    (text,) = warned(llrcal.fit(TAR, NON), scores(total // 3, total).reshape(-1, 1))
    assert text.startswith(f"{total // 3:,} of {total:,} scores (33.3 %)")


def test_distances_are_counted_as_they_are() -> None:
    calibration = llrcal.fit(-TAR, -NON, lower_is_better=True)
    (text,) = warned(calibration, -scores(40, 1_000))
    assert f"{-HIGH:.4g} to {-LOW:.4g}" in text


def test_single_precision_is_counted_at_its_value() -> None:
    calibration = llrcal.fit(np.append(TAR, 9.1), NON)
    just_above = np.full(10, 9.1, np.float32)
    assert float(just_above[0]) > 9.1
    assert warned(calibration, just_above)


def test_infinite_training_scores_leave_nothing_beyond() -> None:
    calibration = llrcal.fit([*TAR, math.inf], NON, method="pav")
    assert not warned(calibration, [math.inf] * 100)
    assert warned(calibration, [-math.inf] * 100)


def test_what_llrcal_itself_asks_does_not_warn() -> None:
    """Warnings are errors in these tests."""
    calibration = llrcal.fit(TAR, NON)
    calibration.regions(0.0)
    far = llrcal.Trials(TAR + 30, NON + 30)
    comparison = llrcal.compare(llrcal.Trials(TAR, NON), far, methods=["pav"], replicates=0)
    assert "range" in {note.code for note in comparison.notes}
    llrcal.figures.transforms(calibration, ax=column_figure()[1], low=-99, high=99)


def test_files_are_counted_together(tmp_path: Path) -> None:
    calibration = llrcal.fit(TAR, NON)
    folder = tmp_path / "scores"
    folder.mkdir()
    for number in range(2):
        lines = (f"a b{i} {score}" for i, score in enumerate(scores(2, 50)))
        (folder / f"{number}.txt").write_text("\n".join(lines) + "\n")
    with pytest.warns(llrcal.LlrcalWarning, match=r"4 of 100 scores \(4.0 %\) lie beyond"):
        llrcal.apply_files(calibration, folder, tmp_path / "llrs", allow_infinite=True)
