"""Whatever an output is called, and with --force, too: what llrcal did not write stays as it is.

Every output option of every verb is tried with every name, and so is every function that writes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import llrcal
from llrcal import figures, simulation
from llrcal.cli import VERBS
from llrcal.cli.options import NewFolderPath, NewPath
from llrcal.cli.verbs import command_line, verb
from llrcal.files.atomic import MARKER, atomic_folder
from llrcal.validation import Validation
from tests import beyond_memory
from tests.cli.running import text_of
from tests.trial_sets import normal

TAR, NON = normal(60, 2.0, 1.0), normal(200, -2.0, 1.0)
PAGE = '<!DOCTYPE html>\n<meta name="generator" content="llrcal 1">'
ENDS = {"pairs --out": ".csv", "compare --llrs": ".csv"}
"""What names of files must end in; a word in braces in a name is that."""

NAMES = """. .. ./ ../ ../. / nope/.. nope/../foreign nope/../../sibling foreign/.. ../here ../here/
../sibling notes{end} notes{end}/ notes{end}/x{end} notes{end}/. notes{end}/.. ./notes{end}
foreign/notes{end} foreign foreign/ foreign/. foreign// hidden in in/ lab.txt mixed edited
edited.json to-notes{end} to-foreign to-foreign/ to-foreign/notes{end} up up/here up/sibling to-ours
dangling{end} dangling{end}/ loop{end} nope/x{end} sealed sealed/notes{end}
ours ours/ old.json old.html old.c empty empty{end} new{end} new{end}/ - ~ /dev/null
http://host.invalid/x{end} file:///tmp/x{end}
""".split()  # noqa: SIM905, which reads better
NAMES += ["", " ", "x\0y{end}"]

COMMANDS = {
    "pairs --out": "e.npz",
    "pairs --out by": "e.npz --by sex",
    "fit --out": "lab.txt --method gaussian",
    "apply --out": "m.json lab.txt",
    "apply --out many": "m.json in",
    "watch --figures": "m.json field.npy",
    "adapt --out": "m.json field.npy",
    "adapt --figures": "m.json field.npy -o adapted.json",
    "fuse --out": "lab.txt other.txt",
    "evaluate --figures": "lab.txt --units nats",
    "compare --out": "--data lab.txt --folds 2 --replicates 0 --formats none",
    "compare --llrs": "--data lab.txt --folds 2 --replicates 0 --formats none --out results",
    "validate --out": "lab.txt --method gaussian --replicates 39",
    "validate --model": "lab.txt --method gaussian --replicates 39 -o case.html",
    "export --out": "m.json --to c",
    "convert --out": "lab.txt --to csv",
    "convert --key-out": "lab.txt --to kaldi -o scores.txt",
    "demo --out": "--replicates 0 --formats none",
    "simulate --out": "",
}
"""How to run each verb with each of its outputs: what else it needs."""


def test_every_output_of_every_verb_is_tried() -> None:
    outputs = {
        f"{name} {one.opts[-1]}"
        for name in VERBS
        for one in verb(name).params
        if isinstance(one.type, NewPath | NewFolderPath)
    }
    assert outputs == {" ".join(case.split()[:2]) for case in COMMANDS}


# ------------------------------------------------------------------------- a folder to work in


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of the user, and some that llrcal wrote."""
    home = tmp_path_factory.mktemp("outputs") / "home"
    here = home / "here"
    for name in ("foreign/inner", "hidden", "in/.ipynb_checkpoints", "empty", "sealed"):
        (here / name).mkdir(parents=True)
    (home / "sibling").mkdir()
    (home / "sibling" / "precious").write_text("precious")
    for end in ("", ".csv"):
        for folder in ("", "foreign/", "foreign/inner/", "sealed/"):
            (here / f"{folder}notes{end}").write_text("precious")
        (here / f"to-notes{end}").symlink_to(f"notes{end}")
        (here / f"dangling{end}").symlink_to("nope/../foreign")
        (here / f"loop{end}").symlink_to(f"loop{end}")
        (here / f"empty{end or '.txt'}").write_text("")
    (here / "arrays").mkdir()
    pl.DataFrame({"score": TAR}).write_parquet(here / "arrays" / "a.parquet")
    (here / "foreign" / "det.svg").write_text("<?xml precious")
    (here / "hidden" / ".notes").write_text("precious")
    (here / "to-foreign").symlink_to("foreign")
    (here / "to-ours").symlink_to("ours")
    (here / "up").symlink_to("..")
    for name in ("lab.txt", "other.txt", "in/a.txt", "in/b.txt", "in/.ipynb_checkpoints/a.txt"):
        (here / name).write_text(text_of(TAR, NON))
    who = np.arange(40) // 4
    vectors = np.random.default_rng(0).normal(size=(10, 6))[who] + np.arange(40)[:, None] / 99
    np.savez(here / "e.npz", embeddings=vectors, speakers=who, sex=who % 2)
    np.save(here / "field.npy", np.concatenate([TAR, NON]))
    calibration = llrcal.fit(TAR, NON, method="gaussian")
    for name in ("m.json", "old.json"):
        calibration.save(here / name)
    (here / "edited.json").write_text("my " + (here / "m.json").read_text())
    (here / "old.html").write_text(PAGE)
    llrcal.export(calibration, here / "old.c")
    for name in ("ours", "mixed", "edited"):
        with atomic_folder(here / name) as ours:
            (ours / "inner").mkdir()
            (ours / "inner" / "one").write_text("ours")
            (ours / "two").write_text("ours")
    (here / "mixed" / "inner" / "precious").write_text("precious")
    (here / "edited" / "two").write_text("precious")
    (here / "sealed").chmod(0)
    return home


