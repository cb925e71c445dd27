"""Cross-validation: one set of trials, each tested by what has seen neither of its speakers.

Speakers, where they are known, are dealt into groups, as many as there are folds. The trials of a
part are those between two groups, or within one: they are tested by what was trained on the trials
that have no speaker in either. K folds have K (K + 1) / 2 parts, and every trial is in one of them.
If each speaker is a group, the two speakers of a trial are left out, and nobody else. Where
speakers are not known, trials are dealt instead, and each fold is a part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from llrcal.arrays import Array, check_whole
from llrcal.calibrations import Calibration
from llrcal.calibrations.bounds import Policy
from llrcal.calibrations.fit import fit_methods
from llrcal.errors import OptionError, ScoreError
from llrcal.inputs.beside_scores import both_speakers, numbered
from llrcal.messages import SPEAKER_COLUMNS, Message, Setting
from llrcal.method_table import DEFAULT, MethodName
from llrcal.notes import Note, warn
from llrcal.trials import Counts, Trials
from llrcal.trials.trials import TrialSet

FoldCount = int | Literal["all"]
"""How many folds; or all speakers, each a fold of its own."""
Train = Callable[..., dict[str, Calibration]]
"""Trains calibrations of a set of trials, by label; without margins, unless asked for."""
Both = tuple[Array, Array]
"""An array about the targets, and one about the non-targets."""
Progress = Callable[..., None]
"""Called with the name of a step; if it has parts, also with how many are done, and of how many."""

FOLDS = 5
_MOST = 1000  # folds: more are a mistake, and take for ever; pairs of them are counted in a matrix
_MOST_PARTS = 2000  # of 62 speakers: some minutes with every method
_QUICK = 10  # folds, where more would take too long


def quietly(*_: object) -> None:
    """Tell nobody about progress."""


def orient_scores(
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
    if isinstance(trials, Counts):
        raise OptionError(
            f"{trials.source}: ",
            needed_by,
            " needs single trials, and these are counted; leave it out",
        )
    if known is None:
        raise OptionError(
            f"{trials.source}: ",
            needed_by,
            " needs all trials in memory, and these are read in pieces; leave it out, or read one "
            "file whole: ",
            Setting("in_pieces", False),
        )
    return known


def subset_of(trials: Trials, tar: Array, non: Array) -> Trials:
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


class Part(NamedTuple):
    """The trials between two groups of speakers, or within one, and those that share nobody."""

    place: str
    """For people."""
    train: Both
    """Flags of the trials to train on."""
    test: Both
    """Places of the trials to test."""


@dataclass(frozen=True)
class Folds:
    """Which trials are tested together, and what may be trained on for that."""

    trials: Trials
    count: int
    by: str
    """What was dealt: "speaker" or "trial"."""
    seed: int | None
    """None where nothing was dealt, since every speaker is a fold."""
    tar: Array
    """The groups of the two speakers of each target trial, the lesser first; twice its own, if
    trials were dealt."""
    non: Array

    @classmethod
    def of(cls, trials: TrialSet, count: FoldCount, *, seed: int = 0) -> Folds:
        """Part trials into folds that can be trained and tested."""
        if count != "all":
            check_whole("folds", count, least=2, most=_MOST)
        check_whole("seed", seed, least=0)
        known = in_memory(trials, Setting("folds"))
        folds = cls._dealt(known, count, seed)
        if problem := folds._problem():
            raise OptionError(f"{known.source}: {problem}; ", *_way_out(folds))
        return folds

    @classmethod
    def _dealt(cls, trials: Trials, count: FoldCount, seed: int) -> Folds:
        rng = np.random.default_rng(seed)
        if trials.speakers is None:
            if count == "all":
                raise OptionError(
                    f"{trials.source}: ",
                    Setting("folds", "all"),
                    " leaves out the two speakers of each trial, and speakers are not known; give ",
                    Setting("folds", FOLDS),
                )
            dealt = (_dealt(rng.permutation(len(side)), count, rng) for side in trials)
            return cls(trials, count, "trial", seed, *(np.column_stack([g, g]) for g in dealt))
        sides, speakers = numbered(*both_speakers(trials.speakers, *map(len, trials)))
        if count == "all":
            return cls(trials, speakers, "speaker", None, *(np.sort(side) for side in sides))
        targets, others = (np.bincount(side.ravel(), minlength=speakers) for side in sides)
        # Those with the most targets first: a hand of the deal is of speakers alike in that.
        order = rng.permutation(speakers)
        order = order[np.lexsort([-others[order], -targets[order]])]
        group = _dealt(order, count, rng)
        return cls(trials, count, "speaker", seed, *(np.sort(group[side]) for side in sides))

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The groups of each part that has trials."""
        codes = np.unique(np.concatenate([self.tar, self.non]).astype(np.int64) @ [self.count, 1])
        return [divmod(code, self.count) for code in codes.tolist()]

    def part(self, one: int, other: int) -> Part:
        """The part between two groups."""
        sides = self.tar, self.non
        tar, non = (((side != one) & (side != other)).all(axis=1) for side in sides)
        test = (np.flatnonzero((side == (one, other)).all(axis=1)) for side in sides)
        return Part(_place(one, other), (tar, non), (next(test), next(test)))

    def answers(
        self, work: Callable[[Part], Mapping[str, Both]], say: Progress = quietly
    ) -> dict[str, Trials]:
        """All trials in their order, each with the LLR that the work on its part gives, by label.

        A part is worked on by training on some of its trials and giving LLRs to the others.
        """
        found: dict[str, Both] = {}
        for number, pair in enumerate(self.pairs):
            say("folds", number, len(self.pairs))
            part = self.part(*pair)
            try:
                every = work(part)
            except ScoreError as problem:
                raise problem.within(part.place) from None
            for label, both in every.items():
                if label not in found:
                    found[label] = np.empty(len(self.tar)), np.empty(len(self.non))
                for llrs, places, some in zip(found[label], part.test, both, strict=True):
                    llrs[places] = some
        say("folds", len(self.pairs), len(self.pairs))
        return {
            label: replace(
                self.trials, tar=tar, non=non, allow_infinite=True, score_name=None, forensic=False
            )
            for label, (tar, non) in found.items()
        }

    def llrs(self, train: Train, say: Progress = quietly) -> dict[str, Trials]:
        """All trials, each with the LLR of calibrations that have seen neither of its speakers."""

        def work(part: Part) -> dict[str, Both]:
            tar, non = (side[places] for side, places in zip(self.trials, part.test, strict=True))
            models = train(subset_of(self.trials, *part.train))
            maps = {label: one.without_warnings for label, one in models.items()}
            return {label: (llrs(tar), llrs(non)) for label, llrs in maps.items()}

        return self.answers(work, say)

    @property
    def how(self) -> str:
        """How the trials were divided, in words."""
        if self.seed is None:
            return f"leaving out two of {self.count} speakers at a time"
        return f"in {self.count} folds, dealt by {self.by}"

    @property
    def note(self) -> Note:
        """What a reader should know of the folds."""
        seed = "" if self.seed is None else f" with seed {self.seed}"
        begin = f"cross-validation {self.how}{seed}"
        if self.by == "trial":
            return Note.warning(
                "folds by trial",
                f"{begin}, since speakers are not known: a speaker may be in training and test of "
                "a fold, and errors on new speakers may be larger than those given here. Name "
                "them: ",
                SPEAKER_COLUMNS,
                " or ",
                Setting("speakers_from"),
            )
        return Note.of(
            "folds by speaker",
            f"{begin}: each trial is tested by one of {len(self.pairs):,} calibrations, which has "
            "seen neither of its speakers",
        )

    def _problem(self) -> str:
        """Why these folds cannot be trained and tested, in words; empty if they can."""
        called = f"{self.count} folds by {self.by}"
        if self.count > _MOST:
            return f"{self.count:,} speakers are too many to leave out two at a time"
        used = len({group for pair in self.pairs for group in pair})
        if self.by == "speaker" and used < self.count:
            return f"{called} are too many: there are {used} speakers"
        if len(self.pairs) > _MOST_PARTS:
            how = called if self.seed is not None else f"all {self.count} speakers"
            return f"{how} would train each calibration {len(self.pairs):,} times"
        for place, name in enumerate(("target", "non-target")):
            for part in (self.part(*pair) for pair in self.pairs):
                if self.by == "trial" and not len(part.test[place]):
                    return f"{called} are too many: {part.place} has no {name} trial to test on"
                if not part.train[place].any():
                    how = "few" if self.count == 2 else "many"
                    return (
                        f"{called} are too {how}: without {part.place}, there is no {name} trial "
                        "to train on"
                    )
        return ""


