"""Vectors in Kaldi's archives: binary or text, and tables (.scp) that say where each is."""

from __future__ import annotations

import struct
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import TrialFileError
from llrcal.messages import Position
from llrcal.trials.source import reading_errors

_BINARY = b"\0B"
_TYPES = {b"FV ": "<f4", b"DV ": "<f8", b"FM ": "<f4", b"DM ": "<f8"}
_LONGEST_ID = 2**12


def is_ark(head: bytes) -> bool:
    """Whether a file begins like an archive of vectors."""
    _, space, rest = head.partition(b" ")
    return bool(space) and (rest.startswith(_BINARY) or rest.lstrip(b" ").startswith(b"["))


def is_scp(head: bytes) -> bool:
    """Whether a file begins like a table of places in archives."""
    first = head.partition(b"\n")[0].split()
    return len(first) == 2 and first[1].rpartition(b":")[2].isdigit()


def read_ark(path: str) -> tuple[list[str], list[Array]]:
    """The ids and vectors of an archive."""
    ids, vectors = [], []
    with reading_errors(path), Path(path).open("rb") as file:
        while (key := _key(file, path)) is not None:
            ids.append(key)
            vectors.append(_vector(file, path, key))
    return ids, vectors


def read_scp(path: str) -> tuple[list[str], list[Array]]:
    """The ids and vectors of a table; archives are found from here, or from where the table is."""
    ids, vectors, files = [], [], dict[str, IO[bytes]]()
    with ExitStack() as opened:
        for key, archive, offset in _places(path):
            if archive not in files:
                beside = Path(path).parent / archive
                with reading_errors(f"{path}: {archive}"):
                    file = (beside if beside.exists() else Path(archive)).open("rb")
                files[archive] = opened.enter_context(file)
            files[archive].seek(offset)
            ids.append(key)
            vectors.append(_vector(files[archive], archive, key))
    return ids, vectors


def _places(path: str) -> list[tuple[str, str, int]]:
    """For each line of a table: an id, the archive, and where its vector begins."""
    places = []
    with reading_errors(path):
        lines = Path(path).read_bytes().decode(errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        key, _, place = line.strip().partition(" ")
        archive, _, offset = place.strip().rpartition(":")
        if not archive or not offset.isdecimal():
            raise TrialFileError(
                f"{path}: expected an id and FILE:OFFSET, and found {line[:80]!r} in ",
                Position("line", number),
            )
        places.append((key, archive, int(offset)))
    return places


def _key(file: IO[bytes], path: str) -> str | None:
    """The next id; None at the end."""
    key = b""
    while not key.endswith(b" "):
        character = file.read(1)
        if not character and not key.strip():
            return None
        if not character or len(key) > _LONGEST_ID:
            raise TrialFileError(f"{path}: an id without a vector, {key[:80]!r}")
        key += character
    return key.decode(errors="replace").strip()


def _vector(file: IO[bytes], path: str, key: str) -> Array:
    """A vector, in text or binary; or a matrix with one row."""
    start = file.read(len(_BINARY))
    if start != _BINARY:
        return _numbers(start + file.readline(), path, key)
    kind = file.read(3)
    if kind not in _TYPES:
        raise TrialFileError(
            f"{path}: {key} is of Kaldi's type {kind.decode(errors='replace').strip()!r}; expected "
            "a vector of floats (FV or DV)"
        )
    sizes = [_size(file, path, key) for _ in range(2 if kind[1:2] == b"M" else 1)]
    if len(sizes) == 2 and sizes[0] != 1:
        raise TrialFileError(f"{path}: {key} is a matrix of {sizes[0]} rows; expected a vector")
    dtype = np.dtype(_TYPES[kind])
    content = file.read(sizes[-1] * dtype.itemsize)
    if len(content) < sizes[-1] * dtype.itemsize:
        raise _cut_off(path, key)
    return np.frombuffer(content, dtype)


def _size(file: IO[bytes], path: str, key: str) -> int:
    content = file.read(5)
    if len(content) < 5 or content[0] != 4:
        raise _cut_off(path, key)
    (size,) = struct.unpack("<i", content[1:])
    if not 0 < size <= 2**24:
        raise TrialFileError(f"{path}: {key} claims to have {size} dimensions")
    return int(size)


def _numbers(line: bytes, path: str, key: str) -> Array:
    """A vector in text: [ 0.1 0.2 ]."""
    words = line.split()
    if words[:1] != [b"["] or words[-1:] != [b"]"]:
        raise TrialFileError(f"{path}: expected [ numbers ] after {key}, in one line")
    try:
        return np.array([float(word) for word in words[1:-1]])
    except ValueError as problem:
        raise TrialFileError(f"{path}: {key} has a value that is no number") from problem


def _cut_off(path: str, key: str) -> TrialFileError:
    return TrialFileError(f"{path}: is cut off or damaged at {key}; copy the file again")
