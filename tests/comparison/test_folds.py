"""Cross-validation: who tests whom, and what leaking speakers would hide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import llrcal
from llrcal.arrays import Array
from llrcal.comparison import Folds, compare
from llrcal.out_of_core import open_trials
from llrcal.trials import Trials
from tests.notes import FAR_SCORES

pytestmark = FAR_SCORES


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


def rows(trials: Trials) -> list[tuple[int, float]]:
    """Trials without speakers, in order."""
    return sorted((is_tar, x) for is_tar, side in zip((1, 0), trials, strict=True) for x in side)


# ------------------------------------------------------------------------- who tests whom


@given(
    count=st.integers(2, 5),
    seed=st.integers(0, 100),
    speakers=st.integers(10, 30),
    trials=st.integers(300, 600),
)
def test_no_speaker_is_in_training_and_test_of_a_fold(
    count: int, seed: int, speakers: int, trials: int
) -> None:
    rng = np.random.default_rng(seed)
    same = np.repeat(rng.integers(0, speakers, (trials, 1)), 2, axis=1)
    two = rng.integers(0, speakers, (5 * trials, 2))  # some of them one speaker's own
    known = Trials(rng.normal(2, 1, trials), rng.normal(0, 1, 5 * trials), "random", same, two)
    folds = Folds.of(known, count, seed=seed)
    assert (folds.by, len(folds.tests)) == ("speaker", count)
    tested: list[int] = []
    for fold, test in enumerate(folds.tests):
        training = folds.training(fold)
        assert not people(training) & people(test)
        # And no trial is left out that need not be.
        for part in (training, test):
            allowed = people(part)
            assert len(part) == sum(pair <= allowed for pair in pairs(known))
        tested += people(test)
    assert len(tested) == len(set(tested))


def pairs(trials: Trials) -> list[set[int]]:
    """The speakers of each trial."""
    assert trials.speakers is not None
    return list(map(set, np.concatenate(trials.speakers).tolist()))


def test_every_target_is_tested_once_and_what_is_not_tested_is_counted() -> None:
    trials = crossed()
    folds = Folds.of(trials, 5)
    tested = folds.tested
    assert np.sort(tested.tar).tolist() == np.sort(trials.tar).tolist()
    # Three speakers in each of five groups: 3 of the pairs of a group, of 105 in all.
    assert len(tested.non) == 5 * 3 * 4
    assert folds.untested == (0, (105 - 15) * 4)
    note = folds.note
    assert note.code == "folds by speaker"
    assert "0 of 300 targets and 360 of 420 non-targets" in note.text
    assert "seed 0" in note.text
    for fold, test in enumerate(folds.tests):
        assert (len(test.tar), len(test.non)) == (60, 12)
        training = folds.training(fold)
        assert (len(training.tar), len(training.non)) == (240, 66 * 4)


def test_groups_are_balanced_by_targets() -> None:
    """Speakers with many targets do not fall into the same fold."""
    rng = np.random.default_rng(0)
    many = np.repeat(np.arange(50), np.geomspace(1, 100, 50).astype(int))
    two = rng.integers(0, 100, (20_000, 2))
    trials = Trials(
        rng.normal(size=len(many)), rng.normal(size=20_000), "", np.column_stack([many, many]), two
    )
    for seed in range(10):
        tests = Folds.of(trials, 5, seed=seed).tests
        counts = [len(test.tar) for test in tests]
        assert max(counts) < 1.35 * min(counts)
        assert {len(people(test) & set(range(50))) for test in tests} == {10}


def test_without_speakers_every_trial_is_tested_once_by_what_has_not_seen_it() -> None:
    trials = anonymous(crossed())
    folds = Folds.of(trials, 7)
    assert (folds.by, folds.untested) == ("trial", (0, 0))
    assert rows(folds.tested) == rows(trials)
    for fold, test in enumerate(folds.tests):
        assert rows(trials) == sorted([*rows(folds.training(fold)), *rows(test)])
        assert abs(len(test.tar) - 300 / 7) < 1
        assert abs(len(test.non) - 420 / 7) < 1
    assert folds.note.code == "folds by trial"
    assert "may be larger" in folds.note.text


def test_the_same_seed_gives_the_same_folds_and_another_does_not() -> None:
    for trials in (crossed(), anonymous(crossed())):
        one, same, other = (Folds.of(trials, 5, seed=seed) for seed in (3, 3, 4))
        assert np.array_equal(one.tar, same.tar)
        assert np.array_equal(one.non, same.non)
        assert not np.array_equal(one.tar, other.tar)


# ----------------------------------------------------------------------- what compare says


def test_llrs_are_those_of_a_calibration_of_the_other_folds() -> None:
    """Against a plain loop over speakers."""
    trials = crossed()
    found = compare(trials, folds=5, methods=["logistic", "pav"], replicates=20)
    assert found.folds is not None
    assert trials.speakers is not None
    for method in ("logistic", "pav"):
        llrs: list[list[Array]] = []
        for test in found.folds.tests:
            mine = people(test)
            others = (
                scores[[not mine & set(pair) for pair in both.tolist()]]
                for scores, both in zip(trials, trials.speakers, strict=True)
            )
            cal = llrcal.fit(*others, method=method)
            llrs.append([cal(side) for side in test])
        ev = llrcal.evaluate(*map(np.concatenate, zip(*llrs, strict=True)))
        candidate = found.candidates[method]
        assert candidate.evaluation.cllr == ev.cllr
        assert candidate.evaluation.act_dcf(0.1) == ev.act_dcf(0.1)
        assert candidate.intervals is not None
        assert candidate.intervals.by == "speaker"
        # What is kept has seen all trials.
        assert candidate.calibration == llrcal.fit(trials, method=method)
    assert found.train is trials
    assert len(found.test) == 300 + 60
    assert [note.code for note in found.notes if note.code.startswith("folds")] == [
        "folds by speaker"
    ]


def test_steps_are_told() -> None:
    said: list[str] = []
    compare(crossed(), folds=3, methods=["pav"], replicates=0, progress=said.append)
    folds = [f"fold {i} of 3" for i in (1, 2, 3)]
    assert said == ["raw scores", "training", *folds, "testing pav", "intervals"]


# ---------------------------------------------------------------------------- refusals


def test_too_many_folds_are_refused_with_a_number_that_would_do() -> None:
    with pytest.raises(llrcal.OptionError, match="30 folds by speaker are too many") as refused:
        compare(crossed(), folds=30)
    assert "give folds=7" in str(refused.value)  # 15 speakers: two in each of seven, and one more
    assert "--folds 7" in refused.value.on_command_line
    compare(crossed(), folds=7, methods=["pav"], replicates=0)
    few = Trials(np.array([1.0, 2.0, 3.0]), np.arange(20.0) / 7 - 1)
    with pytest.raises(llrcal.OptionError, match="no target trial to test on; give folds=3"):
        compare(few, folds=5)
    two = crossed(speakers=2)
    with pytest.raises(llrcal.OptionError, match="no other number would do"):
        compare(two, folds=5)


def test_a_fold_that_cannot_be_trained_is_named() -> None:
    few = Trials(np.array([1.0, 1.0, 1.0, 5.0]), np.arange(20.0) / 7 - 1, "few")
    with pytest.raises(llrcal.DegenerateError, match=r"fold \d of 4: "):
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