@pytest.fixture
def anew(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], Path]]:
    """Makes the files anew, and makes their folder the current one; nothing is drawn."""

    def drawn(_figure: Any, folder: Path, name: str, **_: Any) -> None:
        Path(folder).mkdir(exist_ok=True)
        (Path(folder) / f"{name}.png").write_text("a figure")

    monkeypatch.setattr("llrcal.figures.folder.drawn", lambda *_: None)
    monkeypatch.setattr("llrcal.figures.folder.save", drawn)
    monkeypatch.setattr("llrcal.report.folder.build_report", lambda *_, **__: "a report")
    monkeypatch.setattr(Validation, "page", lambda _: PAGE)
    monkeypatch.setattr(simulation, "DEMO_TRAIN", (60, 200))
    monkeypatch.setattr(simulation, "DEMO_TEST", (60, 200))
    monkeypatch.setattr(os, "fsync", lambda _: None)
    home, first = tmp_path / "home", dict[str, Any]()

    def make() -> Path:
        if first and state(home) == first:
            return home
        monkeypatch.chdir(tmp_path)
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(template, home, symlinks=True)
        monkeypatch.chdir(home / "here")
        first.update(state(home))
        return home

    yield make
    (home / "here" / "sealed").chmod(0o700)


def state(home: Path) -> dict[str, Any]:
    """All that is there, byte by byte, and the identity of what is not a file."""
    found: dict[str, Any] = {}
    for path in (home, *sorted(home.rglob("*"))):
        seen = path.lstat()
        is_file = path.is_file() and not path.is_symlink()
        content = path.read_bytes() if is_file else path.readlink() if path.is_symlink() else None
        found[str(path.relative_to(home))] = (seen.st_mode, seen.st_ino, content)
    return found


def lost(before: dict[str, Any], home: Path, may_go: str) -> list[str]:
    """What was there before and is not as it was, but for what llrcal wrote and may replace."""
    now = state(home)
    left = [name for name in now if Path(name).name.startswith(".llrcal-")]
    gone = [name for name, seen in before.items() if now.get(name) != seen]
    ours = [name for name in gone if may_go and Path(name).is_relative_to(f"here/{may_go}")]
    return [name for name in gone if name not in ours] + [
        name for name in left if Path(name).name != MARKER
    ]


def replaceable(name: str, *, force: bool) -> str:
    """What llrcal may replace if this is the name of an output."""
    plain = name.rstrip("/")
    if plain in ("empty", "empty.csv"):
        return plain
    names = {one: one for one in ("ours", "old.json", "old.html", "old.c")} | {"to-ours": "ours"}
    return names.get(plain, "") if force else ""


# ------------------------------------------------------------------------------------- verbs


@pytest.mark.slow
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("case", COMMANDS)
def test_no_verb_touches_what_llrcal_did_not_write(
    case: str, force: bool, anew: Callable[[], Path]
) -> None:
    name, option, *_ = case.split()
    takes_force = any(one.name == "force" for one in verb(name).params)
    end = ENDS.get(f"{name} {option}", "")
    done = set()
    for out in (pattern.format(end=end) for pattern in NAMES):
        if "\0" in out:  # which no shell can pass on
            continue
        home = anew()
        before = state(home)
        words = [name, *COMMANDS[case].split(), option, out, *["--force"] * (force and takes_force)]
        result = CliRunner().invoke(command_line, words, catch_exceptions=False)
        assert result.exit_code in (0, 2, 3), (out, result.output)
        assert lost(before, home, replaceable(out, force=force)) == [], (out, result.output)
        if result.exit_code == 2:
            assert result.stderr.splitlines()[-1].startswith("llrcal: "), (out, result.stderr)
        else:
            done.add(out)
    assert f"new{end}" in done
    assert not {"", ".", "..", "nope/..", f"notes{end}", "foreign", "mixed", "edited"} & done


