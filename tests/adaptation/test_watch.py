"""``llrcal.watch``: whether the field has moved, from unlabelled scores alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal import out_of_core
from llrcal.adaptation.adapt import adaptation
from llrcal.adaptation.field import Field
from llrcal.adaptation.given import Given
from llrcal.adaptation.prediction import predicted
from llrcal.adaptation.source import SourceModel
from llrcal.adaptation.watch import Difference, Watched, _verdict, training_mixture, watched
from llrcal.arrays import Floats
from llrcal.calibrations.adapted import Estimate
from llrcal.errors import DegenerateError, OptionError, ScoreError
from llrcal.method_table import MethodName
from tests.adaptation.worlds import textbook_nig
from tests.trial_sets import normal

TAR, NON = normal(300, 2.0, 1.0), normal(3000, -1.0, 1.0)
FIELD = np.concatenate([normal(150, 2.0, 1.0), normal(2850, -1.0, 1.0)])


@cache
def trained(method: MethodName = "gaussian") -> llrcal.Calibration:
    return llrcal.fit(TAR, NON, method=method)


@pytest.mark.parametrize("method", ["smooth", "logistic", "pav"])
def test_nothing_has_moved(method: MethodName) -> None:
    seen = llrcal.watch(trained(method), FIELD)
    assert seen.verdict == "as in training"
    assert not seen.moved
    assert seen.unmoved > 0.5
    assert seen.count == len(FIELD)
    assert seen.share.low < 0.05 < seen.share.high
    assert str(seen).startswith("as in training")


@pytest.mark.parametrize("scores", [FIELD + 2, FIELD * 2])
def test_the_field_has_moved(scores: Floats) -> None:
    seen = llrcal.watch(trained(), scores, p_target=0.05)
    assert seen.verdict == "moved"
    assert seen.cost.value > 0.01
    assert seen.unmoved < 0.01
    assert str(seen).startswith("moved: ")


def test_scores_of_something_else() -> None:
    with pytest.warns(llrcal.LlrcalWarning, match="do not look like those of training"):
        seen = llrcal.watch(trained(), np.random.default_rng(0).exponential(300, 3000))
    assert seen.verdict == "moved, cost unknown"
    assert "labels" in str(seen)


def test_differences_are_shares_of_all_scores() -> None:
    seen = llrcal.watch(trained(), FIELD + 2)
    assert sum(one.seen for one in seen.differences) == pytest.approx(1)
    assert sum(one.expected for one in seen.differences) == pytest.approx(1)
    lows, highs = ([getattr(one, name) for one in seen.differences] for name in ("low", "high"))
    assert lows[1:] == highs[:-1]
    assert lows == sorted(lows)
    there = FIELD + 2
    for one in seen.differences:
        inside = np.mean((there >= one.low) & (there < one.high))
        assert one.seen == pytest.approx(inside, abs=0.02)


def test_distances_are_the_same_the_other_way_round() -> None:
    away = llrcal.fit(-TAR, -NON, method="gaussian", lower_is_better=True)
    one, other = llrcal.watch(trained(), FIELD + 1), llrcal.watch(away, -(FIELD + 1))
    assert replace(other, differences=()) == replace(one, differences=())
    turned = [(-high, -low, *shares) for low, high, *shares in reversed(one.differences)]
    assert [tuple(row) for row in other.differences] == turned


def test_in_pieces_as_in_memory(tmp_path: Path) -> None:
    for number, part in enumerate(np.array_split(FIELD + 1, 3)):
        pl.DataFrame({"score": part}).write_parquet(tmp_path / f"{number}.parquet")
    expected = llrcal.watch(trained(), FIELD + 1, p_target=0.05, factor=3)
    found = out_of_core.watch(trained(), tmp_path, p_target=0.05, factor=3)
    assert found == expected


@pytest.mark.slow
def test_on_dask_as_in_memory() -> None:
    dask_module = pytest.importorskip("llrcal.dask")
    import dask.dataframe as dd
    import pandas as pd

    frame = dd.from_pandas(pd.DataFrame({"s": FIELD + 1}), npartitions=3)
    found = dask_module.watch(trained(), frame, score="s", p_target=0.05)
    assert found == llrcal.watch(trained(), FIELD + 1, p_target=0.05)


def test_no_portrait() -> None:
    with pytest.raises(OptionError, match="no portrait of its training scores"):
        llrcal.watch(replace(trained(), portrait=None), FIELD)


@pytest.mark.parametrize(
    ("scores", "error", "words"),
    [
        (np.ones(500), DegenerateError, "all 500 unlabelled scores equal 1"),
        ([], ScoreError, "unlabelled"),
        (np.append(FIELD, np.nan), ScoreError, "not finite.*index 3000"),
    ],
)
def test_scores_that_cannot_be_used(
    scores: Floats, error: type[llrcal.LlrcalError], words: str
) -> None:
    with pytest.raises(error, match=words):
        llrcal.watch(trained(), scores)


def test_a_summary_for_notebooks() -> None:
    assert "as in training" in llrcal.watch(trained(), FIELD)._repr_html_()


@cache
def field(shift: float, p_target: float | None = None) -> Field:
    cal = trained()
    assert cal.portrait is not None
    source, given = SourceModel.of(cal.portrait), Given.of(cal, FIELD + shift)
    return Field.of(cal, source, given, p_target, 2.0, boldly=True)


@pytest.mark.parametrize(("shift", "p_target"), [(0.0, None), (0.25, None), (0.25, 0.05)])
def test_what_is_expected_of_a_change(shift: float, p_target: float | None) -> None:
    """Draws of both classes, under each of which nothing is gained where nothing has moved."""
    seen, one = llrcal.watch(trained(), FIELD + shift, p_target=p_target), field(shift, p_target)
    share = float(one.importance @ one.shares)
    before, after = (predicted(one, llrs, share).cllr for llrs in (one.old_llrs, one.llrs))
    still = np.array([each.together == each.apart == 0.001 for each in one.which])
    gain = np.where(still & (before > after), 0.0, before - after)
    assert seen.cost.value == pytest.approx(one.importance @ gain)
    assert seen.costly == pytest.approx(one.importance[gain > 0.01].sum())
    assert seen.cllr.value == pytest.approx(one.importance @ before)
    assert seen.share.value == pytest.approx(share)
    assert seen.unmoved == pytest.approx(one.unmoved)
    assert seen.p_target == p_target
    edges = [row.low for row in seen.differences][1:]
    levels = np.quantile(FIELD + shift, np.arange(1, 10) / 10)
    assert edges == pytest.approx(levels.tolist(), abs=0.02)
    assert [row.seen for row in seen.differences] == pytest.approx([0.1] * 10)


@pytest.mark.parametrize(
    ("strange", "unmoved", "costly", "verdict"),
    [
        (0.49, 0.3, 0.81, "moved"),
        (0.49, 0.3, 0.79, "as in training"),
        (0.51, 0.3, 1.0, "moved, cost unknown"),
        (0.51, 0.3, 0.0, "moved, cost unknown"),
        (0.0, 0.0009, 0.13, "moved, cost unknown"),
        (0.0, 0.0009, 0.11, "as in training"),
        (0.0, 0.0011, 0.79, "as in training"),
        (0.0, 0.0, 0.8, "moved"),
    ],
)
def test_verdicts(strange: float, unmoved: float, costly: float, verdict: str) -> None:
    one = field(0.25)
    lies = [each.lie for each in one.hypotheses]
    weights = np.zeros(len(lies))
    for lie in ("other scores", "reversed"):
        weights[lies.index(lie)] = strange / 2
    still = next(i for i, each in enumerate(one.hypotheses) if each.unmoved and not each.lie)
    weights[still], weights[0] = unmoved, 1 - strange - unmoved
    assert _verdict(replace(one, weights=weights), costly) == verdict


def test_a_watch_in_words_and_as_json() -> None:
    seen = Watched(
        verdict="moved",
        count=3,
        p_target=0.25,
        unmoved=0.5,
        costly=0.75,
        cost=Estimate(0.0312, -0.002, 0.0456),
        cllr=Estimate(0.3, 0.2, 0.4),
        share=Estimate(0.1, 0.05, 0.2),
        differences=(Difference(-1.0, 2.0, 0.25, 0.5),),
    )
    assert str(seen) == (
        "moved: the scores differ from those of training, which costs about 0.031 bits of Cllr "
        "(0.000 to 0.046)"
    )
    still = replace(seen, verdict="as in training", cost=Estimate(-0.0001, -1.0, 1.0))
    assert str(still) == "as in training: a change is expected to cost 0.000 bits"
    assert (seen.moved, still.moved) == (True, False)
    assert seen.to_dict() == {
        "verdict": "moved",
        "moved": True,
        "scores": 3,
        "p_target": 0.25,
        "unmoved": 0.5,
        "costly": 0.75,
        "cost": [0.0312, -0.002, 0.0456],
        "cllr": [0.3, 0.2, 0.4],
        "share": [0.1, 0.05, 0.2],
        "differences": [{"low": -1.0, "high": 2.0, "seen": 0.25, "expected": 0.5}],
    }


def test_the_mixture_of_training_classes() -> None:
    cal = trained()
    mixture = training_mixture(cal, Given.of(cal, FIELD))
    assert mixture.share == pytest.approx(0.05, abs=0.01)
    assert len(mixture.likely) == 2
    at = np.linspace(-8, 9, 1701)
    tar, non = mixture.densities(at)
    assert np.trapezoid(tar, at) == pytest.approx(mixture.share, rel=1e-3)
    assert np.trapezoid(non, at) == pytest.approx(1 - mixture.share, rel=1e-3)
    source = mixture.source
    side = textbook_nig(source.non.theta).pdf((at - source.origin) / source.unit) / source.unit
    assert non == pytest.approx((1 - mixture.share) * side, abs=1e-4)
    for scores, side_name in ((NON - 1, "non"), (TAR + 1, "tar")):
        (alone,) = training_mixture(cal, Given.of(cal, scores)).likely
        assert cal.portrait is not None
        expected = getattr(cal.portrait, side_name).cells
        assert alone.values.tolist() == expected.values.tolist()


@pytest.mark.parametrize("function", [llrcal.watch, watched, llrcal.adapt, adaptation])
def test_the_defaults_are_any_share_and_a_factor_of_two(function: Callable[..., object]) -> None:
    options = inspect.signature(function).parameters
    assert (options["p_target"].default, options["factor"].default) == (None, 2.0)
