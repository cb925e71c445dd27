"""Embeddings from arrays and files, and what is known of each: who speaks, in which session."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import OptionError, ScoreError, TrialFileError
from llrcal.files.fingerprint import FileFingerprint
from llrcal.messages import Position, Setting
from llrcal.pairing import kaldi
from llrcal.trials.frame_files import counted
from llrcal.trials.frames import as_polars, collected, is_frame
from llrcal.trials.hdf5 import read_datasets
from llrcal.trials.npy import read_npz, shape_of_npy
from llrcal.trials.source import Source
from llrcal.trials.speakers import listed

_VECTORS = ("embeddings", "embedding", "emb", "xvectors", "vectors")
_IDS = ("ids", "id", "utt", "utterance", "utterances", "segment", "name")
_DEFAULT = {"speakers": ("speakers", "speaker", "spk", "spk_id", "speaker_id")}
_BY_ID = "id:"
_NUMBERED = re.compile(r"(.*?)(\d+)")


@dataclass(frozen=True)
class Embeddings:
    """Vectors, one in each row, and what else a file has for each of them."""

    vectors: Array
    name: str = "embeddings"
    columns: Mapping[str, Array] = field(default_factory=dict)

    def labels(self, given: Any, setting: str) -> Array:
        """One label for each vector: an array, or what a file has.

        Raises
        ------
        LlrcalError
            If there is no such column, an id is unknown, or the number of labels is another.
        """
        if given is None:
            given = next((name for name in _DEFAULT.get(setting, ()) if name in self.columns), None)
            if given is None:
                raise OptionError(
                    f"{self.name}: nothing says who speaks{self._has}; give ", Setting(setting)
                )
        if isinstance(given, str | PathLike):
            labels = self._named(fspath(given), setting)
        else:
            labels = np.asarray(given.to_numpy() if hasattr(given, "to_numpy") else given)
        if labels.shape != (len(self.vectors),):
            raise ScoreError(
                f"{self.name}: there are {len(self.vectors):,} embeddings, and an array of shape "
                f"{labels.shape} for ",
                Setting(setting),
                "; pass one label for each embedding",
            )
        return _checked(labels, self.name, setting)

    def _named(self, name: str, setting: str) -> Array:
        """The labels in a column, in a text file, or in ids."""
        if name in self.columns:
            return self.columns[name]
        if name.startswith(_BY_ID):
            return self._in_ids(name.removeprefix(_BY_ID), setting)
        if Path(name).is_file():
            return self._in_file(name)
        raise OptionError(
            f"{self.name}: there is no column and no file {name!r}{self._has}: ", Setting(setting)
        )

    @property
    def _has(self) -> str:
        return f" (there are {', '.join(self.columns)})" if self.columns else ""

    def _ids(self, why: str) -> list[str]:
        for name in _IDS:
            if name in self.columns:
                ids: list[str] = self.columns[name].astype(str).tolist()
                return ids
        raise OptionError(f"{self.name}: has no ids of its embeddings, which {why} needs")

    def _in_ids(self, pattern: str, setting: str) -> Array:
        """What a regular expression finds in each id: its first group, or all of it."""
        try:
            wanted = re.compile(pattern)
        except re.error as problem:
            raise OptionError(
                Setting(setting), f" is no regular expression: {pattern!r:.80} ({problem})"
            ) from problem
        parts = []
        for name in self._ids(f"{_BY_ID}{pattern}"):
            match = wanted.search(name)
            if match is None:
                raise ScoreError(f"{self.name}: nothing in the id {name!r:.80} matches {pattern!r}")
            parts.append(match.group(min(1, wanted.groups)))
        return np.array(parts)

    def _in_file(self, name: str) -> Array:
        """Labels in a text file: one in each line, or ids and labels."""
        lines = Source(name).content.decode(errors="replace").splitlines()
        rows = [line.split() for line in lines if line.strip()]
        width = {len(row) for row in rows}
        if width == {1}:
            return np.array([row[0] for row in rows])
        known = dict(listed(FileFingerprint.of(name)).iter_rows())
        ids = self._ids(name)
        unknown = [name for name in ids if name not in known]
        if unknown:
            raise ScoreError(
                f"{name}: {len(unknown):,} of {len(ids):,} embeddings are not in it; the first is "
                f"{unknown[0]!r:.80}"
            )
        return np.array([known[name] for name in ids])


def _checked(labels: Array, name: str, setting: str) -> Array:
    """Labels that can be compared; none may be missing."""
    missing = np.zeros(len(labels), bool)
    if labels.dtype.kind == "O":
        missing = np.array([label is None or label != label for label in labels])  # noqa: PLR0124
        labels = labels.astype(str)
    elif labels.dtype.kind == "f":
        missing = np.isnan(labels)
    if labels.dtype.kind in "US":
        labels = labels.astype(str)
        missing |= np.char.strip(labels) == ""
    if missing.any():
        raise ScoreError(
            f"{name}: {int(missing.sum()):,} embeddings have no label for ",
            Setting(setting),
            "; the first is at ",
            Position("row", int(missing.argmax())),
        )
    return labels


def opened(source: Any, name: str) -> Embeddings:
    """Embeddings from an array, a frame or a file.

    Raises
    ------
    LlrcalError
        If there are none, or they cannot be read.
    """
    if isinstance(source, Embeddings):
        return source
    if is_frame(source):
        return _of_frame(as_polars(source), name)
    if isinstance(source, str | PathLike):
        return _read(fspath(source))
    try:
        return Embeddings(np.asarray(source), name)
    except ValueError as problem:  # rows of other lengths
        raise ScoreError(f"{name}: rows have different lengths; pass a matrix") from problem


def _read(name: str) -> Embeddings:
    file = Source(name)
    with file.held():
        if file.kind == "npy":
            shape_of_npy(file.on_disk)  # refuses what is cut off, before it is mapped
            vectors = np.load(file.on_disk, mmap_mode="r", allow_pickle=False)
            return Embeddings(vectors, name)
        if file.kind == "npz":
            return _of_columns(read_npz(file.on_disk), name)
        if file.kind in ("parquet", "arrow"):
            return _of_frame(collected(counted(file)[0].slice(0, None), name), name)
        if file.kind == "hdf5":
            return _of_columns(read_datasets(file.on_disk), name)
        if kaldi.is_ark(file.head):
            return _of_vectors(*kaldi.read_ark(file.on_disk), name)
        if kaldi.is_scp(file.head):
            return _of_vectors(*kaldi.read_scp(file.on_disk), name)
    raise TrialFileError(
        f"{name}: holds no embeddings that llrcal knows: give .npy, .npz, Parquet, HDF5, or "
        "Kaldi's .ark or .scp"
    )


def _of_columns(arrays: Mapping[str, Array], name: str) -> Embeddings:
    """Named arrays, one of which is a matrix."""
    matrices = [key for key, array in arrays.items() if array.ndim == 2]
    known = [key for key in _VECTORS if key in matrices] or (matrices if len(matrices) == 1 else [])
    if not known:
        shapes = ", ".join(f"{key} {array.shape}" for key, array in arrays.items()) or "nothing"
        raise TrialFileError(f"{name}: holds {shapes}; expected a matrix called embeddings")
    vectors = arrays[known[0]]
    columns = {key: array for key, array in arrays.items() if array.shape == (len(vectors),)}
    return Embeddings(vectors, name, columns)


def _of_frame(frame: pl.DataFrame, name: str) -> Embeddings:
    """A table: a column of lists, or a column of floats for each dimension, with its number."""
    lists = [key for key, kind in frame.schema.items() if isinstance(kind, pl.List | pl.Array)]
    floats = sorted(
        (match[1], int(match[2]), key)
        for key, kind in frame.schema.items()
        if kind.is_float() and (match := _NUMBERED.fullmatch(key))
    )
    if len(lists) > 1:
        lists = [key for key in _VECTORS if key in lists]
    if len(lists) == 1:
        vectors, used = _of_lists(frame[lists[0]], name), lists
    elif not lists and len(floats) > 1 and floats[0][0] == floats[-1][0]:  # of one name
        used = [key for *_, key in floats]
        vectors = frame.select(used).to_numpy()
    else:
        raise TrialFileError(
            f"{name}: has the columns {', '.join(frame.columns)}; expected embeddings as one "
            "column of lists, or as columns of floats called d0, d1 and so on"
        )
    columns = {key: frame[key].to_numpy() for key in frame.columns if key not in used}
    return Embeddings(vectors, name, columns)


def _of_lists(column: pl.Series, name: str) -> Array:
    """A column of lists as a matrix."""
    if isinstance(column.dtype, pl.Array):
        return column.to_numpy()
    lengths = column.list.len().fill_null(0).to_numpy()
    _refuse_other_lengths(lengths, name)
    return column.explode(empty_as_null=False).to_numpy().reshape(len(column), -1)


def _of_vectors(ids: list[str], vectors: list[Array], name: str) -> Embeddings:
    _refuse_other_lengths(np.array([len(vector) for vector in vectors]), name)
    return Embeddings(np.array(vectors), name, {"ids": np.array(ids)})


def _refuse_other_lengths(lengths: Array, name: str) -> None:
    if (other := np.flatnonzero(lengths != lengths[:1])).size:
        raise ScoreError(
            f"{name}: vectors have different lengths: {lengths[0]}, and {lengths[other[0]]} at ",
            Position("row", int(other[0])),
        )
