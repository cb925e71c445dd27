"""Calibrations of trials in pieces: the same model files, in as few passes as are promised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal import DegenerateError, ScoreError
from llrcal.arrays import Floats
from llrcal.calibrations.fit import fit_methods
from llrcal.calibrations.methods import PAPER, Method
from llrcal.onepass.grid import SIZE
from llrcal.scale.engine import Threads
from llrcal.scale.piece import Piece
from tests.scale.sets import (
    EVERY,
    EVERY_SET,
    QUICK,
    SETS,
    Passes,
    cut,
    in_memory,
    keep_few,
    known,
    of_pieces,
    quiet,
    texts,
)
from tests.trial_sets import normal

pytestmark = pytest.mark.slow

GLANCE, READING, COUNTING = "looking at a few pieces", "reading", "counting"
AGAIN, SAMPLING, KNOTS = "reading again, in other bins", "sampling", "finding knots"


def trained(
    pieces: Sequence[Piece], methods: Sequence[Method] = EVERY, passes: Passes | None = None
) -> dict[str, str]:
    engine = Threads(passes or Passes())
    with quiet():
        return texts(fit_methods(of_pieces(pieces, engine), methods=methods))


@EVERY_SET
@pytest.mark.parametrize(("count", "seed"), [(1, 0), (6, 1)])
def test_neither_order_nor_pieces_change_a_bit(name: str, count: int, seed: int) -> None:
    assert trained(cut(*SETS[name], count, seed)) == known(name)


@pytest.mark.parametrize("threads", ["1", "5"])
def test_threads(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLRCAL_THREADS", threads)
    assert trained(cut(*SETS["many"], 40, 2)) == known("many")


def test_distances() -> None:
    tar, non = (-scores for scores in SETS["many"])
    settings: dict[str, Any] = {"methods": QUICK, "bounds": "counts", "lower_is_better": True}
    found = fit_methods(of_pieces(cut(tar, non, 4)), **settings)
    expected = llrcal.fit_all(tar, non, **settings)
    assert texts(found) == texts(expected)


def test_a_class_that_is_not_there() -> None:
    with pytest.raises(ScoreError, match="no target scores in piece 0 and 2 more"):
        trained(cut(np.empty(0), SETS["few"][1], 3))
    with pytest.raises(ScoreError, match="there are no trials"):
        trained([])


# -------------------------------------------------------------------------- both classes are large


@pytest.mark.parametrize("room", [9_000, 2**24])
@pytest.mark.parametrize("name", ["many", "ties", "more targets"])
def test_classes_too_large_to_be_kept(
    name: str, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_few(monkeypatch, 1000, room)
    passes = Passes()
    assert trained(cut(*SETS[name], 5), passes=passes) == known(name)
    assert passes.names[2:4] == ["dividing by score", "sorting"]
    assert COUNTING not in passes.names


@pytest.mark.parametrize("room", [9_000, 2**24])
@pytest.mark.parametrize("sign", [1, -1])
def test_pav_alone_on_classes_too_large_to_be_kept(
    sign: int, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bounds, and the note that scores run the wrong way, come from elsewhere."""
    tar, non = (sign * scores for scores in SETS["many"])
    keep_few(monkeypatch, 1000, room)
    expected = in_memory(tar, non, ["pav"])
    assert ("targets score lower than non-targets" in expected["pav"]) == (sign < 0)
    assert trained(cut(tar, non, 5), ["pav"]) == expected


