"""Constraints for the lowest version of each dependency that pyproject.toml allows."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
EXTRAS = (
    "files",
    "figures",
    "cli",
    "parquet",
    "hdf5",
    "sklearn",
    "dask",
    "excel",
    "onnx",
    "zstd",
    "test",
)
# What these need in turn may be newer than they are, and too new for them.
OTHERS = ("pyparsing<3.2",)  # deprecates names that matplotlib 3.10 uses


def constraints() -> Iterator[str]:
    """Lines of a file of constraints."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    for line in (*project["dependencies"], *(line for name in EXTRAS for line in extras[name])):
        requirement = Requirement(line)
        for bound in requirement.specifier:
            if bound.operator == ">=":
                yield f"{requirement.name}=={bound.version}"
    yield from OTHERS


if __name__ == "__main__":
    print("\n".join(constraints()))
