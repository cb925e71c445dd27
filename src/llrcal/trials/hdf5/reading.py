"""Matrices of scores and of keys as tables: the cells with trials, and the ids of both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools
from llrcal.errors import TrialFileError
from llrcal.messages import Message, Setting
from llrcal.trials.hdf5.container import Container, opened
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.table import Table

_PIECE = 2**22  # cells that are looked at at once,
_LARGEST_PIECE = 2**27  # or so many, where chunks are as large

_SCORES = ("scores", "score_mask")
_KEY, _OLD_KEY = ("trial_mask",), ("target_mask", "nontarget_mask")
_VALUES = {"trial_mask": (1, -1, 0), **dict.fromkeys(("score_mask", *_OLD_KEY), (1, 0))}
_IDS = {"BOSARIS": ("ID/row_ids", "ID/column_ids"), "SIDEKIT": ("modelset", "segset")}


def read_hdf5(path: str, request: Request) -> Table:
    """The trials of a file of scores, a key, or both in one, row by row."""
    with opened(path) as file:
        kinds = {"scores": _SCORES, "key": _KEY, "old key": _OLD_KEY}
        found = {what: names for what, names in kinds.items() if file.has(names[0])}
        if not found:
            raise file.error(
                f"holds {file.contents()}; expected scores and score_mask, or trial_mask, as "
                "BOSARIS and SIDEKIT write them"
            )
        if {"key", "old key"} <= found.keys():
            raise file.error("has a trial_mask and a target_mask; remove one of the two keys")
        matrices = {name: _matrix(file, name) for names in found.values() for name in names}
        who, ids, is_transposed, pairs = _read_sides(file, matrices)
        frame = _cells(file, matrices, ids, is_transposed=is_transposed)
        if "score" in frame.columns:
            _refuse_unusable(file, frame, request)
        if "label" in frame.columns:
            frame = frame.with_columns((pl.col("label") == 1).cast(pl.Int8))
            if "key" in found and frame["label"].min() == 1:
                _refuse_index(file, matrices["trial_mask"])
    reading = f"{who} {' and '.join(found)} (HDF5), {pairs}"
    for role, needed in (("score", request.needs_score), ("label", request.needs_label)):
        if needed and role not in frame.columns:
            hint: Message = ("is this the key?",)
            if role == "label" and request.contents == "trials":
                hint = ("give a key: ", Setting("key", "FILE"))
            raise TrialFileError(f"{path}: {reading}: has no {role}s; ", *hint)
    return Table(frame, path, reading)


def _matrix(file: Container, name: str) -> Any:
    """A matrix of usual numbers."""
    import h5py

    found = file.dataset(name)
    # Numbers whose bits are laid out in a way of their own can make HDF5 write past its buffers.
    usual = h5py.h5t.py_create(found.dtype)
    kinds = "fiu" if name == "scores" else "fiub"
    if found.dtype.kind not in kinds or not found.id.get_type().equal(usual):
        raise file.error(f"{name} has type {found.dtype}; expected a matrix of usual numbers")
    return found


# ---------------------------------------------------------------- cells


def _cells(
    file: Container,
    matrices: Mapping[str, Any],
    ids: Mapping[str, pl.Series],
    *,
    is_transposed: bool,
) -> pl.DataFrame:
    """The cells with trials: their ids, and ``score``, ``label`` (a mark) or both."""
    found = []
    for part in pieces(*matrices.values()):
        # In two dimensions even where MATLAB wrote a vector.
        size = part.stop - part.start
        arrays = {name: np.asarray(each[part]).reshape(size, -1) for name, each in matrices.items()}
        here, columns = _trials(file, arrays)
        i, j = np.nonzero(here)
        places = (i + part.start).astype(np.uint32), j.astype(np.uint32)
        sides = zip(ids, places[::-1] if is_transposed else places, strict=True)
        found.append(pl.DataFrame({**dict(sides), **columns}))
    cells = pl.concat(found)
    if not len(cells):
        raise file.error("holds no trials")
    if is_transposed:
        cells = cells.sort("enrol", maintain_order=True)
    return cells.with_columns(names.gather(cells[side]).alias(side) for side, names in ids.items())


def _trials(file: Container, arrays: dict[str, Array]) -> tuple[Bools, dict[str, Array]]:
    """Where there are trials in a piece of all matrices, and their scores and marks."""
    for name, allowed in _VALUES.items():
        if name in arrays:
            _refuse_others(file, name, arrays[name], allowed)
    if "target_mask" in arrays:
        targets, nontargets = (arrays[name].astype(np.int8) for name in _OLD_KEY)
        if both := np.count_nonzero(targets & nontargets):
            raise file.error(
                f"{both} trials are both target and non-target; repair target_mask or "
                "nontarget_mask"
            )
        arrays["trial_mask"] = targets - nontargets
    places = [arrays[name] != 0 for name in ("score_mask", "trial_mask") if name in arrays]
    if not np.array_equal(places[0], places[-1]):
        raise file.error("has scores for some trials and labels for others; make two files of it")
    columns = {
        role: arrays[name][places[0]]
        for role, name in (("score", "scores"), ("label", "trial_mask"))
        if name in arrays
    }
    if "score" in columns:
        with np.errstate(over="ignore"):  # too large for a double: infinite, and treated as such
            columns["score"] = columns["score"].astype(np.float64)
    return places[0], columns


def _refuse_others(file: Container, name: str, values: Array, allowed: Sequence[int]) -> None:
    """Refuse a mask with values that mean nothing."""
    is_other = np.ones(values.shape, bool)
    for value in allowed:
        is_other &= values != value
    if is_other.any():
        words = ", ".join(map(str, allowed))
        raise file.error(f"{name} holds {values[is_other][0]}; expected {words} only")


def pieces(*matrices: Any) -> Iterator[slice]:
    """Matrices of one shape in pieces along their first dimension.

    Chunks are not cut if that can be helped, since each piece would have to unpack them again.
    """
    height, *widths = matrices[0].shape
    width = max([1, *widths])
    chunk = max(matrix.chunks[0] if matrix.chunks else 1 for matrix in matrices)
    step = chunk * max(1, -(-_PIECE // (chunk * width)))
    step = min(step, max(1, _LARGEST_PIECE // width))
    for start in range(0, height, step):
        yield slice(start, min(start + step, height))


def _refuse_unusable(file: Container, frame: pl.DataFrame, request: Request) -> None:
    """Refuse scores that are not numbers."""
    values = frame["score"].to_numpy()
    bad = request.unusable(values)
    if bad.any():
        first = int(np.argmax(bad))
        what = "NaN" if request.allow_infinite else "not finite"
        raise file.error(
            f"{int(bad.sum()):,} of {len(frame):,} scores are {what}; the first is "
            f"{values[first]}, of {' / '.join(frame.row(first)[:2])}. Repair them, or set "
            "score_mask to 0 there",
            *(TO_DROP_NAN if np.isnan(values[first]) else ()),
        )


def _refuse_index(file: Container, key: Any) -> None:
    """Refuse marks of targets alone, which may be those of trials in an index.

    Only BOSARIS's keys name their format.
    """
    if key.dtype.kind in "ub":
        raise file.error(
            "is an index (Ndx): it says which trials there are, not which of them are targets; "
            "give the key instead"
        )
    if not file.has("file_format"):
        raise file.error(
            "its trial_mask holds 1 and 0 only: it is an index (Ndx) without labels, or a key "
            "without non-targets; give a key that marks them by -1"
        )


# ---------------------------------------------------------------- ids


def _read_sides(
    file: Container, matrices: Mapping[str, Any]
) -> tuple[str, dict[str, pl.Series], bool, str]:
    """Whose convention the ids follow, the ids, whether matrices lie across, and how many."""
    found = [who for who, (name, _) in _IDS.items() if file.has(name)]
    if len(found) != 1:
        raise file.error(
            f"has {'two kinds of' if found else 'no'} ids: expected ID/row_ids and ID/column_ids "
            f"(BOSARIS), or modelset and segset (SIDEKIT); it holds {file.contents()}"
        )
    (who,) = found
    row_ids, column_ids = _IDS[who]
    if file.has("segest"):  # as early versions of SIDEKIT spelt it in files of scores
        column_ids = "segest"
    ids = {"enrol": _ids(file, row_ids), "test": _ids(file, column_ids)}
    rows, columns = map(len, ids.values())
    # To MATLAB, a matrix of one row or column may be a vector.
    shapes = {(*matrix.shape, 1)[: max(2, matrix.ndim)] for matrix in matrices.values()}
    shape = next(iter(shapes))
    if len(shapes) > 1 or shape not in {(rows, columns), (columns, rows)}:
        raise file.error(
            f"its matrices have the shapes {' and '.join(map(str, sorted(shapes)))}, and there are "
            f"{rows} {row_ids} and {columns} {column_ids}; write the file again"
        )
    is_transposed = shape != (rows, columns)
    remark = " (stored transposed)" if is_transposed and min(shape) > 1 else ""
    if rows == columns > 1:
        # BOSARIS (which has MATLAB swap the dimensions), SIDEKIT and hyperion write a row for each
        # row id. MATLAB's and Julia's own functions turn matrices around; they leave a mark, or
        # write lists in two dimensions.
        marked = any("MATLAB_class" in matrix.attrs for matrix in matrices.values())
        if marked or file.dataset(row_ids).ndim == 2 or file.dataset(column_ids).ndim == 2:
            raise file.error(
                f"its matrix is square, {shape}, and not as BOSARIS, SIDEKIT or hyperion write it, "
                f"so that its rows may be {row_ids} or {column_ids}; write it with one of these "
                "programs, or as text"
            )
        remark = " (a square: its rows are taken for the models)"
    return who, ids, is_transposed, f"{rows:,} x {columns:,} pairs{remark}"


def _ids(file: Container, name: str) -> pl.Series:
    import h5py

    found = file.dataset(name)
    text = h5py.check_string_dtype(found.dtype)
    if text is None:
        raise file.error(f"{name} has type {found.dtype}; expected text")
    if text.length is None:
        file.refuse_broken_heaps()
    ids = pl.Series([one.decode() for one in found[()].ravel().tolist()], dtype=pl.String)
    if len(twice := ids.filter(ids.is_duplicated())):
        raise file.error(f"{name} holds {twice[0]!r:.60} more than once; rename or merge its ids")
    return ids
