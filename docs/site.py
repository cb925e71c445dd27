"""Builds the documentation site; run by `make site`: ``python docs/site.py FOLDER``.

Sphinx writes pages of its own beside those that it reads, so that it is given a copy of them.
Warnings are errors.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from sphinx.cmd.build import build_main

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
        strict = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet"]
        cache = ["--doctree-dir", str(copy / "doctrees")]
        return int(build_main([*strict, *cache, str(copy / "docs"), str(folder)]))


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1])))
