"""A real cluster of processes: the same bits from any number of workers and any partitions.

What is merged is associative, so that nothing can depend on who did what; here it is tried, with a
worker that dies half-way, with partitions that cannot be used, and with Dask's own shuffle.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import llrcal
from llrcal import ClusterError, LlrcalError, OptionError, ScoreError, TrialFileError
from llrcal.evaluation import Evaluation
from llrcal.evaluation.operating_points import effective_prior_log_odds
from llrcal.scale import spill
from llrcal.scale.piece import Piece
from tests import beyond_memory
from tests.scale.sets import EVERY as EVERY_METHOD
from tests.scale.sets import (
    PRIORS,
    QUICK,
    Passes,
    in_memory,
    keep_few,
    numbers,
    quiet,
    table,
    texts,
    trials,
    with_ids,
)

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")
from llrcal.scale.dask_engine import DaskEngine  # noqa: E402, needs them

COUNT = 24_000
SCORES, IS_TARGET = trials(COUNT)
EVERY = table(SCORES, IS_TARGET)
PATIENCE = 90  # seconds, after which something hangs


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",  # at any port that is free
            silence_logs=logging.CRITICAL,
        ) as machines,
        distributed.Client(machines) as client,
    ):
        yield client


@pytest.fixture(params=["threads", "cluster"])
def client(request: pytest.FixtureRequest) -> Any:
    """Nobody, so that threads of this process do the work; or two workers."""
    return None if request.param == "threads" else request.getfixturevalue("two_workers")


@pytest.fixture(autouse=True)
def nobody_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters of other tests are not taken for the one that was connected to last."""

    def nobody() -> None:
        raise ValueError("no client")

    monkeypatch.setattr(distributed, "default_client", nobody)


def three_files(folder: Path) -> Path:
    """In the order of the trials."""
    for number, part in enumerate(EVERY.iter_slices(9000)):
        part.write_parquet(folder / f"part-{number}.parquet")
    return folder


def frame() -> Any:
    words = np.where(IS_TARGET, "target", "nontarget")
    return dd.from_pandas(pd.DataFrame({"score": SCORES, "label": words}), npartitions=5)


@cache
def models() -> dict[str, llrcal.Calibration]:
    with quiet():
        return llrcal.fit_all(SCORES[IS_TARGET], SCORES[~IS_TARGET], methods=EVERY_METHOD)


@cache
def llrs(method: str) -> Any:
    return models()[method](SCORES)


def by_class(scores: Any) -> tuple[Any, Any]:
    return scores[IS_TARGET], scores[~IS_TARGET]


def fitted(data: Any, client: Any, **options: Any) -> dict[str, str]:
    with quiet():
        return texts(beyond_memory.fit_all(data, client=client, **options))


def evaluated(data: Any, client: Any, method: str) -> Evaluation:
    point = np.array([effective_prior_log_odds(0.03, 1, 1)])
    known = np.concatenate([PRIORS, -PRIORS, point])
    return beyond_memory.evaluate(
        data, calibration=models()[method], prior_log_odds=known, client=client
    )


