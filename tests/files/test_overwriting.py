"""Results never take the place of what they are made from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from llrcal import apply_files, load, read_trials
from llrcal.errors import OptionError
from llrcal.files.atomic import atomic_file, atomic_folder
from llrcal.files.compression import output
from llrcal.files.marks import MODEL as MODEL_MARK
from llrcal.files.overwriting import one_run, refuse_to_overwrite, refuse_to_read_twice
from tests.cli.running import llrcal, only_line
from tests.hostile.files import KEY, LABELLED, SCORES, put

MODEL = ("fit", "labelled.txt", "-o", "model.json", "--method", "pav", "--quiet")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inside").mkdir()
    for name, content in (("labelled.txt", LABELLED), ("scores.txt", SCORES), ("key.txt", KEY)):
        put(name, content)
        put(f"inside/{name}", content)
    assert llrcal(*MODEL).exit_code == 0
    put("inside/model.json", Path("model.json").read_bytes())
    put("q.json", "{}")
    put("q.txt", "t1 1.5\nt2 3\n")
    Path("link.txt").symlink_to("scores.txt")
    Path("hard.txt").hardlink_to("scores.txt")
    Path("around").symlink_to("inside")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("fit labelled.txt -o labelled.txt", "labelled.txt"),
        ("fit scores.txt --key key.txt -o key.txt", "key.txt"),
        ("fit scores.txt --key key.txt -o link.txt", "link.txt"),
        ("apply model.json scores.txt -o scores.txt", "scores.txt"),
        ("apply model.json scores.txt -o ./inside/../scores.txt", "scores.txt"),
        ("apply model.json link.txt -o scores.txt", "link.txt"),
        ("apply model.json scores.txt -o model.json", "model.json"),
        ("fit scores.txt --nontargets key.txt -o key.txt", "key.txt"),
        ("apply q.json a=scores.txt --quality q.txt -o q.txt", "q.txt"),
        ("apply q.json a=scores.txt --quality q.txt -o scores.txt", "scores.txt"),
        ("apply model.json inside -o inside --force", "inside"),
        ("apply model.json inside/*.txt -o around --force", "around contains the input inside/"),
        ("apply model.json scores.txt -o hard.txt", "scores.txt"),
        ("fit inside -o inside/labelled.txt", "inside"),
        ("fit i*/l*.txt -o around/labelled.txt", "i*/l*.txt"),
        ("fuse a=scores.txt b=labelled.txt --key key.txt -o scores.txt", "scores.txt"),
        ("fuse a=scores.txt --key key.txt -o key.txt", "key.txt"),
        ("fuse a=scores.txt --key key.txt --quality q.txt -o q.txt", "q.txt"),
        ("export model.json --to c -o model.json", "model.json"),
        ("adapt model.json scores.txt -o model.json", "model.json"),
        ("adapt model.json scores.txt --labelled labelled.txt -o labelled.txt", "labelled.txt"),
        (
            "adapt model.json inside/scores.txt -o new.json --figures inside --force",
            "inside/scores",
        ),
        ("watch inside/model.json scores.txt --figures inside --force", "inside/model.json"),
        ("watch model.json inside --figures inside --force", "inside"),
        ("convert labelled.txt --to kaldi -o labelled.txt", "labelled.txt"),
        ("convert scores.txt --key key.txt --to csv -o key.txt", "key.txt"),
        ("convert labelled.txt --to kaldi -o new.txt --key-out labelled.txt", "labelled.txt"),
        ("evaluate inside/labelled.txt --figures inside --force", "inside/labelled.txt"),
        ("evaluate scores.txt --key inside/key.txt --figures around --force", "inside/key.txt"),
        ("evaluate around/labelled.txt --figures inside --force", "around/labelled.txt"),
        ("compare --train inside/labelled.txt --test labelled.txt --out inside --force", "inside/"),
        ("compare --train labelled.txt --test inside/labelled.txt --out inside --force", "inside/"),
        (
            "compare --train labelled.txt --test scores.txt --test-key inside/key.txt "
            "--out ./inside/ --force",
            "inside/key.txt",
        ),
    ],
)
def test_what_is_read_is_not_written(folder: Path, arguments: str, named: str) -> None:
    before = contents(folder)
    result = llrcal(*arguments.split())
    only_line(result, named)
    assert "name another file" in result.stderr or "choose another folder" in result.stderr
    assert contents(folder) == before


@pytest.mark.slow
def test_standard_input_from_the_file_that_is_written(folder: Path) -> None:
    before = contents(folder)
    words = [sys.executable, "-m", "llrcal", "apply", "model.json", "-", "-o", "scores.txt"]
    with Path("scores.txt").open("rb") as file:
        ran = subprocess.run(words, stdin=file, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "scores.txt is also an input (standard input)" in ran.stderr
    assert contents(folder) == before


def test_what_a_run_has_read_it_does_not_write(folder: Path) -> None:
    """Whatever the caller forgets to name."""
    with atomic_folder("ours") as ours:
        put(str(ours / "labelled.txt"), LABELLED)
    before = contents(folder)
    with one_run():
        read_trials("labelled.txt")
        load("model.json")
        for name in ("labelled.txt", "model.json"):
            with pytest.raises(OptionError, match="is also an input"), atomic_file(name):
                pass
        with (
            pytest.raises(OptionError, match="contains the input"),
            atomic_folder("ours", force=True),
        ):
            read_trials("ours/labelled.txt")
        with output("new.txt") as file:
            file.write(b"new")
    assert contents(folder) == before | {str(folder / "new.txt"): b"new"}
    with atomic_file("model.json", MODEL_MARK) as file:  # what was read long ago may be written
        file.write(b"new")


@pytest.mark.slow
def test_standard_output_onto_the_file_that_is_read(folder: Path) -> None:
    before = contents(folder)
    words = [sys.executable, "-m", "llrcal", "apply", "model.json", "scores.txt", "-o", "-"]
    with Path("scores.txt").open("ab") as file:
        ran = subprocess.run(words, stdout=file, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 2
    assert (
        ran.stderr == "llrcal: standard output is also an input (scores.txt); name another file\n"
    )
    assert contents(folder) == before


def test_python_functions(folder: Path) -> None:
    before, cal = contents(folder), load("model.json")
    for paths, out in (("scores.txt", "hard.txt"), ("inside", "inside"), (["q.txt"], ".")):
        with pytest.raises(OptionError, match=r"is also an input|contains the input"):
            apply_files(cal, paths, out, force=True)
    assert contents(folder) == before


def test_a_link_in_the_folder_counts_as_in_it(folder: Path) -> None:
    (folder / "inside" / "link.txt").symlink_to(folder / "scores.txt")
    with pytest.raises(OptionError, match=r"inside contains the input inside/link\.txt"):
        refuse_to_overwrite("inside", "inside/link.txt")


def test_a_link_into_the_folder_counts_as_in_it(folder: Path) -> None:
    Path("elsewhere.txt").symlink_to("inside/scores.txt")
    with pytest.raises(OptionError, match=r"inside contains the input elsewhere\.txt"):
        refuse_to_overwrite("inside", "elsewhere.txt")


def test_standard_input_is_read_once(folder: Path) -> None:
    refuse_to_read_twice("-", "key.txt", None)
    with pytest.raises(OptionError, match="can be read only once"):
        refuse_to_read_twice("-", None, "-")


def test_what_is_elsewhere_may_be_written(folder: Path) -> None:
    refuse_to_overwrite("new.txt", "scores.txt", None, "nowhere.txt")
    refuse_to_overwrite("inside/scores.txt", "scores.txt")
    refuse_to_overwrite("-", "-")
    refuse_to_overwrite("inside2", "inside/scores.txt")


def test_pipes_and_devices_may_be_read_and_written(folder: Path) -> None:
    os.mkfifo("pipe")
    refuse_to_overwrite("pipe", "pipe")
    refuse_to_overwrite(os.devnull, os.devnull)


def test_a_name_that_is_none(folder: Path) -> None:
    refuse_to_overwrite("new.txt", "sco\0res.txt")  # which those who read it refuse
