"""The core needs NumPy and SciPy alone; whatever needs more says what installs it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from llrcal.extras import EXTRA_OF

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"

# None in the table of modules makes an import fail as if the package were not installed.
WITHOUT = "import sys; sys.modules.update(dict.fromkeys({!r}))\n"
CORE = """
import numpy as np
import llrcal

rng = np.random.default_rng(1)
tar, non = rng.normal(2, 1, 300), rng.normal(-2, 1, 3000)
cal = llrcal.fit(tar, non)
cal.save("model.json")
assert (llrcal.load("model.json")(tar) == cal(tar)).all()
llrcal.evaluate(cal(tar), cal(non)).intervals(replicates=39)
llrcal.fit_all(tar, non)
llrcal.fuse(np.c_[tar, tar[::-1]], np.c_[non, non[::-1]])
llrcal.adapt(cal, non + 1, p_target=0.01, speakers=100)
llrcal.export(cal, "llr.c")
assert not {"polars", "matplotlib", "click", "rich"} & {
    name for name, module in sys.modules.items() if module
}
"""


def _run(code: str, folder: Path, *without: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT.format(without) + code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_numpy_and_scipy_are_all_that_the_core_needs(tmp_path: Path) -> None:
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    assert [Requirement(line).name for line in project["dependencies"]] == ["numpy", "scipy"]
    done = _run(CORE, tmp_path, *EXTRA_OF, "pandas")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("package", "code", "extra"),
    [
        ("polars", "llrcal.read_trials", "files"),
        ("polars", "llrcal.Trials", "files"),
        ("matplotlib", "llrcal.figures", "figures"),
    ],
)
def test_a_name_that_needs_an_extra_says_which(
    package: str, code: str, extra: str, tmp_path: Path
) -> None:
    done = _run(f"import llrcal; {code}", tmp_path, package)
    line = done.stderr.splitlines()[-1]
    assert f"needs {package}, which is not installed: pip install 'llrcal[{extra}]'" in line


@pytest.mark.parametrize("package", ["click", "rich", "polars", "matplotlib"])
def test_the_command_says_what_installs_all_it_needs(package: str, tmp_path: Path) -> None:
    code = "sys.argv[1:] = ['demo', '--out', 'out']; from llrcal.cli import main; main()"
    done = _run(code, tmp_path, package)
    needs = f"llrcal: the command needs {package}, which is not installed"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{needs}: pip install 'llrcal[cli]'\n"


def test_every_extra_is_known() -> None:
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    assert set(EXTRA_OF.values()) <= set(project["optional-dependencies"])
