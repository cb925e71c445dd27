"""Compressed files: cut off, damaged, or far larger than they look."""

from __future__ import annotations

import gzip

from fuzz.harness import answer, as_file, require
from llrcal.files.compression import zstd
from llrcal.trials.request import Request
from llrcal.trials.table_reading import read_table


def check(data: bytes) -> None:
    """Read a compressed file; then read the bytes as they are, and compressed in both ways."""
    found = answer(read_table, as_file(data), Request("scores"))
    if data[:2] == b"\x1f\x8b" or data[:4] == b"\x28\xb5\x2f\xfd":
        return
    for packed in (gzip.compress(data), zstd.compress(data)):
        other = answer(read_table, as_file(packed, "packed"), Request("scores"))
        require((found is None) == (other is None), "read or refused because it is compressed")
        if found is not None and other is not None:
            require(found.frame.equals(other.frame), "other trials because they are compressed")
