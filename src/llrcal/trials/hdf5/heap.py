"""Text of variable length in an HDF5 file, read without the help of HDF5.

Such text lies in heaps outside of its dataset, which holds a length, the address of a heap and a
number within the heap. Damaged heaps make HDF5 run in circles, or ask for gigabytes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from llrcal.trials.hdf5.container import Container

_REFERENCE = np.dtype([("length", "<u4"), ("heap", "<u8"), ("number", "<u4")])
_HEAD = 16  # bytes before the content of a heap, and of each text in it
_MARK = b"GCOL\x01"


def heap_texts(file: Container, found: Any, *, longest: int) -> list[bytes]:
    """The texts of a dataset, none of them longer than ``longest`` bytes."""
    size = math.prod(found.shape) * _REFERENCE.itemsize
    start = found.id.get_offset()
    if start is None or found.id.get_storage_size() != size:
        raise file.error(
            f"{found.name} is text of variable length, but not in one piece; rewrite it: "
            "h5repack -l CONTI"
        )
    references = np.frombuffer(file.bytes_at(start, size), _REFERENCE)
    heaps: dict[int, dict[int, bytes]] = {}
    left = file.size  # heaps do not overlap, so that together they are no larger
    out = []
    for length, address, number in references.tolist():
        if length and address not in heaps:
            heaps[address], taken = _heap(file, file.base + address)
            left -= taken
        text = heaps[address].get(number, b"") if length else b""
        if not length <= min(len(text), longest) or left < 0:
            raise file.error(
                f"the heap of {found.name} is damaged, or holds a text longer than {longest} "
                "bytes; copy or write the file again"
            )
        out.append(text[:length])
    return out


def _heap(file: Container, address: int) -> tuple[dict[int, bytes], int]:
    """The texts in the heap at an address, by their numbers, and its size."""
    head = file.bytes_at(address, _HEAD)
    size = int.from_bytes(head[8:], "little") if head.startswith(_MARK) else 0
    content = file.bytes_at(address, size)
    texts = {}
    place = _HEAD
    while place + _HEAD <= size:
        number = int.from_bytes(content[place : place + 2], "little")
        length = int.from_bytes(content[place + 8 : place + _HEAD], "little")
        if number == 0:  # what follows is free
            break
        place += _HEAD
        texts[number] = content[place : place + length]
        place += length + -length % 8
    return texts, size
