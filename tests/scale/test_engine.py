"""Threads that go through pieces: never more than a few at once, and the first fault is told."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from llrcal import ScoreError
from llrcal.onepass.chunks import threads
from llrcal.scale import engine
from llrcal.scale.engine import Threads
from llrcal.scale.piece import PEEK, Piece
from llrcal.trials.trials import Multiplied
from tests.scale.sets import Passes


@pytest.fixture(autouse=True)
def one_piece_a_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_BUNDLES", 50)


PIECES = [
    replace(Piece.of_arrays(np.ones(2), np.ones(0), f"piece {number}"), file=str(number))
    for number in range(50)
]


def number_of(pieces: Sequence[Piece]) -> int:
    return sum(int(piece.file) for piece in pieces)


@pytest.mark.parametrize("count", ["1", "3"])
def test_values_of_all_pieces_are_merged(count: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLRCAL_THREADS", count)
    passes = Passes()
    assert Threads(passes).reduce(PIECES, number_of, "adding") == sum(range(50))
    assert (passes.names, passes.done, passes.total) == (["adding"], 100, 100)
    assert Threads().reduce(PIECES[3:4], number_of, "adding") == 3


def test_few_pieces_are_under_way_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or else what they found would wait in memory to be merged."""
    monkeypatch.setenv("LLRCAL_THREADS", "2")
    begun, waiting = list[Sequence[Piece]](), list[int]()

    class Found:
        merged = 0

        def merge(self, _other: Found) -> Found:
            self.merged += 1
            waiting.append(len(begun) - self.merged)
            return self

    def work(pieces: Sequence[Piece]) -> Found:
        begun.append(pieces)
        return Found()

    assert Threads().reduce(PIECES, work, "adding").merged == 49
    assert max(waiting) <= 6


def test_threads_work_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread for each piece is enough; it uses no others."""
    monkeypatch.setenv("LLRCAL_THREADS", "4")
    assert threads() == 4
    assert Threads().reduce(PIECES, lambda _: (threads(),), "asking") == (1,) * len(PIECES)
    assert threads() == 4


def test_the_first_fault_in_order_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLRCAL_THREADS", "3")
    failed = threading.Event()

    def work(pieces: Sequence[Piece]) -> int:
        if number_of(pieces) == 10:
            assert failed.wait(20)  # another one fails first
        if number_of(pieces) == 11:
            failed.set()
        if number_of(pieces) >= 10:
            raise ScoreError(pieces[0].name)
        return 0

    with pytest.raises(ScoreError, match="piece 10"):
        Threads().reduce(PIECES, work, "failing")


def test_nothing_more_is_asked_for_after_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits by then may have begun: two pieces a thread, and one."""
    monkeypatch.setenv("LLRCAL_THREADS", "2")
    begun = []

    def work(pieces: Sequence[Piece]) -> int:
        begun.append(pieces)
        raise ScoreError(pieces[0].name)

    with pytest.raises(ScoreError, match="piece 0"):
        Threads().reduce(PIECES, work, "failing")
    assert len(begun) <= 5


def test_a_glance_keeps_the_shares_of_the_classes() -> None:
    tar, non = np.arange(10.0**4), np.arange(10.0**6)
    peeked, rows = Piece.of_arrays(tar, non).peek()
    assert rows == 1_010_000
    assert PEEK / 2 < len(peeked.tar) + len(peeked.non) <= PEEK + 2
    assert len(peeked.tar) / len(peeked.non) == pytest.approx(0.01, rel=0.01)


def test_scores_that_a_calibration_refuses_are_told_with_the_piece() -> None:
    def refuse(scores: object) -> Any:
        raise ScoreError("no")

    piece = Piece.of_arrays(np.ones(3), np.ones(2), "night.parquet")
    with pytest.raises(ScoreError, match=r"night\.parquet: no"):
        list(replace(piece, transforms=(refuse,)).batches())
    (batch,) = replace(piece, transforms=(Multiplied(-1.0), Multiplied(2.0))).batches()
    assert (batch.tar.tolist(), batch.non.tolist()) == ([-2.0] * 3, [-2.0] * 2)
