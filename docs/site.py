"""Builds the documentation site; run by `make site`: ``python docs/site.py FOLDER``.

Sphinx writes pages of its own beside those that it reads, so that it is given a copy of them, and
the report of a small comparison. Warnings are errors.
"""

from __future__ import annotations

import gc
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Literal

from sphinx.cmd.build import build_main

import llrcal
from llrcal.method_table import ALPHAS, methods_to_compare
from llrcal.report import build_report

ROOT = Path(__file__).resolve().parents[1]


def build(folder: Path) -> int:
    """Build the site into a folder, which is emptied before; zero if all went well."""
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made:
        copy = Path(made)
        for name in ("docs", "examples"):
            shutil.copytree(ROOT / name, copy / name)
        for name in ("CHANGELOG.md", "README.md"):
            shutil.copy(ROOT / name, copy)
        write_report(copy / "docs" / "extra" / "demo")
        strict = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet"]
        cache = ["--doctree-dir", str(copy / "doctrees")]
        return int(build_main([*strict, *cache, str(copy / "docs"), str(folder)]))


def write_report(folder: Path) -> None:
    """What ``llrcal demo`` would write, of fewer trials."""
    sides: tuple[Literal["train", "test"], ...] = ("train", "test")
    both = [llrcal.simulate(targets=1_000, nontargets=20_000, condition=side) for side in sides]
    methods = methods_to_compare(ALPHAS, ["log"])
    comparison = llrcal.compare(*both, methods=methods, replicates=100)
    folder.mkdir(parents=True)
    (folder / "report.html").write_text(build_report(comparison, folder="results"), "utf-8")


if __name__ == "__main__":
    # A fifth of the time would go to looking for garbage among what is needed to the end.
    gc.freeze()
    gc.disable()
    sys.exit(build(Path(sys.argv[1])))
