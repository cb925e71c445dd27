"""Forensic figures of merit of LLRs in pieces: the same as in memory, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import llrcal
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.scale.engine import Threads
from tests.scale.sets import EVERY_SET, SETS, Passes, cut, keep_few, of_pieces
from tests.scale.test_streamed_llrs import INFINITE
from tests.trial_sets import ANY, Sets

pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")


def numbers(ev: llrcal.Evaluation) -> str:
    return repr(ev.to_dict(forensic=True)["forensic"])


@EVERY_SET
@pytest.mark.parametrize("kept", [True, False])
def test_every_number(name: str, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not kept:
        keep_few(monkeypatch, 100, 9000)
    assert numbers(evaluate_quietly(of_pieces(cut(*SETS[name], 5)))) == numbers(
        evaluate_quietly(*SETS[name])
    )


@pytest.mark.parametrize("kind", INFINITE)
def test_infinite_llrs(kind: str) -> None:
    tar, non = INFINITE[kind]
    assert numbers(evaluate_quietly(of_pieces(cut(tar, non, 4)))) == numbers(
        evaluate_quietly(tar, non)
    )


@pytest.mark.slow
@given(ANY, st.integers(1, 5), st.sampled_from([2, 2**23]))
def test_any_few_llrs(sets: Sets, count: int, kept: int) -> None:
    tar, non = (np.array(scores) for scores in sets)
    with pytest.MonkeyPatch.context() as patch:
        keep_few(patch, kept)
        in_pieces = evaluate_quietly(of_pieces(cut(tar, non, count)))
        assert numbers(in_pieces) == numbers(evaluate_quietly(tar, non))


@EVERY_SET
def test_bounds_take_a_few_passes(name: str) -> None:
    passes = Passes()
    ev = evaluate_quietly(of_pieces(cut(*SETS[name], 5), Threads(passes)))
    ev.forensic.elub  # noqa: B018
    assert passes.names.count("counting") <= 12
