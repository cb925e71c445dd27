"""Cross-validation: who tests whom, and what leaking speakers would hide."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import llrcal
from llrcal.comparison import Folds, compare
from llrcal.comparison.folds import subset_of
from llrcal.method_table import MethodName
from llrcal.trials import Trials
from tests.beyond_memory import open_trials
from tests.notes import FAR_SCORES

pytestmark = FAR_SCORES
METHODS: tuple[MethodName, ...] = ("logistic", "pav")


def crossed(
    seed: int = 0, *, speakers: int = 15, each: int = 20, pairs: int = 4, spread: float = 1.5
) -> Trials:
    """Scores that hardly depend on anything but who is compared with whom."""
    rng = np.random.default_rng(seed)
    home, voice = rng.normal(2, spread, speakers), rng.normal(0, spread / 2**0.5, speakers)
    same = np.repeat(np.arange(speakers), each)
    two = np.repeat([(a, b) for a in range(speakers) for b in range(a)], pairs, axis=0)
    tar = home[same] + 0.1 * rng.normal(size=len(same))
    non = voice[two].sum(axis=1) + 0.1 * rng.normal(size=len(two))
    return Trials(tar, non, "crossed", np.column_stack([same, same]), two)


def anonymous(trials: Trials) -> Trials:
    return replace(trials, tar_speakers=None, non_speakers=None)


def people(trials: Trials) -> set[int]:
    assert trials.speakers is not None
    return {*np.concatenate(trials.speakers).ravel().tolist()}


# ------------------------------------------------------------------------- who tests whom


@given(
    count=st.one_of(st.integers(3, 6), st.just("all")),
    seed=st.integers(0, 100),
    speakers=st.integers(10, 20),
    trials=st.integers(300, 600),
)
def test_every_trial_is_tested_once_by_what_has_seen_neither_of_its_speakers(
    count: int | Literal["all"], seed: int, speakers: int, trials: int
) -> None:
    rng = np.random.default_rng(seed)
    same = np.repeat(rng.integers(0, speakers, (trials, 1)), 2, axis=1)
    two = rng.integers(0, speakers, (5 * trials, 2))  # some of them one speaker's own
    known = Trials(rng.normal(2, 1, trials), rng.normal(0, 1, 5 * trials), "random", same, two)
    folds = Folds.of(known, count, seed=seed)
    tested = [np.zeros(len(side), int) for side in known]
    groups: dict[tuple[int, ...], set[int]] = {}
    for pair in folds.pairs:
        part = folds.part(*pair)
        strangers = people(subset_of(known, *part.train))
        mine = {*np.concatenate([same[part.test[0]], two[part.test[1]]]).ravel().tolist()}
        assert not strangers & mine
        groups.setdefault(pair, set()).update(mine)
        # No trial is left out that need not be: it has somebody of the two groups.
        left_out = {*range(speakers)} - strangers
        for both, flags in zip((same, two), part.train, strict=True):
            assert (flags == ~np.isin(both, [*left_out]).any(axis=1)).all()
        assert len(left_out) == len(pair if pair[0] != pair[1] else pair[:1]) or count != "all"
        for times, places in zip(tested, part.test, strict=True):
            times[places] += 1
    assert all((times == 1).all() for times in tested)


def test_parts_and_what_is_said_of_them() -> None:
    trials = crossed()
    folds = Folds.of(trials, 5)
    assert len(folds.pairs) == 15
    assert folds.note.code == "folds by speaker"
    assert "in 5 folds, dealt by speaker with seed 0: each trial" in folds.note.text
    assert "one of 15 calibrations, which has seen neither" in folds.note.text
    # Three speakers in each of five groups: 3 pairs within a group, 9 between two.
    for one, other in folds.pairs:
        _, train, test = folds.part(one, other)
        left = 12 if one == other else 9
        assert [int(side.sum()) for side in train] == [left * 20, left * (left - 1) // 2 * 4]
        assert [len(side) for side in test] == ([60, 12] if one == other else [0, 36])
    alone = Folds.of(trials, "all")
    assert len(alone.pairs) == 15 + 105
    assert "leaving out two of 15 speakers at a time" in alone.note.text


def test_groups_are_balanced_by_targets() -> None:
    """Speakers with many targets do not fall into the same fold."""
    rng = np.random.default_rng(0)
    many = np.repeat(np.arange(50), np.geomspace(1, 100, 50).astype(int))
    two = rng.integers(0, 100, (20_000, 2))
    trials = Trials(
        rng.normal(size=len(many)), rng.normal(size=20_000), "", np.column_stack([many, many]), two
    )
    for seed in range(10):
        counts = np.bincount(Folds.of(trials, 5, seed=seed).tar[:, 0])
        assert counts.max() < 1.35 * counts.min()


def test_without_speakers_every_trial_is_tested_once_by_what_has_not_seen_it() -> None:
    trials = anonymous(crossed())
    folds = Folds.of(trials, 7)
    assert (folds.by, folds.pairs) == ("trial", [(i, i) for i in range(7)])
    tested = [np.zeros(len(side), int) for side in trials]
    for pair in folds.pairs:
        _, train, test = folds.part(*pair)
        for times, flags, places in zip(tested, train, test, strict=True):
            assert np.array_equal(np.flatnonzero(~flags), places)
            assert abs(len(places) - len(times) / 7) < 1
            times[places] += 1
    assert all((times == 1).all() for times in tested)
    assert folds.note.code == "folds by trial"
    assert "may be larger" in folds.note.text


def test_the_same_seed_gives_the_same_folds_and_another_does_not() -> None:
    for trials in (crossed(), anonymous(crossed())):
        one, same, other = (Folds.of(trials, 5, seed=seed) for seed in (3, 3, 4))
        assert np.array_equal(one.tar, same.tar)
        assert np.array_equal(one.non, same.non)
        assert not np.array_equal(one.tar, other.tar)


# ----------------------------------------------------------------------- what compare says


def in_a_plain_loop(trials: Trials, method: MethodName, groups: list[int]) -> list[list[float]]:
    """The LLR of every trial, by a calibration of all trials with nobody of its two groups."""
    assert trials.speakers is not None
    sides = list(zip(trials, trials.speakers, strict=True))
    found: dict[frozenset[int], llrcal.Calibration] = {}
    out = []
    for scores, both in sides:
        llrs = []
        for score, pair in zip(scores.tolist(), both.tolist(), strict=True):
            mine = frozenset(groups[one] for one in pair)
            if mine not in found:
                kept = [
                    [mine.isdisjoint(groups[one] for one in pair) for pair in who.tolist()]
                    for _, who in sides
                ]
                (tar, tar_who), (non, non_who) = (
                    (some[rows], who[rows]) for (some, who), rows in zip(sides, kept, strict=True)
                )
                found[mine] = llrcal.fit(tar, non, method=method, speakers=(tar_who, non_who))
            llrs.append(float(found[mine](score)))
        out.append(llrs)
    return out


@pytest.mark.parametrize("count", [5, "all"])
def test_llrs_are_those_of_a_calibration_of_strangers(count: int | Literal["all"]) -> None:
    """Against a plain loop over trials."""
    trials = crossed(each=4, pairs=1)
    found = compare(trials, folds=count, methods=["logistic", "pav"], replicates=20)
    assert found.folds is not None
    groups = [*range(15)]
    if count != "all":
        groups = [int(found.folds.tar[4 * speaker, 0]) for speaker in range(15)]
    for method in METHODS:
        expected = in_a_plain_loop(trials, method, groups)
        llrs = found.llrs(method)
        assert [llrs.tar.tolist(), llrs.non.tolist()] == expected
        alone = llrcal.cross_validated(trials, method=method, folds=count)
        assert [alone.tar.tolist(), alone.non.tolist()] == expected
        candidate, ev = found.candidates[method], llrcal.evaluate(*expected)
        assert candidate.evaluation.cllr == ev.cllr
        assert candidate.evaluation.act_dcf(0.1) == ev.act_dcf(0.1)
        assert candidate.intervals is not None
        assert candidate.intervals.by == "speaker"
        # What is kept has seen all trials.
        assert candidate.calibration == llrcal.fit(trials, method=method)
    assert found.train is found.test is trials
    assert [note.code for note in found.notes if note.code.startswith("folds")] == [
        "folds by speaker"
    ]


def test_llrs_keep_the_order_ids_and_columns_of_the_trials() -> None:
    trials = crossed(each=4, pairs=1)
    order = np.random.default_rng(0).permutation(len(trials))
    who = np.concatenate([trials.tar_speakers, trials.non_speakers])[order]
    frame = pl.DataFrame(
        {
            "enrol": [f"m{i}" for i in order],
            "test": [f"t{i}" for i in order],
            "score": trials.scores[order],
            "label": trials.labels[order].astype(int),
            "enrol_speaker": [f"s{one:02}" for one in who[:, 0]],
            "test_speaker": [f"s{one:02}" for one in who[:, 1]],
            "line": [f"l{i % 3}" for i in order],
        }
    )
    shuffled = llrcal.read_trials(frame, keep=["line"])
    llrs = llrcal.cross_validated(shuffled, method="logistic", folds="all")
    straight = llrcal.cross_validated(trials, method="logistic", folds="all")
    np.testing.assert_allclose(llrs.scores, straight.scores[order], rtol=1e-12)
    assert llrs.ids is not None
    assert llrs.ids["enrol"].to_list() == frame["enrol"].to_list()
    assert llrs.kept is not None
    assert llrs.kept["line"].to_list() == frame["line"].to_list()
    assert llrs.notes[-1].code == "folds by speaker"


def test_llrs_of_single_trials_need_them_all() -> None:
    counts = np.array([1, 4, 20]), np.array([90, 30, 4])
    counted, other = (llrcal.Counts(np.array([-1.0, 0.0, x]), *counts) for x in (1.0, 2.0))
    found = compare(counted, other, methods=["logistic"], replicates=0)
    with pytest.raises(llrcal.OptionError, match="need all test trials in memory"):
        found.llrs()
    with pytest.raises(llrcal.OptionError, match="trials in memory are expected, not a Counts"):
        llrcal.write_trials(counted, "x.csv")  # type: ignore[arg-type]


def test_distances_and_options_of_fit() -> None:
    trials = crossed(each=4, pairs=1)
    llrs = llrcal.cross_validated(trials, method="logistic", alpha=0.1, bounds="none")
    other = llrcal.cross_validated(
        trials.negated(), method="logistic", alpha=0.1, bounds="none", lower_is_better=True
    )
    assert llrs.tar.tolist() == other.tar.tolist()
    assert llrs.tar.tolist() != llrcal.cross_validated(trials, method="logistic").tar.tolist()
    with pytest.raises(llrcal.OptionError, match="there is no method 'platt'"):
        llrcal.cross_validated(trials, method="platt")  # type: ignore[arg-type]
    with pytest.warns(llrcal.LlrcalWarning, match="a speaker may be in training and test"):
        llrcal.cross_validated(anonymous(trials), method="logistic")


def test_steps_are_told() -> None:
    said: list[tuple[object, ...]] = []
    compare(
        crossed(), folds=3, methods=["pav"], replicates=0, progress=lambda *one: said.append(one)
    )
    folds = [("folds", i, 6) for i in range(7)]
    assert said == [("raw scores",), ("training",), *folds, ("testing pav",), ("intervals",)]


# ---------------------------------------------------------------------------- refusals


def test_too_many_folds_are_refused_with_a_number_that_would_do() -> None:
    with pytest.raises(llrcal.OptionError, match="are too many: there are 15 speakers") as refused:
        compare(crossed(), folds=30)
    assert "give folds=15" in str(refused.value)
    assert "--folds 15" in refused.value.on_command_line
    few = Trials(np.array([1.0, 2.0, 3.0]), np.arange(20.0) / 7 - 1)
    with pytest.raises(llrcal.OptionError, match="no target trial to test on; give folds=3"):
        compare(few, folds=5)
    with pytest.raises(llrcal.OptionError, match=r"too few: without folds 1 and 2.*give folds=3"):
        compare(crossed(), folds=2)
    # Of the two speakers with targets, one at least must be among those to train on.
    some = crossed(speakers=10)
    assert some.tar_speakers is not None
    keep = some.tar_speakers[:, 0] < 2
    rare = replace(some, tar=some.tar[keep], tar_speakers=some.tar_speakers[keep])
    with pytest.raises(llrcal.OptionError, match="there is no target trial to train on; no other"):
        compare(rare, folds=5)


def test_what_would_take_for_ever_is_refused() -> None:
    large = crossed(speakers=80, each=2, pairs=1)
    said = "all 80 speakers would train each calibration 3,240 times; give folds=10, which train"
    with pytest.raises(llrcal.OptionError, match=said):
        compare(large, folds="all")
    with pytest.raises(llrcal.OptionError, match=r"70 folds .* 2,485 times; give folds=10"):
        compare(large, folds=70)
    many = np.arange(100_000)
    crowd = Trials(
        many % 7.0,
        many % 5.0,
        "crowd",
        np.column_stack([many, many]),
        np.column_stack([many, many[::-1]]),
    )
    with pytest.raises(llrcal.OptionError, match=r"100,000 speakers are too many .* give folds=10"):
        compare(crowd, folds="all")
    with pytest.raises(llrcal.OptionError, match="speakers are not known; give folds=5"):
        compare(anonymous(large), folds="all")
    with pytest.raises(llrcal.OptionError, match=r"120 times for every set .* give folds=5"):
        compare(crossed(), folds="all", learning_curve=True)


def test_a_fold_that_cannot_be_trained_is_named() -> None:
    few = Trials(np.array([1.0, 1.0, 1.0, 5.0]), np.arange(20.0) / 7 - 1, "few")
    with pytest.raises(llrcal.DegenerateError, match=r"fold \d: "):
        compare(few, folds=4, methods=["gaussian"])


@pytest.mark.parametrize("folds", [1, 0, -3, 2.5, True, "5", 10**6, None])
def test_folds_that_are_no_number_of_folds(folds: object) -> None:
    with pytest.raises(llrcal.OptionError, match="folds"):
        compare(crossed(), folds=folds)  # type: ignore[arg-type]


def test_one_set_or_two() -> None:
    with pytest.raises(llrcal.OptionError, match="one set of trials"):
        compare(crossed(), crossed(1), folds=5)
    with pytest.raises(llrcal.OptionError, match="give test, or folds"):
        compare(crossed())


def test_trials_in_pieces_are_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("pieces") / "all.npz"
    np.savez(path, tar=crossed().tar, non=crossed().non)
    with pytest.raises(llrcal.OptionError, match="folds needs all trials in memory"):
        compare(open_trials(path), folds=5)
