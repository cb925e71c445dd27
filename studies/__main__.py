"""Studies, and what they print: run them, fill the pages, and see what is out of date.

python -m studies                   every study: when it was run, and whether its code has changed
python -m studies run [NAME ...]    run some of them, or all
python -m studies fill              write the numbers of the records into the pages
python -m studies check             name the studies whose code has changed since they were run
python -m studies sources           every page with its records and their commands
"""

from __future__ import annotations

import argparse
import json
import runpy
import subprocess
import sys
import tempfile
import time
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from studies.catalogue import STUDIES, Study
from studies.measure import machine
from studies.pages import MEASURED, PAGES, filled, measured, sources
from studies.records import ROOT, Record, RecordError, digest_of, load, recorded, rooms, tables

_SCORES = ROOT.parent / "shared" / "scores"


def run(names: list[str]) -> None:
    """Run studies one after the other, and keep what they print."""
    chosen = {name: STUDIES[name] for name in names or STUDIES}
    left = sum(study.minutes for study in chosen.values())
    started = time.monotonic()
    for number, (name, study) in enumerate(chosen.items(), 1):
        print(
            f"[{number} of {len(chosen)}] {name}: {study.question} About {study.minutes:g} "
            f"minutes, {left:g} for all that are left.",
            flush=True,
        )
        left -= study.minutes
        if missing := _missing(study):
            print(f"  skipped: {missing}")
            continue
        record = _measured(study.arguments.split())
        path = record.save(name)
        minutes = record.seconds / 60
        print(f"  {minutes:.1f} minutes, {len(record.tables)} tables, {path.relative_to(ROOT)}")
    print(f"{(time.monotonic() - started) / 60:.1f} minutes in all; now: python -m studies fill")


def _missing(study: Study) -> str:
    """What a study needs and there is not, in words."""
    if study.needs == "scores" and not _SCORES.exists():
        return f"there are no real scores in {_SCORES.relative_to(ROOT.parent)}"
    if study.needs == "peers" and find_spec("llreval") is None:
        return "there are no other packages to compare with; make evidence installs them"
    return ""


def _measured(arguments: list[str]) -> Record:
    """Run a study in a process of its own, which also tells the rooms that it used."""
    with tempfile.TemporaryDirectory() as folder:
        used = Path(folder) / "modules.json"
        command = [sys.executable, "-m", "studies", "child", str(used), *arguments]
        start, lines = time.monotonic(), []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
            for line in child.stdout or ():
                lines.append(line)
                print(f"  {line}", end="", flush=True)
        if child.returncode:
            raise SystemExit(f"studies.{arguments[0]} ended with code {child.returncode}")
        modules = json.loads(used.read_text())
    return Record(
        command=f"python -m studies.{' '.join(arguments)}",
        commit=_commit(),
        date=date.today().isoformat(),
        seconds=round(time.monotonic() - start, 1),
        machine=machine(),
        code={room: digest_of(room) for room in rooms(modules)},
        tables=tables("".join(lines)),
    )


def _child(used: str, module: str, *arguments: str) -> None:
    sys.argv = [module, *arguments]
    runpy.run_module(f"studies.{module}", run_name="__main__", alter_sys=True)
    modules = [name for name in sys.modules if name.startswith(("llrcal.", "studies."))]
    ours = {f"studies.{name}" for name in ("__main__", "catalogue", "pages", "records")}
    Path(used).write_text(json.dumps([f"studies.{module}", *sorted({*modules} - ours)]))


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
    options = parser.parse_args()
    if options.what == "run":
        run(options.names)
    elif options.what == "check":
        raise SystemExit(not check())
    else:
        {"fill": fill, "sources": show_sources, None: show}[options.what]()


if __name__ == "__main__":
    main()
