"""Matrices of scores and of keys: the ids of their rows and columns, and the cells with trials."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools
from llrcal.trials.hdf5.container import Container, visible
from llrcal.trials.request import TO_DROP_NAN, Request

LONGEST_ID = 2**12  # bytes
_MOST_IDS = 2**22
_PIECE = 2**22  # cells that are looked at at once,
_LARGEST_PIECE = 2**27  # or so many, where chunks are as large


@dataclass(frozen=True)
class Sides:
    """The ids along both sides of a matrix, and how the matrix lies in the file."""

    enrol: pl.Series
    test: pl.Series
    transposed: bool
    remark: str

    def __str__(self) -> str:
        return f"{len(self.enrol):,} x {len(self.test):,} pairs{self.remark}"

    def pair(self, cells: pl.DataFrame, i: int) -> str:
        """The ids of a cell, for messages."""
        enrol, test = self.enrol[int(cells["row"][i])], self.test[int(cells["column"][i])]
        return f"{visible(enrol)} / {visible(test)}"


def matrix(file: Container, name: str, *, kinds: str = "iufb") -> Any:
    """A matrix of usual numbers."""
    import h5py

    found = file.dataset(name)
    # Numbers whose bits are laid out in a way of their own can make HDF5 write past its buffers.
    usual = h5py.h5t.py_create(found.dtype)
    if found.dtype.kind not in kinds or not found.id.get_type().equal(usual):
        raise file.error(
            f"{name} has type {visible(str(found.dtype))}; expected a matrix of usual numbers"
        )
    if len(found.shape or ()) not in {1, 2}:
        raise file.error(f"{name} has shape {found.shape}; expected a matrix")
    return found


def score_cells(
    file: Container, matrices: tuple[Any, ...], sides: Sides, request: Request
) -> pl.DataFrame:
    """Every score, once it is certain that it is a number, in the column ``score``.

    The matrices are the scores, and the mask that says where there are any.
    """

    def chosen(values: Array, flags: Array) -> tuple[Bools, Array]:
        here = _flags(flags, "score_mask", file)
        with np.errstate(over="ignore"):  # too large for a double: infinite, and treated as such
            return here, values[here].astype(np.float64)

    found = _cells(file, sides, matrices, chosen).rename({"value": "score"})
    values = found["score"].to_numpy()
    bad = request.unusable(values)
    if bad.any():
        first = int(np.argmax(bad))
        what = "NaN" if request.allow_infinite else "not finite"
        raise file.error(
            f"{int(bad.sum()):,} of {len(found):,} scores are {what}; the first is "
            f"{values[first]}, of {sides.pair(found, first)}. Repair them, or set score_mask to 0 "
            "there",
            *(TO_DROP_NAN if np.isnan(values[first]) else ()),
        )
    return found


def label_cells(file: Container, key: tuple[Any, ...], sides: Sides) -> pl.DataFrame:
    """Every label, True for targets, in the column ``label``.

    The key is one matrix of marks (1, -1 and 0), or one of targets and one of non-targets.
    """

    def chosen(*parts: Array) -> tuple[Bools, Array]:
        if len(parts) == 1:
            here = parts[0] != 0
            return here, parts[0][here]
        targets, nontargets = (
            _flags(part, name, file)
            for part, name in zip(parts, ("target_mask", "nontarget_mask"), strict=True)
        )
        here = targets | nontargets
        return here, targets[here].astype(np.int8) - nontargets[here]  # 0 where it is both

    found = _cells(file, sides, key, chosen)
    marks = found["value"].to_numpy()
    targets = marks == 1
    bad = ~(targets | (marks == -1))
    if bad.any():
        first = int(np.argmax(bad))
        if len(key) == 1:
            raise file.error(f"trial_mask holds {marks[first]}; expected 1, -1 and 0 only")
        raise file.error(
            f"{sides.pair(found, first)} is both a target and a non-target; repair target_mask or "
            "nontarget_mask"
        )
    if len(key) == 1 and targets.all():
        _check_that_targets_are_meant(file, key[0])
    return found.drop("value").with_columns(label=targets)


def _check_that_targets_are_meant(file: Container, marks: Any) -> None:
    """An index marks trials as a key marks targets; only BOSARIS's keys name their format."""
    if marks.dtype.kind in "ub":
        raise file.error(
            "is an index (Ndx): it says which trials there are, not which of them are targets; "
            "give the key instead"
        )
    if not file.has("file_format"):
        raise file.error(
            "its trial_mask holds 1 and 0 only: it is an index (Ndx) without labels, or a key "
            "without non-targets; give a key that marks them by -1"
        )


