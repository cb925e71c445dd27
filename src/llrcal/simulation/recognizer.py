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
from math import isqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Counts, Floats, is_whole
from llrcal.errors import OptionError
from llrcal.trials import Trials

Singles = NDArray[np.float32]

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
    speakers, *each = _layout(int(targets), int(nontargets))
    rng = np.random.default_rng([int(seed), list(_SECONDS).index(condition)])
    voices = _voices(rng, speakers)
    enrolment, test = (_Sessions.of(_sessions(rng, voices, count, condition)) for count in each)
    wanted = int(targets), int(nontargets)
    kept = [(np.empty(n, np.float32), np.empty((n, 2), np.int32)) for n in wanted]
    done = [0, 0]
    rows = max(1, _BLOCK // len(test.offsets))
    for start in range(0, len(enrolment.offsets), rows):
        block = _scores(enrolment, test, slice(start, start + rows))
        for i, (scores, pairs) in enumerate(kept):
            row, column = _chosen(i == 0, wanted[i], (start, start + len(block)), speakers, *each)
            part = slice(done[i], done[i] + len(row))
            scores[part] = block[row - start, column]
            pairs[part] = np.stack([row // each[0], column // each[1]], axis=1)
            done[i] = part.stop
        if progress is not None:
            progress(sum(done), sum(wanted))
    (tar, of_tar), (non, of_non) = kept
    source = f"simulated {'training' if condition == 'train' else 'test'} trials"
    return Trials(tar, non, source, of_tar, of_non)


def _layout(targets: int, nontargets: int) -> tuple[int, int, int]:
    """How many speakers there are, and how many enrolment and test sessions each of them has.

    They make at least the requested number of trials of each class, and few more: S speakers with
    p pairs of sessions each make S p targets and S (S - 1) p non-targets, so that p is about
    targets^2 / nontargets.
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
    return speakers, enrolments, tests


def _chosen(
    of_tar: bool, wanted: int, rows: tuple[int, int], speakers: int, enrolments: int, tests: int
) -> tuple[Counts, Counts]:
    """Rows (enrolment sessions) and columns (test sessions) of the trials of a class that are kept.

    One trial is kept of each stretch of all / wanted. Its place in the stretch moves by the golden
    ratio: a fixed place would meet the same few test sessions in every row.
    """
    in_row = tests if of_tar else (speakers - 1) * tests
    in_all = in_row * speakers * enrolments
    start, end = rows[0] * in_row, rows[1] * in_row
    first, last = start * wanted // in_all, -(-end * wanted // in_all)
    stretch = np.arange(first, min(last, wanted) + 1, dtype=np.int64)
    edges = stretch * in_all // wanted
    jitter = np.modf(stretch[:-1] * _GOLDEN)[0]
    places = edges[:-1] + (jitter * np.diff(edges)).astype(np.int64)
    row, column = np.divmod(places[(places >= start) & (places < end)], in_row)
    own = row // enrolments * tests  # the first test session of the speaker
    return row, column + (own if of_tar else np.where(column >= own, tests, 0))


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


class _Sessions(NamedTuple):
    """Sessions in the form in which a score is an inner product and two sums.

    ``integers`` times ``unit`` are the session vectors, weighted for their inner products.
    """

    integers: Singles
    unit: float
    offsets: Singles

    @classmethod
    def of(cls, sessions: Floats) -> _Sessions:
        b = _SPEAKER_VARIANCE
        t = b + _BELIEVED_SESSION_VARIANCE
        determinant = t**2 - b**2
        weighted = sessions * np.sqrt(b / determinant)
        # Vectors no longer than 2^12 have inner products below 2^24, and no partial sum is larger:
        # single precision holds them exactly. Rounding may add half a step in every dimension.
        longest = float(np.sqrt((weighted**2).sum(axis=1).max()))
        unit = longest / (2**12 - np.sqrt(_DIMENSIONS))
        squares = (sessions**2 * (b**2 / (2 * t * determinant))).sum(axis=1)
        constant = (np.log(t) - np.log(determinant) / 2).sum() / 2  # half of it for each session
        integers = np.rint(weighted / unit).astype(np.float32)
        return cls(integers, float(unit), (constant - squares).astype(np.float32))


def _scores(enrolment: _Sessions, test: _Sessions, rows: slice) -> Singles:
    """Score of some enrolment sessions (rows) with each test session (a column)."""
    scores: Singles = enrolment.integers[rows] @ test.integers.T
    scores *= np.float32(enrolment.unit * test.unit)
    scores += enrolment.offsets[rows, None]
    scores += test.offsets
    return scores
