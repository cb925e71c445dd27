"""Thrift's compact protocol, which Parquet uses for metadata: structures as plain values."""

from __future__ import annotations

import struct
from mmap import mmap
from typing import Any

_DEEPEST = 32  # Parquet's own structures go seven deep
_TRUE, _FALSE, _BYTE, _SHORT, _INT, _LONG, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(
    1, 13
)


class ThriftError(ValueError):
    """Bytes that are not a complete structure."""


class Reader:
    """Reads structures one after the other."""

    def __init__(self, data: bytes | mmap, place: int, end: int) -> None:
        self._data = data
        self.place = place
        self._end = end

    def structure(self, depth: int = 0) -> dict[int, Any]:
        """The fields of a structure, by their numbers; lists are tuples, texts are bytes."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._number()
            # Within a structure, the type of a boolean is its value.
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_SHORT, _INT, _LONG):
            return self._number()
        if kind == _BINARY:
            return self._bytes(self._natural())
        if kind in (_LIST, _SET, _MAP, _STRUCT):
            return self._nested(kind, depth + 1)
        if kind == _DOUBLE:
            return struct.unpack("<d", self._bytes(8))[0]
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        raise ThriftError(f"there is no type {kind}")

    def _nested(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ThriftError("its parts are nested too deeply")
        if kind == _STRUCT:
            return self.structure(depth)
        return self._map(depth) if kind == _MAP else self._list(depth)

    def _list(self, depth: int) -> tuple[Any, ...]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        size = self._natural() if size == 15 else size
        return tuple(self._value(kind, depth) for _ in range(size))

    def _map(self, depth: int) -> tuple[tuple[Any, Any], ...]:
        size = self._natural()
        kinds = self._byte() if size else 0
        kind, other = kinds >> 4, kinds & 15
        return tuple((self._value(kind, depth), self._value(other, depth)) for _ in range(size))

    def _number(self) -> int:
        """A whole number whose sign is in its last bit."""
        value = self._natural()
        return (value >> 1) ^ -(value & 1)

    def _natural(self) -> int:
        """Seven bits a byte, the least first."""
        value = self._byte()
        if value < 128:
            return value
        value &= 127
        for shift in range(7, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ThriftError("a number is too long")

    def _byte(self) -> int:
        place = self.place
        if place >= self._end:
            raise ThriftError("it ends too early")
        self.place = place + 1
        return self._data[place]

    def _bytes(self, count: int) -> bytes:
        place = self.place
        self.place += count
        if self.place > self._end:
            raise ThriftError("it ends too early")
        return self._data[place : self.place]
