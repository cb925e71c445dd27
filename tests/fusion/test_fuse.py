"""Fusions against brute force: weights, evidence, intervals, missing scores, and what is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Array, Floats
from llrcal.errors import LlrcalWarning, OptionError, ScoreError
from llrcal.evaluation.costs import cllr
from llrcal.fusion.fuse import fusion
from tests.fusion.oracle import by_evidence, derivatives

RNG = np.random.default_rng(3)
MIX = np.array([[1.0, 0.6], [0.0, 0.8]])
TAR = RNG.normal(0.8, 1, (60, 2)) @ MIX
NON = RNG.normal(-0.8, 1, (150, 2)) @ MIX


@pytest.mark.parametrize("alpha", [60 / 210, 0.5, 0.05])
@pytest.mark.parametrize("noise", [0, 2])
def test_weights_are_those_of_brute_force(alpha: float, noise: int) -> None:
    """At the share of the targets the prior is around zero, elsewhere around those weights."""
    rng = np.random.default_rng(0)
    tar, non = (np.c_[side, rng.normal(0, 1, (len(side), noise))] for side in (TAR, NON))
    line = fusion(tar, non, alpha=alpha).lines[0]
    rows = [line.terms.rows(side).T for side in (tar, non)]
    size = noise + 2
    weights = by_evidence(rows, 60 / 210, np.zeros(size + 1), np.arange(size + 1) < size)
    if alpha != 60 / 210:
        weights = by_evidence(rows, alpha, weights, np.ones(size + 1, bool))
    assert np.abs(weights - line.weights).max() < 1e-4  # variances are found in fewer steps


def strong_and_noise(rng: np.random.Generator, tar: int, non: int) -> list[Floats]:
    """Targets and non-targets of a strong system and nine of noise."""
    sides = [rng.normal(0, 1, (size, 10)) for size in (tar, non)]
    sides[0][:, 0] += 2.5
    return sides


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("count", "most", "mean"), [(5, 6, 0.03), (10, 4, 0.02), (20, 3, 0.02)])
def test_noise_hardly_harms_a_strong_system(count: int, most: int, mean: float) -> None:
    """Cllr against that of the strong system alone, by the default of `fit`.

    A single variance for all weights lost more than 0.02 in 14 or all of these draws.
    """
    new, lost = strong_and_noise(np.random.default_rng(1), 4000, 4000), []
    for seed in range(100, 115):
        tar, non = strong_and_noise(np.random.default_rng(seed), count, 10 * count)
        alone, fused = llrcal.fit(tar[:, 0], non[:, 0]), llrcal.fuse(tar, non)
        lost.append(cllr(*map(fused, new)) - cllr(*(alone(side[:, 0]) for side in new)))
    assert (np.array(lost) > 0.02).sum() <= most
    assert np.mean(lost) < mean


def test_few_trials_for_many_systems_are_said() -> None:
    tar, non = strong_and_noise(np.random.default_rng(0), 99, 300)
    with pytest.warns(LlrcalWarning, match="99 trials of a class are few for 10 systems") as said:
        llrcal.fuse(tar, non)
    assert [warning.message.note.code for warning in said] == ["few trials"]  # type: ignore[union-attr]
    assert llrcal.fuse(tar[:, :1], non[:, :1]).report.notes == ()
    more = strong_and_noise(np.random.default_rng(0), 100, 300)
    assert llrcal.fuse(*more).report.notes == ()


def test_units_order_and_direction_of_columns_do_not_matter() -> None:
    fused = llrcal.fuse(TAR, NON)
    other = llrcal.fuse(5e6 - TAR[:, ::-1] * [1e-3, 400], 5e6 - NON[:, ::-1] * [1e-3, 400])
    llrs = other(5e6 - TAR[:, ::-1] * [1e-3, 400])
    assert np.allclose(fused(TAR), llrs, rtol=0, atol=1e-5)
    by_name = llrcal.fuse(TAR, NON, names=["a", "b"])
    assert (by_name({"b": TAR[:, 1], "a": TAR[:, 0]}) == fused(TAR)).all()


def test_one_system_is_logistic_regression_but_for_the_prior() -> None:
    tar, non = (np.random.default_rng(1).normal(m, 1, 20_000) for m in (1, -1))
    line = llrcal.fit(tar, non, method="logistic", bounds="none")
    weight = llrcal.fuse(tar, non).weights["system 1"]
    assert weight.value == pytest.approx(line.params["slope"], rel=1e-3)
    assert weight.low < line.params["slope"] < weight.high


def speakers_of(count: int, people: int) -> Array:
    return np.random.default_rng(count).integers(0, people, (count, 2))


@pytest.mark.slow
def test_intervals_by_speaker_add_up_every_pair_of_trials_that_share_one() -> None:
    who = np.repeat(speakers_of(60, 12)[:, :1], 2, axis=1), speakers_of(150, 12)
    fused = llrcal.fuse(TAR, NON, alpha="empirical", speakers=who)
    line = fused.lines[0]
    rows = [line.terms.rows(side).T for side in (TAR, NON)]
    each, hessian = derivatives(rows, 60 / 210, np.array(line.weights))
    pulls = np.concatenate([side - side.mean(axis=0) for side in each]).T
    everyone = np.concatenate(who)
    alone = np.zeros((3, 3))
    for side in (pulls[:, :60], pulls[:, 60:]):
        alone += side @ side.T * side.shape[1] / (side.shape[1] - 1)
    share = np.einsum("in,ij,jn->n", pulls, np.linalg.inv(alone), pulls) / 3
    kept = [1 - share[(everyone == person).any(axis=1)].sum() for person in range(12)]
    middle = np.zeros((3, 3))
    for i, one in enumerate(everyone.tolist()):
        for j, other in enumerate(everyone.tolist()):
            both = {*one} & {*other}
            # A pair of speakers that two trials share counts once, although both are in both.
            times = sum(1 / kept[person] ** 2 for person in both) - (len(both) == 2)
            middle += times * np.outer(pulls[:, i], pulls[:, j])
    precision = np.append(np.minimum(1 / np.array(line.variances), 3), 0)  # none is surely zero
    inverse = np.linalg.inv(hessian + np.diag(precision))
    variances = (inverse @ middle @ inverse).diagonal() * 12 / 11
    assert line.by == "speaker"
    alone = np.array(llrcal.fuse(TAR, NON, alpha="empirical").lines[0].margins)
    wide = np.array(line.margins)
    expected = 2.200985160082949 * np.sqrt(np.maximum(variances, 0))  # Student's T, 11 degrees
    wider = wide > 1.2 * alone
    assert wider.any()
    assert np.allclose(wide[wider], expected[wider], rtol=1e-6)


def test_each_pattern_learns_from_trials_that_have_its_systems_and_leans_on_all() -> None:
    """The prior of its weights is around those of all trials, with the middle for what is missing.

    Every pattern has the same share of targets, so that there is one step only.
    """
    tar, non = TAR.copy(), NON.copy()
    tar[:20, 0] = non[:50, 0] = np.nan
    tar[20:30, 1] = non[50:75, 1] = np.nan
    fused = llrcal.fuse(tar, non, alpha="empirical", missing="patterns", bounds="range")
    columns = fused.lines[0].scores
    middle = np.add(*(np.nanmedian(side, axis=0) / 2 for side in (tar, non)))
    filled = [np.where(np.isnan(side), middle, side) for side in (tar, non)]
    means = [side.mean(axis=0) for side in filled]
    apart, within = (means[0] - means[1]) / 2, (filled[0].var(axis=0) + filled[1].var(axis=0)) / 2
    assert np.allclose(columns.centre, (means[0] + means[1]) / 2)
    assert np.allclose(columns.unit, np.sqrt(within + apart**2))

    def standard(side: Floats) -> Floats:
        return (side - np.array(columns.centre)) / np.array(columns.unit)

    def rows(side: Floats) -> Floats:
        return np.c_[side, np.ones(len(side))]

    everything = [rows(standard(side)) for side in filled]
    every = by_evidence(everything, 2 / 7, np.zeros(3), np.arange(3) < 2)
    patterns = {
        (0, 1): (slice(30, None), slice(75, None)),
        (0,): (slice(20, None), slice(50, None)),
    }
    for line, (systems, there) in zip(fused.lines, patterns.items(), strict=False):
        assert line.systems == systems
        some = [
            rows(standard(side)[chosen][:, systems])
            for side, chosen in zip((tar, non), there, strict=True)
        ]
        centre = every[[*systems, 2]]
        weights = by_evidence(some, 2 / 7, centre, np.ones(len(centre), bool))
        assert np.allclose(line.weights, weights, rtol=0, atol=2e-3)  # variances are not exact
    assert [line.systems for line in fused.lines[2:]] == [(1,)]
    new = np.array([[1.0, 0.5], [1.0, np.nan], [np.nan, np.nan]])
    with pytest.warns(LlrcalWarning, match="1 of 3 trials have no score of any system"):
        llrs = fused(new)
    first, second = (np.array(line.weights) for line in fused.lines[:2])
    expected = [[*standard(new[0]), 1] @ first, [standard(new)[1, 0], 1] @ second, 0.0]
    assert np.allclose(llrs, expected)


def test_scores_that_may_be_missing_and_are_not_make_no_difference() -> None:
    plain, patterns = llrcal.fuse(TAR, NON), llrcal.fuse(TAR, NON, missing="patterns")
    assert patterns.lines[0] == plain.lines[0]


@pytest.mark.parametrize("missing", [False, True])
def test_few_targets_do_not_make_a_fusion_worse_than_none(missing: bool) -> None:
    """Two systems and noise, five targets: without bounds and with a Cauchy prior up to 3.15."""
    for seed in (2, 7, 12, 13):
        rng = np.random.default_rng(seed)
        sides = [
            np.c_[rng.normal(0, 0.5, (n, 1)) + rng.normal(mean, 1, (n, 2)), rng.normal(0, 1, n)]
            for n, mean in ((5, 2), (100, 0), (300, 2), (600, 0))
        ]
        if missing:
            sides = [np.where(rng.random(side.shape) < 0.3, np.nan, side) for side in sides]
        fused = fusion(*sides[:2], missing="patterns" if missing else "error")
        assert cllr(*(fused.answers(side)[0] for side in sides[2:])) < 0.76


def test_side_information_is_added_and_multiplied() -> None:
    rng = np.random.default_rng(0)
    sides = [rng.exponential(1, (n, 1, 2)) for n in (400, 900)]
    tar, non = (
        (m * s.min(2) + rng.normal(0, 1, (len(s), 1))) for m, s in zip((2, -2), sides, strict=True)
    )
    fused = llrcal.fuse(tar, non, quality=(sides[0], sides[1]))
    product = fused.weights["system 1 x minimum of quality 1"]
    assert product.low > 0
    plain = llrcal.fuse(tar, non)
    with_it = llrcal.evaluate(fused(tar, quality=sides[0]), fused(non, quality=sides[1]))
    assert with_it.cllr < llrcal.evaluate(plain(tar), plain(non)).cllr - 0.005


@pytest.mark.parametrize(
    ("scores", "options", "codes"),
    [
        ((TAR, NON), {}, []),
        ((np.c_[TAR, np.ones(60)], np.c_[NON, np.ones(150)]), {}, ["constant"]),
        ((np.c_[TAR, 2 * TAR[:, 0]], np.c_[NON, 2 * NON[:, 0]]), {}, ["duplicate"]),
        ((TAR + 20, NON), {}, ["separable"]),
        ((TAR, NON), {"alpha": 0.001}, ["far alpha"]),
    ],
)
def test_what_is_said(scores: Any, options: Any, codes: list[str]) -> None:
    fused = fusion(*scores, **options)
    assert [note.code for note in fused.report.notes] == codes
    assert fused.report.converged
    assert np.isfinite(fused(scores[0])).all()


def test_a_system_that_corrects_another_is_named() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 2, 2000)
    tar, non = (
        np.column_stack([m + n, 0.3 * m + n + rng.normal(0, 1, 1000)])
        for m, n in ((1, noise[:1000]), (-1, noise[1000:]))
    )
    fused = llrcal.fuse(tar, non, names=["good", "noise"])
    (note,) = fused.report.notes
    assert (note.code, note.place) == ("opposite weight", "noise")


def test_scores_of_another_system_are_noticed() -> None:
    fused = llrcal.fuse(TAR, NON * [1, 1], names=["cos", "plda"])
    with pytest.warns(LlrcalWarning, match="plda: 150 of 150 scores lie beyond those of training"):
        fused({"cos": NON[:, 0], "plda": NON[:, 1] + 100})


def test_counts_limit_llrs_unless_told_otherwise() -> None:
    """Those of trials, or of as many as their speakers make."""
    tar, non = TAR + 1, NON - 1
    fused, wide = fusion(tar, non), fusion(tar, non, bounds="range")
    people = [np.arange(2 * len(side)).reshape(-1, 2) % 7 for side in (tar, non)]
    of_seven = fusion(tar, non, speakers=(people[0], people[1]))
    for side in (tar, non):
        llrs = wide.answers(side)[0]
        expected = np.clip(llrs, -np.log(61), np.log(151))
        assert np.array_equal(fused.answers(side)[0], expected)
        assert np.abs(llrs - expected).max() > 0.5
        assert np.array_equal(of_seven.answers(side)[0], np.clip(llrs, -np.log(8), np.log(22)))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"names": ["a"]}, ScoreError, r"one column for each of 'a'"),
        ({"names": ["a", "a"]}, OptionError, "two systems are called 'a'"),
        ({"alpha": 1.0}, OptionError, "alpha is 1.0"),
        ({"missing": "skip"}, OptionError, "missing is 'skip'"),
        ({"bounds": "none"}, OptionError, "bounds are 'none'"),
        ({"quality": np.ones(3)}, OptionError, "quality must be a pair"),
        ({"quality": (np.ones(3), np.ones(150))}, ScoreError, "3 rows for 60 trials"),
        ({"condition": (["a"] * 59 + [None], ["a"] * 150)}, ScoreError, "at index 59"),
        ({"condition": (["a"] * 60, ["b"] * 150)}, ScoreError, "labels are no conditions"),
        ({"quality": (np.ones(60), np.zeros(150))}, ScoreError, "is 1 for every target and 0 for"),
        ({"quality": ({}, {})}, OptionError, "does not name every quality; give a text for each"),
        ({"quality": (TAR[:, :0], NON[:, :0])}, OptionError, "at least one"),
        ({"names": []}, OptionError, r"\[\] does not name every system"),
        ({"names": ["a", ""]}, OptionError, "give a text for each"),
        ({"speakers": (np.zeros((60, 2), int),)}, OptionError, "speakers must be a pair"),
    ],
)
def test_what_is_refused(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        llrcal.fuse(TAR, NON, **options)


def test_a_fusion_is_called_as_it_was_trained() -> None:
    fused = llrcal.fuse(TAR, NON)
    with pytest.raises(OptionError, match="trained without condition"):
        fused(TAR, condition=["a"] * 60)
    with pytest.raises(ScoreError, match=r"system 2: .* are NaN.*missing='patterns'"):
        fused([[1.0, np.nan]])
