"""Studies, and what they print: run them, fill the pages, and see what is out of date.

python -m studies                   every study: when it was run, and whether its code has changed
python -m studies run [NAME ...]    run some of them, or all, one on each core
python -m studies fill              write the numbers of the records into the pages
python -m studies check             name the studies whose code has changed since they were run
python -m studies sources           every table, number and picture with its data and command
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from threading import Lock

from studies.catalogue import STUDIES, Study
from studies.pages import MEASURED, PAGES, differences, filled, measured, sources
from studies.records import CODE, ROOT, Record, RecordError, digests, load, recorded, rooms, tables

_SCORES = ROOT.parent / "shared" / "scores"
_THREADS = ("LLRCAL_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
_PEERS = ROOT / ".venv-peers" / "bin" / "python"
"""With the other packages, which do not agree with all versions that ours is tested with."""


def run(names: list[str], jobs: int) -> list[str]:
    """Run studies, the longest first, and keep what they print; those that measure times last.

    The names of those that failed, whose records stay what they were, as those of studies do that
    are skipped.
    """
    wanted = names or [name for name, study in STUDIES.items() if not study.by_name]
    chosen = {name: STUDIES[name] for name in wanted}
    for name in [name for name, study in chosen.items() if _missing(study)]:
        print(f"{name} is skipped: {_missing(chosen.pop(name))}")
    beside = sorted(
        (name for name, study in chosen.items() if not study.alone),
        key=lambda name: -chosen[name].minutes,
    )
    progress = _Progress(chosen, jobs)
    with ThreadPoolExecutor(jobs) as hands:
        list(hands.map(lambda name: _keep(name, progress, alone=jobs == 1), beside))
    for name in [name for name, study in chosen.items() if study.alone]:
        _keep(name, progress, alone=True)
    print(f"{progress.spent:.1f} minutes in all; now: python -m studies fill")
    for name, why in progress.failed.items():
        print(f"{name} failed: {why}")
    return [*progress.failed]


class _StudyError(Exception):
    """A study ended in an error."""


class _Progress:
    """How many studies have ended, and how long the others will take."""

    def __init__(self, chosen: Mapping[str, Study], jobs: int) -> None:
        self.failed: dict[str, str] = {}
        self._left, self._jobs, self._lock = dict(chosen), jobs, Lock()
        self._count, self._start = len(chosen), time.monotonic()
        self._begun: dict[str, float] = {}
        print(f"{self._count} studies, about {self._minutes:.0f} minutes", flush=True)

    @property
    def spent(self) -> float:
        """Minutes since the first study began."""
        return (time.monotonic() - self._start) / 60

    @property
    def _minutes(self) -> float:
        left = {
            name: max(0.0, study.minutes - self.spent + self._begun.get(name, self.spent))
            for name, study in self._left.items()
        }
        beside = [left[name] for name, study in self._left.items() if not study.alone]
        return max([sum(beside) / self._jobs, *beside]) + sum(left.values()) - sum(beside)

    def begun(self, name: str) -> None:
        with self._lock:
            self._begun[name] = self.spent
            print(f"{name}: {STUDIES[name].question}", flush=True)

    def ended(self, name: str, said: str) -> None:
        with self._lock:
            del self._left[name]
            print(
                f"[{self._count - len(self._left)} of {self._count}] {name}: {said}. "
                f"{self.spent:.1f} minutes so far, about {self._minutes:.0f} left",
                flush=True,
            )


def _keep(name: str, progress: _Progress, *, alone: bool) -> None:
    progress.begun(name)
    try:
        record = _measured(name, alone=alone)
    except _StudyError as problem:
        progress.failed[name] = str(problem)
        progress.ended(name, f"failed: {problem}")
        return
    record.save(name)
    progress.ended(name, f"{record.seconds / 60:.1f} minutes, {len(record.tables)} tables")


def _missing(study: Study) -> str:
    """What a study needs and there is not, in words."""
    if "scores" in study.needs and not _SCORES.exists():
        return f"there are no real scores in {_SCORES.relative_to(ROOT.parent)}"
    if "peers" in study.needs and not _PEERS.exists():
        return "there are no other packages to compare with; make evidence installs them"
    return ""


def _measured(name: str, *, alone: bool) -> Record:
    """Run a study in a process of its own, which also tells the rooms that it used, and where."""
    commit, start, lines = _commit(), time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        used, complaints = Path(folder) / "used.json", Path(folder) / "stderr"
        arguments = STUDIES[name].arguments.split()
        python = str(_PEERS) if "peers" in STUDIES[name].needs else sys.executable
        command = [python, "-m", "studies", "child", str(used), *arguments]
        threads = {} if alone else dict.fromkeys(_THREADS, "1")
        environment = {**os.environ, **threads}
        # Progress that a study draws on stderr would get mixed up with that of the one beside it.
        with (
            complaints.open("w") as stderr,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=ROOT, env=environment
            ) as child,
        ):
            for line in child.stdout or ():
                lines.append(line)
                print(f"  {name}: {line}", end="", flush=True)
        if child.returncode:
            print(complaints.read_text(), file=sys.stderr)
            raise _StudyError(f"studies.{arguments[0]} ended with code {child.returncode}")
        code, where = json.loads(used.read_text())
    printed = tables("".join(lines))
    if not printed:
        raise _StudyError(f"studies.{arguments[0]} printed no table")
    return Record(
        command=STUDIES[name].command,
        commit=commit,
        date=date.today().isoformat(),
        seconds=round(time.monotonic() - start, 1),
        machine=where,
        code=code,
        tables=printed,
    )


def _child(used: str, module: str, *arguments: str) -> None:
    """Run a study, and write the digests of what it used, as it was at the start."""
    before = digests()
    sys.argv = [module, *arguments]
    runpy.run_module(f"studies.{module}", run_name="__main__", alter_sys=True)
    ours = {f"studies.{name}" for name in ("__main__", "catalogue", "pages", "pictures", "records")}
    found = rooms([f"studies.{module}", *({*sys.modules} - ours)])
    from studies.measure import machine  # or else every study would seem to use that module

    Path(used).write_text(json.dumps([{room: before[room] for room in found}, machine()]))


def _commit() -> str:
    """The commit, and whether the code is another."""

    def git(*words: str) -> str:
        command = ["git", *words]
        found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        return found.stdout.strip()

    changed = git("status", "--porcelain", "--", *CODE)
    return git("rev-parse", "--short=12", "HEAD") + ("-dirty" if changed else "")


def fill() -> bool:
    """Write the numbers of the records into the pages; whether they have all that is marked."""
    complete = True
    for page in PAGES:
        _write(page, filled(page.read_text()))
        for one in differences(page, page.read_text()):
            print(one)
            complete = False
    _write(MEASURED, measured())
    return complete


def _write(page: Path, text: str) -> None:
    if not page.exists() or page.read_text() != text:
        page.write_text(text)
        print(f"{page.relative_to(ROOT)} written")


def check() -> bool:
    """Name the studies whose code has changed since they were run, and how to run them again."""
    stale = {name: load(name).changed for name in recorded()}
    missing = [name for name in STUDIES if name not in stale and not STUDIES[name].by_name]
    for name, changed in stale.items():
        if changed:
            print(f"{name} is out of date: {', '.join(changed)} changed since it was run")
    for name in missing:
        print(f"{name} was never run")
    again = [*(name for name, changed in stale.items() if changed), *missing]
    if again:
        minutes = sum(STUDIES[name].minutes for name in again if name in STUDIES)
        print(f"about {minutes:.0f} minutes on one core: python -m studies run {' '.join(again)}")
    return not again


def show() -> None:
    """Every study: what it asks, when it was run, and whether its code has changed since."""
    for name, study in STUDIES.items():
        try:
            record = load(name)
        except RecordError:
            state = "never run"
        else:
            state = f"{record.date}, {record.commit}"
            state += ", out of date" if record.changed else ""
        print(f"{name:<22} {study.minutes:4g} min  {state:<40} {study.question}")


def show_sources() -> None:
    """Every table, number and picture of the pages with where it comes from, and the command."""
    for page in PAGES:
        for one in sources(page):
            print(f"{page.relative_to(ROOT)}: {one.what}: {one.origin} ({one.command})")


def main() -> None:
    if sys.argv[1:2] == ["child"]:
        _child(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=["run", "fill", "check", "sources"])
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *STUDIES])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="studies at a time")
    options = parser.parse_args()
    if options.what == "run":
        raise SystemExit(bool(run(options.names, options.jobs)))
    if options.what in {"fill", "check"}:
        raise SystemExit(not {"fill": fill, "check": check}[options.what]())
    {"sources": show_sources, None: show}[options.what]()


if __name__ == "__main__":
    main()
