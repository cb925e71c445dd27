"""A simulated speaker recognizer: raw scores with labels, from none of the families compared.

*The voices.* A speaker is a vector; some are larger (more distinctive) and some less variable than
others. A session is the speaker's vector, plus the offset of its channel, plus noise. There is more
noise if the speaker is variable, the channel is bad, or the recording is short.

*The recognizer* scores every enrolment session against every test session by the two-covariance
model. It assumes that all sessions are equally noisy, and much noisier than they are, and it does
not model channels or durations. With speaker variance b and believed session variance w in each
dimension, and t = b + w, the score of sessions u and v is the sum over dimensions of ::

    b u v / (t^2 - b^2) - b^2 (u^2 + v^2) / (2 t (t^2 - b^2)) + log t - log(t^2 - b^2) / 2

which would be their log-likelihood-ratio if the assumptions were true. Since they are not, the
scores are uncalibrated, and the mixture of good and bad sessions makes both classes skewed and
heavy-tailed.

*The test set* has other speakers, shorter recordings and more of the bad channels than the training
set, which gives a mild dataset shift, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from llrcal.arrays import Bools, Counts, Floats, is_whole
from llrcal.errors import OptionError
from llrcal.files.atomic import atomic_file
from llrcal.trials import Trials

Singles = NDArray[np.float32]
Ids = NDArray[np.int32]

_FEWEST_SPEAKERS = 200  # unless there are fewer targets than that
_GOLDEN = (5**0.5 - 1) / 2

PAPER_TRAIN = (29_400, 42_000_000)
PAPER_TEST = (9_000, 9_000_000)
DEMO_TRAIN = (4_000, 2_000_000)
DEMO_TEST = (2_500, 1_000_000)

_DIMENSIONS = 100
_SPEAKER_VARIANCE = 1.4 * np.exp(-np.arange(_DIMENSIONS) / 125)
_SESSION_VARIANCE = 0.8
_BELIEVED_SESSION_VARIANCE = 4.5
_SECONDS_OF_UNIT_NOISE = 5.0  # a recording this short adds noise of variance 1
_DISTINCTIVENESS_SPREAD = 0.15  # standard deviations of logarithms, over speakers
_UNSTEADINESS_SPREAD = 0.25

_CHANNEL_OFFSETS = np.array([0.15, 0.20, 0.30, 0.45])
_CHANNEL_NOISE = np.array([0.90, 1.00, 1.10, 1.35])
_CHANNEL_SEED = 20140616  # the channels are the same in all simulations

_BLOCK = 2**20  # scores computed at a time


# By condition: the shortest and the longest recording (lengths are log-uniform), and the channels.
_SECONDS = {"train": (12, 300), "test": (8, 200)}
_CHANNEL_SHARES = {"train": (0.40, 0.30, 0.20, 0.10), "test": (0.30, 0.30, 0.22, 0.18)}


def simulate(
    *,
    targets: int = 2_000,
    nontargets: int = 200_000,
    seed: int = 0,
    condition: Literal["train", "test"] = "train",
    progress: Callable[[int, int], None] | None = None,
) -> Trials:
    """Raw scores of a simulated speaker recognizer.

    Every enrolment session is scored against every test session, and the trials in excess of the
    requested counts are dropped evenly. Trials are in the order of their enrolment speakers.

    Equal arguments give bit-identical scores, with any number of threads and any BLAS: the sessions
    are rounded to integers so small that sums of their products are exact in any order. Only
    another version of NumPy, or another kind of processor, may draw other random numbers.

    Parameters
    ----------
    targets, nontargets
        How many trials of each class to make. The rarer the targets, the more speakers there are.
        The paper's sizes are ``PAPER_TRAIN`` and ``PAPER_TEST``.
    seed
        Chooses speakers and sessions. The recognizer and the channels are always the same.
    condition
        ``"train"``, or ``"test"``: other speakers, shorter recordings, worse channels.
    progress
        Called as ``progress(done, total)`` with numbers of trials, after each block of them.

    Returns
    -------
    Trials
        Scores and speakers, 12 bytes per trial; the computation needs some 50 MB more. Speakers are
        numbered from 0 in every set: equal numbers in two sets are different people.

    Raises
    ------
    OptionError
        If a count is not a positive integer, the seed is negative, or the condition is unknown.

    Examples
    --------
    >>> import llrcal
    >>> trials = llrcal.simulate(targets=10, nontargets=100)
    >>> trials.tar.shape, trials.non.shape, trials.non_speakers.shape
    ((10,), (100,), (100, 2))
    """
    counts = {"targets": (targets, 1), "nontargets": (nontargets, 1), "seed": (seed, 0)}
    for name, (value, least) in counts.items():
        if not is_whole(value) or value < least:
            raise OptionError(f"{name} is {value!r}; pass an integer of at least {least}")
    if condition not in _SECONDS:
        raise OptionError(f"there is no condition {condition!r}; choose train or test")
    layout = Layout.of(int(targets), int(nontargets))
    rng = np.random.default_rng([int(seed), list(_SECONDS).index(condition)])
    voices = _voices(rng, layout.speakers)
    enrolment, test = (
        _Side.of(_sessions(rng, voices, each, condition), each)
        for each in (layout.enrolments, layout.tests)
    )
    tar = Collector.of(int(targets), found_in_all=layout.targets)
    non = Collector.of(int(nontargets), found_in_all=layout.nontargets)
    rows = max(1, _BLOCK // len(test.ids))
    for start in range(0, len(enrolment.ids), rows):
        part = slice(start, start + rows)
        scores, ids = _scores(enrolment, test, part), enrolment.ids[part]
        is_target = ids[:, None] == test.ids
        tar.take(scores, is_target, ids, test.ids)
        non.take(scores, ~is_target, ids, test.ids)
        if progress is not None:
            progress(tar.done + non.done, int(targets) + int(nontargets))
    source = f"simulated {'training' if condition == 'train' else 'test'} trials"
    return Trials(tar.scores, non.scores, source, tar.speakers, non.speakers)


def _voices(rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    """Speakers: vectors, and how much noisier than average the sessions of each are."""
    distinctiveness = np.exp(_DISTINCTIVENESS_SPREAD * rng.standard_normal((count, 1)))
    vectors = np.sqrt(_SPEAKER_VARIANCE) * rng.standard_normal((count, _DIMENSIONS))
    unsteadiness = np.exp(_UNSTEADINESS_SPREAD * rng.standard_normal(count))
    return distinctiveness * vectors, unsteadiness


def _sessions(
    rng: np.random.Generator, voices: tuple[Floats, Floats], each: int, condition: str
) -> Floats:
    """``each`` sessions of every speaker, in the order of speakers, one per row."""
    vectors, unsteadiness = (np.repeat(voice, each, axis=0) for voice in voices)
    count = len(vectors)
    channel = rng.choice(len(_CHANNEL_NOISE), size=count, p=_CHANNEL_SHARES[condition])
    shortest, longest = np.log(_SECONDS[condition])
    log_seconds = rng.uniform(shortest, longest, count)
    size = unsteadiness * _CHANNEL_NOISE[channel]
    variance = _SESSION_VARIANCE * size**2 + _SECONDS_OF_UNIT_NOISE / np.exp(log_seconds)
    noise = np.sqrt(variance)[:, None] * rng.standard_normal((count, _DIMENSIONS))
    sessions: Floats = vectors + _channels()[channel] + noise
    return sessions


def _channels() -> Floats:
    """The offset that each channel adds, one per row."""
    directions = np.random.default_rng(_CHANNEL_SEED).standard_normal(
        (len(_CHANNEL_OFFSETS), _DIMENSIONS)
    )
    return _CHANNEL_OFFSETS[:, None] * directions


@dataclass(frozen=True)
class _Side:
    """Sessions in the form in which a score is an inner product and two sums.

    ``integers`` times ``unit`` are the session vectors, weighted for their inner products.
    """

    integers: Singles
    unit: float
    offsets: Singles
    ids: Ids

    @classmethod
    def of(cls, sessions: Floats, each: int) -> _Side:
        b = _SPEAKER_VARIANCE
        t = b + _BELIEVED_SESSION_VARIANCE
        determinant = t**2 - b**2
        weighted = sessions * np.sqrt(b / determinant)
        # Vectors no longer than 2^12 have inner products below 2^24, and no partial sum is larger:
        # single precision holds them exactly. Rounding may add half a step in every dimension.
        longest = float(np.sqrt((weighted**2).sum(axis=1).max()))
        unit = longest / (2**12 - np.sqrt(_DIMENSIONS))
        squares = (sessions**2 * (b**2 / (2 * t * determinant))).sum(axis=1)
        constant = (np.log(t) - np.log(determinant) / 2).sum() / 2  # half of it on each side
        return cls(
            np.rint(weighted / unit).astype(np.float32),
            float(unit),
            (constant - squares).astype(np.float32),
            np.repeat(np.arange(len(sessions) // each, dtype=np.int32), each),
        )


def _scores(enrolment: _Side, test: _Side, rows: slice) -> Singles:
    """Score of some enrolment sessions (rows) with each test session (a column)."""
    scores: Singles = enrolment.integers[rows] @ test.integers.T
    scores *= np.float32(enrolment.unit * test.unit)
    scores += enrolment.offsets[rows, None]
    scores += test.offsets
    return scores


# ------------- every enrolment session with every test session: which trials are kept


@dataclass(frozen=True)
class Layout:
    """The number of speakers, and of enrolment and test sessions of each."""

    speakers: int
    enrolments: int
    tests: int

    @classmethod
    def of(cls, targets: int, nontargets: int) -> Layout:
        """A layout with at least the requested number of trials of each class, and few more.

        S speakers with p pairs of sessions each make S p targets and S (S - 1) p non-targets, so
        that p is about targets^2 / nontargets.
        """
        most = max(1, targets // _FEWEST_SPEAKERS)
        pairs = min(max(1, round(targets**2 / nontargets)), most)
        enrolments = isqrt(pairs)
        tests = round(pairs / enrolments)
        pairs = enrolments * tests
        fewest = max(2, min(targets, _FEWEST_SPEAKERS))
        speakers = max(fewest, -(-targets // pairs), isqrt(nontargets // pairs))
        while speakers * (speakers - 1) * pairs < nontargets:
            speakers += 1
        return cls(speakers, enrolments, tests)

    @property
    def targets(self) -> int:
        """All pairs of sessions of one speaker."""
        return self.speakers * self.enrolments * self.tests

    @property
    def nontargets(self) -> int:
        """All pairs of sessions of two speakers."""
        return (self.speakers - 1) * self.targets


@dataclass
class Collector:
    """Trials of one class, taken evenly from all blocks."""

    scores: Singles
    speakers: Ids
    found_in_all: int
    found: int = 0
    done: int = 0

    @classmethod
    def of(cls, wanted: int, *, found_in_all: int) -> Collector:
        return cls(np.empty(wanted, np.float32), np.empty((wanted, 2), np.int32), found_in_all)

    def take(self, scores: Singles, of_class: Bools, row_ids: Ids, column_ids: Ids) -> None:
        """Take this block's share of the trials."""
        places = np.flatnonzero(of_class)
        chosen = places[self._chosen(self.found, self.found + len(places)) - self.found]
        row, column = np.divmod(chosen, scores.shape[1])
        end = self.done + len(chosen)
        self.scores[self.done : end] = scores.ravel()[chosen]
        self.speakers[self.done : end, 0] = row_ids[row]
        self.speakers[self.done : end, 1] = column_ids[column]
        self.found += len(places)
        self.done = end

    def _chosen(self, start: int, end: int) -> Counts:
        """Which of the trials found from ``start`` to ``end`` are kept.

        One trial is kept of each stretch of found_in_all / wanted. Its place in the stretch moves
        by the golden ratio: a fixed place would meet the same few test sessions in every row.
        """
        wanted = len(self.scores)
        first, last = start * wanted // self.found_in_all, -(-end * wanted // self.found_in_all)
        stretch = np.arange(first, min(last, wanted) + 1, dtype=np.int64)
        edges = stretch * self.found_in_all // wanted
        jitter = np.modf(stretch[:-1] * _GOLDEN)[0]
        kept = edges[:-1] + (jitter * np.diff(edges)).astype(np.int64)
        return np.asarray(kept[(kept >= start) & (kept < end)])


