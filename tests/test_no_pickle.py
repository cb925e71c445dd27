"""Nothing that is read is ever run: no pickle is opened, and NumPy is told to leave them alone."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import numpy as np
import pytest

import llrcal
from llrcal import ModelFileError, TrialFileError
from llrcal.trials.request import Request
from llrcal.trials.rewriting import rewrite
from tests.processes import python

ROOT = Path(str(llrcal.__file__)).resolve().parent
FILES = sorted(ROOT.rglob("*.py"))

# NumPy has to be told about pickles where it loads and saves; ruff and bandit look for the rest.
TOLD = {"load", "save", "read_array", "write_array", "open_memmap"}


def untold(source: str) -> list[int]:
    """Lines that let NumPy load or save without refusing pickles."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in TOLD
        and ast.unparse(node.func).startswith(("np.", "numpy.", "format."))
        and "allow_pickle=False" not in [ast.unparse(keyword) for keyword in node.keywords]
    ]


def test_numpy_is_told_wherever_it_loads_or_saves() -> None:
    found = {path.name: untold(path.read_text("utf-8")) for path in FILES}
    assert not {name: lines for name, lines in found.items() if lines}
    for bad in ("np.load(name)", "np.load(a, allow_pickle=yes)", "np.lib.format.read_array(f)"):
        assert untold(bad), bad
    assert not untold("np.load(name, allow_pickle=False); json.load(file)")


# -------------------------------------------------------------------- what is loaded at run time


def test_importing_llrcal_loads_no_pickle_at_all() -> None:
    assert python("import sys, llrcal; print('pickle' in sys.modules)") == ["False"]


@pytest.mark.slow
def test_no_module_of_ours_holds_what_unpickles_or_evaluates() -> None:
    """However it came in: all modules are imported, and all names in them looked at."""
    code = """
import importlib, marshal, pickle, pkgutil, sys, llrcal
names = [found.name for found in pkgutil.walk_packages(llrcal.__path__, "llrcal.")]
others = ("__main__", "sklearn")
modules = [importlib.import_module(n) for n in names if not n.endswith(others)]
banned = [pickle, marshal, pickle.load, pickle.loads, pickle.Unpickler, marshal.loads, eval, exec]
for module in modules:
    for name, value in vars(module).items():
        if any(value is one for one in banned):
            print(module.__name__, name)
print(len(modules))
"""
    (count,) = python(code)
    assert int(count) > 80


# ------------------------------------------------------------------------- pickles are not opened


class Trap:
    """Unpickled, it writes a file."""

    def __reduce__(self) -> tuple[object, ...]:
        return (open, ("sprung.txt", "w"))


def test_the_trap_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pickle.loads(pickle.dumps(Trap())).close()  # noqa: S301
    assert Path("sprung.txt").exists()


@pytest.mark.parametrize("kind", ["bare", "npy", "npz", "scores and labels"])
@pytest.mark.parametrize("ending", ["json", "npz", "txt", "h5", "parquet"])
def test_no_pickle_is_opened(
    kind: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trap = np.array([Trap(), Trap()], object)
    path = Path(f"trap.{ending}")
    with path.open("wb") as file:
        if kind == "bare":
            pickle.dump(Trap(), file)
        elif kind == "npy":
            np.save(file, trap, allow_pickle=True)
        elif kind == "npz":
            np.savez(file, tar=trap, non=np.ones(3))
        else:
            np.savez(file, scores=np.ones(2), labels=trap)
    with pytest.raises(ModelFileError):
        llrcal.load(path)
    with pytest.raises(TrialFileError):
        llrcal.read_trials(path)
    with pytest.raises(TrialFileError):
        llrcal.read_trials(path, key=path)
    with pytest.raises(TrialFileError):
        rewrite(str(path), "out", lambda scores: {"llr": scores}, Request("scores"))
    assert not Path("sprung.txt").exists()
    assert not Path("out").exists()
