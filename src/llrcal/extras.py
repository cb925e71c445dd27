"""Packages that only parts of llrcal need, and the extra that installs each."""

from __future__ import annotations

EXTRA_OF = {
    "polars": "files",
    "matplotlib": "figures",
    "click": "cli",
    "rich": "cli",
    "backports": "zstd",
    "dask": "dask",
    "distributed": "dask",
    "h5py": "hdf5",
    "onnx": "onnx",
    "openpyxl": "excel",
    "pyarrow": "parquet",
    "sklearn": "sklearn",
    "torch": "gpu",
}


def how_to_install(package: str, *, extra: str | None = None) -> str:
    """That a package is missing, and what installs it."""
    extra = extra or EXTRA_OF[package]
    return f"{package}, which is not installed: pip install 'llrcal[{extra}]'"


def missing_extra(problem: ImportError) -> str | None:
    """The package that an import did not find, if an extra installs it."""
    package = (problem.name or "").partition(".")[0]
    return package if package in EXTRA_OF else None
