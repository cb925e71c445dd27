"""Nothing that is read is ever run: no pickle, no evaluated text, no shell, anywhere in llrcal.

NumPy imports pickle for itself, and so do others; what counts is that no line of ours calls it, and
that NumPy is told, wherever it loads, to leave it alone.
"""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import llrcal
from llrcal import ModelFileError, TrialFileError
from llrcal.cli.verbs import VERBS
from llrcal.trials.request import Request
from llrcal.trials.rewriting import rewrite
from tests.processes import python

ROOT = Path(str(llrcal.__file__)).resolve().parent
FILES = sorted(ROOT.rglob("*.py"))

# Modules that run what they read, or make others do so; and ways round an import statement.
MODULES = {
    "pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "dbm",
    "yaml", "ruamel", "code", "codeop", "runpy", "torch", "skops", "jsonpickle", "tensorflow",
}  # fmt: skip
CALLS = {
    "eval", "exec", "compile", "__import__", "execfile",
    "os.system", "os.popen", "pty.spawn", "commands.getoutput",
    "subprocess.getoutput", "subprocess.getstatusoutput",
    "np.fromregex", "numpy.fromregex",
}  # fmt: skip
# Functions of any library that read pickles, by the last part of their names.
LOADERS = {"read_pickle", "to_pickle", "loads_pickle", "load_pickle", "unpickle"}
# What NumPy loads and saves by itself has to be told about pickles.
TOLD = {"load", "save", "read_array", "write_array", "open_memmap"}


def name_of(node: ast.expr) -> str:
    """A dotted name, as it is written; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inside = name_of(node.value)
        return f"{inside}.{node.attr}" if inside else ""
    return ""


def is_false(call: ast.Call, keyword: str) -> bool:
    given = [k.value for k in call.keywords if k.arg == keyword]
    return len(given) == 1 and isinstance(given[0], ast.Constant) and given[0].value is False


def offences(source: str) -> Iterator[str]:
    """What a source does that could run what it reads."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(node)
        if isinstance(node, ast.Call):
            yield from _calls(node)
        if isinstance(node, ast.Name) and node.id in {"eval", "exec", "__import__"}:
            yield f"line {node.lineno}: {node.id}"
        if isinstance(node, ast.FunctionDef) and node.name in {
            "__reduce__", "__reduce_ex__", "__setstate__",
        }:  # fmt: skip
            yield f"line {node.lineno}: {node.name}"


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    for module in modules or [alias.name for alias in node.names]:
        if module.split(".")[0] in MODULES:
            yield f"line {node.lineno}: imports {module}"


def _calls(call: ast.Call) -> Iterator[str]:
    name = name_of(call.func)
    last = call.func.attr if isinstance(call.func, ast.Attribute) else name
    where = f"line {call.lineno}: {name or last}"
    if name in CALLS or last in LOADERS:
        yield where
    of_numpy = name.startswith(("np.", "numpy.", "format."))
    if of_numpy and last in TOLD and not is_false(call, "allow_pickle"):
        yield f"{where} without allow_pickle=False"
    shell = any(k.arg in {"shell", None} for k in call.keywords) and not is_false(call, "shell")
    if name.startswith("subprocess.") and shell:
        yield f"{where} with a shell"
    allows = any(k.arg == "allow_pickle" for k in call.keywords)
    if allows and not is_false(call, "allow_pickle"):
        yield f"{where} with allow_pickle"
    first = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else ""
    first = first if isinstance(first, str) else ""
    if last == "import_module" and str(first).split(".")[0] in MODULES:
        yield f"{where} of {first}"


def test_there_are_sources_to_look_at() -> None:
    assert len(FILES) > 80
    assert ROOT / "calibrations" / "model_file.py" in FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_source_runs_what_it_reads(path: Path) -> None:
    assert list(offences(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "import pickle as p",
        "from pickle import loads",
        "import os, marshal",
        "def f():\n    import joblib",
        "import yaml",
        "import dill.source",
        "eval('1')",
        "exec(text)",
        "f = eval",
        "builtins.eval; __import__('pickle')",
        "compile(text, '', 'exec')",
        "np.load(name)",
        "np.load(name, allow_pickle=True)",
        "np.load(name, allow_pickle=trusted)",
        "np.load(name, mmap_mode='r')",
        "numpy.load(name)",
        "np.lib.format.read_array(file)",
        "np.save(file, array)",
        "pd.read_pickle(name)",
        "np.lib.npyio.NpzFile(file, allow_pickle=True)",
        "subprocess.run(line, shell=True)",
        "subprocess.run(line, shell=yes)",
        "subprocess.Popen(line, **options)",
        "os.system(line)",
        "import_module('pickle')",
        "importlib.import_module('joblib.numpy_pickle')",
        "class A:\n    def __reduce__(self): ...",
    ],
)
def test_the_search_finds_what_it_looks_for(source: str) -> None:
    assert list(offences(source))


@pytest.mark.parametrize(
    "source",
    [
        "np.load(name, allow_pickle=False)",
        "np.lib.format.read_array(file, allow_pickle=False)",
        "json.loads(text)",
        "re.compile(pattern)",
        "subprocess.run([program], check=True)",
        "evaluate(tar, non)",
        "self.load(name)",
    ],
)
def test_the_search_finds_no_more_than_that(source: str) -> None:
    assert list(offences(source)) == []


# -------------------------------------------------------------------- what is loaded at run time


def test_importing_llrcal_loads_no_pickle_at_all() -> None:
    assert python("import sys, llrcal; print('pickle' in sys.modules)") == ["False"]


@pytest.mark.slow
def test_no_module_of_ours_holds_what_unpickles_or_evaluates() -> None:
    """However it came in: all modules are imported, and all names in them looked at."""
    code = """
import importlib, marshal, pickle, pkgutil, sys, llrcal
names = [found.name for found in pkgutil.walk_packages(llrcal.__path__, "llrcal.")]
modules = [importlib.import_module(n) for n in names if not n.endswith(("__main__", "sklearn"))]
banned = [pickle, marshal, pickle.load, pickle.loads, pickle.Unpickler, marshal.loads, eval, exec]
for module in modules:
    for name, value in vars(module).items():
        if any(value is one for one in banned):
            print(module.__name__, name)
print(len(modules))
"""
    (count,) = python(code)
    assert int(count) > 80


@pytest.mark.parametrize("verb", VERBS)
def test_modules_of_verbs_are_among_them(verb: str) -> None:
    assert ROOT / "cli" / f"{verb}.py" in FILES


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
@pytest.mark.parametrize("ending", ["json", "npy", "npz", "pkl", "txt", "h5", "parquet", "gz"])
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