def _place(one: int, other: int) -> str:
    return f"fold {one + 1}" if one == other else f"folds {one + 1} and {other + 1}"


def _way_out(folds: Folds) -> Message:
    """The number of folds that comes nearest to what was asked for, if that is not too slow."""
    trials, seed = folds.trials, folds.seed or 0
    is_slow = folds.count > _MOST or len(folds.pairs) > _MOST_PARTS
    wanted = _QUICK if is_slow else folds.count
    most = min(max(folds.count, _QUICK), _MOST, *map(len, trials))
    for other in sorted(range(2, most + 1), key=lambda other: abs(other - wanted)):
        found = Folds._dealt(trials, other, seed)
        if not found._problem():
            often = f", which train it {len(found.pairs):,} times" if is_slow else ""
            return ("give ", Setting("folds", other), often)
    return ("no other number would do: give more trials, or other trials to test on",)


def divide(
    train: TrialSet, test: TrialSet | None, folds: FoldCount | None, *, seed: int = 0
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
    return found, found.trials


def _dealt(order: Array, count: int, rng: np.random.Generator) -> Array:
    """A group for each of ``order``: so many at a time, one to each group, in random order."""
    hands = -(-len(order) // count)
    groups = np.empty(len(order), np.int16)
    dealt = rng.permuted(np.tile(np.arange(count, dtype=np.int16), (hands, 1)), axis=1)
    groups[order] = dealt.ravel()[: len(order)]
    return groups


def cross_validated(
    trials: TrialSet,
    *,
    method: MethodName = DEFAULT,
    folds: FoldCount = FOLDS,
    seed: int = 0,
    bounds: Policy = "counts",
    rising: bool = True,
    lower_is_better: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Trials:
    """All trials, each with the LLR of a calibration that has seen neither of its speakers.

    Parameters
    ----------
    trials
        From :func:`llrcal.read_trials`, in memory.
    method, bounds, rising, lower_is_better, **options
        As in :func:`llrcal.fit`.
    folds
        The number of groups into which speakers are dealt; or ``"all"``, to leave out the two
        speakers of a trial and nobody else, for small sets. If speakers are not known, trials are
        dealt.
    seed
        The same seed gives the same folds.
    progress
        Called with the word ``"folds"``, with how many calibrations are trained, and of how many.

    Returns
    -------
    Trials
        In the order of the given ones, with LLRs in place of scores, for :func:`llrcal.evaluate`.

    Raises
    ------
    OptionError
        If there are too few speakers or trials for so many folds, or an option is out of range.
    ScoreError
        If a calibration cannot be trained.

    Warns
    -----
    LlrcalWarning
        If speakers are not known, so that LLRs look better than those of new speakers will be.

    Examples
    --------
    >>> import llrcal
    >>> trials = llrcal.simulate(targets=200, nontargets=5_000)
    >>> llrs = llrcal.cross_validated(trials, folds=5)
    >>> len(llrs) == len(trials)
    True
    >>> round(llrcal.evaluate(llrs).cllr, 2)
    0.13
    """
    known, _ = orient_scores(trials, None, lower_is_better=lower_is_better)
    found = Folds.of(known, folds, seed=seed)
    train = partial(
        fit_methods, methods=[(method, options)], bounds=bounds, rising=rising, with_margins=False
    )
    (llrs,) = found.llrs(train, progress or quietly).values()
    warn([found.note])
    return replace(llrs, notes=(*llrs.notes, found.note))
