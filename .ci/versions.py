"""The test suite with other versions: the lowest of every dependency, and the newest there are.

In the environment ``core`` there are only NumPy and SciPy, and pytest with what numerical tests
need: other tests are skipped (see core_only.py).

``python .ci/versions.py NAME ...`` runs it in these environments, ``all`` in every one, and
``in-turn`` in another one each day. Each has a virtual environment of its own, ``.venv-NAME``,
which is made on first use. Interpreters are found by name, or among those of pyenv; an environment
whose interpreter is not installed is skipped.
"""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
import sys
from pathlib import Path

import lowest

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENTS = {
    "core": "3.11",
    "lowest": "3.11",
    "newest-3.11": "3.11",
    "newest-3.12": "3.12",
    "newest-3.13": "3.13",
    "newest-3.14": "3.14",
}
"""The version of Python of each; that of the lowest is the lowest that pyproject.toml allows."""

MAIN = ("numpy", "scipy", "polars", "matplotlib", "click", "rich")
"""Dependencies whose versions are printed."""

CORE_TESTS = ("pytest", "pytest-xdist", "hypothesis", "mpmath", "backports.zstd")
"""What tests of the core need; installed beside it."""


def main(names: list[str]) -> int:
    """Run the suite in each environment; the number of those in which it fails."""
    available = {name: found for name in ENVIRONMENTS if (found := interpreter(ENVIRONMENTS[name]))}
    if names == ["all"]:
        names = [*ENVIRONMENTS]
    elif names == ["in-turn"]:
        # Days rather than commits: whoever runs this again meets the same failure.
        day = datetime.datetime.now(datetime.UTC).toordinal()
        names = [[*available][day % len(available)]]
        print(f"today's turn: {names[0]}, of {', '.join(available)}", flush=True)
    outcomes = {}
    for name in names:
        if name in available:
            outcomes[name] = "passes" if passes(name, available[name]) else "FAILS"
        else:
            outcomes[name] = f"skipped: there is no Python {ENVIRONMENTS[name]}"
    for name, outcome in outcomes.items():
        print(f"{name}: {outcome}")
    return list(outcomes.values()).count("FAILS")


def interpreter(version: str) -> str | None:
    """A Python of a version: by its name, or one of pyenv's; None if there is none that works."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    named = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    for program in map(str, filter(None, named)):
        done = subprocess.run([program, "-c", code], check=False, capture_output=True, text=True)
        if done.stdout.strip() == version:
            return program
    return None


def passes(name: str, program: str) -> bool:
    """Whether the suite passes in an environment, which is made, or brought up to date, first."""
    print(f"{name}: installing with {program}", flush=True)
    home = ROOT / f".venv-{name}"
    python = str(home / ("Scripts" if os.name == "nt" else "bin") / "python")
    subprocess.run([program, "-m", "venv", str(home)], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if name == "lowest":
        bounds = home / "constraints.txt"
        bounds.write_text("\n".join(lowest.constraints()), "utf-8")
        pip += ["--constraint", str(bounds)]
    else:
        pip += ["--upgrade", "--upgrade-strategy", "eager"]
    wanted = [".", *CORE_TESTS] if name == "core" else [".[test]"]
    if subprocess.run([*pip, "--editable", *wanted], check=False, cwd=ROOT).returncode:
        return False
    main = MAIN[:2] if name == "core" else MAIN
    code = "from importlib.metadata import version; print(*(f'{one} {version(one)}' for one in "
    subprocess.run([python, "-c", f"{code}{main}), sep=', ')"], check=True)
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    suite = [python, "-m", "pytest", "-n", "auto"]
    if name == "core":
        environment["PYTHONPATH"] = str(ROOT / ".ci")
        suite += ["-p", "core_only", "-r", "fE"]
    return subprocess.run(suite, check=False, cwd=ROOT, env=environment).returncode == 0


if __name__ == "__main__":
    if not sys.argv[1:] or {*sys.argv[1:]} - {*ENVIRONMENTS, "all", "in-turn"}:
        sys.exit(f"name some of: {', '.join(ENVIRONMENTS)}; or all, or in-turn")
    sys.exit(main(sys.argv[1:]))
