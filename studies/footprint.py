"""How large llrcal is with each extra, and how long it takes to start.

    python -m studies.footprint

Sizes are those of the files of each distribution that is installed here, as its own list of files
has them, without what Python compiled. Starts are processor time, the least of several runs in
turns.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import llrcal

EXTRAS = ("files", "figures", "cli", "excel", "parquet", "hdf5", "sklearn", "onnx", "dask")
RUNS = 15
STARTS = {
    "python -c pass": ("-c", "pass"),
    'python -c "import llrcal"': ("-c", "import llrcal"),
    "llrcal --help": ("-m", "llrcal", "--help"),
    "llrcal fit --help": ("-m", "llrcal", "fit", "--help"),
    'python -c "import numpy"': ("-c", "import numpy"),
    'python -c "import llrcal; llrcal.fit"': ("-c", "import llrcal; llrcal.fit"),
}


def needed(name: str, extra: str = "") -> set[str]:
    """All distributions that one needs, here: itself, and what these need."""
    found: set[str] = set()
    asked = [(name, extra)]
    while asked:
        one, its_extra = asked.pop()
        if canonicalize_name(one) in found and not its_extra:
            continue
        try:
            lines = requires(one) or []
        except PackageNotFoundError:
            continue  # on another system it would be needed
        found.add(canonicalize_name(one))
        for line in lines:
            wanted = Requirement(line)
            if wanted.marker is None or wanted.marker.evaluate({"extra": its_extra}):
                asked += [(wanted.name, each) for each in ("", *wanted.extras)]
    return found


def megabytes(names: Iterable[str]) -> float:
    """Of the files of distributions, but for compiled Python."""
    total = 0
    for name in names:
        for file in distribution(name).files or []:
            path = Path(str(file.locate()))
            if path.suffix != ".pyc" and path.is_file():
                total += path.stat().st_size
    return total / 1e6


def ours() -> float:
    """Of this package, which may be installed as a link."""
    home = Path(llrcal.__file__).parent
    files = (path for path in home.rglob("*") if path.is_file())
    kept = {".pyc", ".c", ".h"}
    return sum(path.stat().st_size for path in files if path.suffix not in kept) / 1e6


def start(arguments: tuple[str, ...]) -> float:
    """Processor time of a process, in milliseconds."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = getrusage(RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main() -> None:
    core = needed("llrcal") - {"llrcal"}
    print("| extra | MB |\n|---|---|")
    print(f"| none | {ours() + megabytes(core):.0f} |")
    for extra in EXTRAS:
        print(f"| `{extra}` | + {megabytes(needed('llrcal', extra) - core - {'llrcal'}):.0f} |")
    best = dict.fromkeys(STARTS, float("inf"))
    for _ in range(RUNS):
        for name, arguments in STARTS.items():
            best[name] = min(best[name], start(arguments))
    print("\n| | ms |\n|---|---|")
    for name, taken in best.items():
        print(f"| `{name}` | {taken:.0f} |")


if __name__ == "__main__":
    main()
