"""Scores and keys as HDF5, the way BOSARIS, SIDEKIT and hyperion keep them.

All of them hold matrices with a row for each model and a column for each test segment: ``scores``
and ``score_mask`` (1 where there is one), or ``trial_mask`` (1 for targets, -1 for non-targets, 0
where there is no trial). BOSARIS and hyperion keep the ids of both in ``ID/row_ids`` and
``ID/column_ids``, SIDEKIT in ``modelset`` and ``segset``.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import LlrcalError, TrialFileError
from llrcal.files.atomic import atomic_file
from llrcal.messages import Message, Setting
from llrcal.trials.joining import examples
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.source import refuse_swelling
from llrcal.trials.table import Table

_IDS = {"BOSARIS": ("ID/row_ids", "ID/column_ids"), "SIDEKIT": ("modelset", "segset")}
_SIDES = ["enrol", "test"]
_PIECE = 2**22  # cells that are looked at at once, unless a chunk has more
_LARGEST_RATIO = 1000  # of values to file, in bytes: a matrix of zeros shrinks by as much
_MOST_CELLS = 2**28  # that are written: two gigabytes of scores
_LONGEST_ID = 2**12  # bytes


def _h5py(name: str) -> Any:
    """The module h5py, which need not be installed."""
    try:
        import h5py
    except ImportError as problem:
        raise TrialFileError(
            f'{name}: HDF5 files need h5py, which is not installed: pip install "llrcal[hdf5]"'
        ) from problem
    return h5py


@contextmanager
def _opened(name: str) -> Iterator[Any]:
    """A file to read from; errors of h5py become a TrialFileError."""
    try:
        with _h5py(name).File(name, "r") as root:
            yield root
    except LlrcalError:
        raise
    except Exception as problem:  # over damaged files h5py raises errors of many types
        raise TrialFileError(
            f"{name}: cannot be read as HDF5 ({problem}); copy or write the file again"
        ) from problem


def _dataset(root: Any, path: str) -> Any:
    """A dataset of this file, which claims no more than the file can hold."""
    name, found = root.filename, root.get(path)
    if not hasattr(found, "shape"):
        raise TrialFileError(f"{name}: has no dataset {path}; it holds {_contents(root)}")
    if found.file.filename != name or found.is_virtual or found.external:
        raise TrialFileError(
            f"{name}: {path} lies in other files, which are not read; copy it into this one"
        )
    claimed = math.prod(found.shape or ()) * found.id.get_type().get_size()
    hint = f"{path} is damaged, or larger than can be read"
    refuse_swelling(name, root.id.get_filesize(), claimed, _LARGEST_RATIO, hint)
    return found


def _contents(root: Any) -> str:
    return ", ".join([*root][:12]) or "nothing"


def read_datasets(path: str) -> dict[str, Array]:
    """Every dataset at the top of a file, by name."""
    with _opened(path) as root:
        names = [name for name in root if hasattr(root.get(name), "shape")]
        return {name: _as_array(_dataset(root, name)) for name in names}


def _as_array(dataset: Any) -> Array:
    array = np.asarray(dataset[()])
    if array.dtype.kind != "O":
        return array
    texts = [one.decode() if isinstance(one, bytes) else str(one) for one in array.ravel()]
    return np.array(texts).reshape(array.shape)


# ---------------------------------------------------------------- reading


def read_hdf5(path: str, request: Request) -> Table:
    """The trials of a file of scores, a key, or both in one, row by row."""
    with _opened(path) as root:
        kinds = {"scores": ("scores", "score_mask"), "key": ("trial_mask",)}
        kinds = {kind: names for kind, names in kinds.items() if names[0] in root}
        if not kinds:
            raise TrialFileError(
                f"{path}: holds {_contents(root)}; expected scores and score_mask, or trial_mask, "
                "as BOSARIS and SIDEKIT write them"
            )
        matrices = {name: _matrix(root, name) for names in kinds.values() for name in names}
        who, ids, is_transposed, remark = _sides(root, matrices)
        cells = pl.concat(_cells(path, part) for part in _pieces(matrices))
        has_format = "file_format" in root
    if not len(cells):
        raise TrialFileError(f"{path}: holds no trials")
    enrol, test = ("column", "row") if is_transposed else ("row", "column")
    cells = cells.sort(enrol, test) if is_transposed else cells
    frame = cells.select(
        ids["enrol"].gather(cells[enrol]).alias("enrol"),
        ids["test"].gather(cells[test]).alias("test"),
        pl.exclude("row", "column"),
    )
    if "score" in frame.columns:
        _refuse_unusable(path, frame, request)
    if "label" in frame.columns:
        if not has_format and (frame["label"] == 1).all():  # of BOSARIS's files, keys name theirs
            raise TrialFileError(
                f"{path}: its trial_mask holds 1 and 0 only: it is an index (Ndx) without labels, "
                "or a key without non-targets; give a key that marks them by -1"
            )
        frame = frame.with_columns((pl.col("label") == 1).cast(pl.Int8))
    reading = f"{who} {' and '.join(kinds)} (HDF5), {len(ids['enrol']):,} x {len(ids['test']):,} "
    reading += f"pairs{remark}"
    for role in request.needed:
        if role not in frame.columns:
            hint: Message = ("is this the key?",)
            if role == "label" and request.contents == "trials":
                hint = ("give a key: ", Setting("key", "FILE"))
            raise TrialFileError(f"{path}: {reading}: has no {role}s; ", *hint)
    return Table(frame, path, reading)


def _matrix(root: Any, name: str) -> Any:
    found = _dataset(root, name)
    if found.dtype.kind not in ("fiu" if name == "scores" else "fiub"):
        raise TrialFileError(f"{root.filename}: {name} has type {found.dtype}; expected numbers")
    return found


def _sides(root: Any, matrices: Mapping[str, Any]) -> tuple[str, dict[str, pl.Series], bool, str]:
    """Whose convention the ids follow, the ids, whether matrices lie across, and a remark."""
    known = [who for who, (rows, _) in _IDS.items() if rows in root]
    if len(known) != 1:
        raise TrialFileError(
            f"{root.filename}: has {'two kinds of' if known else 'no'} ids: expected ID/row_ids "
            f"and ID/column_ids (BOSARIS), or modelset and segset (SIDEKIT); it holds "
            f"{_contents(root)}"
        )
    row_ids, column_ids = _IDS[known[0]]
    if "segest" in root:  # as early versions of SIDEKIT spelt it in files of scores
        column_ids = "segest"
    ids = {"enrol": _ids(root, row_ids), "test": _ids(root, column_ids)}
    rows, columns = map(len, ids.values())
    # To MATLAB, a matrix of one row or column may be a vector.
    shapes = {(*matrix.shape, 1)[: max(2, matrix.ndim)] for matrix in matrices.values()}
    shape = next(iter(shapes))
    if len(shapes) > 1 or shape not in {(rows, columns), (columns, rows)}:
        raise TrialFileError(
            f"{root.filename}: its matrices have the shapes "
            f"{' and '.join(map(str, sorted(shapes)))}, and there are {rows} {row_ids} and "
            f"{columns} {column_ids}; write the file again"
        )
    if rows == columns > 1:
        # BOSARIS, SIDEKIT and hyperion write a row for each model. MATLAB's and Julia's own
        # functions turn matrices around; they leave a mark, or write lists in two dimensions.
        marked = any("MATLAB_class" in matrix.attrs for matrix in matrices.values())
        if marked or root[row_ids].ndim == 2 or root[column_ids].ndim == 2:
            raise TrialFileError(
                f"{root.filename}: its matrix is square, {shape}, and not as BOSARIS, SIDEKIT or "
                f"hyperion write it, so that its rows may be {row_ids} or {column_ids}; write it "
                "with one of these programs, or as text"
            )
        return known[0], ids, False, " (a square: its rows are taken for the models)"
    is_transposed = shape != (rows, columns)
    remark = " (stored transposed)" if is_transposed and min(shape) > 1 else ""
    return known[0], ids, is_transposed, remark


def _ids(root: Any, name: str) -> pl.Series:
    found = _dataset(root, name)
    if _h5py(root.filename).check_string_dtype(found.dtype) is None:
        raise TrialFileError(f"{root.filename}: {name} has type {found.dtype}; expected text")
    ids = pl.Series([one.decode() for one in found[()].ravel().tolist()], dtype=pl.String)
    if len(twice := ids.filter(ids.is_duplicated())):
        raise TrialFileError(
            f"{root.filename}: {name} holds {twice[0]!r:.60} more than once; rename or merge its "
            "ids"
        )
    return ids


def _pieces(matrices: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, Array]]]:
    """Some rows of all matrices at a time, without cutting chunks; and the number of the first."""
    height, *widths = next(iter(matrices.values())).shape
    chunk = max(matrix.chunks[0] if matrix.chunks else 1 for matrix in matrices.values())
    step = chunk * max(1, _PIECE // (chunk * max([1, *widths])))
    for first in range(0, height, step):
        part = {name: matrix[first : first + step] for name, matrix in matrices.items()}
        yield first, {name: rows.reshape(len(rows), -1) for name, rows in part.items()}


def _cells(path: str, piece: tuple[int, dict[str, Array]]) -> pl.DataFrame:
    """The cells with trials: their places, and ``score``, ``label`` (a mark) or both."""
    first, arrays = piece
    masks = {name: array for name, array in arrays.items() if name.endswith("_mask")}
    for name, mask in masks.items():
        allowed = (1, 0, -1) if name == "trial_mask" else (1, 0)
        if len(odd := mask[~np.isin(mask, allowed)]):
            words = ", ".join(map(str, allowed))
            raise TrialFileError(f"{path}: {name} holds {odd[0]}; expected {words} only")
    here, *others = (mask != 0 for mask in masks.values())
    if not all(np.array_equal(here, other) for other in others):
        raise TrialFileError(
            f"{path}: has scores for some trials and labels for others; make two files of it"
        )
    rows, columns = np.nonzero(here)
    cells = {"row": rows + first, "column": columns}
    if "scores" in arrays:
        with np.errstate(over="ignore"):  # too large for a double: infinite, and treated as such
            cells["score"] = arrays["scores"][here].astype(np.float64)
    if "trial_mask" in arrays:
        cells["label"] = arrays["trial_mask"][here].astype(np.int8)
    return pl.DataFrame(cells)


def _refuse_unusable(path: str, frame: pl.DataFrame, request: Request) -> None:
    """Refuse scores that are not numbers."""
    values = frame["score"].to_numpy()
    bad = request.unusable(values)
    if bad.any():
        first = int(np.argmax(bad))
        what = "NaN" if request.allow_infinite else "not finite"
        raise TrialFileError(
            f"{path}: {int(bad.sum()):,} of {len(frame):,} scores are {what}; the first is "
            f"{values[first]}, of {' / '.join(frame.row(first)[:2])}. Repair them, or set "
            "score_mask to 0 there",
            *(TO_DROP_NAN if np.isnan(values[first]) else ()),
        )


# ---------------------------------------------------------------- writing


def write_hdf5(out: str, frame: pl.DataFrame) -> None:
    """Write ``enrol`` and ``test`` with ``score`` as scores, or with ``label`` (truth) as a key.

    There is a cell for each trial, under the names by which BOSARIS reads them; the file appears
    whole or not at all.
    """
    h5py = _h5py(out)
    if reason := _unwritable(frame):
        raise TrialFileError(f"{out}: cannot be written: {reason}")
    sides = [frame[side].unique(maintain_order=True) for side in _SIDES]
    cells = tuple(frame[ids.name].cast(pl.Enum(ids)).to_physical().to_numpy() for ids in sides)

    def matrix(values: Any, kind: Any) -> Array:
        made = np.zeros([len(ids) for ids in sides], kind)
        made[cells] = values
        return made

    if "label" in frame.columns:
        matrices = {"trial_mask": matrix(np.where(frame["label"], 1, -1), np.int8)}
    else:
        matrices = {"scores": matrix(frame["score"], np.float64), "score_mask": matrix(1, np.uint8)}
    # Mostly empty matrices are packed; full ones hardly shrink, and take long to.
    is_sparse = 2 * frame.height < math.prod(map(len, sides))
    options: dict[str, Any] = {"compression": "gzip", "compression_opts": 1} if is_sparse else {}
    # HDF5 crashes (SIGSEGV) when it closes a file for which the disk has no room; memory has.
    image = io.BytesIO()
    with h5py.File(image, "w") as root:
        for name, values in matrices.items():
            root.create_dataset(name, data=values, **options)
        for name, ids in zip(_IDS["BOSARIS"], sides, strict=True):
            raw = [one.encode() for one in ids]
            encoding = "ascii" if all(map(bytes.isascii, raw)) else "utf-8"
            root[name] = np.array(raw, h5py.string_dtype(encoding, max(map(len, raw))))
        if "label" in frame.columns:
            root["file_format"] = np.array([b"2.0"])
    with atomic_file(out) as target, image.getbuffer() as content:
        target.write(content)


def _unwritable(frame: pl.DataFrame) -> str | None:
    """Why trials cannot be the cells of a matrix, if they cannot."""
    if not frame.height:
        return "there are no trials"
    sides = [frame[side].unique() for side in _SIDES]
    if math.prod(map(len, sides)) > _MOST_CELLS:
        models, recordings = map(len, sides)
        return (
            f"{models:,} models and {recordings:,} recordings are too many for a matrix; write "
            "text or Parquet instead"
        )
    for ids in sides:
        length = ids.str.len_bytes()
        nul = ids.str.contains("\0", literal=True)
        if len(bad := ids.filter(nul | (length == 0) | (length > _LONGEST_ID))):
            return (
                f"{bad[0]!r:.60} cannot be an id, because it is empty, too long, or has a NUL "
                "byte in it"
            )
    twice = frame.filter(pl.struct(_SIDES).is_duplicated()).unique(_SIDES)
    if len(twice):
        return f"{len(twice)} trials occur more than once, such as {examples(twice, _SIDES)}"
    return None
