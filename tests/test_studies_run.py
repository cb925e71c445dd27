"""Studies are run each in a process of its own; one that fails or is skipped harms no other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from studies import pictures

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ("__init__", "__main__", "catalogue", "measure", "pages", "pictures", "records")
TOYS = {
    "good": "from studies import helper\nprint(f'| n |\\n|---|\\n| {helper.N} |')",
    "silent": "print('no table')",
    "broken": "raise ValueError('broken')",
    "edited": (
        "from pathlib import Path\n"
        "from studies import helper\n"
        "Path(helper.__file__).write_text('N = 2\\n')\n"
        "print('| n |\\n|---|\\n| 1 |')"
    ),
}
CATALOGUE = """
STUDIES = {
    "broken": Study("Broken?", "broken", 3),
    "silent": Study("Silent?", "silent", 2),
    "good": Study("Good?", "good", 1),
    "skipped": Study("Skipped?", "good", 1, "scores"),
    "edited": Study("Edited?", "edited", 1, alone=True),
    "long": Study("Long?", "broken", 60, by_name=True),
}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a few studies."""
    home = tmp_path / "checkout"
    studies, data = home / "studies", home / "docs" / "studies" / "data"
    for folder in (studies, data, home / "docs" / "figures"):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / pictures.OUTPUTS, home / pictures.OUTPUTS)
    for name in PROGRAM:
        shutil.copy(ROOT / "studies" / f"{name}.py", studies)
    with (studies / "catalogue.py").open("a") as file:
        file.write(CATALOGUE)
    for name, code in {**TOYS, "helper": "N = 1"}.items():
        (studies / f"{name}.py").write_text(f"{code}\n")
    (home / "README.md").write_text("One is 1<!-- good 1 | 1 | n -->.\n")
    (home / ".gitignore").write_text("__pycache__/\n")
    for name in ("silent", "skipped"):
        (data / f"{name}.json").write_text("as it was")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "Toys"]):
        subprocess.run([*git, *words], cwd=home, check=True)
    return home


def studies(checkout: Path, *words: str) -> tuple[int, str]:
    """The exit code of ``python -m studies``, and what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "studies", *words],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def record(checkout: Path, name: str) -> dict[str, Any]:
    text = (checkout / "docs" / "studies" / "data" / f"{name}.json").read_text()
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.slow
def test_one_that_fails_stops_no_other(checkout: Path) -> None:
    code, printed = studies(checkout, "run", "--jobs", "2")
    assert code == 1
    lines = printed.splitlines()
    assert lines[0].startswith("skipped is skipped: there are no real scores")
    assert lines[1] == "4 studies, about 4 minutes"  # three minutes beside the others, then one
    ended = [line for line in lines if line.startswith("[")]
    assert [line.split()[0] for line in ended] == ["[1", "[2", "[3", "[4"]
    assert ended[-1].startswith("[4 of 4] edited: 0.")
    assert ended[-1].endswith("about 0 left")
    assert sorted(lines[-2:]) == [
        "broken failed: studies.broken ended with code 1",
        "silent failed: studies.silent printed no table",
    ]
    data = checkout / "docs" / "studies" / "data"
    assert {path.stem for path in data.iterdir()} == {"good", "edited", "silent", "skipped"}
    for name in ("silent", "skipped"):
        assert (data / f"{name}.json").read_text() == "as it was"
    good = record(checkout, "good")
    assert good["command"] == "python -m studies.good"
    assert good["tables"] == [{"columns": ["n"], "rows": [["1"]]}]
    assert sorted(good["code"]) == ["studies/good.py", "studies/helper.py"]
    assert good["commit"]
    assert not good["commit"].endswith("-dirty")


@pytest.mark.slow
def test_the_code_is_that_of_the_start(checkout: Path) -> None:
    assert studies(checkout, "run", "edited")[0] == 0
    assert not record(checkout, "edited")["commit"].endswith("-dirty")
    for name in ("silent", "skipped"):
        (checkout / "docs" / "studies" / "data" / f"{name}.json").unlink()
    code, printed = studies(checkout, "check")
    assert code == 1
    assert "edited is out of date: studies/helper.py changed since it was run" in printed
    assert "good was never run" in printed
    assert studies(checkout, "run", "good")[0] == 0
    assert record(checkout, "good")["commit"].endswith("-dirty")
    code, printed = studies(checkout, "fill")
    assert (code, "README.md written" in printed) == (1, False)  # there is no row 1: it prints 2
