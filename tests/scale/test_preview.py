"""A sample for pictures: from everywhere, with the extremes, and never taken for the whole."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal.scale import preview as module
from llrcal.scale.engines.threads import Threads
from llrcal.scale.pieces.piece import ArrayPiece
from llrcal.scale.preview import preview
from tests.trial_sets import normal

TAR, NON = normal(500, 2.0, 1.0), normal(40_000, -1.0, 1.0)


def pieces() -> list[ArrayPiece]:
    cuts = zip(np.array_split(TAR, 7), np.array_split(NON, 7), strict=True)
    return [ArrayPiece.of(tar, non) for tar, non in cuts]


def test_few_trials_are_all_taken() -> None:
    taken = preview(pieces(), Threads(), (500, 40_000), "somewhere")
    assert taken.tar.tolist() == np.sort(TAR).tolist()
    assert taken.non.tolist() == np.sort(NON).tolist()
    assert (taken.counts, taken.source) == ((500, 40_000), "somewhere")


def test_of_many_some_are_taken_and_the_extremes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 1000)
    taken = preview(pieces(), Threads(), (500, 40_000), "somewhere")
    assert len(taken.tar) == 500
    assert 900 < len(taken.non) < 1100
    assert (taken.non[0], taken.non[-1]) == (NON.min(), NON.max())
    assert taken.counts == (500, 40_000)
    assert abs(np.median(taken.non) - np.median(NON)) < 0.1
    again = preview(pieces()[::-1], Threads(), (500, 40_000), "somewhere")
    assert again.non.tolist() == taken.non.tolist()
