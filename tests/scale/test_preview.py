"""A sample for pictures: from everywhere, with the extremes, and never taken for the whole."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal.scale import trials_in_pieces
from llrcal.scale.piece import Piece
from tests.scale.sets import of_pieces
from tests.trial_sets import normal

TAR, NON = normal(500, 2.0, 1.0), normal(40_000, -1.0, 1.0)


def pieces() -> list[Piece]:
    cuts = zip(np.array_split(TAR, 7), np.array_split(NON, 7), strict=True)
    return [Piece.of_arrays(tar, non) for tar, non in cuts]


def test_of_many_some_are_taken_and_the_extremes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials_in_pieces, "PREVIEW", 1000)
    taken = of_pieces(pieces()).preview((500, 40_000))
    assert taken.tar.tolist() == np.sort(TAR).tolist()
    assert 900 < len(taken.non) < 1100
    assert (taken.non[0], taken.non[-1]) == (NON.min(), NON.max())
    assert (taken.counts, taken.source) == ((500, 40_000), "some pieces")
    assert abs(np.median(taken.non) - np.median(NON)) < 0.1
    again = of_pieces(pieces()[::-1]).preview((500, 40_000))
    assert again.non.tolist() == taken.non.tolist()
