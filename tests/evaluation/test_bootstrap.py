"""Bootstrap intervals, against resampled trials that are really evaluated, and closed forms."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from llrcal import OptionError, ScoreError, evaluate
from llrcal.arrays import Array, Floats
from llrcal.evaluation.intervals import Intervals
from llrcal.evaluation.percentiles import Interval, centred
from llrcal.evaluation.speaker_draws import SpeakerDraws
from llrcal.onepass.chunks import CHUNK
from tests.evaluation.drawn_sets import bootstrap_intervals
from tests.oracles import bias_corrected
from tests.trial_sets import ANY, Sets, normal

PRIORS = [-2.0, 0.0, 1.5]


def flat(found: Intervals) -> Floats:
    """All intervals, one a row."""
    rates = [found.cllr, found.min_cllr, found.calibration_loss, found.eer]
    return np.array([*rates, *found.act_dcf, *found.min_dcf])


def evaluated(tar: Array, non: Array) -> list[float]:
    ev, x = evaluate(tar, non), np.array(PRIORS)
    rates = [ev.cllr, ev.min_cllr, ev.calibration_loss, ev.eer]
    return [*rates, *ev.bayes_error(x), *ev.min_bayes_error(x)]


def unseen_errors(tar: Array, non: Array, level: float) -> Floats:
    """Bayes errors if errors that are not there have the highest rate that would not show."""
    reach = []
    for x in PRIORS:
        pmiss, pfa = float(np.mean(tar < -x)), float(np.mean(non >= -x))
        misses, alarms = (1 - ((1 - level) / 2) ** (1 / len(side)) for side in (tar, non))
        both = (max(pmiss, misses), pfa), (pmiss, max(pfa, alarms))
        reach.append(max(a * math.exp(max(x, 0)) + b * math.exp(max(-x, 0)) for a, b in both))
    return np.array(reach)


def width(interval: Interval) -> float:
    return interval[1] - interval[0]


def deviation(interval: Interval) -> float:
    """Standard deviation of a Gaussian with this 95 % interval."""
    return width(interval) / (2 * 1.959964)


def of_speakers(count: int, each: int, *, effect: float, seed: int = 0) -> dict[str, Any]:
    """Targets whose LLRs share an effect of their speaker, and non-targets of random pairs."""
    rng = np.random.default_rng(seed)
    speaker, offset = np.repeat(np.arange(count), each), effect * rng.normal(size=count)
    enrol = rng.integers(count, size=4000)
    test = (enrol + rng.integers(1, count, size=4000)) % count
    non = rng.normal(-2, 2, 4000) + offset[enrol] + offset[test]
    return {
        "tar": rng.normal(2, 2, len(speaker)) + offset[speaker],
        "non": non,
        "tar_speakers": np.column_stack([speaker, speaker]),
        "non_speakers": np.column_stack([enrol, test]),
    }


# ---------------------------------------------------------------------------- oracles


@pytest.mark.parametrize(
    ("replicates", "level", "rank"), [(60, 0.95, 1), (39, 0.9, 2), (7, 0.5, 2)]
)
def test_by_speaker_is_the_evaluation_of_trials_repeated_as_drawn(
    replicates: int, level: float, rank: int
) -> None:
    """Each trial is written down as often as it counts, and the lists are evaluated."""
    trials = of_speakers(12, 5, effect=1.0)
    tar, non = np.round(trials["tar"]), np.round(trials["non"])[:300]  # ties: Cllr is exact too
    tar_speakers, non_speakers = trials["tar_speakers"], trials["non_speakers"][:300]
    draws = SpeakerDraws.of(tar_speakers, non_speakers, replicates=replicates, seed=4)
    numbers = []
    for drawn in draws.weights.T:
        tar_times = drawn[tar_speakers[:, 0]]
        non_times = drawn[non_speakers[:, 0]] * drawn[non_speakers[:, 1]]
        numbers.append(evaluated(np.repeat(tar, tar_times), np.repeat(non, non_times)))
    ordered = np.sort(centred(np.array(numbers), evaluated(tar, non)), axis=0)
    found = bootstrap_intervals(
        tar,
        non,
        prior_log_odds=PRIORS,
        tar_speakers=tar_speakers,
        non_speakers=non_speakers,
        replicates=replicates,
        seed=4,
        level=level,
    )
    expected = np.column_stack([ordered[rank - 1], ordered[-rank]])
    by_draw, actual = np.transpose(numbers), evaluated(tar, non)
    expected[1] = np.minimum(expected[1], 1)
    for row in (3, *range(4 + len(PRIORS), 4 + 2 * len(PRIORS))):  # EER and minimum costs
        expected[row] = bias_corrected(by_draw[row].tolist(), actual[row], level)
    reach = unseen_errors(tar, non, level)
    expected[4 : 4 + len(PRIORS), 1] = np.maximum(expected[4 : 4 + len(PRIORS), 1], reach)
    np.testing.assert_allclose(flat(found), expected, rtol=1e-12, atol=1e-14)
    assert (found.by, found.replicates) == ("speaker", replicates)


@pytest.mark.slow
def test_by_trial_is_about_the_evaluation_of_resampled_trials() -> None:
    """Other draws of the same distribution: ends agree within their own uncertainty."""
    tar, non = normal(150, 2, 2), normal(600, -2, 2)
    rng, replicates = np.random.default_rng(0), 1000
    numbers = [
        evaluated(rng.choice(tar, len(tar)), rng.choice(non, len(non))) for _ in range(replicates)
    ]
    moved = centred(np.array(numbers), evaluated(tar, non))
    expected = np.quantile(moved, [0.025, 0.975], axis=0).T
    for row in (3, *range(4 + len(PRIORS), 4 + 2 * len(PRIORS))):  # EER and minimum costs
        column = np.array(numbers)[:, row].tolist()
        expected[row] = bias_corrected(column, evaluated(tar, non)[row], 0.95)
    found = bootstrap_intervals(tar, non, prior_log_odds=PRIORS, replicates=replicates)
    scale = np.std(numbers, axis=0)[:, None]
    # An end has a standard error of 0.085 deviations, and the difference of two of 0.12.
    assert np.abs((flat(found) - expected) / scale).max() < 0.5
    assert (found.by, found.replicates) == ("trial", replicates)


def test_replicates_are_centred_and_not_negative() -> None:
    moved = centred(np.array([[1.0, 0.2, np.inf], [3.0, 0.0, 1.0]]), [5.0, 0.0, 2.0])
    assert moved.tolist() == [[4.0, 0.1, np.inf], [6.0, 0.0, 1.0]]


def test_every_number_lies_in_its_own_interval() -> None:
    tar, non = normal(300, 2, 2), normal(3000, -2, 2)  # calibrated: the loss is all overfitting
    found = flat(bootstrap_intervals(tar, non, prior_log_odds=PRIORS))
    numbers = np.array(evaluated(tar, non))
    assert ((found[:, 0] <= numbers) & (numbers <= found[:, 1])).all()


@pytest.mark.slow
def test_actual_costs_vary_like_binomials() -> None:
    tar, non = normal(1000, 2, 2), normal(10_000, -2, 2)
    found = bootstrap_intervals(tar, non, prior_log_odds=PRIORS, replicates=1000)
    ev = evaluate(tar, non)
    for x, interval in zip(PRIORS, found.act_dcf, strict=True):
        pmiss, pfa = ev.pmiss(-x), ev.pfa(-x)
        p = 1 / (1 + math.exp(-x))
        variance = p**2 * pmiss * (1 - pmiss) / 1000 + (1 - p) ** 2 * pfa * (1 - pfa) / 10_000
        assert deviation(interval) == pytest.approx(math.sqrt(variance) / min(p, 1 - p), rel=0.1)
        assert interval[0] < ev.bayes_error(x) < interval[1]


@pytest.mark.slow
def test_cllr_varies_like_a_mean_of_costs() -> None:
    tar, non = normal(1000, 2, 2), normal(10_000, -2, 2)
    found = bootstrap_intervals(tar, non, prior_log_odds=[], replicates=1000)
    variance = np.logaddexp(0, -tar).var() / 1000 + np.logaddexp(0, non).var() / 10_000
    assert deviation(found.cllr) == pytest.approx(math.sqrt(variance) / math.log(4), rel=0.1)
    assert (found.act_dcf, found.min_dcf) == ((), ())


# ----------------------------------------------------------------- trials and speakers


def test_by_speaker_is_wider_where_speakers_have_effects() -> None:
    trials = of_speakers(40, 25, effect=3.0)
    by_speaker = bootstrap_intervals(**trials, prior_log_odds=PRIORS)
    by_trial = bootstrap_intervals(trials["tar"], trials["non"], prior_log_odds=PRIORS)
    for name in ("cllr", "min_cllr", "calibration_loss", "eer"):
        assert width(getattr(by_speaker, name)) > 2 * width(getattr(by_trial, name))
    for wide, narrow in zip(by_speaker.act_dcf, by_trial.act_dcf, strict=True):
        assert width(wide) > 2 * width(narrow)


@pytest.mark.slow
def test_one_speaker_for_each_trial_is_about_the_trial_bootstrap() -> None:
    tar, non = normal(500, 2, 2), normal(3000, -2, 2)
    alone = np.repeat(np.arange(3500)[:, None], 2, axis=1)
    by_speaker = bootstrap_intervals(
        tar,
        non,
        prior_log_odds=PRIORS,
        tar_speakers=alone[:500],
        non_speakers=alone[500:],
        replicates=1000,
    )
    by_trial = bootstrap_intervals(tar, non, prior_log_odds=PRIORS, replicates=1000)
    scale = deviation(by_trial.cllr)
    assert by_speaker.cllr == pytest.approx(by_trial.cllr, abs=0.5 * scale)
    for one, other in zip(flat(by_speaker), flat(by_trial), strict=True):
        assert width(tuple(one)) == pytest.approx(width(tuple(other)), rel=0.15)


# ------------------------------------------------------------------------ simple cases


@given(sets=ANY)
def test_any_trials_have_intervals(sets: Sets) -> None:
    """Tiny, tied, separable or infinite: ends in order, and within what is possible."""
    tar, non = sets
    known = {
        "tar_speakers": [[k, k] for k in range(len(tar))],
        "non_speakers": [[k, k + 1] for k in range(len(non))],
    }
    ways: list[dict[str, Any]] = [{}, known]
    for speakers in ways:
        found = bootstrap_intervals(tar, non, prior_log_odds=PRIORS, replicates=5, **speakers)
        ends = flat(found)
        assert not np.isnan(ends).any()
        assert (ends[:, 0] <= ends[:, 1]).all()
        assert (ends[[0, 1, 3]] >= 0).all()
        assert max(found.min_cllr) <= 1 + 1e-14
        assert max(found.eer) <= 0.5


def test_one_trial_of_each_class_has_nothing_to_resample() -> None:
    """But errors may be frequent all the same."""
    tar, non = np.array([1.0]), np.array([-0.5])
    low, high = flat(bootstrap_intervals(tar, non, prior_log_odds=PRIORS)).T
    expected = np.array(evaluated(tar, non))
    np.testing.assert_allclose(low, expected)
    expected[4:7] = unseen_errors(tar, non, 0.95)
    np.testing.assert_allclose(high, expected)


def test_separable_classes_stay_separable() -> None:
    found = bootstrap_intervals([1.0, 2.0, 3.0], [0.5, -1.0], prior_log_odds=[0.0, 3.0])
    assert (found.eer, found.min_cllr, found.min_dcf) == ((0, 0), (0, 0), ((0, 0), (0, 0)))
    assert 0 < found.cllr[0] < found.cllr[1]


def test_tied_trials_are_all_alike() -> None:
    found = bootstrap_intervals([0.0] * 3, [0.0] * 7, prior_log_odds=[0.0])
    assert (found.cllr, found.min_cllr, found.eer) == ((1, 1), (1, 1), (0.5, 0.5))
    assert found.min_dcf == ((1.0, 1.0),)
    [(low, high)] = found.act_dcf
    assert low == 1
    assert high == pytest.approx(2 - 0.025 ** (1 / 3))  # there may be misses


def test_a_wrong_infinite_llr_makes_the_upper_end_infinite() -> None:
    """It is missing from a third of the draws, and Cllr is finite there."""
    found = bootstrap_intervals([-math.inf, *range(10)], [-1.0, -math.inf], prior_log_odds=[0.0])
    assert 0 < found.cllr[0] < math.inf == found.cllr[1]
    assert found.calibration_loss[0] < math.inf == found.calibration_loss[1]
    right = bootstrap_intervals([math.inf, 1.0, 2.0], [-1.0, -math.inf], prior_log_odds=[0.0])
    assert 0 <= right.cllr[0] < right.cllr[1] < 1


# --------------------------------------------------------------- seeds, levels, threads


def test_the_seed_decides() -> None:
    trials = of_speakers(20, 5, effect=1.0)
    alone = {"tar": trials["tar"], "non": trials["non"]}
    for data in (trials, alone):
        first, again, other = (
            bootstrap_intervals(**data, prior_log_odds=PRIORS, replicates=20, seed=seed)
            for seed in (1, 1, 2)
        )
        assert first == again
        assert (flat(first) != flat(other)).any()


@pytest.mark.slow
def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    tar, non = normal(300, 2, 2), normal(5 * CHUNK, -2, 2)
    own, pairs = np.arange(300) % 30, rng.integers(30, size=(len(non), 2))
    known = {"tar_speakers": np.column_stack([own, own]), "non_speakers": pairs}
    ways: list[dict[str, Any]] = [{}, known]
    for speakers in ways:
        seen = []
        for threads in ("1", "3"):
            monkeypatch.setenv("LLRCAL_THREADS", threads)
            seen.append(
                bootstrap_intervals(tar, non, prior_log_odds=PRIORS, replicates=3, **speakers)
            )
        assert seen[0] == seen[1]


def test_a_higher_level_gives_wider_intervals() -> None:
    tar, non = normal(100, 2, 2), normal(300, -2, 2)
    narrow, wide = (
        flat(bootstrap_intervals(tar, non, prior_log_odds=PRIORS, level=level))
        for level in (0.5, 0.95)
    )
    assert (wide[:, 0] < narrow[:, 0]).all()
    assert (wide[:, 1] > narrow[:, 1]).all()


def test_intervals_are_plain_and_frozen() -> None:
    found = bootstrap_intervals([1.0, 0.0], [0.5, -1.0], prior_log_odds=[0.0], replicates=3)
    assert {type(end) for end in found.cllr + found.act_dcf[0] + found.min_dcf[0]} == {float}
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.by = "speaker"  # type: ignore[misc]


# ----------------------------------------------------------------------- bad arguments


@pytest.mark.parametrize(
    "wrong",
    [
        {"replicates": 0},
        {"replicates": 2.5},
        {"seed": -1},
        {"seed": None},
        {"level": 0.0},
        {"level": 1.0},
        {"level": math.nan},
    ],
)
def test_bad_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        evaluate([1.0, 2.0], [0.0]).intervals(**wrong)


def test_a_target_trial_has_one_speaker() -> None:
    speakers: dict[str, Any] = {"tar_speakers": [[1, 1], [1, 2]], "non_speakers": [[1, 2]]}
    with pytest.raises(ScoreError, match="1 target trials have two speakers"):
        bootstrap_intervals([1.0, 2.0], [0.0], prior_log_odds=[0.0], **speakers)
