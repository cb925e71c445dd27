"""Who makes the errors: what each speaker does to the LLRs, and which animals are among them.

Doddington, Liggett, Martin, Przybocki and Reynolds (ICSLP 1998) call speakers goats if their target
trials score low, lambs if others are mistaken for them (enrolled, they have high non-target
scores), wolves if they are mistaken for others (so have they in the test), and sheep otherwise.
Yager and Dunstone (IEEE Trans. PAMI 32, 2010) look at both means of a speaker at once: the lowest
and the highest quarter of the target means, and of the non-target means, meet in worms, phantoms,
chameleons and doves.

Some speakers are in every corner by chance, and more of them where some have few trials, since
both their means vary more. So the animals are counted again in sets in which speakers do
not matter: LLRs of targets are permuted among all target trials, and mean LLRs of pairs of speakers
among the pairs. Pairs are permuted rather than non-target trials because two speakers may sound
alike, which makes no lamb of either. Their means are scaled by how much pairs with as many trials
vary, and only pairs with about as many trials change places. Where trials have ids, permuted sets
also vary as much as the recordings of one speaker do: a bad recording with ten trials makes no
goat. Where they have none, or a speaker has one recording, the two cannot be told apart. Nor can
they in corners, if a recording moves target and non-target LLRs alike.

A goat, lamb or wolf has a mean that 2.5 % of the permuted sets give this speaker, with as many
trials. An animal is there if there are more of its kind than in 95 % of the sets: of all seven
kinds at once (Westfall and Young, Resampling-Based Multiple Testing, 1993), so that a zoo without
animals has any with a chance of 5 %.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from llrcal.arrays import Array, Bools, Counts, Floats
from llrcal.evaluation.costs import costs_of
from llrcal.evaluation.llrs import WholeLLRs
from llrcal.inputs.beside_scores import numbered
from llrcal.notebook import html_table
from llrcal.scoring_rule import LOG

if TYPE_CHECKING:
    import polars as pl

SURE = 0.05
"""The chance of finding any kind of animal where there are none."""

CORNERS = {"worm": (1, 4), "chameleon": (4, 4), "phantom": (1, 1), "dove": (4, 1)}
"""The quarters of the target and of the non-target means, 1 being the lowest."""
KINDS = ("goat", "lamb", "wolf", *CORNERS)
"""The animals of Doddington, and those of Yager and Dunstone."""
_PLURALS = {"wolf": "wolves"}

_TAIL = 0.025  # of the permuted sets: goats have lower means, lambs and wolves higher ones
_MOST, _FEWEST = 999, 199  # permuted sets: both make whole numbers of the tail and of 5 %
_WORK = 10**8  # values that are permuted, at most, unless the sets would be too few
_MANY = 2**19  # values to permute: with more, their sums are drawn as normal


@dataclass(frozen=True)
class Animal:
    """How many speakers are of a kind, and how many would be if speakers did not matter."""

    kind: str
    count: int
    expected: float
    """The mean of permuted sets."""
    p_value: float
    """The share of permuted sets in which any kind is as frequent, for its kind, as this."""

    @property
    def found(self) -> bool:
        """Whether there are more than chance would give."""
        return self.p_value <= SURE

    @property
    def plural(self) -> str:
        """What several are called."""
        return _PLURALS.get(self.kind, f"{self.kind}s")

    def __str__(self) -> str:
        name = self.kind if self.count == 1 else self.plural
        return f"{self.count} {name}, {self.expected:.1f} by chance (p = {self.p_value:.3f})"


@dataclass(frozen=True, repr=False)
class Zoo:
    """What each speaker does to the LLRs, and the animals among them."""

    speakers: pl.DataFrame
    """One row for each: see :meth:`llrcal.Evaluation.speakers`."""
    animals: tuple[Animal, ...]
    """Each kind: goats, lambs, wolves; worms, chameleons, phantoms, doves."""

    @classmethod
    def of(cls, llrs: WholeLLRs) -> Zoo:
        """The zoo of LLRs whose speakers are known."""
        import polars as pl

        pairs, count = numbered(*llrs.speakers or ())
        counts = len(llrs.tar), len(llrs.non)
        tar, non = (
            _Side.of(side, who, count, llrs.names.recordings(targets=targets, counts=counts))
            for side, who, targets in zip((llrs.tar, llrs.non), pairs, (True, False), strict=True)
        )
        quarters, flags = _animals(tar, non)
        costs = tar.costs(-1.0) + non.costs(1.0)
        if np.isinf(costs).any():  # beside which others are nothing
            costs = np.isinf(costs).astype(np.float64)
        numbers = np.unique(np.concatenate([side.ravel() for side in llrs.speakers or ()]))
        with np.errstate(invalid="ignore"):
            columns = {
                "speaker": llrs.names.of_speakers(numbers),
                "tar_count": tar.counts,
                "non_count": non.counts,
                "llr_tar": tar.means,
                "llr_non": non.means,
                "share": costs / costs.sum(),
                "quarter_tar": quarters[0],
                "quarter_non": quarters[1],
                "animals": [_named(row) for row in flags[:, 0].T],
            }
        table = pl.DataFrame(columns, nan_to_null=True)
        table = table.sort("share", "speaker", descending=[True, False], nulls_last=True)
        whole = pl.col("quarter_tar", "quarter_non").cast(pl.Int64)
        return cls(table.with_columns(whole), _counted(flags.sum(axis=2)))

    @property
    def found(self) -> tuple[Animal, ...]:
        """The kinds of which there are more than chance would give."""
        return tuple(one for one in self.animals if one.found)

    @property
    def text(self) -> str:
        """What was found, in a sentence."""
        if not self.found:
            return "There are no more animals than chance would give."
        every = "; ".join(map(str, self.found))
        return f"There are more animals than chance would give: {every}."

    def to_dict(self) -> dict[str, Any]:
        """Speakers and animals as plain values."""
        animals = [{**asdict(one), "found": one.found} for one in self.animals]
        return {"speakers": self.speakers.to_dicts(), "animals": animals}

    def _repr_html_(self) -> str:
        rows = {one.plural: str(one) for one in self.animals}
        return html_table(f"Zoo of {self.speakers.height:,} speakers", rows, [self.text])

    def __repr__(self) -> str:
        return f"<zoo of {self.speakers.height:,} speakers: {self.text}>"


@dataclass(frozen=True)
class _Side:
    """The trials of one class, in an order that depends on nothing but what they are."""

    llrs: Floats
    who: Array
    """Both speakers; the second of equal ones is a speaker more than there are."""
    count: int
    """How many speakers there are."""
    recordings: Array | None
    """What is on either side of each trial, where that is known."""

    @classmethod
    def of(cls, llrs: Array, who: Array, count: int, recordings: Array | None) -> _Side:
        order = np.lexsort((who[:, 1], who[:, 0], llrs))
        who = who[order].astype(np.int64)
        who[who[:, 0] == who[:, 1], 1] = count
        known = None if recordings is None else recordings[order]
        return cls(llrs[order].astype(np.float64), who, count, known)

    @property
    def counts(self) -> Counts:
        """How many trials each speaker has."""
        return np.bincount(self.who.ravel(), minlength=self.count + 1)[:-1]

    @property
    def means(self) -> Floats:
        """The mean LLR of each speaker; NaN without trials."""
        return self.sums(self.llrs) / self.counts

    def sums(self, values: Floats) -> Floats:
        """Sums of values of the trials of each speaker."""
        return _sums(self.who.ravel(), np.repeat(values, 2), self.count)

    def costs(self, sign: float) -> Floats:
        """What the trials of each speaker cost; two speakers of a trial share it."""
        alone = self.who[:, 1] == self.count
        costs = costs_of(self.llrs, sign, LOG) / np.where(alone, 1, 2)
        return self.sums(costs) / len(costs)

    def units(self, ends: tuple[float, float], *, of_pairs: bool) -> _Units:
        """What is permuted, given the LLRs beyond which none may lie: trials, or pairs."""
        values = np.clip(self.llrs, *ends)
        if not of_pairs:
            once = np.ones(len(values))
            return _Units(self.who, once, values, once, [slice(None)], self.count)
        keys, pair = np.unique(self.who @ [self.count + 1, 1], return_inverse=True)
        sizes = np.bincount(pair)
        means = np.bincount(pair, values) / sizes
        scales = _deviations(values, means[pair], sizes, means)
        octave = np.frexp(sizes)[1]
        order = np.argsort(octave, kind="stable")
        edges = [0, *np.cumsum(np.bincount(octave)).tolist()]
        strata = [slice(*ends) for ends in pairwise(edges) if ends[0] < ends[1]]
        who = np.column_stack(np.divmod(keys, self.count + 1))
        return _Units(who[order], sizes[order], means[order], scales[order], strata, self.count)

    def widened(self, sums: Floats, ends: tuple[float, float]) -> Floats:
        """Sums of LLRs in permuted sets, which vary as much as recordings of one speaker do."""
        if self.recordings is None:
            return sums
        values = np.clip(self.llrs, *ends)
        # A target trial has two recordings of its only speaker; others have one of each speaker.
        alone = bool((self.who[:, 1] == self.count).all())
        for side, who in enumerate(self.who.T[:1] if alone else self.who.T):
            recordings = self.recordings if alone else self.recordings[:, side : side + 1]
            added = _recording_variances(values, who, recordings, self.count)
            middle, variance = sums[side, 1:].mean(axis=0), sums[side, 1:].var(axis=0)
            with np.errstate(invalid="ignore", divide="ignore"):
                wider = np.nan_to_num(np.sqrt(1 + added / variance), nan=1.0, posinf=1.0)
            sums[side, 1:] = middle + wider * (sums[side, 1:] - middle)
        return sums


def _recording_variances(values: Floats, who: Array, recordings: Array, count: int) -> Floats:
    """By how much the variance of the sum of LLRs of each speaker grows by shared recordings.

    Two trials of a speaker differ more if they share none. If s is that part of the variance, c
    trials of the same recording add c (c - 1) s.
    """
    times = recordings.shape[1]
    speaker = np.repeat(who, times)
    keys = speaker * (int(recordings.max()) + 1) + recordings.ravel()
    same, one = np.unique(keys, return_inverse=True)[1], np.repeat(values - values.mean(), times)
    near, sharing = _apart(one, same)
    every, pairs = _apart(values - values.mean(), who)
    if not 0 < sharing < pairs:
        return np.zeros(count)
    own = max((every - near) / (pairs - sharing) - near / sharing, 0.0)
    sizes = np.bincount(same)
    first = np.zeros(len(sizes), np.int64)
    first[same] = speaker
    return own * _sums(first, sizes * (sizes - 1.0), count)


def _apart(values: Floats, group: Array) -> tuple[float, float]:
    """Half the squared differences of all pairs of values in the same group; how many there are."""
    sizes, sums = np.bincount(group), np.bincount(group, values)
    squares = float((sizes * np.bincount(group, np.square(values))).sum() - np.square(sums).sum())
    return squares / 2, float((sizes * (sizes - 1.0)).sum() / 2)


def _deviations(values: Floats, of_pair: Floats, sizes: Counts, means: Floats) -> Floats:
    """By how much the means of pairs vary, given their sizes: components of the variance.

    A pair has an effect of its own, and its trials vary around it (analysis of variance with one
    factor; Searle, Casella and McCulloch, Variance Components, 1992, section 3.6).
    """
    total, pairs = len(values), len(sizes)
    if total == pairs:
        return np.ones(pairs)
    within = float(np.square(values - of_pair).sum()) / (total - pairs)
    between = float((sizes * np.square(means - values.mean())).sum())
    room = total - float(np.square(sizes).sum()) / total
    own = max((between - (pairs - 1) * within) / room, 0.0) if room > 0 else 0.0
    deviations: Floats = np.sqrt(own + within / sizes)
    return deviations if deviations.all() else np.ones(pairs)


@dataclass(frozen=True)
class _Units:
    """Trials, or pairs of speakers, whose mean LLRs change places."""

    who: Array
    sizes: Array
    """How many trials each has."""
    means: Floats
    scales: Floats
    strata: list[slice]
    """Only units of the same stratum change places."""
    count: int

    def permuted(self, sets: int, rng: np.random.Generator) -> Floats:
        """Sums of the LLRs of each speaker in enrolment, and in the test, in each set.

        The first set is the actual one.
        """
        out = np.empty((2, sets + 1, self.count))
        middle = float((self.sizes * self.means).sum() / self.sizes.sum())
        scaled = (self.means - middle) / self.scales
        if len(scaled) > _MANY:
            out[:] = self._drawn(sets, rng, middle, scaled)
            sets = 0
        for i in range(sets + 1):
            if i:
                for stratum in self.strata:
                    rng.shuffle(scaled[stratum])
            values = self.sizes * (middle + self.scales * scaled)
            out[:, i] = [_sums(who, values, self.count) for who in self.who.T]
        return out

    def _drawn(self, sets: int, rng: np.random.Generator, middle: float, scaled: Floats) -> Floats:
        """Sums that are as good as permuted ones, because there are so many."""
        expected, variances = np.full(len(scaled), middle), np.empty(len(scaled))
        for stratum in self.strata:
            expected[stratum] += self.scales[stratum] * scaled[stratum].mean()
            variances[stratum] = np.square(self.scales[stratum]) * scaled[stratum].var()
        sums = np.empty((2, sets + 1, self.count))
        for side, who in enumerate(self.who.T):
            mean = _sums(who, self.sizes * expected, self.count)
            variance = _sums(who, np.square(self.sizes) * variances, self.count)
            sums[side] = rng.normal(mean, np.sqrt(variance), (sets + 1, self.count))
        return sums


def _animals(tar: _Side, non: _Side) -> tuple[list[Floats], Bools]:
    """Quarters of both means, or NaN; and who is of which kind.

    The axes of the latter are kinds, sets and speakers; the first set is the actual one.
    """
    # Infinite LLRs count as the furthest finite ones, so that all means can be compared.
    finite = np.concatenate([side.llrs[np.isfinite(side.llrs)] for side in (tar, non)])
    ends = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    units = tar.units(ends, of_pairs=False), non.units(ends, of_pairs=True)
    sets = int(np.clip(_WORK // max(len(one.means) for one in units), _FEWEST, _MOST))
    rng = np.random.default_rng(0)
    goats, _ = tar.widened(units[0].permuted(sets, rng), ends)
    lambs, wolves = non.widened(units[1].permuted(sets, rng), ends)
    with np.errstate(invalid="ignore"):
        of_tar, of_non = goats / tar.counts, (lambs + wolves) / non.counts
    flags = np.zeros((len(KINDS), *of_tar.shape), bool)
    flags[:3] = _low(goats), _low(-lambs), _low(-wolves)
    known = (tar.counts > 0) & (non.counts > 0)
    ranks = [_quarters(means[:, known]) for means in (of_tar, of_non)]
    for i, (low, high) in enumerate(CORNERS.values(), 3):
        flags[i][:, known] = (ranks[0] == low) & (ranks[1] == high)
    quarters = [np.full(tar.count, np.nan), np.full(tar.count, np.nan)]
    for quarter, rank in zip(quarters, ranks, strict=True):
        quarter[known] = np.where(rank[0] > 0, rank[0], np.nan)
    return quarters, flags


def _low(sums: Floats) -> Bools:
    """Where a speaker has less than in all but the tail of the sets (rows)."""
    place = int(_TAIL * len(sums) + 1e-9)
    return np.asarray(sums < np.partition(sums, place, axis=0)[place])


def _quarters(means: Floats) -> Array:
    """Which quarter of the speakers each is in, by rising means, in each set (row).

    Equal means are in the same quarter, that of their mean rank. Zero if there are fewer than four.
    """
    count = means.shape[1]
    if count < len(CORNERS):
        return np.zeros(means.shape, np.int64)
    order = means.argsort(axis=1)
    rises = np.diff(np.take_along_axis(means, order, axis=1), axis=1) > 0
    places, ends = np.arange(count), np.ones((len(means), 1), bool)
    first = np.maximum.accumulate(np.where(np.hstack([ends, rises]), places, 0), axis=1)
    last = np.where(np.hstack([rises, ends]), places, count)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    quarters = np.empty(means.shape, np.int64)
    np.put_along_axis(quarters, order, 1 + (2 * (first + last) + 2) // count, axis=1)
    return quarters


def _counted(counts: Counts) -> tuple[Animal, ...]:
    """The animals, given how many of each kind (row) there are in each set."""
    size = counts.shape[1]
    shares = np.array([size - np.searchsorted(np.sort(row), row) for row in counts]) / size
    least = shares.min(axis=0)
    return tuple(
        Animal(kind, int(row[0]), float(row[1:].mean()), float((least <= share[0]).mean()))
        for kind, row, share in zip(KINDS, counts, shares, strict=True)
    )


def _sums(who: Array, values: Floats, count: int) -> Floats:
    """Sums of the values of each of so many speakers, whoever else there is."""
    return np.bincount(who, values, count + 1)[:-1].astype(np.float64, copy=False)


def _named(row: Bools) -> str:
    """The kinds of a speaker, in words."""
    return ", ".join(kind for kind, is_one in zip(KINDS, row, strict=True) if is_one) or "sheep"
