"""Files that change at any step of reading them: refused by name, or read as one version."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
import pytest

from llrcal import LlrcalError, TrialFileError, read_trials
from llrcal.files.overwriting import one_run, opened_input
from llrcal.trials.request import ReadOptions
from llrcal.trials.rewriting import rewrite
from llrcal.trials.systems import read_side_information
from tests import beyond_memory
from tests.cli.running import llrcal
from tests.scale.sets import table, trials


def made(seed: int, count: int = 60) -> pl.DataFrame:
    frame = table(*trials(count, seed))
    return frame.with_columns(plda=pl.col("score") * 2 + pl.col("score").shuffle(seed))


def hdf5(frame: pl.DataFrame, path: Path) -> None:
    labels = frame["label"].cast(pl.String).is_in(["1", "target", "true"]).to_numpy()
    with h5py.File(path, "w") as file:
        file["ID/row_ids"] = np.array([b"m"])
        file.create_dataset("ID/column_ids", data=[f"t{i}" for i in range(len(frame))])
        file["scores"] = frame["score"].to_numpy()[None]
        file["score_mask"] = np.ones((1, len(frame)), np.int8)
        file["trial_mask"] = np.where(labels, 1, -1).astype(np.int8)[None]


def arrays(frame: pl.DataFrame, path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, scores=frame["score"].to_numpy(), labels=frame["label"].to_numpy())


def packed(frame: pl.DataFrame, path: Path) -> None:
    path.write_bytes(gzip.compress(frame.write_csv().encode()))


def numbers(frame: pl.DataFrame, path: Path) -> None:
    path.write_text("".join(f"t{i} {score}\n" for i, score in enumerate(frame["score"])))


FORMS: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "csv": lambda frame, path: frame.write_csv(path),
    "csv.gz": packed,
    "parquet": lambda frame, path: frame.write_parquet(path, row_group_size=25),
    "arrow": lambda frame, path: frame.write_ipc(path),
    "npz": arrays,
    "h5": hdf5,
    "txt": numbers,
}


def replace(path: Path, new: bytes) -> None:
    path.with_name("new").write_bytes(new)
    path.with_name("new").replace(path)


def overwrite(path: Path, new: bytes) -> None:
    with open(path, "r+b") as file:  # noqa: PTH123, which is not watched
        file.write(new)
        file.truncate()


def cut_off(path: Path, new: bytes) -> None:
    os.truncate(path, path.stat().st_size * 6 // 10)


def append(path: Path, new: bytes) -> None:
    with open(path, "ab") as file:  # noqa: PTH123
        file.write(new)


class Steps:
    """Changes a file at one step of reading it: when it is opened, or read from.

    With ``between``, also before the system is asked what it is.
    """

    def __init__(self, path: Path, change: Callable[[], None], *, between: bool) -> None:
        self.path, self.change, self.left, self.between = path, change, 0, between

    def step(self) -> None:
        if self.left == 0:
            self.change()
        self.left -= 1

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        really, steps = Path.open, self

        class Stepping(io.BufferedReader):
            def read(self, *size: Any) -> bytes:
                steps.step()
                return super().read(*size)

        def opened(path: Path, *mode: Any, **more: Any) -> Any:
            if path.name != steps.path.name or mode != ("rb",):
                return really(path, *mode, **more)
            steps.step()
            return Stepping(io.FileIO(path))

        def looked_at(path: Path, **more: Any) -> Any:
            if path.name == steps.path.name:
                steps.step()
            return really_stat(path, **more)

        really_stat = Path.stat
        monkeypatch.setattr(Path, "open", opened)
        if self.between:
            monkeypatch.setattr(Path, "stat", looked_at)


def in_memory(path: Path) -> Any:
    found = read_trials(path, columns=COLUMNS.get(path.suffix))
    return found.tar.tobytes(), found.non.tobytes()


def in_pieces(path: Path) -> Any:
    form = {"columns": COLUMNS[path.suffix]} if path.suffix in COLUMNS else {}
    return beyond_memory.fit(path, method="pav", **form).to_model()


def written_again(path: Path) -> Any:
    options = ReadOptions(columns=COLUMNS.get(path.suffix))
    out = path.with_name("out")
    out.unlink(missing_ok=True)
    rewrite(str(path), str(out), lambda scores: {"llr": scores + 1}, options.request("scores"))
    return out.read_bytes()


def fused(path: Path) -> Any:
    """Two columns of one file, which is read twice."""
    out = path.with_name("out.json")
    out.unlink(missing_ok=True)
    ran = llrcal("fuse", path, "--scores score,plda --label label --quiet -o", out)
    if ran.exit_code:
        assert ran.stderr.count("\n") == 1
        raise TrialFileError(ran.stderr.strip().removeprefix("llrcal: "))
    return out.read_bytes()


def beside(path: Path) -> Any:
    """A file of side information."""
    ids = pl.DataFrame({"test": [f"t{i}" for i in range(50)]})
    return {name: side.tobytes() for name, side in read_side_information(str(path), ids).items()}


COLUMNS = {
    end: {"score": "score", "label": "label"} for end in (".csv", ".gz", ".parquet", ".arrow")
}
VERBS = {
    "in memory": in_memory,
    "in pieces": in_pieces,
    "apply": written_again,
    "fuse": fused,
    "quality": beside,
}
CASES = [
    *(
        (verb, form, change)
        for verb in ("in memory", "in pieces", "apply")
        for form, last in (("csv", append), ("parquet", cut_off))
        for change in (replace, overwrite, last)
    ),
    ("fuse", "csv", replace),
    ("fuse", "parquet", replace),
    ("apply", "csv.gz", overwrite),
    ("apply", "arrow", overwrite),
    ("quality", "txt", overwrite),
    ("in memory", "npz", overwrite),
    ("in memory", "h5", overwrite),
    ("in pieces", "h5", cut_off),
]


@pytest.mark.parametrize(("verb", "form", "change"), CASES)
def test_every_step(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    form: str,
    change: Callable[[Path, bytes], None],
) -> None:
    path, other = tmp_path / f"trials.{form}", tmp_path / f"other.{form}"
    FORMS[form](made(1), path)
    FORMS[form](made(2, 70), other)
    before, new, run = path.read_bytes(), other.read_bytes(), VERBS[verb]
    answers = [outcome(run, path)]
    change(path, new)
    answers.append(outcome(run, path))
    found, steps = [], Steps(path, lambda: change(path, new), between=verb == "fuse")
    for at in range(100):
        with monkeypatch.context() as patched:
            path.write_bytes(before)
            steps.left = at
            steps.watch(patched)
            found.append(outcome(run, path))
        if steps.left >= 0:  # there are no more steps
            break
    changed = f"{path}: has changed while it was read; start again when nobody writes to it"
    assert changed in found
    assert all(one in (*answers, changed) for one in found)


def outcome(run: Callable[[Path], Any], path: Path) -> Any:
    """An answer, or the message."""
    try:
        return run(path)
    except LlrcalError as problem:
        return str(problem)


def test_a_change_after_reading_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "trials.csv"
    made(1).write_csv(path)
    found = read_trials(path, columns=COLUMNS[".csv"])
    overwrite(path, b"")
    assert len(found.tar) + len(found.non) == 60


def test_in_one_run_a_file_is_one_file(tmp_path: Path) -> None:
    path = tmp_path / "trials.csv"
    made(1).write_csv(path)
    with one_run():
        first = opened_input(str(path))
        assert opened_input(str(path)) is first
        append(path, b"\n")
        with pytest.raises(TrialFileError, match=r"trials\.csv: has changed while it was read"):
            opened_input(str(path))
    assert opened_input(str(path)) != first
