"""Writing scores and keys under the names by which BOSARIS reads them."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import TrialFileError
from llrcal.files.atomic import atomic_file
from llrcal.trials.hdf5.container import h5py_for
from llrcal.trials.joining import examples

_MOST_CELLS = 2**28  # two gigabytes of scores
_LONGEST_ID = 2**12  # bytes


def write_hdf5(out: str, frame: pl.DataFrame) -> None:
    """Write ``enrol`` and ``test`` with ``score`` as scores, or with ``label`` (truth) as a key.

    There is a cell for each trial; the file appears whole or not at all.
    """
    h5py = h5py_for(out)
    if not frame.height:
        raise _unwritable(out, "there are no trials")
    sides = [_indexed(frame[side], out) for side in ("enrol", "test")]
    shape, cells = tuple(len(ids) for ids, _ in sides), tuple(places for _, places in sides)
    if math.prod(shape) > _MOST_CELLS:
        raise _unwritable(
            out,
            f"{shape[0]:,} models and {shape[1]:,} recordings are too many for a matrix; write "
            "text or Parquet instead",
        )
    taken = np.zeros(shape, np.uint8)
    taken[cells] = 1
    if np.count_nonzero(taken) < frame.height:
        twice = frame.filter(pl.struct("enrol", "test").is_duplicated()).unique(["enrol", "test"])
        shown = examples(twice, ["enrol", "test"])
        raise _unwritable(out, f"{len(twice)} trials occur more than once, such as {shown}")
    datasets: dict[str, Array] = {}
    if "label" in frame.columns:
        marks = np.where(frame["label"].to_numpy(), 1, -1)
        datasets["trial_mask"] = _matrix(shape, cells, marks.astype(np.int8))
    else:
        datasets["scores"] = _matrix(shape, cells, frame["score"].to_numpy())
        datasets["score_mask"] = taken
    # Mostly empty matrices are packed; full ones hardly shrink, and take long to.
    is_sparse = 2 * frame.height < taken.size
    options: dict[str, Any] = {"compression": "gzip", "compression_opts": 1} if is_sparse else {}
    # HDF5 crashes (SIGSEGV) when it closes a file for which the disk has no room; memory has.
    image = io.BytesIO()
    with h5py.File(image, "w") as root:
        for name, matrix in datasets.items():
            root.create_dataset(name, data=matrix, **options)
        for name, (ids, _) in zip(("ID/row_ids", "ID/column_ids"), sides, strict=True):
            root[name] = _stored(ids, h5py)
        if "label" in frame.columns:
            root["file_format"] = np.array([b"2.0"])
    with atomic_file(out) as target, image.getbuffer() as content:
        target.write(content)


def _matrix(shape: tuple[int, ...], cells: tuple[Array, ...], values: Array) -> Array:
    matrix = np.zeros(shape, values.dtype)
    matrix[cells] = values
    return matrix


def _unwritable(out: str, reason: str) -> TrialFileError:
    return TrialFileError(f"{out}: cannot be written: {reason}")


def _indexed(side: pl.Series, out: str) -> tuple[pl.Series, Array]:
    """The ids of one side in their order, and for each trial the index of its id."""
    ids = side.unique(maintain_order=True)
    length = ids.str.len_bytes()
    bad = ids.filter(ids.str.contains("\0", literal=True) | (length == 0) | (length > _LONGEST_ID))
    if len(bad):
        raise _unwritable(
            out,
            f"{bad[0]!r:.60} cannot be an id, because it is empty, too long, or has a NUL "
            "byte in it",
        )
    return ids, side.cast(pl.Enum(ids)).to_physical().to_numpy()


def _stored(ids: pl.Series, h5py: Any) -> Array:
    """Ids as text of one length, which is what BOSARIS and SIDEKIT write."""
    raw = [one.encode() for one in ids]
    encoding = "ascii" if all(one.isascii() for one in raw) else "utf-8"
    return np.array(raw, h5py.string_dtype(encoding, max(map(len, raw))))