@pytest.fixture
def unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which one cannot be read; its owner is not root, who may read all."""
    folder, user = tmp_path / "folder", os.geteuid()
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "lab.txt").write_text(text_of(TAR, NON))
    (folder / "inner").chmod(0)
    monkeypatch.chdir(tmp_path)
    sealed = (folder / "inner").stat().st_ino
    listed = {name: getattr(os, name) for name in ("listdir", "scandir")}

    def denied(name: str) -> Callable[..., Any]:
        def asked(path: Any = ".") -> Any:
            if user == 0 and os.stat(path).st_ino == sealed:  # noqa: PTH116, a descriptor
                raise PermissionError(13, "Permission denied", str(path))
            return listed[name](path)

        return asked

    with monkeypatch.context() as patched:
        for name in listed:
            patched.setattr(os, name, denied(name))
        yield folder
    (folder / "inner").chmod(0o700)


def test_a_folder_that_cannot_be_read_is_not_replaced(unreadable: Path) -> None:
    words = ["simulate", "--out", "folder/inner", "--force"]
    result = CliRunner().invoke(command_line, words, catch_exceptions=False)
    assert result.exit_code == 2
    assert "inner" in result.stderr
    assert [path.name for path in unreadable.iterdir()] == ["inner"]


def test_files_that_cannot_be_read_are_not_passed_over(unreadable: Path) -> None:
    (unreadable / "lab.txt").write_text(text_of(TAR, NON))
    with pytest.raises(PermissionError, match="inner"):
        beyond_memory.fit(unreadable)


@pytest.mark.parametrize("end", ["c", "js"])
def test_code_that_someone_went_on_with_is_not_replaced(end: str, tmp_path: Path) -> None:
    path = tmp_path / f"llr.{end}"
    llrcal.export(llrcal.fit(TAR, NON), path)
    llrcal.export(llrcal.fit(TAR, NON), path)
    path.write_text(path.read_text() + "/* mine */")
    with pytest.raises(llrcal.OptionError, match="cannot tell that it wrote it"):
        llrcal.export(llrcal.fit(TAR, NON), path)


# -------------------------------------------------------------------------------- functions


def calls() -> dict[str, Callable[..., object]]:
    """Every function that writes, of the name and whether to replace a folder."""
    trials = llrcal.Trials(TAR, NON, "arrays")
    calibration = llrcal.fit(trials, method="gaussian")
    both = [np.stack([side, side**2], axis=1) for side in (TAR, NON)]
    tar, non = (np.where(np.arange(len(side)) % 2, "mic", "phone") for side in (TAR, NON))
    conditioned = llrcal.fit(TAR, NON, method="gaussian", condition=(tar, non))
    comparison = llrcal.compare(
        trials, llrcal.simulate(targets=60, nontargets=200), methods=["gaussian"], replicates=0
    )
    validation = llrcal.validate(trials, method="gaussian", replicates=39)
    counts = llrcal.Counts(np.arange(3.0), np.arange(3), np.arange(3)[::-1].copy())
    figure, ax = figures.column_figure()
    figures.det(llrcal.evaluate(trials.mapped(calibration)), ax=ax)

    def accumulated(path: str) -> None:
        accumulator = llrcal.Accumulator()
        accumulator.update(tar=TAR, non=NON)
        accumulator.save(path)

    return {
        "Calibration.save": lambda out, _: calibration.save(out),
        "Conditioned.save": lambda out, _: conditioned.save(out),
        "Fused.save": lambda out, _: llrcal.fuse(*both, names=["a", "b"]).save(out),
        "Comparison.save": lambda out, force: comparison.save(out, formats=[], force=force),
        "Validation.save": lambda out, _: validation.save(out),
        "Accumulator.save": lambda out, _: accumulated(out),
        "Counts.save": lambda out, _: counts.save(out),
        "write_trials": lambda out, _: llrcal.write_trials(trials, out),
        "export": lambda out, _: llrcal.export(calibration, out, to="c"),
        "figures.save": lambda out, _: figures.save(figure, out, "det", formats=["svg"]),
        "llrcal.apply_files": lambda out, force: llrcal.apply_files(
            calibration, "lab.txt", out, force=force
        ),
        "llrcal.apply_files, many": lambda out, force: llrcal.apply_files(
            calibration, "in", out, force=force
        ),
    }


FUNCTIONS = calls()
SKIPPED = {("figures.save", "/")}
"""A folder to write into."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_touches_what_llrcal_did_not_write(
    function: str, force: bool, anew: Callable[[], Path]
) -> None:
    """Files of ours that are known as such are replaced without being asked for it."""
    done, end = set(), ".csv" if function in ("Counts.save", "write_trials") else ""
    for out in (pattern.format(end=end) for pattern in NAMES):
        if (function, out) in SKIPPED:
            continue
        home = anew()
        before = state(home)
        try:
            FUNCTIONS[function](out, force)
            done.add(out)
        except (llrcal.LlrcalError, OSError, ValueError) as problem:
            assert str(problem), out  # noqa: PT017
        is_file = out.startswith("old.")
        assert lost(before, home, replaceable(out, force=force or is_file)) == [], out
    assert f"new{end}" in done
    assert "" not in done