# --------------------------------------------------------------------------------- the same bits


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["frame", "files"])
def test_fusions(kind: str, client: Any, tmp_path: Path) -> None:
    more = EVERY.with_columns(other=pl.Series(np.sin(np.arange(COUNT))) + pl.col("label") * 0.3)
    both = more.select("score", "other").to_numpy()
    data: Any = dd.from_pandas(more.to_pandas(), npartitions=3)
    if kind == "files":
        data = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
        more[15_000:].write_parquet(data[0])
        more[:15_000].write_parquet(data[1])
    found = llrcal.fuse_files(data, scores=["score", "other"], client=client)
    assert found == llrcal.fuse(both[IS_TARGET], both[~IS_TARGET], names=["score", "other"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["frame", "files"])
def test_models_and_numbers(
    kind: str, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = frame() if kind == "frame" else three_files(tmp_path)
    passes = Passes()
    assert fitted(data, client, methods=EVERY_METHOD, progress=passes) == texts(models())
    assert passes.names[-3:] == ["looking at a few pieces", "reading", "counting"]
    assert passes.done == passes.total
    ev, whole = evaluated(data, client, "nig"), llrcal.evaluate(*by_class(llrs("nig")))
    assert numbers(ev) == numbers(whole)
    assert ev.cost("brier") == whole.cost("brier")
    keep_few(monkeypatch, 1000, 7000)
    found = fitted(data, client, methods=["pav", "gaussian"], progress=passes)
    assert found == {label: texts(models())[label] for label in ("pav", "gaussian")}
    assert "sorting" in passes.names


@pytest.mark.slow
def test_joins_and_repeated_trials(
    two_workers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spill, "ROWS_OF_A_PART", 700)
    every = with_ids(3000)
    files = {name: tmp_path / f"{name}.parquet" for name in ("scores", "key", "more")}
    every.drop("label").sample(fraction=1.0, shuffle=True, seed=1).write_parquet(files["scores"])
    every.drop("score").write_parquet(files["key"])
    opened = beyond_memory.open_trials(files["scores"], key=files["key"], client=two_workers)
    is_target = every["label"].to_numpy() == "target"
    tar, non = (every["score"].to_numpy()[side] for side in (is_target, ~is_target))
    with quiet():
        assert texts(llrcal.fit_all(opened, methods=QUICK)) == in_memory(tar, non, QUICK)
    every[:42].drop("label").write_parquet(files["scores"])
    with pytest.raises(TrialFileError, match=r"2,958 trials of .* have no score, such as \(m"):
        beyond_memory.open_trials(files["scores"], key=files["key"], client=two_workers)
    every.write_parquet(files["scores"])
    every[:50].write_parquet(files["more"])
    with pytest.raises(TrialFileError) as refusal:
        beyond_memory.fit([files["scores"], files["more"]], client=two_workers)
    told = f"50 repeated trials, such as (m0 t0) in {files['more']} and in {files['scores']}"
    assert told in str(refusal.value)


@pytest.mark.slow
def test_the_shuffle_is_between_workers(
    two_workers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not on the disk of this machine, even if Dask has not been told of the cluster."""
    keep_few(monkeypatch, 1000, 7000)
    monkeypatch.setattr("dask.dataframe.dask_expr._shuffle.DiskShuffle._layer", None)
    monkeypatch.setattr(distributed.client, "_global_clients", {})
    with distributed.Client(two_workers.cluster.scheduler_address, set_as_default=False) as unknown:
        found = fitted(three_files(tmp_path), unknown, methods=["pav"])
    assert found == in_memory(SCORES[IS_TARGET], SCORES[~IS_TARGET], ["pav"])


# ---------------------------------------------------------------------------------- LLRs of files


@pytest.mark.slow
def test_apply(client: Any, tmp_path: Path) -> None:
    calibration, expected = models()["nig"], llrs("nig")
    (tmp_path / "in").mkdir()
    source = three_files(tmp_path / "in")
    llrcal.apply_files(calibration, source, tmp_path / "out", client=client)
    names = sorted(path.name for path in (tmp_path / "out").glob("[!.]*"))
    assert names == [f"part-{number}.parquet" for number in range(3)]
    written = pl.concat([pl.read_parquet(tmp_path / "out" / name) for name in names])
    assert written.equals(EVERY.with_columns(pl.Series("score", expected)))


# -------------------------------------------------------------------------------------- a death


@pytest.mark.slow
def test_a_worker_that_is_killed(two_workers: Any, tmp_path: Path) -> None:
    """Dask does its pieces again elsewhere. What it had found is not counted twice."""
    for number, part in enumerate(EVERY.iter_slices(200)):
        part.write_parquet(tmp_path / f"part-{number:03}.parquet")
    killed: list[tuple[int, int]] = []
    found: list[dict[str, str]] = []
    first, *_ = two_workers.run(os.getpid).values()

    def progress(what: str, done: int, total: int) -> None:
        if what == "reading" and done and not killed:
            os.kill(first, signal.SIGKILL)
            killed.append((done, total))

    def fit() -> None:
        found.append(fitted(tmp_path, two_workers, methods=QUICK, progress=progress))

    at_work = threading.Thread(target=fit, daemon=True)
    at_work.start()
    at_work.join(PATIENCE)
    assert not at_work.is_alive()
    two_workers.wait_for_workers(2, timeout=PATIENCE)
    assert first not in two_workers.run(os.getpid).values()
    ((done, total),) = killed
    assert done < total
    assert found == [in_memory(SCORES[IS_TARGET], SCORES[~IS_TARGET], QUICK)]


def pretend(version: str) -> None:
    from llrcal import version as here

    here.__version__ = version


@pytest.mark.slow
def test_a_worker_of_another_version(two_workers: Any, tmp_path: Path) -> None:
    three_files(tmp_path)
    second = list(two_workers.scheduler_info()["workers"])[1]
    two_workers.run(pretend, "0.0.1", workers=[second])
    try:
        with pytest.raises(ClusterError, match=f"{second} has llrcal 0.0.1, and here is"):
            beyond_memory.fit(tmp_path, client=two_workers)
    finally:
        two_workers.run(pretend, llrcal.__version__, workers=[second])


def die(_: Sequence[Piece]) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("is dead")


@pytest.mark.slow
def test_workers_that_are_killed_again_and_again(
    two_workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_workers.cluster.scheduler, "allowed_failures", 0)
    piece = Piece.of_arrays(np.ones(3), np.zeros(2))
    with pytest.raises(ClusterError, match="workers were killed again and again"):
        DaskEngine(two_workers).reduce([piece], die, "dying")
    two_workers.wait_for_workers(2, timeout=PATIENCE)


# ----------------------------------------------------------------- partitions that cannot be used


def part_of(number: int, change: Callable[[pd.DataFrame], pd.DataFrame] | None) -> pd.DataFrame:
    rows = slice(number * 400, (number + 1) * 400)
    part = pd.DataFrame({"score": SCORES[rows], "label": IS_TARGET[rows]})
    return part if change is None else change(part)


def parts(which: list[int], **changed: Callable[[pd.DataFrame], pd.DataFrame]) -> Any:
    """A frame of partitions, of which some are not what the others are."""
    made = [dask.delayed(part_of)(number, changed.get(str(number))) for number in which]
    meta = pd.DataFrame({"score": np.empty(0), "label": np.empty(0, bool)})
    return dd.from_delayed(made, meta=meta, verify_meta=False)


def fails(_part: pd.DataFrame) -> pd.DataFrame:
    raise OSError("the disk is gone")


def with_one(value: Any) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """The score in row 7 is something else."""

    def change(part: pd.DataFrame) -> pd.DataFrame:
        return part.assign(score=part["score"].where(part.index != part.index[7], value))

    return change


FAULTS: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], str]] = {
    "NaN": (with_one(np.nan), "partition 3 of the frame: .* row 7"),
    "odd labels": (
        lambda part: part.assign(label="what"),
        "partition 3 of the frame: column 'label', row 0: the label 'what'",
    ),
    "no column": (
        lambda part: part.drop(columns="label"),
        "partition 3 of the frame: cannot be read: KeyError: .*label",
    ),
    "an error of others": (
        fails,
        "partition 3 of the frame: cannot be read: OSError: the disk is gone",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_partitions_that_cannot_be_used(fault: str, client: Any) -> None:
    change, told = FAULTS[fault]
    data = parts([0, 1, 2, 3, 4], **{"3": change})
    for work in (beyond_memory.fit, beyond_memory.evaluate):
        with pytest.raises(LlrcalError, match=told):
            work(data, client=client)


@pytest.mark.slow
def test_partitions_without_trials(client: Any) -> None:
    data = parts([0, 1, 2, 3, 4], **{"1": lambda part: part.head(0)})
    kept = np.r_[0:400, 800:2000]
    tar, non = SCORES[kept][IS_TARGET[kept]], SCORES[kept][~IS_TARGET[kept]]
    assert fitted(data, client, methods=QUICK) == in_memory(tar, non, QUICK)
    empty = parts([0, 1], **{str(i): lambda part: part.head(0) for i in range(2)})
    with pytest.raises(ScoreError, match="no target scores in partition 0 of the frame and 1 more"):
        beyond_memory.fit(empty, client=client)


@pytest.mark.slow
def test_a_file_that_is_gone(client: Any, tmp_path: Path) -> None:
    """Between the opening of the files and the turn of the one that is gone."""
    three_files(tmp_path)

    def progress(what: str, _done: int, _total: int) -> None:
        (tmp_path / "part-1.parquet").unlink(missing_ok=True)

    with pytest.raises(TrialFileError, match=r"part-1\.parquet: cannot be read"):
        beyond_memory.fit(tmp_path, client=client, progress=progress)


@pytest.mark.slow
def test_a_file_that_changes(client: Any, tmp_path: Path) -> None:
    trials = three_files(tmp_path)

    def progress(what: str, done: int, _: int) -> None:
        if what == "counting" and not done:
            (tmp_path / "part-2.parquet").write_bytes(b"PAR1" * 99)

    with pytest.raises(TrialFileError, match=r"part-2\.parquet: has changed while it was read"):
        beyond_memory.evaluate(trials, client=client, progress=progress)


def test_columns_that_no_partition_has() -> None:
    with pytest.raises(OptionError, match="there is no column 'plda'; there are score, label"):
        beyond_memory.fit(frame(), columns={"score": "plda"})


@pytest.mark.parametrize(
    ("names", "is_said"),
    [(("enrol_speaker", "test_speaker"), True), (("speaker1", "remark"), False), ((), False)],
)
def test_columns_of_speakers_are_told_of(names: tuple[str, ...], is_said: bool) -> None:
    """Both of them, for trials in pieces are taken to be independent."""
    few = pd.DataFrame({"score": SCORES, "label": IS_TARGET}).iloc[:600]
    data = dd.from_pandas(few.assign(**dict.fromkeys(names, "someone")), npartitions=2)
    notes = beyond_memory.fit(data, method="gaussian").report.notes
    assert any("name their speakers" in note.text for note in notes) == is_said


@pytest.mark.slow
def test_other_columns() -> None:
    data = frame().rename(columns={"score": "plda", "label": "same"}).assign(extra=1)
    found = fitted(data, None, methods=QUICK, columns={"score": "plda", "label": "same"})
    assert found == in_memory(SCORES[IS_TARGET], SCORES[~IS_TARGET], QUICK)
