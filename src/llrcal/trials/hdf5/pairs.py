"""The ids of the rows and columns of matrices in an HDF5 file, and which are the models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from llrcal.trials.hdf5.container import Container, visible
from llrcal.trials.hdf5.heap import heap_texts

LONGEST_ID = 2**12  # bytes
_MOST_IDS = 2**22


@dataclass(frozen=True)
class Pairs:
    """The ids along both sides of a matrix, and how the matrix lies in the file."""

    enrol: pl.Series
    test: pl.Series
    transposed: bool
    remark: str

    def __str__(self) -> str:
        return f"{len(self.enrol):,} x {len(self.test):,} pairs{self.remark}"

    def name(self, row: int, column: int) -> str:
        return f"{visible(self.enrol[int(row)])} / {visible(self.test[int(column)])}"


def read_pairs(file: Container, names: tuple[str, str], matrices: tuple[Any, ...]) -> Pairs:
    """The ids of matrices that belong together, and their orientation."""
    shapes = {matrix.shape for matrix in matrices}
    if len(shapes) > 1:
        raise file.error(
            f"its matrices have the shapes {' and '.join(map(str, sorted(shapes)))}, and should "
            "have the same; write the file again"
        )
    shape = shapes.pop()
    enrol, test = (_ids(file, name) for name in names)
    rows, columns = len(enrol), len(test)
    # To MATLAB, a matrix of one row or column may be a vector.
    height, width = shape if len(shape) == 2 else (*shape, 1)
    if (height, width) not in {(rows, columns), (columns, rows)}:
        raise file.error(
            f"its matrix has shape {shape}, but there are {rows} {names[0]} and {columns} "
            f"{names[1]}; write the file again"
        )
    if rows == columns > 1:
        if _is_foreign(file, names, matrices):
            raise file.error(
                f"its matrix is square, {shape}, and not as BOSARIS, SIDEKIT or hyperion write it, "
                f"so that its rows may be {names[0]} or {names[1]}; write it with one of these "
                "programs, or as text"
            )
        remark = " (a square: its rows are taken for the models)"
        return Pairs(enrol, test, transposed=False, remark=remark)
    lies_across = height != rows
    remark = " (stored transposed)" if lies_across and min(height, width) > 1 else ""
    return Pairs(enrol, test, lies_across, remark)


def _is_foreign(file: Container, names: tuple[str, str], matrices: tuple[Any, ...]) -> bool:
    """Whether another program than the usual three seems to have written the file.

    BOSARIS (which has MATLAB swap the dimensions), SIDEKIT and hyperion write a row for each row
    id, so that a square of theirs can be read. MATLAB's and Julia's own functions turn matrices
    around; they leave a mark, or write lists in two dimensions.
    """
    marked = any("MATLAB_class" in matrix.attrs for matrix in matrices)
    return marked or any(file.dataset(name).ndim == 2 for name in names)


def _ids(file: Container, name: str) -> pl.Series:
    out = pl.Series([_id(raw, i, name, file) for i, raw in enumerate(_raw_ids(file, name))])
    if out.n_unique() < len(out):
        twice = out.filter(out.is_duplicated()).unique(maintain_order=True)
        shown = ", ".join(visible(one) for one in twice.head(3))
        raise file.error(
            f"{len(twice)} of the ids in {name} occur more than once ({shown}); rename or "
            "merge them"
        )
    return out


def _raw_ids(file: Container, name: str) -> list[bytes]:
    import h5py

    found = file.dataset(name)
    text = h5py.check_string_dtype(found.dtype)
    if text is None:
        raise file.error(f"{name} has type {visible(str(found.dtype))}; expected text")
    shape = found.shape or ()
    if len(shape) not in {1, 2} or sorted(shape)[:-1] not in ([], [1]):
        raise file.error(f"{name} has shape {shape}; expected one list of ids")
    if max(shape) > _MOST_IDS or (text.length or 0) > LONGEST_ID:
        raise file.error(f"{name} holds more or longer ids than can be read")
    if not max(shape):
        raise file.error(f"{name} is empty")
    if text.length is None:
        return heap_texts(file, found, longest=LONGEST_ID)
    ids: list[bytes] = found[()].ravel().tolist()
    return ids


def _id(raw: bytes, i: int, name: str, file: Container) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise file.error(
            f"id {i + 1} in {name} is not UTF-8: {raw[:40]!r}; write the file again"
        ) from None
    if not text or "\0" in text:
        raise file.error(
            f"id {i + 1} in {name} is empty or has a NUL byte in it; write the file again"
        )
    return text
