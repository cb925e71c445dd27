"""Whether the tests of a tree notice a mistake in it.

This process has imported what tests need, but not llrcal. It forks for each mistake; the child runs
the tests that reach the function with the mistake, the quickest first, until one of them fails.
"""

from __future__ import annotations

import compileall
import contextlib
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from typing import Any

from studies.mistakes import Mistake, probed

SECONDS = 8.0  # of processor time for the tests of one mistake
_FILE_SECONDS = 1.5  # for the tests of one file, after which the rest of them is left out
_FIRST, _OTHERS = 8, 60  # tests: before the rest of a room's, and of other rooms
_NONE_COLLECTED = 5  # what pytest says of it
_HEAVY = "numpy scipy.special scipy.optimize scipy.linalg scipy.stats polars pandas pytest mpmath "
_HEAVY += "hypothesis.internal.conjecture.engine matplotlib.pyplot click.testing rich.console h5py "
_HEAVY += "jsonschema openpyxl pyarrow.parquet sklearn.linear_model onnx dask.dataframe distributed"
_OUTPUT = ("-q", "-x", "--assert=plain", "--tb=line", "--no-header")
_PLUGINS = ("-p", "no:cacheprovider", "-p", "no:xdist")

Tests = dict[str, tuple[float, list[str]]]  # by name: seconds, and functions that they reach


def prepare() -> None:
    """Import what takes long, and let hypothesis look for no simpler examples."""
    for name in filter(find_spec, _HEAVY.split()):
        __import__(name)
    sys.modules["hypothesis.internal.conjecture.engine"].MAX_SHRINKS = 0  # type: ignore[attr-defined]


class Copies:
    """Two copies of a tree: one to make mistakes in, and one whose functions tell who called."""

    def __init__(self, tree: Path, folder: Path) -> None:
        left_out = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", "results")
        self.plain, self._probed = folder / "plain" / "tree", folder / "probed" / "tree"
        self._said = folder / "said.txt"
        for copy in (self.plain, self._probed):
            shutil.copytree(tree, copy, ignore=left_out)
            if (tree.parent / "shared").exists():
                (copy.parent / "shared").symlink_to(tree.parent / "shared")
        for file in (self._probed / "src").rglob("*.py"):
            file.write_text(probed(file, self._probed))
        for copy in (self.plain, self._probed):
            compileall.compile_dir(copy, quiet=2)

    def tests(self, places: Sequence[str]) -> Tests:
        """The tests in some places that pass: seconds, and the functions that they reach."""

        def work() -> int:
            probe = _Probe()
            code = _pytest(self._probed, [*places, "-m", "not slow", "--maxfail=1000"], probe)
            self._said.write_text(json.dumps(probe.found))
            return code

        self._forked(work, 1200)
        found: Tests = json.loads(self._said.read_text())
        return found

    def outcome(
        self, mistake: Mistake, own: Tests, others: Tests, seconds: float = SECONDS
    ) -> dict[str, Any]:
        """Whether tests notice a mistake: those of its room, and then some of the others."""
        file, start = self.plain / mistake.file, _processor()
        mine, cut = _chosen(mistake, own, seconds)
        theirs, _ = _chosen(mistake, others, seconds - sum(mine.values()))
        first = list(mine)[:_FIRST], list(mine)[_FIRST:]
        stages = [*first, list(theirs)[:_OTHERS]]
        found, by = "undecided" if cut else "survived", ""
        text = file.read_bytes()
        Path(cache_from_source(str(file))).unlink(missing_ok=True)
        file.write_bytes(mistake.made(text))
        for names in filter(None, stages):
            expected = sum({**mine, **theirs}[name] for name in names)
            code, by = self._tested(names, 2 * expected + 15)
            if code not in {0, _NONE_COLLECTED}:
                found = "timeout" if code in {-signal.SIGXCPU, -signal.SIGKILL} else "killed"
                break
        file.write_bytes(text)
        spent = round(_processor() - start, 2)
        return {"outcome": found, "by": by, "own": by not in others, "seconds": spent}

    def _tested(self, names: list[str], seconds: float) -> tuple[int, str]:
        """The exit code of some tests, and the first that failed."""
        self._said.write_text("")

        def work() -> int:
            plugin = _Chosen(names)
            files = dict.fromkeys(name.split("::")[0] for name in names)
            code = _pytest(self.plain, list(files), plugin)
            self._said.write_text(plugin.failed)
            return code

        return self._forked(work, seconds), self._said.read_text()

    def _forked(self, work: Callable[[], int], seconds: float) -> int:
        """The exit code of some work in a child that may use so much processor time."""
        child = os.fork()
        if child == 0:
            _be_child(work, seconds, self._said.with_suffix(".log"))
        end, status, done = time.monotonic() + 8 * seconds, 0, 0
        while not done and time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            time.sleep(0 if done else 0.02)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # also what tests have started and left
        if not done:
            _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)


def _chosen(mistake: Mistake, tests: Tests, seconds: float) -> tuple[dict[str, float], bool]:
    """The quickest of the tests that reach a mistake, and whether time is too short for some."""
    reaching = {name: spent for name, (spent, found) in tests.items() if mistake.reached(found)}
    chosen = dict[str, float]()
    for name in sorted(reaching, key=lambda name: reaching[name]):
        seconds -= reaching[name]
        if seconds < 0:
            return chosen, True
        chosen[name] = reaching[name]
    return chosen, False


class _Probe:
    """A plugin of pytest: what each test takes, and which functions it reaches."""

    def __init__(self) -> None:
        self.found: Tests = {}
        self._spent = Counter[str]()
        self._at_import: set[str] | None = None

    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> bool:
        from _pytest.runner import runtestprotocol

        file = item.location[0]
        if self._spent[file] <= _FILE_SECONDS * 1000:
            reached: set[str] = __import__("builtins").__dict__.setdefault("_reached", set())
            if self._at_import is None:
                self._at_import = set(reached)
            reached.clear()
            start = _processor()
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
            spent = _processor() - start
            self._spent[file] += round(1000 * spent)
            # A test that calls nothing looks at what was made when modules were imported.
            files = {one.split(":")[0] for one in reached or self._at_import}
            reached |= {one for one in self._at_import if one.split(":")[0] in files}
            if all(report.passed for report in reports):
                self.found[item.nodeid] = round(spent, 3), sorted(reached)
        return True


class _Chosen:
    """A plugin of pytest: some tests, in an order."""

    def __init__(self, names: list[str]) -> None:
        self._place = {name: place for place, name in enumerate(names)}
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if item.nodeid in self._place]
        items.sort(key=lambda item: self._place[item.nodeid])

    def pytest_collectreport(self, report: Any) -> None:
        self.failed = self.failed or ("import" if report.failed else "")

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed = self.failed or (report.nodeid if report.failed else "")


def _pytest(copy: Path, arguments: list[str], plugin: object) -> int:
    import pytest

    os.chdir(copy)
    sys.path[:0] = [str(copy / "src"), str(copy)]
    for name in [one for one in sys.modules if one.split(".")[0] in {"studies", "tests"}]:
        del sys.modules[name]
    os.environ |= {"PYTHONPATH": f"{copy / 'src'}:{copy}", "LLRCAL_QUICK": "1"}
    sys.dont_write_bytecode = True
    return int(pytest.main([*_OUTPUT, *_PLUGINS, *arguments], plugins=[plugin]))


def _be_child(work: Callable[[], int], seconds: float, log: Path) -> None:
    """Work, and end with its exit code."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(out, stream)
    code = 3
    try:
        code = work()
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _processor() -> float:
    return sum(os.times()[:4])
