"""Scores from streams: what a fit to all of them gives, whatever the batches."""

from __future__ import annotations

import contextlib
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal import Accumulator, LlrcalWarning, OptionError, ScoreError, TrialFileError
from llrcal.calibrations.methods import PAPER
from llrcal.declaration import signed
from llrcal.scale import spill
from tests.mutations import mutations
from tests.scale.sets import QUICK, quiet, texts

RNG = np.random.default_rng(5)
TAR, NON = RNG.normal(2, 1, 9_000), RNG.standard_t(4, 150_000)
"""More than are kept one by one."""
PARAMETRIC = [method for method in PAPER if method != "pav"]


def of_batches(keep: Any, tar: Any = TAR, non: Any = NON) -> Accumulator:
    """Merged from three accumulators, each of which has seen several batches."""
    every = Accumulator(keep=keep)
    every.update(tar=tar[:3000], non=non[:50_000])
    others = [every.emptied() for _ in range(2)]
    for other, some in zip(others, np.array_split(tar[3000:], 2), strict=True):
        other.update(tar=some)
    for number, some in enumerate(np.array_split(non[50_000:], 5)):
        others[number % 2].update(non=some)
    for other in others[::-1]:
        if keep == "summaries":
            other = pickle.loads(pickle.dumps(other))  # noqa: PLW2901, S301, as engines send them
        every.merge(other)
    return every


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "_HELD", 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("keep", ["scores", "summaries"])
def test_the_bits_of_a_fit_to_all(keep: str, tmp_path: Path) -> None:
    every = of_batches(keep)
    assert (every.tar_count, every.non_count) == (len(TAR), len(NON))
    every.save(tmp_path / "saved")
    methods = [m for m in (*QUICK, "logistic") if keep == "scores" or m != "pav"]
    with quiet():
        expected = texts(llrcal.fit_all(TAR, NON, methods=methods))
        for one in (every, Accumulator.load(tmp_path / "saved")):
            assert texts(one.fit_all(methods=methods)) == expected


@pytest.mark.slow
def test_the_paper_from_summaries() -> None:
    found = of_batches("summaries").fit_all()
    assert texts(found) == texts(llrcal.fit_all(TAR, NON, methods=PARAMETRIC))


def test_scores_are_also_trials(tmp_path: Path) -> None:
    every = of_batches("scores")
    every.save(tmp_path / "scores.npz")
    read = llrcal.read_trials(tmp_path / "scores.npz")
    assert sorted(read.tar.tolist()) == sorted(TAR.tolist())
    assert llrcal.evaluate(every.trials).cllr == llrcal.evaluate(TAR, NON).cllr


def test_few_scores_are_the_same_in_any_bins() -> None:
    every = Accumulator(keep="summaries")
    for number in range(10):
        every.update(tar=TAR[number : number + 1] * 1000, non=NON[100 * number :][:100])
    expected = llrcal.fit(TAR[:10] * 1000, NON[:1000], method="student-t")
    assert every.fit("student-t").to_model() == expected.to_model()


def test_a_first_batch_unlike_the_others() -> None:
    every = Accumulator(keep="summaries")
    every.update(tar=TAR, non=NON[:10] / 100 + 7)
    every.update(non=NON)
    with pytest.warns(LlrcalWarning, match="bins of the non-target scores follow from the first"):
        found = every.fit("gaussian")
    whole = llrcal.fit(TAR, np.concatenate([NON, NON[:10] / 100 + 7]), method="gaussian")
    assert found(1.0) == pytest.approx(whole(1.0), rel=1e-6)
    with pytest.raises(ScoreError, match="are those of the first batch"):
        every.update(non=[1e12])


def test_what_summaries_cannot_do() -> None:
    every = of_batches("summaries")
    every_one: list[Any] = [{"method": "pav"}, {"bounds": "elub", "method": "gaussian"}]
    for settings in every_one:
        with pytest.raises(OptionError, match=r"keeps summaries only; make one with Accumulator"):
            every.fit(**settings)
    with pytest.raises(OptionError, match="an evaluation needs the scores themselves"):
        llrcal.evaluate(every.trials)
    with pytest.raises(OptionError, match="add the negated distances"):
        every.fit("gaussian", lower_is_better=True)


