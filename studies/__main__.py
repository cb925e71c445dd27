"""Studies, and what they print: run them, fill the pages, and see what is out of date.

python -m studies                   every study: when it was run, and whether its code has changed
python -m studies run [NAME ...]    run some of them, or all, one on each core
python -m studies fill              write the numbers of the records into the pages
python -m studies check             name the studies whose code has changed since they were run
python -m studies sources           every page with its records and their commands
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
from studies.measure import machine
from studies.pages import MEASURED, PAGES, filled, measured, sources
from studies.records import ROOT, Record, RecordError, digest_of, load, recorded, rooms, tables

_SCORES = ROOT.parent / "shared" / "scores"
_THREADS = ("LLRCAL_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
_PEERS = ROOT / ".venv-peers" / "bin" / "python"
"""With the other packages, which do not agree with all versions that ours is tested with."""


def run(names: list[str], jobs: int) -> None:
    """Run studies, the longest first, and keep what they print; those that measure times last."""
    wanted = names or [name for name, study in STUDIES.items() if not study.by_name]
    chosen = {name: STUDIES[name] for name in wanted}
    for name in [name for name, study in chosen.items() if _missing(study)]:
        print(f"{name} is skipped: {_missing(chosen.pop(name))}")
    beside = sorted(
        (name for name, study in chosen.items() if not study.alone),
        key=lambda name: -chosen[name].minutes,
    )
    apart = [name for name, study in chosen.items() if study.alone]
    progress = _Progress(chosen, jobs)
    with ThreadPoolExecutor(jobs) as hands:
        list(hands.map(lambda name: _keep(name, progress, alone=jobs == 1), beside))
    for name in apart:
        _keep(name, progress, alone=True)
    print(f"{progress.spent:.1f} minutes in all; now: python -m studies fill")


class _Progress:
    """How many studies have ended, and how long the others will take."""

    def __init__(self, chosen: Mapping[str, Study], jobs: int) -> None:
        self._left, self._jobs, self._lock = dict(chosen), jobs, Lock()
        self._count, self._start = len(chosen), time.monotonic()
        print(f"{self._count} studies, about {self._minutes:.0f} minutes", flush=True)

    @property
    def spent(self) -> float:
        """Minutes since the first study began."""
        return (time.monotonic() - self._start) / 60

    @property
    def _minutes(self) -> float:
        each = self._left.values()
        beside = sum(study.minutes for study in each if not study.alone)
        return beside / self._jobs + sum(study.minutes for study in each if study.alone)

    def ended(self, name: str, record: Record) -> None:
        with self._lock:
            del self._left[name]
            print(
                f"[{self._count - len(self._left)} of {self._count}] {name}: "
                f"{record.seconds / 60:.1f} minutes, {len(record.tables)} tables. "
                f"{self.spent:.1f} minutes so far, about {self._minutes:.0f} left",
                flush=True,
            )


def _keep(name: str, progress: _Progress, *, alone: bool) -> None:
    print(f"{name}: {STUDIES[name].question}", flush=True)
    record = _measured(name, alone=alone)
    record.save(name)
    progress.ended(name, record)


def _missing(study: Study) -> str:
    """What a study needs and there is not, in words."""
    if study.needs == "scores" and not _SCORES.exists():
        return f"there are no real scores in {_SCORES.relative_to(ROOT.parent)}"
    if study.needs == "peers" and not _PEERS.exists():
        return "there are no other packages to compare with; make evidence installs them"
    return ""


def _measured(name: str, *, alone: bool) -> Record:
    """Run a study in a process of its own, which also tells the rooms that it used, and where."""
    arguments = STUDIES[name].arguments.split()
    start, lines = time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        used = Path(folder) / "used.json"
        python = str(_PEERS) if STUDIES[name].needs == "peers" else sys.executable
        command = [python, "-m", "studies", "child", str(used), *arguments]
        threads = {} if alone else dict.fromkeys(_THREADS, "1")
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, **threads}
        ) as child:
            for line in child.stdout or ():
                lines.append(line)
                print(f"  {name}: {line}", end="", flush=True)
        if child.returncode:
            raise SystemExit(f"studies.{arguments[0]} ended with code {child.returncode}")
        modules, where = json.loads(used.read_text())
    return Record(
        command=f"python -m studies.{' '.join(arguments)}",
        commit=_commit(),
        date=date.today().isoformat(),
        seconds=round(time.monotonic() - start, 1),
        machine=where,
        code={room: digest_of(room) for room in rooms(modules)},
        tables=tables("".join(lines)),
    )


def _child(used: str, module: str, *arguments: str) -> None:
    sys.argv = [module, *arguments]
    runpy.run_module(f"studies.{module}", run_name="__main__", alter_sys=True)
    modules = [name for name in sys.modules if name.startswith(("llrcal.", "studies."))]
    ours = {f"studies.{name}" for name in ("__main__", "catalogue", "pages", "records")}
    found = [f"studies.{module}", *sorted({*modules} - ours)]
    Path(used).write_text(json.dumps([found, machine()]))


def _commit() -> str:
    """The commit, and whether the code was another."""

    def git(*words: str) -> subprocess.CompletedProcess[str]:
        command = ["git", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)

    found = git("rev-parse", "--short=12", "HEAD").stdout.strip()
    changed = git("diff", "--quiet", "HEAD", "--", "src", "studies").returncode
    return f"{found}-dirty" if changed else found


def fill() -> None:
    """Write the numbers of the records into the pages."""
    for page in PAGES:
        _write(page, filled(page.read_text()))
    _write(MEASURED, measured())


def _write(page: Path, text: str) -> None:
    if not page.exists() or page.read_text() != text:
        page.write_text(text)
        print(f"{page.relative_to(ROOT)} written")


def check() -> bool:
    """Name the studies whose code has changed since they were run, and how to run them again."""
    stale = {name: load(name).changed for name in recorded()}
    missing = [name for name in STUDIES if name not in stale]
    for name, changed in stale.items():
        if changed:
            print(f"{name} is out of date: {', '.join(changed)} changed since it was run")
    for name in missing:
        print(f"{name} was never run")
    again = [*(name for name, changed in stale.items() if changed), *missing]
    if again:
        minutes = sum(STUDIES[name].minutes for name in again if name in STUDIES)
        print(f"about {minutes:g} minutes: python -m studies run {' '.join(again)}")
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
    """Every page with the records that its numbers come from, and their commands."""
    for page in PAGES:
        for name, table in sources(page.read_text()):
            command = load(name).command
            print(f"{page.relative_to(ROOT)}: {name}.json, table {table} ({command})")


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
        run(options.names, options.jobs)
    elif options.what == "check":
        raise SystemExit(not check())
    else:
        {"fill": fill, "sources": show_sources, None: show}[options.what]()


if __name__ == "__main__":
    main()
