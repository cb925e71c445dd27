"""What smaller training sets would have given.

Training sets of rising size are drawn several times from what there is; every method is trained on
each and tested on the same trials. What the draws of a size give lies in a band.

Where speakers are known, so many speakers bring all trials among themselves, as a smaller
collection would: half of the speakers have half of the targets, and a quarter of the non-targets.
Where they are not known, trials of both classes are drawn in proportion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from llrcal.arrays import Array, Bools, Floats, check_whole
from llrcal.calibrations import Calibration
from llrcal.calibrations.fit import fit_methods
from llrcal.calibrations.methods import PAPER, Method
from llrcal.comparison.folds import Train, concatenated, divide, in_memory, part
from llrcal.comparison.learning_curve import METRICS, Band, LearningCurve, Size
from llrcal.comparison.ranking import Criterion
from llrcal.errors import DegenerateError, OptionError
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.inputs.beside_scores import both_speakers, numbered
from llrcal.messages import Setting
from llrcal.method_table import methods_to_compare
from llrcal.trials import Trials
from llrcal.trials.trials import TrialSet

SIZES = 7
"""The most sizes that are tried: each is about double the one before, or more."""
_TESTED = 100_000  # trials of a class: errors are then known far better than the draws differ
_ATTEMPTS = 20  # at a draw on which every method can be trained

_FEWEST = 10  # trials of either class in the smallest set, on average
_FEWEST_SPEAKERS = 5

Models = dict[str, Calibration]
Round = tuple[TrialSet, TrialSet]
"""Trials to draw training sets from, and trials to test on."""


def learning_curve(
    train: TrialSet,
    test: TrialSet | None = None,
    *,
    folds: int | None = None,
    methods: Sequence[Method] | None = None,
    draws: int = 10,
    seed: int = 0,
    lower_is_better: bool = False,
    progress: Callable[[str], None] | None = None,
) -> LearningCurve:
    """Errors of each method against the number of training trials.

    Up to seven sizes, each about double the one before or more, from ten targets or so to all.
    At each, training sets are drawn: speakers with all trials among them, where speakers are known,
    and trials otherwise. Errors are those on the test trials, or on 100,000 of a class that has
    more.

    Parameters
    ----------
    train, test
        Trials to draw training sets from, and trials to test on; in memory.
    folds
        With one set of trials and no ``test``: the number of folds, as in :func:`compare`. Training
        sets are then drawn in each fold, and its own test trials are tested.
    methods
        As in :func:`compare`.
    draws
        How many training sets of each size.
    seed
        The same seed gives the same draws.
    lower_is_better
        Whether the scores are distances.
    progress
        Called with a word on each size as it begins.

    Returns
    -------
    LearningCurve
        Medians and bands; ``table`` has them in rows, and :func:`llrcal.figures.learning_curve`
        draws them.

    Raises
    ------
    OptionError
        If trials are not in memory, or an option is out of range.

    Examples
    --------
    >>> import llrcal
    >>> train, test = (llrcal.simulate(targets=80, nontargets=2_000, seed=i) for i in (1, 2))
    >>> curve = llrcal.learning_curve(train, test, methods=["logistic"], draws=3)
    >>> [size.targets for size in curve.sizes]
    [10, 20, 40, 80]
    """
    check_whole("draws", draws, least=1)
    check_whole("seed", seed, least=0)
    if lower_is_better:
        train, test = train.negated(), None if test is None else test.negated()
    found, test = divide(train, test, folds, seed=seed)
    rounds: Sequence[Round] = [(train, test)] if found is None else found.rounds
    return curve_over(
        rounds, fit_by(methods), draws=draws, seed=seed, say=progress or (lambda _: None)
    )


def fit_by(methods: Sequence[Method] | None, *, plain: bool = False) -> Train:
    """Training by some methods; by default all, or with plain formulas those of the paper."""
    if methods is None:
        methods = PAPER if plain else methods_to_compare()
    if not methods:
        raise OptionError("there are no methods to compare; name at least one")
    options: dict[str, Any] = {"bounds": "none", "rising": False} if plain else {}
    return partial(fit_methods, methods=methods, with_margins=False, **options)


def curve_over(
    rounds: Sequence[Round],
    train: Train,
    *,
    draws: int = 10,
    seed: int = 0,
    say: Callable[[str], None] = lambda _: None,
) -> LearningCurve:
    """Train on draws of one set and test on another; or so for each fold of a set."""
    needed_by = Setting("learning_curve")
    known = [(in_memory(one, needed_by), in_memory(other, needed_by)) for one, other in rounds]
    pools = [Pool.of(one) for one, _ in known]
    by_speaker = pools[0].speakers is not None
    tests = [thinned(test, _TESTED // len(known), seed=seed) for _, test in known]
    best = evaluate_quietly(*concatenated(tests))
    judged = Criterion.over_range(best)
    sizes: list[Size] = []
    found: list[dict[str, Floats]] = []
    for size in _sizes(pools):
        say(f"learning from {size:,} {'speakers' if by_speaker else 'targets'}")
        times = 1 if all(pool.size == size for pool in pools) else draws
        tried = (_trained_on_draws(pools, train, size, [seed, size, i]) for i in range(times))
        done = [draw for draw in tried if draw]
        if done:
            counts = np.mean([[trials for _, trials in draw] for draw in done], axis=(0, 1))
            tar, non = (round(mean) for mean in counts.tolist())
            sizes.append(Size(tar, non, size if by_speaker else None, len(done)))
            rows = [_numbers([models for models, _ in draw], tests, judged) for draw in done]
            found.append({label: np.array([row[label] for row in rows]) for label in rows[0]})
    if not sizes:
        raise DegenerateError("no set that is drawn from these trials can be trained on")
    minimum = judged.least(best), best.min_cllr, 0.0
    bands = {
        metric: {
            label: tuple(Band.of(numbers[label][:, column]) for numbers in found)
            for label in found[0]
        }
        for column, metric in enumerate(METRICS)
    }
    return LearningCurve(
        tuple(sizes),
        bands,
        dict(zip(METRICS, minimum, strict=True)),
        judged.range,
        (best.tar_count, best.non_count),
        seed,
    )


def _sizes(pools: Sequence[Pool]) -> list[int]:
    """Sizes in geometric progression up to all that every pool has."""
    most = min(pool.size for pool in pools)
    least = min(max(pool.least for pool in pools), most)
    count = min(int(np.log2(most / least)) + 1, SIZES)
    # From the top, so that a single size is all.
    return sorted({round(size) for size in np.geomspace(most, least, count).tolist()})


def _trained_on_draws(
    pools: Sequence[Pool], train: Train, size: int, seeds: Sequence[int]
) -> list[tuple[Models, tuple[int, int]]]:
    """Calibrations of a draw from each pool, and its counts; none where no draw can be used."""
    rng = np.random.default_rng(seeds)
    found = []
    for pool in pools:
        for _ in range(_ATTEMPTS):
            trials = pool.drawn(size, rng)
            try:
                if trials is not None:
                    found.append((train(trials), trials.counts))
                    break
            except DegenerateError:  # such as equal scores: a smaller set may be all of one kind
                if size == pool.size:
                    raise
    return found if len(found) == len(pools) else []


def _numbers(
    models: Sequence[Models], tests: Sequence[Trials], judged: Criterion
) -> Mapping[str, Sequence[float]]:
    """The metrics of calibrations, one of each fold, by label."""
    found = {}
    for label in models[0]:
        every = zip(tests, models, strict=True)
        llrs = [test.mapped(fitted[label].without_warnings) for test, fitted in every]
        ev = evaluate_quietly(*concatenated(llrs))
        found[label] = judged.value(ev), ev.cllr, ev.calibration_loss
    return found


@dataclass(frozen=True)
class Pool:
    """Trials to draw smaller sets from."""

    trials: Trials
    speakers: list[Array] | None
    """The two speakers of each target and non-target trial, numbered from zero, where known."""
    size: int
    """How many speakers there are, or else how many targets."""

    @classmethod
    def of(cls, trials: Trials) -> Pool:
        if trials.speakers is None:
            return cls(trials, None, len(trials.tar))
        return cls(trials, *numbered(*both_speakers(trials.speakers, *map(len, trials))))

    @property
    def least(self) -> int:
        """The smallest size at which a few trials of either class are to be expected."""
        tar, non = (_FEWEST / len(side) for side in self.trials)
        # Of n speakers among S, the share of the targets is n / S, and of the non-targets its
        # square; of targets that were drawn, that of the non-targets is the same.
        share = max(tar, non if self.speakers is None else non**0.5)
        fewest = 1 if self.speakers is None else _FEWEST_SPEAKERS
        return min(max(int(np.ceil(self.size * share)), fewest), self.size)

    def drawn(self, size: int, rng: np.random.Generator) -> Trials | None:
        """A smaller set of trials; None if it has no trial of some class."""
        if size == self.size:
            return self.trials
        if self.speakers is not None:
            chosen = _chosen(size, self.size, rng)
            tar, non = (np.asarray(chosen[side].all(axis=1)) for side in self.speakers)
        else:
            tar_count, non_count = map(len, self.trials)
            tar = _chosen(size, tar_count, rng)
            non = _chosen(max(round(non_count * size / tar_count), 1), non_count, rng)
        return part(self.trials, tar, non) if tar.any() and non.any() else None


def thinned(trials: Trials, most: int, *, seed: int) -> Trials:
    """The trials; of a class that has more of them, so many."""
    rng = np.random.default_rng(seed)
    tar, non = (_chosen(min(most, len(side)), len(side), rng) for side in trials)
    return trials if tar.all() and non.all() else part(trials, tar, non)


def _chosen(size: int, total: int, rng: np.random.Generator) -> Bools:
    """True for so many of a total, chosen at random."""
    chosen = np.zeros(total, np.bool_)
    chosen[rng.choice(total, size, replace=False, shuffle=False)] = True
    return chosen
