"""Writing scores and keys under the names by which BOSARIS reads them."""

from __future__ import annotations

import io
from dataclasses import dataclass
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
    grid = _Grid.of(frame.select("enrol", "test", "score"), out)
    scores = frame["score"].cast(pl.Float64).to_numpy()
    bad = np.isnan(scores)
    if bad.any():
        raise TrialFileError(
            f"{out}: cannot be written: {int(bad.sum()):,} scores are NaN; the first is in row "
            f"{int(np.argmax(bad))}. Remove or repair them"
        )
    grid.write(out, {"scores": scores, "score_mask": np.ones(len(scores), np.uint8)})


def write_hdf5_key(out: str, frame: pl.DataFrame) -> None:
    """Write the columns ``enrol``, ``test`` and ``label`` (True for targets) as a key."""
    grid = _Grid.of(frame.select("enrol", "test", "label"), out)
    labels = frame["label"]
    if labels.dtype != pl.Boolean and not labels.is_in([0, 1]).all():
        raise TrialFileError(
            f"{out}: cannot be written: some labels are neither target nor non-target, and a "
            "BOSARIS key has no other; leave these trials out"
        )
    marks = np.where(labels.cast(pl.Boolean).to_numpy(), 1, -1).astype(np.int8)
    grid.write(out, {"trial_mask": marks}, file_format="2.0")


@dataclass(frozen=True)
class _Grid:
    """The matrix that a list of trials makes: its ids, and the cell of each trial."""

    enrol: pl.Series
    test: pl.Series
    rows: Array
    columns: Array

    @staticmethod
    def of(frame: pl.DataFrame, out: str) -> _Grid:
        if not frame.height:
            raise TrialFileError(f"{out}: cannot be written: there are no trials")
        if sum(frame.null_count().row(0)):
            raise TrialFileError(
                f"{out}: cannot be written: some trials are incomplete; remove them"
            )
        (enrol, rows), (test, columns) = (_indexed(frame[side], out) for side in ("enrol", "test"))
        if len(enrol) * len(test) > _MOST_CELLS:
            raise TrialFileError(
                f"{out}: cannot be written: {len(enrol):,} models and {len(test):,} recordings are "
                "too many for a matrix; write text or Parquet instead"
            )
        taken = np.zeros((len(enrol), len(test)), bool)
        taken[rows, columns] = True
        if int(taken.sum()) < len(rows):
            raise _repeated(frame, out)
        return _Grid(enrol, test, rows, columns)

    def write(self, out: str, sheets: dict[str, Array], *, file_format: str = "") -> None:
        """Write the file, which appears whole or not at all; see :func:`new_image`."""
        image = io.BytesIO()
        shape = (len(self.enrol), len(self.test))
        # Mostly empty matrices are packed; full ones hardly shrink, and take long to.
        packed = {"compression": "gzip", "compression_opts": 1}
        options = packed if 2 * len(self.rows) < shape[0] * shape[1] else {}
        with new_image(image, out) as root:
            for name, values in sheets.items():
                matrix = np.zeros(shape, values.dtype)
                matrix[self.rows, self.columns] = values
                root.create_dataset(name, data=matrix, **options)
            root["ID/row_ids"] = _stored(self.enrol)
            root["ID/column_ids"] = _stored(self.test)
            if file_format:
                root["file_format"] = np.array([file_format.encode()])
        with atomic_file(out) as target, image.getbuffer() as content:
            target.write(content)


def _repeated(frame: pl.DataFrame, out: str) -> TrialFileError:
    twice = frame.filter(pl.struct("enrol", "test").is_duplicated())
    pairs = twice.select("enrol", "test").unique(maintain_order=True)
    shown = ", ".join(f"{visible(enrol)} / {visible(test)}" for enrol, test in pairs.head(3).rows())
    return TrialFileError(
        f"{out}: cannot be written: {len(pairs):,} trials occur more than once ({shown}); remove "
        "all but one"
    )


def _indexed(side: pl.Series, out: str) -> tuple[pl.Series, Array]:
    """The ids of one side in their order, and for each trial the index of its id."""
    text = side.cast(pl.String)
    ids = text.unique(maintain_order=True)
    length = ids.str.len_bytes()
    bad = ids.filter(ids.str.contains("\0", literal=True) | (length == 0) | (length > LONGEST_ID))
    if len(bad):
        raise TrialFileError(
            f"{out}: cannot be written: {visible(bad[0])!r} cannot be an id, because it is empty, "
            "too long, or has a NUL byte in it"
        )
    return ids, text.cast(pl.Enum(ids)).to_physical().to_numpy()


def _stored(ids: pl.Series) -> Any:
    """Ids as text of one length, which is what BOSARIS and SIDEKIT write."""
    import h5py

    raw = [one.encode() for one in ids]
    encoding = "ascii" if all(one.isascii() for one in raw) else "utf-8"
    return np.array(raw, h5py.string_dtype(encoding, max(map(len, raw))))
