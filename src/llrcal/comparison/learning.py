"""What smaller training sets would have given.

Training sets of rising size are drawn several times from what there is; every method is trained on
each and tested on the same trials. What the draws of a size give lies in a band.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.fit import fit_methods
from llrcal.calibrations.methods import Method
from llrcal.comparison.draws import Pool, thinned
from llrcal.comparison.folds import Train, parted
from llrcal.comparison.judged_range import judged_at
from llrcal.comparison.learning_curve import METRICS, Band, LearningCurve, Size
from llrcal.comparison.parts import check_whole, in_memory, pooled
from llrcal.errors import DegenerateError, OptionError
from llrcal.evaluation.evaluate import evaluated
from llrcal.messages import Setting
from llrcal.method_table import methods_to_compare
from llrcal.trials import Trials
from llrcal.trials.trial_set import TrialSet

SIZES = 7
"""The most sizes that are tried: each is about double the one before, or more."""
_TESTED = 100_000  # trials of a class: errors are then known far better than the draws differ
_ATTEMPTS = 20  # at a draw on which every method can be trained

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
    chosen = methods_to_compare() if methods is None else methods
    if not chosen:
        raise OptionError("there are no methods to compare; name at least one")
    found, test = parted(train, test, folds, seed=seed)
    rounds: Sequence[Round] = [(train, test)] if found is None else found.rounds
    fit = partial(fit_methods, methods=chosen)
    return curve_over(rounds, fit, draws=draws, seed=seed, say=progress or (lambda _: None))


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
    both = [(in_memory(one, needed_by), in_memory(other, needed_by)) for one, other in rounds]
    pools = [Pool.of(one) for one, _ in both]
    by_speaker = pools[0].speakers is not None
    tests = [thinned(test, _TESTED // len(both), seed=seed) for _, test in both]
    best = evaluated(pooled(tests))
    priors = judged_at(best)
    sizes: list[Size] = []
    found: list[dict[str, Floats]] = []
    for size in _sizes(pools):
        say(f"learning from {size:,} {'speakers' if by_speaker else 'targets'}")
        times = 1 if all(pool.size == size for pool in pools) else draws
        tried = (_Draw.of(pools, train, size, [seed, size, i]) for i in range(times))
        done = [draw for draw in tried if draw is not None]
        if done:
            sizes.append(_size(done, size if by_speaker else None))
            found.append(_numbers(done, tests, priors))
    if not sizes:
        raise DegenerateError("no set that is drawn from these trials can be trained on")
    minimum = (float(best.min_bayes_error(priors).mean()), best.min_cllr, 0.0)
    return LearningCurve(
        tuple(sizes),
        _bands(found),
        dict(zip(METRICS, minimum, strict=True)),
        (float(priors[0]), float(priors[-1])),
        (best.tar_count, best.non_count),
        seed,
    )


@dataclass(frozen=True)
class _Draw:
    """Calibrations trained on a draw, one of each round; and how many trials it had."""

    calibrations: list[Mapping[str, Calibration]]
    counts: list[tuple[int, int]]

    @classmethod
    def of(
        cls, pools: Sequence[Pool], train: Train, size: int, seeds: Sequence[int]
    ) -> _Draw | None:
        rng = np.random.default_rng(seeds)
        every = [_trained(pool, train, size, rng) for pool in pools]
        found = [one for one in every if one is not None]
        if len(found) < len(every):
            return None
        return cls([fitted for fitted, _ in found], [counts for _, counts in found])


def _trained(
    pool: Pool, train: Train, size: int, rng: np.random.Generator
) -> tuple[Mapping[str, Calibration], tuple[int, int]] | None:
    """Calibrations of a draw, and its counts; None where none of many draws can be trained on."""
    for _ in range(_ATTEMPTS):
        trials = pool.drawn(size, rng)
        if trials is None:
            continue
        try:
            return train(trials), trials.counts
        except DegenerateError:  # such as equal scores: a smaller set may be all of one kind
            if size == pool.size:
                raise
    return None


def _sizes(pools: Sequence[Pool]) -> list[int]:
    """Sizes in geometric progression up to all that every pool has."""
    most = min(pool.size for pool in pools)
    least = min(max(pool.least for pool in pools), most)
    count = min(int(np.log2(most / least)) + 1, SIZES)
    # From the top, so that a single size is all.
    return sorted({round(size) for size in np.geomspace(most, least, count).tolist()})


def _size(draws: Sequence[_Draw], speakers: int | None) -> Size:
    counts = np.array([draw.counts for draw in draws])
    targets, non_targets = (round(mean) for mean in counts.mean(axis=(0, 1)).tolist())
    return Size(targets, non_targets, speakers, len(draws))


def _numbers(draws: Sequence[_Draw], tests: Sequence[Trials], priors: Floats) -> dict[str, Floats]:
    """The metrics (columns) of every draw (rows), by label."""
    out = {}
    for label in draws[0].calibrations[0]:
        rows = []
        for draw in draws:
            every = zip(tests, draw.calibrations, strict=True)
            ev = evaluated(pooled([test.mapped(fitted[label].quietly) for test, fitted in every]))
            error = float(ev.bayes_error(priors).mean())
            rows.append((error, ev.cllr, ev.calibration_loss))
        out[label] = np.array(rows)
    return out


def _bands(found: Sequence[dict[str, Floats]]) -> dict[str, dict[str, tuple[Band, ...]]]:
    return {
        metric: {
            label: tuple(Band.of(numbers[label][:, column]) for numbers in found)
            for label in found[0]
        }
        for column, metric in enumerate(METRICS)
    }
