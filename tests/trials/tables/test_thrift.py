"""Thrift's compact protocol, by the examples of its specification and against damage."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from llrcal.trials.tables.thrift import Reader, ThriftError


def structure(content: bytes) -> dict[int, Any]:
    return Reader(content, 0, len(content)).structure()


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        (b"\x00", {}),
        (b"\x15\x02\x00", {1: 1}),
        (b"\x15\x01\x00", {1: -1}),
        (b"\x15\xac\x02\x00", {1: 150}),
        (b"\x15\x00\x25\x02\x00", {1: 0, 3: 1}),  # numbers are counted on
        (b"\x05\xc8\x01\x02\x00", {100: 1}),  # or written out
        (b"\x11\x12\x00", {1: True, 2: False}),
        (b"\x13\xff\x00", {1: 255}),
        (b"\x17" + struct.pack("<d", 1.5) + b"\x00", {1: 1.5}),
        (b"\x18\x03abc\x00", {1: b"abc"}),
        (b"\x19\x35\x02\x04\x06\x00", {1: (1, 2, 3)}),
        (b"\x19\x22\x01\x00\x00", {1: (1, 0)}),  # truth values of a list are a byte each
        (b"\x19\xf5\x0f" + b"\x02" * 15 + b"\x00", {1: (1,) * 15}),
        (b"\x1b\x00\x00", {1: ()}),
        (b"\x1b\x01\x85\x01a\x02\x00", {1: ((b"a", 1),)}),
        (b"\x1c\x15\x02\x00\x15\x04\x00", {1: {1: 1}, 2: 2}),
    ],
)
def test_values(content: bytes, fields: dict[int, Any]) -> None:
    assert structure(content) == fields
    for size in range(len(content)):
        with pytest.raises(ThriftError):
            structure(content[:size])


def test_the_place_after_it() -> None:
    reader = Reader(b"..\x15\x02\x00..", 2, 7)
    assert reader.structure() == {1: 1}
    assert reader.place == 5


@pytest.mark.parametrize(
    "content",
    [
        b"\x1d\x00",
        b"\x15" + b"\xff" * 12,
        b"\x1c" * 10_000,
        b"\x19" + b"\x19" * 10_000,
        b"\x1b\x01\xbb" * 10_000,
        b"\x19\xf5\xff\xff\xff\xff\x0f\x02",
        b"\x18\xff\xff\xff\xff\x0fabc",
    ],
)
def test_what_is_no_structure(content: bytes) -> None:
    with pytest.raises(ThriftError):
        structure(content)
