"""How many trials do I need? What smaller training sets would have given, method by method.

Training sets of rising size are drawn several times from what there is; every method is trained on
each and tested on the same trials. What the draws of a size give lies in a band.

Where speakers are known, so many speakers bring all trials among themselves, as a smaller
collection would: half of the speakers have half of the targets, and a quarter of the non-targets.
Where they are not known, trials of both classes are drawn in proportion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from llrcal.arrays import Array, Bools, Floats, check_whole
from llrcal.calibrations import Calibration
from llrcal.calibrations.bounds import Policy
from llrcal.calibrations.fit import fit_methods
from llrcal.calibrations.methods import Method
from llrcal.comparison.copies import separation
from llrcal.comparison.folds import (
    FOLDS,
    Both,
    FoldCount,
    Folds,
    Progress,
    Train,
    divide,
    in_memory,
    orient_scores,
    quietly,
    subset_of,
)
from llrcal.comparison.ranking import Criterion
from llrcal.errors import DegenerateError, OptionError
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.inputs.beside_scores import both_speakers, numbered
from llrcal.messages import Setting
from llrcal.method_table import methods_to_compare
from llrcal.notebook import html_table
from llrcal.trials import Trials
from llrcal.trials.trials import TrialSet

METRICS = ("mean_error", "cllr", "calibration_loss")
"""Mean normalised Bayes error over the range; Cllr and calibration loss, in bits."""
_COUNTS = ("targets", "non_targets", "speakers", "draws")
_AS_GOOD = 0.05  # relative difference to the error with all trials that hardly matters
_FEW = 3  # methods whose bands can all be drawn
# In a picture: so many minima, or times what the worst method with all targets has above.
_ROOM = 2.0
SIZES = 7
"""The most sizes that are tried: each is about double the one before, or more."""
_TESTED = 100_000  # trials of a class: errors are then known far better than the draws differ
_ATTEMPTS = 20  # at a draw on which every method can be trained
_MOST_PARTS = 100  # of folds: each is trained on for every set that is drawn

_FEWEST = 10  # trials of either class in the smallest set, on average
_FEWEST_SPEAKERS = 5

Models = dict[str, Calibration]
Round = tuple[Trials, Both]
"""Trials to draw training sets from, and scores to test on, of which a class may have none."""


class Band(NamedTuple):
    """What the draws of a size gave: the median, and the ends of what 80 % of them gave."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Floats) -> Band:
        outside = len(values) // 10
        ordered = np.sort(values).tolist()
        return cls(ordered[outside], float(np.median(values)), ordered[-1 - outside])


class Point(NamedTuple):
    """What a method gave with training sets of one size; numbers of trials are means over draws."""

    targets: int
    non_targets: int
    speakers: int | None
    """None where speakers are not known."""
    draws: int
    mean_error: Band
    cllr: Band
    calibration_loss: Band


