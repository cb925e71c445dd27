"""HDF5 files that need not be trusted: nothing outside the file is read, and no more than fits.

Left to itself, HDF5 follows links into other files, reads external storage and virtual datasets,
and makes room for whatever a shape claims. All of that is refused before any data is read.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from llrcal.errors import LlrcalError, TrialFileError
from llrcal.messages import Part

_MOST_VALUES = 2**31  # 15,673 models by 133,083 recordings, the largest we have heard of, fit in
_LARGEST_RATIO = 1000  # of values to file, in bytes: a matrix of zeros shrinks by as much

_HEAP = re.compile(rb"GCOL\x01")
_BLOCK = 2**22  # bytes that are searched at a time
_HEAP_HEAD = 16  # bytes before the content of a heap, and of each text in it


class Container:
    """An open file, which hands out plain datasets only; every complaint names the file."""

    def __init__(self, root: Any, name: str) -> None:
        self.name = name
        self._root = root
        self._size = int(root.id.get_filesize())

    def error(self, *problem: Part) -> TrialFileError:
        return TrialFileError(f"{self.name}: ", *problem)

    def contents(self) -> str:
        """What the file holds at its top, for messages."""
        names = [name[:60] for name in itertools.islice(self._root, 13)]
        return ", ".join([*names[:12], *(["and more"] if len(names) > 12 else [])]) or "nothing"

    def datasets(self) -> list[str]:
        """The names of the datasets at the top of the file."""
        return [name for name in self._root if hasattr(self._found(name), "shape")]

    def has(self, path: str) -> bool:
        return self._found(path) is not None

    def dataset(self, path: str) -> Any:
        """The dataset at a path, once it is certain that reading it does no harm."""
        import h5py

        found = self._found(path)
        if found is None:
            raise self.error(f"has no {path}; it holds {self.contents()}")
        if not isinstance(found, h5py.Dataset):
            raise self.error(f"{path} is not a dataset; write the file again")
        if found.is_virtual or found.external:
            raise self.error(
                f"{path} lies in other files, which are not read; copy it into this one"
            )
        values = math.prod(found.shape or ())  # as whole numbers of Python, which do not overflow
        claimed = values * found.id.get_type().get_size()
        if values > _MOST_VALUES or claimed > _LARGEST_RATIO * self._size:
            raise self.error(
                f"{path} claims {values} values ({claimed} bytes) in a file of {self._size} bytes; "
                "the file is damaged or larger than can be read"
            )
        return found

    def _found(self, path: str) -> Any | None:
        """What is at a path, if there is anything; links are refused."""
        import h5py

        here = self._root
        for part in path.split("/"):
            link = here.get(part, getlink=True) if isinstance(here, h5py.Group) else None
            if link is None:
                return None
            if not isinstance(link, h5py.HardLink):
                raise self.error(
                    f"{path} is reached by a link, which is not followed; copy what it points to "
                    "into its place"
                )
            here = here[part]
        return here

    def refuse_broken_heaps(self) -> None:
        """Refuse a file with a gap of zeros among its texts of variable length.

        Such texts lie in heaps. Where a copy that was interrupted has left zeros in one, HDF5 looks
        for the next text in the same place forever, and cannot be stopped by Ctrl-C.
        """
        with Path(self.name).open("rb") as file:
            if any(_is_broken(file, start) for start in list(_heaps(file))):
                raise self.error("is cut off or damaged; copy or write the file again")


def _heaps(file: IO[bytes]) -> Iterator[int]:
    """Where heaps begin."""
    place, before = 0, b""
    while block := file.read(_BLOCK):
        content = before + block
        yield from (place - len(before) + found.start() for found in _HEAP.finditer(content))
        place, before = place + len(block), content[-4:]  # one may lie across


def _is_broken(file: IO[bytes], start: int) -> bool:
    """Whether the heap that starts here has a text without a number and without a length."""
    file.seek(start + 8)
    place = start + _HEAP_HEAD
    end = min(start + int.from_bytes(file.read(8), "little"), os.fstat(file.fileno()).st_size)
    while place + _HEAP_HEAD <= end:
        file.seek(place)
        number, length = struct.unpack("<H6xQ", file.read(_HEAP_HEAD))
        if not number and not length:
            return True
        # A text is padded to eight bytes; where the number is 0, so many bytes are free.
        place += _HEAP_HEAD + length + -length % 8 if number else length
    return False


@contextmanager
def opened(name: str) -> Iterator[Container]:
    """A file to read from; errors of h5py become a TrialFileError."""
    try:
        with h5py_for(name).File(name, "r") as root:
            yield Container(root, name)
    except LlrcalError:
        raise
    # What h5py raises over damaged files is of many types, which have no common base.
    except Exception as problem:
        raise TrialFileError(
            f"{name}: cannot be read as HDF5 ({problem}); copy or write the file again"
        ) from problem


def h5py_for(name: str) -> Any:
    """The module h5py, which need not be installed."""
    try:
        import h5py
    except ImportError as problem:
        raise TrialFileError(
            f'{name}: HDF5 files need h5py, which is not installed: pip install "llrcal[hdf5]"'
        ) from problem
    return h5py
