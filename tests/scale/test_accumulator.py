"""Scores from streams: what a fit to all of them gives, whatever the batches."""

from __future__ import annotations

import contextlib
import copy
from pathlib import Path

import numpy as np
import pytest

import llrcal
from llrcal import Accumulator, OptionError, ScoreError, TrialFileError
from llrcal.scale import spill
from tests.mutations import mutations
from tests.scale.sets import QUICK, quiet, texts

RNG = np.random.default_rng(5)
TAR, NON = RNG.normal(2, 1, 9_000), RNG.standard_t(4, 150_000)
"""More than are kept in memory."""


def of_batches() -> Accumulator:
    """Merged from three accumulators, each of which has seen several batches."""
    every, *others = (Accumulator() for _ in range(3))
    every.update(tar=TAR[:3000], non=NON[:50_000])
    for other, some in zip(others, np.array_split(TAR[3000:], 2), strict=True):
        other.update(tar=some)
    for number, some in enumerate(np.array_split(NON[50_000:], 5)):
        others[number % 2].update(non=some)
    for other in others[::-1]:
        every.merge(copy.deepcopy(other))
    return every


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "_HELD", 20_000)


@pytest.mark.slow
def test_the_bits_of_a_fit_to_all(tmp_path: Path) -> None:
    every = of_batches()
    assert (every.tar_count, every.non_count) == (len(TAR), len(NON))
    every.save(tmp_path / "saved")
    with quiet():
        expected = texts(llrcal.fit_all(TAR, NON, methods=QUICK))
        for one in (every, Accumulator.load(tmp_path / "saved")):
            assert texts(one.fit_all(methods=QUICK)) == expected


def test_scores_are_also_trials(tmp_path: Path) -> None:
    every = of_batches()
    every.save(tmp_path / "scores.npz")
    read = llrcal.read_trials(tmp_path / "scores.npz")
    assert sorted(read.tar.tolist()) == sorted(TAR.tolist())
    assert llrcal.evaluate(every.trials).cllr == llrcal.evaluate(TAR, NON).cllr


def test_refused(tmp_path: Path) -> None:
    every = Accumulator()
    with pytest.raises(ScoreError, match="1 of 2 non-target scores are not finite"):
        every.update(tar=[1.0], non=[1.0, np.nan])
    assert repr(every) == "<Accumulator: 0 targets, 0 non-targets>"
    every.update(non=[1.0])
    with pytest.raises(ScoreError, match="there are no target scores yet"):
        every.fit()
    with pytest.raises(OptionError, match="only an Accumulator can be merged, not a list"):
        every.merge([1.0])  # type: ignore[arg-type]
    np.savez(tmp_path / "half.npz", tar=TAR)
    with pytest.raises(TrialFileError, match=r"half\.npz: is not a saved accumulator"):
        Accumulator.load(tmp_path / "half.npz")
    with pytest.raises(TrialFileError, match="cannot be read: No such file"):
        Accumulator.load(tmp_path / "none")


def test_bytes_that_change(tmp_path: Path) -> None:
    """A file that has changed is refused, or gives the same answers."""
    every, path = Accumulator(), tmp_path / "saved"
    every.update(tar=TAR[:40], non=NON[:60])
    every.save(path)
    whole = path.read_bytes()
    expected = every.fit("gaussian").to_model()
    for changed in mutations(whole, 150, seed=1):
        path.write_bytes(changed)
        with contextlib.suppress(TrialFileError):
            assert Accumulator.load(path).fit("gaussian").to_model() == expected


def test_places_where_nothing_can_be_saved(tmp_path: Path) -> None:
    every = Accumulator()
    with pytest.raises(OptionError, match=r" is a folder; name a file in it$"):
        every.save(tmp_path)
    with pytest.raises(OptionError, match=r"none is not a folder$"):
        every.save(tmp_path / "none" / "saved")
    assert not list(tmp_path.iterdir())