def test_the_rarer_class_is_not_the_one_that_it_seemed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces that are looked at have more targets; what was kept is of no use then."""
    tar, non = normal(3000, 2, 1), normal(20_000, 0, 1.3)
    pieces: list[Piece] = []
    for few, many in zip(np.split(tar, 10), np.split(non, 10), strict=True):
        pieces += [Piece.of_arrays(few, many[:100]), Piece.of_arrays(few[:0], many[100:])]
    pieces.sort(key=lambda piece: piece.rows)
    monkeypatch.setattr("llrcal.scale.passes._LOOKED_AT", 1)
    passes = Passes()
    assert trained(pieces, ["pav"], passes) == in_memory(tar, non, ["pav"])
    assert passes.names == [GLANCE, READING, "gathering the rarer class", COUNTING]


# --------------------------------------------------------------------------- the number of passes


@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        (["gaussian"], [GLANCE, READING]),
        (["linear-gaussian", "logistic", "student-t", "nig"], [GLANCE, READING]),
        (["smooth"], [GLANCE, READING]),
        (["pav"], [GLANCE, READING, COUNTING]),
        (PAPER, [GLANCE, READING, COUNTING]),
    ],
)
def test_passes(methods: Sequence[Method], expected: list[str]) -> None:
    passes = Passes()
    trained(cut(*SETS["many"], 6), methods, passes)
    assert passes.names == expected
    assert passes.done == passes.total == sum(map(len, SETS["many"]))


def test_one_more_pass_where_targets_are_the_commoner_class() -> None:
    """Steps of PAV then begin with scores of theirs, which are not among those that are kept."""
    passes = Passes()
    trained(cut(*SETS["more targets"], 6), ["pav"], passes)
    assert passes.names == [GLANCE, READING, COUNTING, KNOTS]


def interleaved(looked_at: list[Piece], others: list[Piece]) -> list[Piece]:
    """Eight pieces that are looked at for a first idea, and eight that are not."""
    assert len(looked_at) == len(others) == 8
    return [piece for pair in zip(looked_at, others, strict=True) for piece in pair]


@pytest.mark.parametrize("scale", [1e-3, 1e-14])
def test_bins_that_a_glance_suggests_and_all_trials_do_not(scale: float) -> None:
    """With the smaller scale, the bins of the glance do not even reach to the other trials."""
    near = [(tar * scale, non * scale) for tar, non in parts_of(1000, 3000)]
    far = parts_of(18_000, 40_000)
    pieces = interleaved([Piece.of_arrays(*p) for p in near], [Piece.of_arrays(*p) for p in far])
    passes = Passes()
    found = trained(pieces, ["gaussian"], passes)
    assert passes.names == [GLANCE, READING, AGAIN]
    tar, non = (np.concatenate([p[side] for p in near + far]) for side in (0, 1))
    assert found == in_memory(tar, non, ["gaussian"])


def parts_of(tar: int, non: int) -> list[tuple[Floats, Floats]]:
    both = np.split(normal(tar, 2.1, 1.3), 8), np.split(normal(non, -0.9, 1.4), 8)
    return list(zip(*both, strict=True))


def test_a_class_that_is_rarer_than_it_seemed() -> None:
    """The sample of the first pass is too small then, and another pass takes it."""
    both = parts_of(SIZE + 4000, 1_200_000)
    looked_at = [Piece.of_arrays(tar, non[: len(tar)]) for tar, non in both]
    others = [Piece.of_arrays(tar[:0], non[len(tar) :]) for tar, non in both]
    passes = Passes()
    found = trained(interleaved(looked_at, others), ["gaussian"], passes)
    assert passes.names == [GLANCE, READING, SAMPLING]
    tar, non = (np.concatenate(side) for side in zip(*both, strict=True))
    assert found == in_memory(tar, non, ["gaussian"])


def test_a_glance_that_sees_no_target() -> None:
    tar, non = SETS["many"]
    pieces = [Piece.of_arrays(tar[:0], part) for part in np.split(non, 15)]
    pieces.insert(1, Piece.of_arrays(tar, non[:0]))
    assert [i * len(pieces) // 8 for i in range(8)].count(1) == 0
    passes = Passes()
    assert trained(pieces, ["gaussian"], passes) == in_memory(tar, non, ["gaussian"])
    assert passes.names == [GLANCE, READING, AGAIN]


# ----------------------------------------------------------------------- what cannot be calibrated


@pytest.mark.parametrize(
    ("tar", "non"),
    [
        ([1e15, *range(50)], [float(i) / 7 for i in range(90)]),
        ([1e305 * i for i in range(50)], [-1e305 * i for i in range(90)]),
        ([1e-305 * i for i in range(50)], [-1e-305 * i for i in range(90)]),
    ],
)
def test_the_same_is_refused_in_the_same_words(tar: list[float], non: list[float]) -> None:
    one, other = np.array(tar, float), np.array(non, float)
    with pytest.raises(DegenerateError) as expected:
        llrcal.fit(one, other, method="gaussian")
    with pytest.raises(DegenerateError) as found:
        trained(cut(one, other, 3), ["gaussian"])
    assert str(found.value) == str(expected.value)
