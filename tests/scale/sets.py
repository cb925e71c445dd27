"""Trials for passes over pieces, and what must come of them: the same bits as in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal import LlrcalWarning
from llrcal.arrays import Array, Bools, Floats
from llrcal.calibrations.methods import PAPER, Method
from llrcal.evaluation import Evaluation
from llrcal.scale import folds, passes, piece, spill, text
from llrcal.scale.engine import Engine, Threads
from llrcal.scale.piece import Piece
from llrcal.scale.trials_in_pieces import TrialsInPieces
from llrcal.trials import source
from tests.trial_sets import normal

QUICK: tuple[Method, ...] = ("smooth", "linear-gaussian", "pav", "gaussian")
"""Methods that ask for everything that is asked of training scores, and take no time."""

EVERY: tuple[Method, ...] = ("smooth", *PAPER)

PRIORS = np.array([-4.6, -1.0, 0.0, 0.7, 3.0])

SETS: dict[str, tuple[Floats, Floats]] = {
    "few": (normal(300, 2.1, 1.3), normal(3000, -1.1, 1.0) ** 3 / 2),
    "many": (normal(18_000, 2.1, 1.3), normal(60_000, -1.1, 1.0) ** 3 / 2),
    "ties": (np.round(normal(20_000, 2, 1), 1), np.round(normal(30_000, -1, 1.5), 1)),
    "more targets": (normal(50_000, 2, 1), normal(17_000, 0, 1.2)),
}
EVERY_SET = pytest.mark.parametrize("name", SETS)


def trials(count: int, seed: int = 0) -> tuple[Floats, Bools]:
    """Scores in no order, and which of them are targets."""
    rng = np.random.default_rng(seed)
    is_target = rng.random(count) < 0.2
    return rng.standard_t(4, count) + 2.5 * is_target, is_target


def table(scores: Array, is_target: Bools) -> pl.DataFrame:
    return pl.DataFrame({"score": scores, "label": is_target})


def words(is_target: Bools) -> list[str]:
    return np.where(is_target, "target", "nontarget").tolist()


def with_ids(count: int) -> pl.DataFrame:
    """Trials with names, none of them twice; ids that share no more than their parts."""
    rng = np.random.default_rng(3)
    is_target = rng.random(count) < 0.2
    return pl.DataFrame(
        {
            "enrol": [f"m{i % 40}" for i in range(count)],
            "test": [f"t{i // 40}" for i in range(count)],
            "score": rng.normal(size=count) + 2 * is_target,
            "label": words(is_target),
        }
    )


def cut(tar: Array, non: Array, count: int, seed: int = 0) -> list[Piece]:
    """The same trials in another order, in pieces of which some may be empty."""
    rng = np.random.default_rng(seed)
    sides = []
    for scores in (tar, non):
        places = np.sort(rng.integers(0, len(scores) + 1, count - 1))
        sides.append(np.split(rng.permutation(scores), places))
    return [
        Piece.of_arrays(tar, non, f"piece {number}")
        for number, (tar, non) in enumerate(zip(*sides, strict=True))
    ]


def of_pieces(pieces: Sequence[Piece], engine: Engine | None = None) -> TrialsInPieces:
    """The set of trials that some pieces are."""
    return TrialsInPieces.of(pieces, engine or Threads(), "some pieces")


def texts(calibrations: Mapping[str, llrcal.Calibration]) -> dict[str, str]:
    """Model files, byte by byte."""
    found = {}
    with TemporaryDirectory() as folder:
        for label, calibration in calibrations.items():
            calibration.save(Path(folder) / "model.json")
            found[label] = (Path(folder) / "model.json").read_text("utf-8")
    return found


def in_memory(tar: Array, non: Array, methods: Sequence[Method] = EVERY) -> dict[str, str]:
    with quiet():
        return texts(llrcal.fit_all(tar, non, methods=methods))


@cache
def known(name: str) -> dict[str, str]:
    return in_memory(*SETS[name])


def numbers(ev: Evaluation) -> str:
    """Everything that an evaluation says; repr tells every bit."""
    return repr(
        (
            ev.tar_count, ev.non_count, ev.cllr, ev.min_cllr, ev.eer, ev.rule_of_30,
            *(end + 0.0 for end in ev.tar_range + ev.non_range), ev.act_dcf(0.03), ev.min_dcf(0.03),
            *(
                rate(PRIORS).tolist()
                for rate in (
                    ev.bayes_error, ev.min_bayes_error, ev.cross_entropy, ev.min_cross_entropy,
                    ev.pmiss, ev.pfa,
                )
            ),
        )
    )  # fmt: skip


@contextmanager
def quiet() -> Iterator[None]:
    """Without doubts about a calibration, which are no matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LlrcalWarning)
        yield


def cut_small(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Pieces of so many trials, in batches of a third of that; text of about as many lines."""
    monkeypatch.setattr(piece, "ROWS", rows)
    monkeypatch.setattr(piece, "BATCH", rows // 3)
    monkeypatch.setattr(piece, "PEEK", rows // 4)
    monkeypatch.setattr(piece, "_IN_CACHE", rows // 20)
    monkeypatch.setattr(text, "_PIECE", 30 * rows)
    monkeypatch.setattr(text, "_BLOCK", 10 * rows)
    monkeypatch.setattr(source, "_BLOCK", min(5 * rows, source._BLOCK))


def keep_few(monkeypatch: pytest.MonkeyPatch, most: int, of_a_part: int = 2**21) -> None:
    """Let neither class fit into memory, if it has more scores than these; sort some at a time."""
    monkeypatch.setattr(spill, "ROWS_OF_A_PART", of_a_part)
    monkeypatch.setattr(spill, "_HELD", of_a_part)
    monkeypatch.setattr(folds, "MOST_KEPT", most)
    monkeypatch.setattr(passes, "MOST_KEPT", most)


class Passes:
    """Told of progress; knows which passes there were, and that each was told of to its end."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.done = self.total = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        if done == 0:
            self.names.append(what)
        assert what == self.names[-1]
        assert 0 <= done <= total
        self.done, self.total = done, total
