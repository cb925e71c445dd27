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
from llrcal.trials.hdf5.container import new_image, visible
from llrcal.trials.hdf5.score_matrices import LONGEST_ID

_MOST_CELLS = 2**28  # two gigabytes of scores


def write_hdf5_scores(out: str, frame: pl.DataFrame) -> None:
    """Write the columns ``enrol``, ``test`` and ``score`` as a file of scores."""
    scores = frame["score"].cast(pl.Float64).to_numpy()
    bad = np.isnan(scores)
    if bad.any() and not frame["score"].null_count():
        raise _unwritable(
            out,
            f"{int(bad.sum()):,} scores are NaN; the first is in row {int(np.argmax(bad))}. Remove "
            "or repair them",
        )
    _write(out, frame, {"scores": scores, "score_mask": np.ones(len(scores), np.uint8)})


def write_hdf5_key(out: str, frame: pl.DataFrame) -> None:
    """Write the columns ``enrol``, ``test`` and ``label`` (True for targets) as a key."""
    labels = frame["label"]
    if labels.dtype != pl.Boolean and not labels.is_in([0, 1]).all():
        raise _unwritable(
            out,
            "some labels are neither target nor non-target, and a BOSARIS key has no other; leave "
            "these trials out",
        )
    marks = np.where(labels.cast(pl.Boolean).to_numpy(), 1, -1).astype(np.int8)
    _write(out, frame, {"trial_mask": marks}, file_format="2.0")


def _write(
    out: str, frame: pl.DataFrame, columns: dict[str, Array], *, file_format: str = ""
) -> None:
    """Write matrices with a cell for each trial; the file appears whole or not at all."""
    if not frame.height:
        raise _unwritable(out, "there are no trials")
    if sum(frame.null_count().row(0)):
        raise _unwritable(out, "some trials are incomplete; remove them")
    sides = [_indexed(frame[side], out) for side in ("enrol", "test")]
    shape, cells = tuple(len(ids) for ids, _ in sides), tuple(places for _, places in sides)
    if math.prod(shape) > _MOST_CELLS:
        raise _unwritable(
            out,
            f"{shape[0]:,} models and {shape[1]:,} recordings are too many for a matrix; write "
            "text or Parquet instead",
        )
    taken = np.zeros(shape, bool)
    taken[cells] = True
    if int(taken.sum()) < frame.height:
        raise _repeated(frame, out)
    # Mostly empty matrices are packed; full ones hardly shrink, and take long to.
    is_sparse = 2 * frame.height < taken.size
    options: dict[str, Any] = {"compression": "gzip", "compression_opts": 1} if is_sparse else {}
    image = io.BytesIO()
    with new_image(image, out) as root:
        for name, values in columns.items():
            matrix = np.zeros(shape, values.dtype)
            matrix[cells] = values
            root.create_dataset(name, data=matrix, **options)
        for name, (ids, _) in zip(("ID/row_ids", "ID/column_ids"), sides, strict=True):
            root[name] = _stored(ids)
        if file_format:
            root["file_format"] = np.array([file_format.encode()])
    with atomic_file(out) as target, image.getbuffer() as content:
        target.write(content)


def _unwritable(out: str, reason: str) -> TrialFileError:
    return TrialFileError(f"{out}: cannot be written: {reason}")


def _repeated(frame: pl.DataFrame, out: str) -> TrialFileError:
    twice = frame.filter(pl.struct("enrol", "test").is_duplicated())
    pairs = twice.select("enrol", "test").unique(maintain_order=True)
    shown = ", ".join(f"{visible(enrol)} / {visible(test)}" for enrol, test in pairs.head(3).rows())
    return _unwritable(
        out, f"{len(pairs):,} trials occur more than once ({shown}); remove all but one"
    )


def _indexed(side: pl.Series, out: str) -> tuple[pl.Series, Array]:
    """The ids of one side in their order, and for each trial the index of its id."""
    text = side.cast(pl.String)
    ids = text.unique(maintain_order=True)
    length = ids.str.len_bytes()
    bad = ids.filter(ids.str.contains("\0", literal=True) | (length == 0) | (length > LONGEST_ID))
    if len(bad):
        raise _unwritable(
            out,
            f"{visible(bad[0])!r} cannot be an id, because it is empty, too long, or has a NUL "
            "byte in it",
        )
    return ids, text.cast(pl.Enum(ids)).to_physical().to_numpy()


def _stored(ids: pl.Series) -> Any:
    """Ids as text of one length, which is what BOSARIS and SIDEKIT write."""
    import h5py

    raw = [one.encode() for one in ids]
    encoding = "ascii" if all(one.isascii() for one in raw) else "utf-8"
    return np.array(raw, h5py.string_dtype(encoding, max(map(len, raw))))
