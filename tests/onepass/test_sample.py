"""The sample beside one that is made straight from its definition, in any order and any parts."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import kernels
from llrcal.arrays import Array
from llrcal.onepass import chunks
from llrcal.onepass import grid as sample
from llrcal.onepass.grid import SIZE, Sample, likely_ceiling
from tests.examples import examples
from tests.trial_sets import normal

ODD = 0x9E3779B97F4A7C15  # of the golden ratio
FEW = st.sampled_from([-3.0, -0.0, 0.0, 0.1, 1.0, 2.5, math.inf, -math.inf])
SCORES = st.lists(FEW | st.floats(allow_nan=False, width=32) | st.floats(-9, 9), max_size=60)


def key(score: float) -> int:
    (bits,) = struct.unpack("<Q", struct.pack("<d", score))
    return int(bits) * ODD % 2**64


def by_definition(scores: Sequence[float], size: int) -> dict[int, int]:
    """The smallest keys, in rising order, and how often each is there."""
    counts = Counter(map(key, scores))
    return {smallest: counts[smallest] for smallest in sorted(counts)[:size]}


@contextmanager
def small(size: int = 8, chunk: int = 5) -> Iterator[None]:
    """Samples of a few scores, from arrays of a few chunks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "SIZE", size)
        patch.setattr(chunks.chunks, "__defaults__", (chunk,))
        yield


def content(found: Sample) -> dict[int, int]:
    assert found.keys.dtype == np.uint64
    return dict(zip(found.keys.tolist(), found.counts.tolist(), strict=True))


def assert_same(one: Sample, other: Sample) -> None:
    np.testing.assert_array_equal(one.keys, other.keys)
    np.testing.assert_array_equal(one.counts, other.counts)


@given(SCORES)
def test_smallest_keys_with_their_counts(scores: list[float]) -> None:
    with small():
        assert list(content(Sample.of(np.array(scores))).items()) == list(
            by_definition(scores, 8).items()
        )


@pytest.mark.slow
@examples(150)
@given(SCORES, st.lists(st.integers(0, 60), max_size=4), st.randoms(use_true_random=False))
def test_neither_order_nor_parts_matter(
    scores: list[float], cuts: list[int], random: Random
) -> None:
    with small():
        whole = Sample.of(np.array(scores))
        mixed = random.sample(scores, len(scores))
        parts = [Sample.of(part) for part in np.split(np.array(mixed), sorted(cuts))]
        while len(parts) > 1:
            one = parts.pop(random.randrange(len(parts)))
            other = parts.pop(random.randrange(len(parts)))
            parts.append(one.merge(other))
        assert_same(parts[0], whole)


@given(SCORES, st.integers(0, 2**64 - 1))
def test_below_a_ceiling_all_are_counted(scores: list[float], ceiling: int) -> None:
    with small():
        found = Sample.below(ceiling, np.array(scores))
        every = by_definition([x for x in scores if key(x) <= ceiling], 8)
        assert content(found) == every
        if found.is_enough:
            assert every == by_definition(scores, 8)


@pytest.mark.parametrize("kind", ["distinct", "ties", "single precision", "few values"])
def test_counts_of_many_scores(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scores: dict[str, Array] = {
        "distinct": normal(150_000, 0, 1),
        "ties": np.round(normal(150_000, 0, 1) * 4, 4) + 0.0,  # no -0
        "single precision": normal(150_000, 0, 1e-3).astype(np.float32),
        "few values": np.round(normal(150_000, 0, 9)) + 0.0,
    }
    some = scores[kind]
    for name in ("_WORTH_A_THREAD", "CHUNK"):
        monkeypatch.setattr(chunks, name, 2**14)
    monkeypatch.setenv("LLRCAL_THREADS", "3")
    values, counts = Sample.of(some).sorted()
    every, times = np.unique(some.astype(np.float64), return_counts=True)
    assert len(values) == min(SIZE, len(every))
    assert (len(every) > SIZE) == (kind in ("distinct", "ties", "single precision"))
    place = np.searchsorted(every, values)
    np.testing.assert_array_equal(every[place], values)
    np.testing.assert_array_equal(times[place], counts)


def test_keys_are_made_a_chunk_at_a_time_without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "compiled", None)
    monkeypatch.setattr(sample, "CHUNK", 8)
    scores = normal(20, 0, 1)
    parts, start, out = list[Array](), 0, np.empty(8, np.uint64)
    while start < len(scores) and len(parts) < 20:
        found, start = sample._keys(scores, start, sample.ALL_KEYS, out)
        parts.append(found)
    assert np.concatenate(parts).tolist() == [key(score) for score in scores.tolist()]
    assert len(parts) == 3


def test_a_sample_is_spread_like_the_scores() -> None:
    """Else bins that follow from it would not fit. Its quartiles are as sure as chance allows."""
    scores = normal(400_000, 5, 2)
    values, counts = Sample.of(scores).sorted()
    np.testing.assert_array_equal(counts, 1)
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        below = float((values < np.quantile(scores, share)).mean())
        assert below == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / SIZE))


def test_minus_zero_is_another_key_and_the_same_score() -> None:
    found = Sample.of(np.array([0.0, -0.0, 1.0, -0.0, -1.0]))
    assert content(found) == {key(0.0): 1, key(-0.0): 2, key(1.0): 1, key(-1.0): 1}
    values, counts = found.sorted()
    np.testing.assert_array_equal(values, [-1.0, 0.0, 0.0, 1.0])
    assert counts[1] + counts[2] == 3
    turned = Sample.of(np.array([-1.0, -0.0, 1.0, -0.0, 0.0])).sorted()
    np.testing.assert_array_equal(np.signbit(turned[0]), np.signbit(values))
    np.testing.assert_array_equal(turned[1], counts)


def test_infinite_scores_are_left_out_of_the_order() -> None:
    values, counts = Sample.of(np.array([math.inf, 1.0, -math.inf, 1.0])).sorted()
    np.testing.assert_array_equal(values, [1.0])
    np.testing.assert_array_equal(counts, [2])


def test_tied_scores_need_a_second_look() -> None:
    """Most of the keys up to the likely ceiling are not there, and all others must be asked for."""
    scores = np.repeat(normal(20_000, 0, 1), 20)
    assert not Sample.below(likely_ceiling(len(scores)), scores).is_enough
    found = Sample.of(scores)
    assert len(found.keys) == SIZE
    np.testing.assert_array_equal(found.counts, 20)