def test_sums_of_more_than_64_bits_are_saved(tmp_path: Path) -> None:
    """Of hundreds of millions of millions of scores, as whole numbers without a limit."""
    every = Accumulator(keep="summaries")
    every.update(tar=TAR[:6000], non=NON[:6000])
    for _ in range(36):
        every.merge(every)
    assert every.tar_count == 6000 * 2**36
    every.save(tmp_path / "saved")
    again = Accumulator.load(tmp_path / "saved")
    with quiet():
        one, other = (texts(some.fit_all(methods=["gaussian"])) for some in (every, again))
    assert one == other


def test_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="keep cannot be 'all'; choose scores or summaries"):
        Accumulator(keep="all")  # type: ignore[arg-type]
    every = Accumulator()
    with pytest.raises(ScoreError, match="1 of 2 non-target scores are not finite"):
        every.update(tar=[1.0], non=[1.0, np.nan])
    assert (every.tar_count, repr(every)) == (
        0, "<Accumulator of scores: 0 targets, 0 non-targets>"
    )  # fmt: skip
    every.update(non=[1.0])
    with pytest.raises(ScoreError, match="there are no target scores yet"):
        every.fit()
    with pytest.raises(OptionError, match="only accumulators of scores"):
        every.merge(Accumulator(keep="summaries"))
    one, other = Accumulator(keep="summaries"), Accumulator(keep="summaries")
    one.update(tar=TAR)
    other.update(tar=TAR * 8)
    with pytest.raises(OptionError, match="have different bins"):
        one.merge(other)


def test_files_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    of_batches("summaries").save(path)
    saved = json.loads(path.read_text())
    changes: list[Any] = [
        None, [], {"format": "other"}, {**saved, "version": 3}, {**saved, "classes": {"x": {}}},
    ]  # fmt: skip
    for name, value in (
        ("count", 3), ("grid", [0.0, 1.0, 60, 40]), ("grid", [0.0, -1.0, 10, 40]), ("keys", [1]),
        ("number", [3, 2]), ("bins", [[1], [2], [3]]), ("range", None), ("range", [0, 1e999]),
        ("range", [1.0, 0.0]), ("grid", [1e999, 1.0, 10, 40]),
    ):  # fmt: skip
        tar = {**saved["classes"]["non"], name: value}
        changes.append({**saved, "classes": {"non": tar}})
    for change in changes:
        path.write_text(json.dumps(signed(change) if isinstance(change, dict) else change))
        with pytest.raises(TrialFileError, match=r"saved\.json: is not a saved accumulator"):
            Accumulator.load(path)
    path.write_text("[" * 100_000)
    with pytest.raises(TrialFileError, match=r"saved\.json: is not a saved accumulator"):
        Accumulator.load(path)
    np.savez(tmp_path / "half.npz", tar=TAR)
    with pytest.raises(TrialFileError, match=r"half\.npz: is not a saved accumulator"):
        Accumulator.load(tmp_path / "half.npz")
    with pytest.raises(TrialFileError, match="cannot be read: No such file"):
        Accumulator.load(tmp_path / "none")


def test_summaries_of_version_1_have_no_checksum(tmp_path: Path) -> None:
    every, path = of_batches("summaries"), tmp_path / "saved.json"
    every.save(path)
    older = {**json.loads(path.read_text()), "version": 1}
    path.write_text(json.dumps(older))
    with pytest.raises(TrialFileError, match=r"saved\.json: was changed since it was saved"):
        Accumulator.load(path)
    del older["checksum"]
    path.write_text(json.dumps(older))
    assert Accumulator.load(path).fit("gaussian") == every.fit("gaussian")


@pytest.mark.parametrize("keep", ["scores", "summaries"])
def test_bytes_that_change(keep: Any, tmp_path: Path) -> None:
    """A file that has changed is refused, or gives the same answers."""
    every, path = Accumulator(keep=keep), tmp_path / "saved"
    every.update(tar=TAR[:40], non=NON[:60])
    every.save(path)
    whole = path.read_bytes()
    expected = every.fit("gaussian").to_model()
    for changed in mutations(whole, 150, seed=1):
        path.write_bytes(changed)
        with contextlib.suppress(TrialFileError):
            assert Accumulator.load(path).fit("gaussian").to_model() == expected


@pytest.mark.parametrize("keep", ["scores", "summaries"])
def test_places_where_nothing_can_be_saved(keep: Any, tmp_path: Path) -> None:
    every = Accumulator(keep=keep)
    with pytest.raises(OptionError, match=r" is a folder; name a file in it$"):
        every.save(tmp_path)
    with pytest.raises(OptionError, match=r"none is not a folder$"):
        every.save(tmp_path / "none" / "saved")
    assert not list(tmp_path.iterdir())