def _flags(values: Array, name: str, file: Container) -> Bools:
    flags = np.asarray(values == 1)
    if not (good := flags | (values == 0)).all():
        raise file.error(f"{name} holds {values[~good][0]}; expected 1 and 0 only")
    return flags


def _cells(
    file: Container,
    sides: Sides,
    matrices: tuple[Any, ...],
    chosen: Callable[..., tuple[Bools, Array]],
) -> pl.DataFrame:
    """The cells that ``chosen`` finds in each piece: ``row``, ``column`` and ``value``."""
    found = []
    for part in pieces(*matrices):
        # In two dimensions even where MATLAB wrote a vector.
        arrays = (np.asarray(each[part]).reshape(part.stop - part.start, -1) for each in matrices)
        here, values = chosen(*arrays)
        i, j = np.nonzero(here)
        places = (i + part.start).astype(np.uint32), j.astype(np.uint32)
        rows, columns = places[::-1] if sides.transposed else places
        found.append(pl.DataFrame({"row": rows, "column": columns, "value": values}))
    cells = pl.concat(found)
    if not len(cells):
        raise file.error("holds no trials")
    return cells.sort("row", maintain_order=True) if sides.transposed else cells


def pieces(*matrices: Any) -> Iterator[slice]:
    """Matrices of one shape in pieces along their first dimension.

    Chunks are not cut if that can be helped, since each piece would have to unpack them again.
    """
    first = matrices[0]
    height, width = first.shape[0], first.shape[1] if first.ndim == 2 else 1
    chunk = max(matrix.chunks[0] if matrix.chunks else 1 for matrix in matrices)
    step = chunk * max(1, -(-_PIECE // (chunk * width)))
    step = min(step, max(1, _LARGEST_PIECE // width))
    for start in range(0, height, step):
        yield slice(start, min(start + step, height))


def read_sides(file: Container, matrices: tuple[Any, ...]) -> tuple[str, Sides]:
    """Whose convention the ids follow, and the ids and orientation of matrices of one shape."""
    bosaris, sidekit = file.has("ID/row_ids"), file.has("modelset")
    if bosaris and sidekit:
        raise file.error(
            "has the ids of BOSARIS (ID/row_ids) and those of SIDEKIT (modelset); remove one"
        )
    if bosaris:
        who, names = "BOSARIS", ("ID/row_ids", "ID/column_ids")
    elif sidekit:  # whose early versions misspelt the second in files of scores
        who, names = "SIDEKIT", ("modelset", "segest" if file.has("segest") else "segset")
    else:
        raise file.error(
            "has no ids: expected ID/row_ids and ID/column_ids (BOSARIS), or modelset and segset "
            f"(SIDEKIT); it holds {file.contents()}"
        )
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
        return who, Sides(enrol, test, transposed=False, remark=remark)
    lies_across = height != rows
    remark = " (stored transposed)" if lies_across and min(height, width) > 1 else ""
    return who, Sides(enrol, test, lies_across, remark)


def _is_foreign(file: Container, names: tuple[str, str], matrices: tuple[Any, ...]) -> bool:
    """Whether another program than the usual three seems to have written the file.

    BOSARIS (which has MATLAB swap the dimensions), SIDEKIT and hyperion write a row for each row
    id, so that a square of theirs can be read. MATLAB's and Julia's own functions turn matrices
    around; they leave a mark, or write lists in two dimensions.
    """
    marked = any("MATLAB_class" in matrix.attrs for matrix in matrices)
    return marked or any(file.dataset(name).ndim == 2 for name in names)


def _ids(file: Container, name: str) -> pl.Series:
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
        file.refuse_broken_heaps()
    raw: list[bytes] = found[()].ravel().tolist()
    out = pl.Series([_id(one, i, name, file) for i, one in enumerate(raw, 1)])
    if out.n_unique() < len(out):
        twice = out.filter(out.is_duplicated()).unique(maintain_order=True)
        shown = ", ".join(visible(one) for one in twice.head(3))
        raise file.error(
            f"{len(twice)} of the ids in {name} occur more than once ({shown}); rename or "
            "merge them"
        )
    return out


def _id(raw: bytes, number: int, name: str, file: Container) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = ""
    if not text or "\0" in text:
        raise file.error(
            f"id {number} in {name} is empty, is not UTF-8, or has a NUL byte in it: "
            f"{raw[:40]!r}; write the file again"
        )
    return text
