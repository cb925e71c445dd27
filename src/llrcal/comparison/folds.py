"""Cross-validation: one set of trials, parted so that each is tested by what has not seen it.

Speakers, where they are known, are dealt into as many groups as there are folds. A fold tests the
trials whose speakers are both in its group, and trains on those with neither in it. A trial between
two groups trains other folds, but is tested by none: whichever fold it went to, one of its speakers
would be in training as well. Where speakers are not known, trials are dealt instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from llrcal.arrays import Array, check_whole
from llrcal.calibrations import Calibration
from llrcal.errors import DegenerateError, OptionError
from llrcal.inputs.beside_scores import both_speakers, numbered
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.trials import Trials
from llrcal.trials.trials import TrialSet

Train = Callable[..., dict[str, Calibration]]
"""Trains calibrations of a set of trials, by label; without margins, unless asked for."""

_MOST = 1000  # folds: more are a mistake, and take for ever


def upright(
    train: TrialSet, test: TrialSet | None, *, lower_is_better: bool
) -> tuple[TrialSet, TrialSet | None]:
    """Both sets with scores that rise with similarity; an error for what is no set of trials."""
    for one in (train,) if test is None else (train, test):
        if not isinstance(one, TrialSet):
            raise OptionError(
                f"trials are expected, not a {type(one).__name__}: pass what llrcal.open_trials or "
                "llrcal.read_trials makes of it"
            )
    if not lower_is_better:
        return train, test
    return train.negated(), None if test is None else test.negated()


def in_memory(trials: TrialSet, needed_by: Setting) -> Trials:
    """The trials, or an error where they are read in pieces."""
    known = trials.in_memory
    if known is None:
        raise OptionError(
            f"{trials.source}: ",
            needed_by,
            " needs all trials in memory, and these are read in pieces; leave it out, or read one "
            "file whole: ",
            Setting("in_pieces", False),
        )
    return known


def part(trials: Trials, tar: Array, non: Array) -> Trials:
    """Some of the trials of each class, by their places or by flags."""
    kept, labels = trials.kept, trials.labels
    if kept is not None:  # targets come first
        kept = kept[np.concatenate([np.flatnonzero(labels)[tar], np.flatnonzero(~labels)[non]])]
    speakers = trials.speakers and (trials.speakers[0][tar], trials.speakers[1][non])
    tar_speakers, non_speakers = speakers or (None, None)
    return replace(
        trials,
        tar=trials.tar[tar],
        non=trials.non[non],
        tar_speakers=tar_speakers,
        non_speakers=non_speakers,
        is_target=None,
        ids=None,
        kept=kept,
    )


def concatenated(sets: Sequence[Trials]) -> tuple[Array, Array]:
    """The scores of several sets, one after the other."""
    tar, non = (np.concatenate(sides) for sides in zip(*sets, strict=True))
    return tar, non


@dataclass(frozen=True)
class Folds:
    """Which fold tests a trial, and which it trains."""

    trials: Trials
    count: int
    by: str
    """What was dealt: "speaker" or "trial"."""
    seed: int
    tar: Array
    """The groups of the two speakers of each target trial; twice its own, if trials were dealt."""
    non: Array

    @classmethod
    def of(cls, trials: TrialSet, count: int, *, seed: int = 0) -> Folds:
        """Part trials into folds that can be trained and tested."""
        check_whole("folds", count, least=2, most=_MOST)
        check_whole("seed", seed, least=0)
        known = in_memory(trials, Setting("folds"))
        folds = cls._dealt(known, count, seed)
        if gap := folds._gap():
            raise OptionError(
                f"{known.source}: {count} folds by {folds.by} are too many: {gap}; ",
                *_way_out(known, count, seed),
            )
        return folds

    @classmethod
    def _dealt(cls, trials: Trials, count: int, seed: int) -> Folds:
        rng = np.random.default_rng(seed)
        if trials.speakers is None:
            dealt = (_dealt(rng.permutation(len(side)), count, rng) for side in trials)
            return cls(trials, count, "trial", seed, *(np.column_stack([g, g]) for g in dealt))
        sides, speakers = numbered(*both_speakers(trials.speakers, *map(len, trials)))
        targets, others = (np.bincount(side.ravel(), minlength=speakers) for side in sides)
        # Those with the most targets first: a hand of the deal is of speakers alike in that.
        order = rng.permutation(speakers)
        order = order[np.lexsort([-others[order], -targets[order]])]
        group = _dealt(order, count, rng)
        return cls(trials, count, "speaker", seed, *(group[side] for side in sides))

    def training(self, fold: int) -> Trials:
        """What a fold trains on: no speaker of its group takes part."""
        return part(self.trials, *((side != fold).all(axis=1) for side in (self.tar, self.non)))

    @cached_property
    def _places(self) -> list[list[Array]]:
        """The places of the trials of each class that each fold tests."""
        return [
            [np.flatnonzero((side == fold).all(axis=1)) for fold in range(self.count)]
            for side in (self.tar, self.non)
        ]

    @cached_property
    def tests(self) -> tuple[Trials, ...]:
        """What each fold tests: all speakers are of its group."""
        return tuple(part(self.trials, *both) for both in zip(*self._places, strict=True))

    @cached_property
    def tested(self) -> Trials:
        """The trials that some fold tests, fold by fold."""
        return part(self.trials, *map(np.concatenate, self._places))

    @property
    def rounds(self) -> list[tuple[Trials, Trials]]:
        """Training and test trials of each fold."""
        return [(self.training(fold), test) for fold, test in enumerate(self.tests)]

    def trained(self, train: Train, say: Callable[[str], None]) -> list[dict[str, Calibration]]:
        """Calibrations of each fold."""
        found = []
        for fold in range(self.count):
            place = f"fold {fold + 1} of {self.count}"
            say(place)
            try:
                found.append(train(self.training(fold)))
            except DegenerateError as problem:
                raise problem.within(place) from None
        return found

    def llrs(self, every: Sequence[Mapping[str, Calibration]], label: str) -> Trials:
        """The tested trials, each with the LLR of the calibration that has not seen it."""
        both = zip(self.tests, every, strict=True)
        tar, non = concatenated([test.mapped(fold[label].without_warnings) for test, fold in both])
        return replace(self.tested, tar=tar, non=non, allow_infinite=True)

    @property
    def untested(self) -> tuple[int, int]:
        """How many target and non-target trials no fold tests."""
        every = zip(self.trials, self.tested, strict=True)
        tar, non = (len(one) - len(tested) for one, tested in every)
        return tar, non

    @property
    def note(self) -> Note:
        """What a reader should know of the folds."""
        begin = f"cross-validation in {self.count} folds, dealt by {self.by} with seed {self.seed}"
        if self.by == "trial":
            return Note.warning(
                "folds by trial",
                f"{begin}, since speakers are not known: a speaker may be in training and test of "
                "a fold, and errors on new speakers may be larger than those given here",
            )
        counts = zip(self.untested, self.trials.counts, strict=True)
        tar, non = (f"{one:,} of {total:,}" for one, total in counts)
        return Note.of(
            "folds by speaker",
            f"{begin}: no speaker is in training and test of a fold. {tar} targets and {non} "
            "non-targets have speakers of two folds, and are not tested",
        )

    def _gap(self) -> str:
        """What some fold lacks, in words."""
        for name, side in (("target", self.tar), ("non-target", self.non)):
            first, second = (np.bincount(column, minlength=self.count) for column in side.T)
            tested = np.bincount(side[side[:, 0] == side[:, 1], 0], minlength=self.count)
            trained = len(side) - (first + second - tested)
            for use, counts in (("train", trained), ("test", tested)):
                if not counts.all():
                    return f"fold {int(counts.argmin()) + 1} has no {name} trial to {use} on"
        return ""


def divide(
    train: TrialSet, test: TrialSet | None, folds: int | None, *, seed: int = 0
) -> tuple[Folds | None, TrialSet]:
    """The folds of a single set, if there are to be any, and the trials that are tested."""
    if folds is None:
        if test is not None:
            return None, test
        raise OptionError(
            "there are no trials to test on: give ",
            Setting("test"),
            ", or ",
            Setting("folds"),
            " to test on parts of the training trials",
        )
    if test is not None:
        raise OptionError(
            Setting("folds"),
            " is for one set of trials, and here are others to test on; leave one of them out",
        )
    found = Folds.of(train, folds, seed=seed)
    return found, found.tested


def _way_out(trials: Trials, count: int, seed: int) -> tuple[str | Setting, ...]:
    """The number of folds that comes nearest to what was asked for."""
    most = min(max(count, 10), len(trials.tar), len(trials.non))
    for other in sorted(range(2, most + 1), key=lambda other: abs(other - count)):
        if not Folds._dealt(trials, other, seed)._gap():
            return ("give ", Setting("folds", other))
    return ("no other number would do: give more trials, or other trials to test on",)


def _dealt(order: Array, count: int, rng: np.random.Generator) -> Array:
    """A group for each of ``order``: so many at a time, one to each group, in random order."""
    hands = -(-len(order) // count)
    groups = np.empty(len(order), np.int16)
    dealt = rng.permuted(np.tile(np.arange(count, dtype=np.int16), (hands, 1)), axis=1)
    groups[order] = dealt.ravel()[: len(order)]
    return groups
