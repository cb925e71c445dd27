"""Scores that run the wrong way: one rule, and one verdict at every door."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.sklearn import LLRCalibrator
from tests import beyond_memory
from tests.cli.running import llrcal as command
from tests.trial_sets import normal

Sets = tuple[Floats, Floats]

NON = normal(400, 0, 1)
# More than half of the targets lie a little below the middle of the non-targets, and the others far
# above all of them: the medians are reversed, though a target scores higher in 70 % of the pairs.
FORWARD = (np.concatenate([normal(54, -0.15, 0.02), normal(46, 9, 1)]), NON)
BACKWARD = (normal(100, -0.74, 1), NON)  # AUC 0.30
SETS: dict[str, tuple[Sets, bool]] = {
    "AUC 0.70, medians reversed": (FORWARD, False),
    "AUC 0.30": (BACKWARD, True),
}


def warned(ask: Callable[[], object]) -> bool:
    """Whether a call warns of the direction of the scores."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", llrcal.LlrcalWarning)
        ask()
    said = [str(warning.message) for warning in caught]
    assert all("lower than" in text or "worse than" in text for text in said)
    return bool(said)


def refused(folder: Path, verb: str, *options: str) -> bool:
    """Whether a verb refuses the scores, with the way out."""
    (folder / "out").mkdir()
    trials = str(folder / "trials.parquet")
    arguments = {
        "fit": [trials, "-o", str(folder / "out" / "model.json")],
        "evaluate": [trials],
        "compare": [
            *("--train", trials, "--test", str(folder / "others.parquet")),
            *("--out", str(folder / "out" / "results"), "--replicates", "0", "--formats", "none"),
        ],
    }
    result = command(verb, *arguments[verb], "--quiet", *options)
    if result.exit_code:
        assert result.stderr.count("targets score lower than non-targets") == 1
        assert "continue anyway, give --inverted" in result.stderr
    return bool(result.exit_code)


DOORS: dict[str, Callable[[Sets, Path], bool]] = {
    **{
        f"llrcal.fit, {method}": lambda sets, _, method=method: warned(  # type: ignore[misc]
            lambda: llrcal.fit(*sets, method=method)
        )
        for method in ("pav", "gaussian", "logistic")
    },
    "llrcal.evaluate": lambda sets, _: warned(lambda: llrcal.evaluate(*sets)),
    "beyond_memory.fit": lambda _, folder: warned(
        lambda: beyond_memory.fit(folder / "trials.parquet", method="pav")
    ),
    "beyond_memory.evaluate": lambda _, folder: warned(
        lambda: beyond_memory.evaluate(folder / "trials.parquet")
    ),
    "scikit-learn": lambda sets, _: warned(
        lambda: LLRCalibrator("pav").fit(np.concatenate(sets), np.repeat([1, 0], [100, 400]))
    ),
    **{
        f"llrcal {verb} {' '.join(options)}": lambda _, folder, verb=verb, options=options: refused(  # type: ignore[misc]
            folder, verb, *options
        )
        for verb in ("fit", "evaluate", "compare")
        for options in ((), ("--in-pieces",))
    },
}


def test_the_sets_are_what_they_are_said_to_be() -> None:
    for (tar, non), auc in ((FORWARD, 0.7), (BACKWARD, 0.3)):
        assert np.mean(np.subtract.outer(tar, non) > 0) == pytest.approx(auc, abs=0.01)
        assert np.median(tar) < np.median(non)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "door",
    [pytest.param(door, marks=pytest.mark.slow if "compare" in door else ()) for door in DOORS],
)
def test_one_verdict(door: str, name: str, tmp_path: Path) -> None:
    (tar, non), is_wrong = SETS[name]
    for file, shift in (("trials", 0.0), ("others", 0.01)):
        scores = np.concatenate([tar, non]) + shift
        trials = pl.DataFrame({"score": scores, "label": np.arange(len(scores)) < len(tar)})
        trials.write_parquet(tmp_path / f"{file}.parquet")
    assert DOORS[door]((tar, non), tmp_path) is is_wrong