# ------------- files

PART = 10_000_000
"""Trials in a file."""
_TARGET_SHARE = PAPER_TRAIN[0] / sum(PAPER_TRAIN)


def write_parts(
    folder: Path,
    trials: int,
    *,
    seed: int = 0,
    condition: Literal["train", "test"] = "train",
    compression: Literal["zstd", "uncompressed"] = "zstd",
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> None:
    """Write trials to files ``part-00000.parquet`` and so on, with columns score and label.

    Each file has other speakers, and its trials are in random order.
    """
    folder.mkdir(parents=True, exist_ok=True)
    starts = range(0, trials, PART)
    seeds = np.random.SeedSequence(seed).generate_state(len(starts))
    for number, (start, day) in enumerate(zip(starts, seeds.tolist(), strict=True)):
        count = min(PART, trials - start)
        targets = max(round(count * _TARGET_SHARE), 1)
        made = simulate(
            targets=targets, nontargets=max(count - targets, 1), seed=day, condition=condition
        )
        scores = np.concatenate([made.tar, made.non]).astype(np.float64)
        order = np.random.default_rng(day).permutation(len(scores))
        frame = pl.DataFrame({"score": scores[order], "label": order < len(made.tar)})
        with atomic_file(folder / f"part-{number:05}.parquet") as file:
            frame.write_parquet(file, compression=compression)
        progress(start + count, trials)
