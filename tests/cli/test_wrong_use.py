"""Wrong use: one clear line on standard error, exit status 2, nothing left behind."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import llrcal, only_line, run

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for name in ("train", "test"):
        np.savez(tmp_path / f"{name}.npz", tar=rng.normal(2, 1, 50), non=rng.normal(0, 1, 500))
    np.savez(tmp_path / "empty.npz", tar=np.array([]), non=rng.normal(0, 1, 500))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--train", "none.npz", "--test", "test.npz"], "none.npz: cannot be read: No such file"),
        (["--train", "empty.npz", "--test", "test.npz"], "empty.npz: no target scores"),
        (["--train", "train.npz", "--test", "train.npz"], "for training and for testing"),
        (["--train", "train.npz", "--test", "./train.npz"], "for training and for testing"),
        (["--train", "train.npz", "--test", "test.npz", "--alpha", "2"], "alpha is 2.0"),
        (["--train", "train.npz", "--test", "test.npz", "--p-target", "1"], "p_target is 1.0"),
        (["--train", "train.npz", "--test", "test.npz", "--c-miss", "10"], "costs need a prior"),
    ],
)
def test_one_line_and_nothing_else(
    folder: Path, arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    only_line(llrcal("compare", *arguments, "--out", "out", "--quiet"), words)
    assert sorted(folder.rglob("*")) == before


def test_folder_that_cannot_be_written(folder: Path) -> None:
    (folder / "file").write_text("not a folder")
    both = ["--train", "train.npz", "--test", "test.npz"]
    ran = run("compare", *both, "--out", "file/out", "--quiet", cwd=folder)
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
    assert "file" in ran.stderr
    missing = run("compare", *both, "--out", "no/such/out", "--quiet", cwd=folder)
    assert missing.returncode == 2
    assert missing.stderr.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write all")
def test_folder_without_permission(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o500)
    both = ["--train", "train.npz", "--test", "test.npz"]
    ran = run("compare", *both, "--out", "closed/out", "--quiet", cwd=folder)
    assert ran.returncode == 2
    assert "Permission denied" in ran.stderr


def test_a_filled_folder_is_not_replaced_unasked(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "mine.txt").write_text("precious")
    both = ["--train", "train.npz", "--test", "test.npz", "--quiet"]
    ran = run("compare", *both, "--out", "out", cwd=folder)
    assert ran.returncode == 2
    assert "out exists already" in ran.stderr
    assert (folder / "out" / "mine.txt").read_text() == "precious"


def test_missing_options_are_named(folder: Path) -> None:
    for given, missing in ((("--train", "train.npz", "--out", "out"), "--test"), ((), "--out")):
        ran = run("compare", *given, cwd=folder)
        assert ran.returncode == 2
        assert missing in ran.stderr
