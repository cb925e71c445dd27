"""Forty models of every kind give the LLRs that they gave before.

`python -m tests.test_forty_models` writes tests/forty_models.json anew, after a change
that is meant to move LLRs, which the changelog then has to tell.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats

KEPT = Path(__file__).with_name("forty_models.json")
Scores = tuple[Floats, Floats]
Answers = Callable[[Floats], Floats]


def _at(scores: Scores, count: int) -> Floats:
    """Places from beyond the lowest score to beyond the highest, half of them in the middle."""
    every = np.concatenate(scores)
    reach = np.ptp(every) / 8
    low, high = sorted(float(np.quantile(side, 0.4)) for side in scores)
    far = np.linspace(every.min() - reach, every.max() + reach, count - count // 2)
    return np.sort(np.append(far, np.linspace(low, high, count // 2)))


@cache
def _sets() -> dict[str, Scores]:
    draw = np.random.RandomState(40)  # whose numbers never change
    return {
        "plain": (draw.normal(2, 1, 300), draw.normal(-2, 1.5, 3000)),
        "skewed": (draw.gumbel(1, 2, 500), -draw.gumbel(3, 1, 2000)),
        "heavy": (2 + draw.standard_t(2, 400), draw.standard_t(3, 4000)),
        "few": (draw.normal(1, 1, 12), draw.normal(-1, 1, 120)),
        "rounded": (np.round(draw.normal(1, 1, 400), 1), np.round(draw.normal(-1, 1, 900), 1)),
        "apart": (draw.uniform(3, 5, 40), draw.uniform(-2, 1, 200)),
        "many": (draw.normal(3, 2, 20_000), draw.logistic(-3, 1, 60_000)),
        "far": (1e6 + draw.normal(1, 1e-3, 200), 1e6 + draw.normal(0.997, 1e-3, 700)),
    }


def _fitted(name: str, **options: Any) -> tuple[Answers, Scores]:
    scores = _sets()[name]
    return llrcal.fit(*scores, **options), scores


def _distances(**options: Any) -> tuple[Answers, Scores]:
    tar, non = _sets()["skewed"]
    return llrcal.fit(-tar, -non, lower_is_better=True, **options), (-tar, -non)


def _by_speakers(**options: Any) -> tuple[Answers, Scores]:
    tar, non = _sets()["plain"]
    who = [np.arange(2 * len(side)).reshape(-1, 2) % n for side, n in ((tar, 7), (non, 11))]
    return llrcal.fit(tar, non, speakers=(who[0], who[1]), **options), (tar, non)


def _counted(**options: Any) -> tuple[Answers, Scores]:
    scores = _sets()["rounded"]
    values = np.unique(np.concatenate(scores))
    counts = [np.searchsorted(np.sort(side), values, "right") for side in scores]
    tar, non = (np.diff(up_to, prepend=0) for up_to in counts)
    return llrcal.fit(llrcal.Counts(values, tar, non), **options), scores


def _by_condition(**options: Any) -> tuple[Answers, Scores]:
    tar, non = _sets()["skewed"]
    names = [np.array(["a", "b", "b"])[np.arange(len(side)) % 3] for side in (tar, non)]
    by = llrcal.fit(tar, non, condition=(names[0], names[1]), **options)
    cycle = np.array(["a", "b", "c"])
    return lambda at: by(at, condition=cycle[np.arange(len(at)) % 3]), (tar, non)


def _systems() -> tuple[Floats, Floats]:
    (tar, non), draw = _sets()["plain"], np.random.RandomState(2)
    return tuple(  # type: ignore[return-value]
        np.column_stack([side, 0.3 * side + draw.normal(0, 1, len(side))]) for side in (tar, non)
    )


def _fusion(**options: Any) -> tuple[Answers, Scores]:
    fused = llrcal.fuse(*_systems(), names=["a", "b"], **options)
    return lambda at: fused(np.column_stack([at, np.cos(at)])), _sets()["plain"]


def _adapted(**options: Any) -> tuple[Answers, Scores]:
    tar, non = scores = _sets()["plain"]
    cal = llrcal.fit(tar, non, method="nig")
    field = np.append(np.random.RandomState(3).choice(tar, 100) + 1, 1.1 * non + 1)
    return llrcal.adapt(cal, field, **options), scores


MODELS: dict[str, Callable[[], tuple[Answers, Scores]]] = {
    "smooth": partial(_fitted, "plain"),
    "smooth heavy": partial(_fitted, "heavy"),
    "smooth skewed none": partial(_fitted, "skewed", bounds="none"),
    "smooth few": partial(_fitted, "few"),
    "smooth few range": partial(_fitted, "few", bounds="range"),
    "smooth rounded": partial(_fitted, "rounded"),
    "smooth apart": partial(_fitted, "apart"),
    "smooth many elub": partial(_fitted, "many", bounds="elub"),
    "smooth far": partial(_fitted, "far"),
    "smooth distances": partial(_distances),
    "smooth speakers": partial(_by_speakers),
    "smooth counted": partial(_counted),
    "linear-gaussian": partial(_fitted, "plain", method="linear-gaussian"),
    "linear-gaussian .92 none": partial(
        _fitted, "skewed", method="linear-gaussian", alpha=0.92, bounds="none"
    ),
    "linear-gaussian empirical": partial(
        _fitted, "many", method="linear-gaussian", alpha="empirical"
    ),
    "logistic": partial(_fitted, "plain", method="logistic"),
    "logistic .92 range": partial(_fitted, "heavy", method="logistic", alpha=0.92, bounds="range"),
    "logistic empirical": partial(_fitted, "many", method="logistic", alpha="empirical"),
    "logistic brier": partial(_fitted, "heavy", method="logistic", rule="brier"),
    "logistic brier .92": partial(_fitted, "skewed", method="logistic", rule="brier", alpha=0.92),
    "logistic apart": partial(_fitted, "apart", method="logistic"),
    "logistic far none": partial(_fitted, "far", method="logistic", bounds="none"),
    "pav": partial(_fitted, "plain", method="pav"),
    "pav rounded elub": partial(_fitted, "rounded", method="pav", bounds="elub"),
    "pav distances": partial(_distances, method="pav"),
    "gaussian": partial(_fitted, "plain", method="gaussian"),
    "gaussian falls none": partial(
        _fitted, "skewed", method="gaussian", bounds="none", rising=False
    ),
    "gaussian bayes few": partial(_fitted, "few", method="gaussian", bayes=True),
    "gaussian bayes none": partial(_fitted, "skewed", method="gaussian", bayes=True, bounds="none"),
    "student-t heavy": partial(_fitted, "heavy", method="student-t"),
    "student-t many falls range": partial(
        _fitted, "many", method="student-t", rising=False, bounds="range"
    ),
    "student-t bayes few": partial(_fitted, "few", method="student-t", bayes=True),
    "nig skewed": partial(_fitted, "skewed", method="nig"),
    "nig heavy elub": partial(_fitted, "heavy", method="nig", bounds="elub"),
    "nig far": partial(_fitted, "far", method="nig"),
    "nig bayes few elub": partial(_fitted, "few", method="nig", bayes=True, bounds="elub"),
    "nig bayes": partial(_fitted, "plain", method="nig", bayes=True),
    "conditions": partial(_by_condition, method="student-t"),
    "fusion": partial(_fusion),
    # The only one that a change of adaptation may move.
    "adapted": partial(_adapted, p_target=0.05),
}
"""By name, what makes a model, and the scores it was trained on."""


def answers(name: str, count: int = 25) -> Floats:
    """The LLRs of a model at so many scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", llrcal.LlrcalWarning)
        model, scores = MODELS[name]()
        return np.asarray(model(_at(scores, count)))


@pytest.mark.parametrize("name", MODELS)
def test_llrs_are_as_before(name: str) -> None:
    kept = np.array(json.loads(KEPT.read_text())[name])
    np.testing.assert_allclose(answers(name), kept, rtol=1e-9, atol=1e-9)


if __name__ == "__main__":
    rows = (f'"{name}": {json.dumps(answers(name).tolist())}' for name in MODELS)
    KEPT.write_text("{\n" + ",\n".join(rows) + "\n}\n")
