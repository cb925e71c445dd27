"""The size that a Parquet file claims to have, checked before anything is unpacked.

A reader allocates what the file asks for: a damaged number, or one that is meant to do harm, ends
the whole process if there is not enough memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap
from typing import Any, NamedTuple

from llrcal.trials.tables.thrift import Reader, ThriftError

_MAGIC = b"PAR1"
_TAIL = 8  # bytes: how long the footer is, and the magic
_LARGEST_FOOTER = 2**24
_MOST_PAGES = 2**18
_DICTIONARY_PAGE = 2


class DamagedError(ValueError):
    """Claims that contradict one another, or the size of the file."""


@dataclass(frozen=True)
class Claims:
    """The size of a table, as the file states it."""

    rows: int
    values: int
    """In all columns."""
    unpacked: int
    """Bytes of all pages, once they are unpacked."""
    groups: tuple[int, ...]
    """Rows of each group."""


class _Page(NamedTuple):
    """A page of a column, by its header."""

    start: int
    is_dictionary: bool
    values: int
    packed: int
    unpacked: int


def claims_of(data: bytes | mmap) -> Claims:
    """The size of the table in a file: from its footer, and from the header of every page.

    Raises
    ------
    DamagedError
        If the headers contradict the footer, or do not fit into the file.
    """
    try:
        footer = _footer(data)
        groups: list[int] = []
        values, unpacked, pages = 0, 0, 0
        for group in footer.get(4, ()):
            groups.append(_natural(group.get(3), "number of rows"))
            for chunk in group.get(1, ()):
                for page in _pages(data, chunk):
                    pages += 1
                    values += 0 if page.is_dictionary else page.values
                    unpacked += page.unpacked
                    if pages > _MOST_PAGES:
                        raise DamagedError(f"it has more than {_MOST_PAGES} pages")
        rows = sum(groups)
        if rows != footer.get(3):
            raise DamagedError(f"it claims {footer.get(3)} rows, but its row groups have {rows}")
    except (ThriftError, TypeError, AttributeError) as problem:  # or a value of another kind
        raise DamagedError(f"its structure is damaged ({problem})") from problem
    return Claims(rows, values, unpacked, tuple(groups))


def _footer(data: bytes | mmap) -> dict[int, Any]:
    end = len(data) - _TAIL
    if end < len(_MAGIC) or data[-len(_MAGIC) :] != _MAGIC:
        raise DamagedError("its end is missing")
    size = int.from_bytes(data[end : -len(_MAGIC)], "little")
    if size > end - len(_MAGIC):
        raise DamagedError("its footer is longer than the file")
    if size > _LARGEST_FOOTER:
        raise DamagedError(f"its footer is longer than {_LARGEST_FOOTER} bytes")
    return Reader(data, end - size, end).structure()


def _pages(data: bytes | mmap, chunk: dict[int, Any]) -> Iterator[_Page]:
    """The pages of one column in one group of rows."""
    if 1 in chunk:
        raise DamagedError("one of its columns is in another file")
    column = chunk.get(3)
    if column is None:
        raise DamagedError("one of its columns is encrypted or missing")
    count = _natural(column.get(5), "number of values")
    size = _natural(column.get(7), "size of a column")
    if not count:
        return
    starts = [_natural(column[number], "place") for number in (9, 11) if column.get(number)]
    place = min(starts, default=0)
    end = place + size
    if not place or end > len(data):
        raise DamagedError("one of its columns extends beyond its end")
    found = 0
    while found < count and place < end:
        page = _page(Reader(data, place, end))
        place = page.start + page.packed
        found += 0 if page.is_dictionary else page.values
        if place > end or found > count:
            break
        yield page
    if found != count or place > end:
        raise DamagedError(f"a column claims {count} values, but its pages hold a different number")


def _page(reader: Reader) -> _Page:
    header = reader.structure()
    is_dictionary = header.get(1) == _DICTIONARY_PAGE
    about = header.get(7) if is_dictionary else header.get(5) or header.get(8)
    if about is None:  # an index, say
        about = {1: 0}
    page = _Page(
        reader.place,
        is_dictionary,
        _natural(about.get(1), "number of values"),
        _natural(header.get(3), "size of a page"),
        _natural(header.get(2), "size of a page"),
    )
    if is_dictionary and page.values > page.unpacked:
        raise DamagedError("a dictionary has more values than bytes")
    return page


def _natural(value: Any, what: str) -> int:
    if not isinstance(value, int) or value < 0:
        raise DamagedError(f"a {what} is {value!r:.30}")
    return value