@dataclass(frozen=True, repr=False)
class LearningCurve:
    """Errors of each method against the number of training trials."""

    points: Mapping[str, tuple[Point, ...]]
    """By the label of a method, from the smallest training sets to all trials."""
    minimum: Mapping[str, float]
    """The least that each metric can be on the test scores, whatever the training."""
    range: tuple[float, float]
    """Prior log-odds over which the Bayes error is averaged."""
    tested: tuple[int, int]
    """How many target and non-target trials were tested."""
    seed: int

    @property
    def sizes(self) -> tuple[Point, ...]:
        """The points of any method: all have the same sizes."""
        return next(iter(self.points.values()))

    @property
    def by(self) -> str:
        """What was drawn: "speaker" or "trial"."""
        return "trial" if self.sizes[-1].speakers is None else "speaker"

    def best(self, size: int = -1) -> str:
        """Label of the method with the least median error at a size; by default, the last."""
        return min(self.points, key=lambda label: self.points[label][size].mean_error.median)

    @property
    def enough(self) -> dict[str, int]:
        """Targets from which on the median error of each method stays close to its last one.

        Within 5 %. Where that is the number of all targets, more of them would still help.
        """
        found = {}
        for label, points in self.points.items():
            last = points[-1].mean_error.median
            first = points[-1]
            for point in reversed(points):
                if abs(point.mean_error.median - last) > _AS_GOOD * last:
                    break
                first = point
            found[label] = first.targets
        return found

    @property
    def verdict(self) -> str:
        """What the curve says of the number of trials, in a sentence or two."""
        best, most, error = self.best(), self.sizes[-1].targets, self._error
        text = (
            f"With {most:,} targets, {best} has the least mean Bayes error over prior log-odds "
            f"{self.range[0]:.1f} to {self.range[1]:.1f}, {error(best):.4f}"
        )
        if len(self.sizes) == 1:
            return text + "; there are too few trials to draw smaller sets from."
        enough = self.enough[best]
        text += (
            "; more trials would still help it"
            if enough == most
            else f"; from {enough:,} on it stays within {_AS_GOOD:.0%} of that"
        )
        first = self.best(0)
        if first != best:
            text += (
                f". With {self.sizes[0].targets:,}, {first} is best with {error(first, 0):.4f}, "
                f"and {best} has {error(best, 0):.4f}"
            )
        return text + "."

    def _error(self, label: str, size: int = -1) -> float:
        return self.points[label][size].mean_error.median

    def table(self) -> list[dict[str, float | str]]:
        """One row a method and size, with the median of each metric and the ends of its band."""
        rows: list[dict[str, float | str]] = []
        for label, points in self.points.items():
            for point in points:
                row: dict[str, Any] = {"calibration": label}
                row |= dict(zip(_COUNTS, point, strict=False))
                for metric in METRICS:
                    low, median, high = getattr(point, metric)
                    row |= {metric: median, f"{metric}_low": low, f"{metric}_high": high}
                rows.append({name: "" if value is None else value for name, value in row.items()})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The curve as plain values."""
        about = {name: getattr(self, name) for name in ("by", "seed", "range", "tested", "enough")}
        return {**about, "minimum": dict(self.minimum), "table": self.table()}

    def __repr__(self) -> str:
        first, last = self.sizes[0].targets, self.sizes[-1].targets
        return f"<learning curve of {len(self.points)} calibrations, {first:,} to {last:,} targets>"

    def _repr_html_(self) -> str:
        count = len(self.sizes)
        rows = {
            label: "; ".join(
                f"{points[place].mean_error.median:.4f} with {points[place].targets:,}"
                for place in sorted({0, count // 2, count - 1})
            )
            for label, points in self.points.items()
        }
        return html_table("Mean Bayes error with so many training targets", rows, [self.verdict])


def banded(curve: LearningCurve) -> set[str]:
    """The methods whose bands are drawn: few enough to be told apart."""
    return {*curve.points} if len(curve.points) <= _FEW else {curve.best(0), curve.best()}


def error_view(curve: LearningCurve, metric: str) -> tuple[float, float]:
    """Errors worth looking at: what is far above those with all targets leaves the frame."""
    least = curve.minimum[metric]
    medians = [
        [getattr(point, metric).median for point in points] for points in curve.points.values()
    ]
    last = max(method[-1] for method in medians)
    far = max(_ROOM * least, least + _ROOM * (last - least))
    top = min(1.05 * max(map(max, medians)), far)
    if not top > least:
        top = least + 1.0
    return (least - 0.05 * (top - least) if least else 0.0), top


def learning_curve(
    train: TrialSet,
    test: TrialSet | None = None,
    *,
    folds: FoldCount | None = None,
    methods: Sequence[Method] | None = None,
    draws: int = 10,
    seed: int = 0,
    lower_is_better: bool = False,
    progress: Progress | None = None,
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
        With one set of trials and no ``test``: the number of folds, as in :func:`compare`. For each
        part of the trials, training sets are drawn from those that share no speaker with it.
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
    train, test = orient_scores(train, test, lower_is_better=lower_is_better)
    found, test = divide(train, test, folds, seed=seed)
    rounds = rounds_of(train, test, found)
    if found is None:
        separation(train, test)
    return curve_over(rounds, fit_by(methods), draws=draws, seed=seed, say=progress or quietly)


def rounds_of(train: TrialSet, test: TrialSet, folds: Folds | None) -> list[Round]:
    """What is drawn from, and tested on: once, or for each part of the folds of a set."""
    needed_by = Setting("learning_curve")
    if folds is None:
        tar, non = in_memory(test, needed_by)
        return [(in_memory(train, needed_by), (tar, non))]
    if len(folds.pairs) > _MOST_PARTS:
        raise OptionError(
            f"a learning curve in {folds.count} folds trains each calibration "
            f"{len(folds.pairs):,} times for every set that is drawn; give ",
            Setting("folds", FOLDS),
        )
    rounds = []
    for pair in folds.pairs:
        part = folds.part(*pair)
        tar, non = (side[some] for side, some in zip(folds.trials, part.test, strict=True))
        rounds.append((subset_of(folds.trials, *part.train), (tar, non)))
    return rounds


def fit_by(
    methods: Sequence[Method] | None, *, bounds: Policy | None = None, rising: bool = True
) -> Train:
    """Training by some methods; by default all."""
    chosen = methods_to_compare() if methods is None else methods
    if not chosen:
        raise OptionError("there are no methods to compare; name at least one")
    return partial(
        fit_methods, methods=chosen, with_margins=False, bounds=bounds or "counts", rising=rising
    )


def curve_over(
    rounds: Sequence[Round],
    train: Train,
    *,
    draws: int = 10,
    seed: int = 0,
    say: Progress = quietly,
) -> LearningCurve:
    """Train on draws of one set and test on another; or so for each part of the folds of a set."""
    pools = [Pool.of(train) for train, _ in rounds]
    by_speaker = pools[0].speakers is not None
    tests = subset([test for _, test in rounds], _TESTED, seed=seed)
    best = evaluate_quietly(*map(np.concatenate, zip(*tests, strict=True)))
    judged = Criterion.over_range(best)
    points: dict[str, list[Point]] = {}
    for parts in _sizes(pools):
        size = round(float(np.mean(parts)))
        say(f"learning from {size:,} {'speakers' if by_speaker else 'targets'}")
        counts: list[tuple[int, int]] = []
        numbers: dict[str, list[tuple[float, ...]]] = {}
        times = 1 if parts == [pool.size for pool in pools] else draws
        for number in range(times):
            rng = np.random.default_rng([seed, size, number])
            fits = [pool.fitted(part, train, rng) for pool, part in zip(pools, parts, strict=True)]
            done = [fit for fit in fits if fit is not None]
            if len(done) < len(fits):
                continue
            counts += [trials for _, trials in done]
            for label in done[0][0]:
                every = zip(tests, done, strict=True)
                llrs = [map(models[label].without_warnings, test) for test, (models, _) in every]
                ev = evaluate_quietly(*map(np.concatenate, zip(*llrs, strict=True)))
                row = judged.value(ev), ev.cllr, ev.calibration_loss
                numbers.setdefault(label, []).append(row)
        for label, rows in numbers.items():
            tar, non = (round(mean) for mean in np.mean(counts, axis=0).tolist())
            bands = map(Band.of, np.transpose(rows))
            point = Point(tar, non, size if by_speaker else None, len(rows), *bands)
            points.setdefault(label, []).append(point)
    if not points:
        raise DegenerateError("no set that is drawn from these trials can be trained on")
    minimum = judged.least(best), best.min_cllr, 0.0
    return LearningCurve(
        {label: tuple(each) for label, each in points.items()},
        dict(zip(METRICS, minimum, strict=True)),
        judged.range,
        (best.tar_count, best.non_count),
        seed,
    )


def _sizes(pools: Sequence[Pool]) -> list[list[int]]:
    """Sizes in geometric progression up to all that there is: the same share of every pool."""
    most = min(pool.size for pool in pools)
    least = min(max(pool.least for pool in pools), most)
    count = min(int(np.log2(most / least)) + 1, SIZES)
    # From the top, so that a single size is all.
    sizes = {round(size) for size in np.geomspace(most, least, count).tolist()}
    return [[round(pool.size * size / most) for pool in pools] for size in sorted(sizes)]


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
            tar, non = (np.asarray(chosen[ids].all(axis=1)) for ids in self.speakers)
        else:
            tar_count, non_count = map(len, self.trials)
            tar = _chosen(size, tar_count, rng)
            non = _chosen(max(round(non_count * size / tar_count), 1), non_count, rng)
        return subset_of(self.trials, tar, non) if tar.any() and non.any() else None

    def fitted(
        self, size: int, train: Train, rng: np.random.Generator
    ) -> tuple[Models, tuple[int, int]] | None:
        """Calibrations of the first draw that can be used, and its counts; None if none can."""
        for _ in range(_ATTEMPTS):
            trials = self.drawn(size, rng)
            try:
                if trials is not None:
                    return train(trials), trials.counts
            except DegenerateError:  # such as equal scores: a smaller set may be all of one kind
                if size == self.size:
                    raise
        return None


def subset(tests: Sequence[Both], most: int, *, seed: int) -> list[Both]:
    """The scores of all parts; of a class that has more in all, so many: a share of each part."""
    rng = np.random.default_rng(seed)
    shares = [min(most / sum(map(len, classes)), 1.0) for classes in zip(*tests, strict=True)]

    def chosen(scores: Array, share: float) -> Array:
        count = len(scores)
        return scores if share == 1 else scores[_chosen(round(share * count), count, rng)]

    return [(chosen(tar, shares[0]), chosen(non, shares[1])) for tar, non in tests]


def _chosen(size: int, total: int, rng: np.random.Generator) -> Bools:
    """True for so many of a total, chosen at random."""
    chosen = np.zeros(total, np.bool_)
    chosen[rng.choice(total, size, replace=False, shuffle=False)] = True
    return chosen
