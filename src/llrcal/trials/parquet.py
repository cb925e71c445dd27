"""Some rows and columns of a Parquet file: bytes first, and only then decoded.

polars maps a file into memory. If that is cut off meanwhile, the system ends the process; if it is
overwritten, polars panics. So what is needed is read here, held to the fingerprint of the file, and
given to polars as a smaller file in memory: the chunks of these columns, and the footer of all.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.files.fingerprint import FileFingerprint
from llrcal.trials.source import reading_errors

_MAGIC = b"PAR1"
_TAIL = 8  # bytes at the end: the length of the footer, and the magic

# Fields of the footer, by their numbers in parquet.thrift.
_ROW_GROUPS, _COLUMNS, _ROWS, _CHUNK = 4, 1, 3, 3
_PATH, _SIZE, _PAGES, _INDEX, _DICTIONARY = 3, 7, 9, 10, 11


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file on disk, read as far as it is asked for."""

    fingerprint: FileFingerprint

    @property
    def rows(self) -> int:
        """How many rows there are, as the file claims."""
        path = self.fingerprint.path
        with reading_errors(path), _damage(path):
            return sum(group[_ROWS].value for group in _footer(self.fingerprint).groups)

    def select(self, columns: Collection[str]) -> pl.LazyFrame:
        """Some columns of all rows."""
        return self.slice(0, None, columns).select(columns)

    def head(self, rows: int) -> pl.LazyFrame:
        """The first rows."""
        return self.slice(0, rows)

    def slice(
        self, start: int, rows: int | None, columns: Collection[str] | None = None
    ) -> pl.LazyFrame:
        """Some rows; only some columns can be used, if these are named.

        Raises
        ------
        TrialFileError
            If the file is damaged, or has changed.
        """
        path = self.fingerprint.path
        with reading_errors(path), _damage(path), Path(path).open("rb") as file:
            excerpt = _excerpt(file, _footer(self.fingerprint), start, rows, columns)
        self.fingerprint.check()
        return pl.scan_parquet(excerpt).slice(start, rows)


@contextmanager
def _damage(path: str) -> Iterator[None]:
    """Turn whatever comes of a footer that is not as it should be into a TrialFileError."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as problem:
        raise TrialFileError(
            f"{path}: cannot be read: its footer is damaged; copy or write the file again"
        ) from problem


@dataclass(frozen=True)
class _Footer:
    content: bytes
    groups: list[dict[int, Any]]
    end: int
    """Where the data ends in the file."""


@lru_cache(32)
def _footer(fingerprint: FileFingerprint) -> _Footer:
    """The footer of a file, as long as that does not change."""
    with Path(fingerprint.path).open("rb") as file:
        tail = _bytes(file, fingerprint.size - _TAIL, _TAIL)
        end = fingerprint.size - _TAIL - int.from_bytes(tail[:4], "little")
        if not tail.endswith(_MAGIC):
            raise ValueError("no magic at the end")
        content = _bytes(file, end, fingerprint.size - end)
    return _Footer(content, _Thrift(content).struct()[_ROW_GROUPS], end)


def _excerpt(
    file: IO[bytes],
    footer: _Footer,
    start: int,
    rows: int | None,
    columns: Collection[str] | None,
) -> bytes:
    """A file with the chunks of some columns that hold these rows; all else is in vain."""
    chunks = sorted(_chunks(footer.groups, start, rows, columns), key=_place)
    out, last, patched = io.BytesIO(), 0, bytearray(footer.content)
    out.write(_MAGIC)
    for chunk in chunks:
        place, length = _place(chunk), chunk[_SIZE].value
        if place < last or length < 0 or place + length > footer.end:
            raise ValueError("chunks overlap")
        last = place + length
        for number in (_PAGES, _INDEX, _DICTIONARY):
            if number in chunk and chunk[number].value >= place:
                chunk[number].write(patched, chunk[number].value - place + out.tell())
        out.write(_bytes(file, place, length))
    out.write(patched)
    return out.getvalue()


def _chunks(
    groups: list[dict[int, Any]], start: int, rows: int | None, columns: Collection[str] | None
) -> Iterator[dict[int, Any]]:
    """What the footer says of the chunks that are needed."""
    first = 0
    for group in groups:
        after = first + group[_ROWS].value
        if after > start and (rows is None or first < start + rows):
            for column in group[_COLUMNS]:
                chunk = column[_CHUNK]
                if columns is None or chunk[_PATH][0].decode() in columns:
                    yield chunk
        first = after


def _place(chunk: dict[int, Any]) -> int:
    """Where a chunk begins: with its dictionary, if it has one."""
    pages: int = chunk[_PAGES].value
    dictionary: int = chunk[_DICTIONARY].value if _DICTIONARY in chunk else 0
    return min(pages, dictionary) if dictionary > 0 else pages


def _bytes(file: IO[bytes], place: int, length: int) -> bytes:
    if place < 0:
        raise ValueError("there is nothing before the file")
    file.seek(place)
    found = file.read(length)
    if len(found) < length:
        raise ValueError("the file is cut off")
    return found


@dataclass(frozen=True)
class _Whole:
    """A whole number, and where it stands."""

    value: int
    start: int
    end: int

    def write(self, content: bytearray, value: int) -> None:
        """Write another number in its place, with as many bytes."""
        rest = value << 1
        for place in range(self.start, self.end):
            content[place] = rest & 127 | 128
            rest >>= 7
        content[self.end - 1] &= 127
        if value < 0 or rest:
            raise ValueError("there is no room for the number")


class _Thrift:
    """Thrift's compact protocol, as far as the footers of Parquet files need it."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def struct(self) -> dict[int, Any]:
        """The fields of a struct by their numbers."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole().value
            kind = head & 15
            fields[number] = None if kind in (1, 2) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        match kind:
            case 1 | 2 | 3:  # one byte each, in lists
                return self._byte()
            case 4 | 5 | 6:
                return self._whole()
            case 7:
                return self._text(8)
            case 8:
                return self._text(self._varint())
            case 9 | 10:
                head = self._byte()
                count = head >> 4 if head >> 4 < 15 else self._varint()
                return [self._value(head & 15) for _ in range(count)]
            case 12:
                return self.struct()
        raise ValueError(f"there is no type {kind}")

    def _byte(self) -> int:
        self._at += 1
        return self._content[self._at - 1]

    def _text(self, length: int) -> bytes:
        self._at += length
        return self._content[self._at - length : self._at]

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _whole(self) -> _Whole:
        start = self._at
        value = self._varint()
        return _Whole(value >> 1 ^ -(value & 1), start, self._at)
