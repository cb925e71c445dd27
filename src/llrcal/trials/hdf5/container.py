"""HDF5 files that need not be trusted: nothing outside the file is read, and no more than fits.

Left to itself, HDF5 follows links into other files, reads external storage and virtual datasets,
makes room for whatever a shape claims, and inflates whatever a chunk holds. All of that is refused
here, before any data is read.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from llrcal.errors import LlrcalError, TrialFileError
from llrcal.messages import Part

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_PLACES = (0, 512, 1024, 2048)  # MATLAB's own files have a block of text in front

_MOST_VALUES = 2**31  # 15,673 models by 133,083 recordings, the largest we have heard of, fit in
_LARGEST_RATIO = 1000  # of values to file, in bytes: a matrix of zeros shrinks by as much
_MOST_CHUNKS = 2**20
_LARGEST_CHUNK = 2**31  # bytes, once inflated

_DEFLATE, _SHUFFLE, _FLETCHER32 = 1, 2, 3
_CHECKSUM = 4  # bytes that fletcher32 adds to a chunk


def is_hdf5(head: bytes) -> bool:
    r"""Whether a file that begins like this is HDF5.

    Examples
    --------
    >>> from llrcal.trials.hdf5 import is_hdf5
    >>> is_hdf5(b"\x89HDF\r\n\x1a\n\x00"), is_hdf5(b"enrol test 1.5")
    (True, False)
    """
    return any(head[place : place + len(_SIGNATURE)] == _SIGNATURE for place in _PLACES)


class Container:
    """An open file, which hands out plain datasets only; every complaint names the file."""

    def __init__(self, root: Any, raw: IO[bytes], name: str) -> None:
        self.name = name
        self.size = raw.seek(0, 2)
        self.base = int(root.userblock_size)
        self._root = root
        self._raw = raw

    def error(self, *problem: Part) -> TrialFileError:
        return TrialFileError(f"{self.name}: ", *problem)

    def contents(self) -> str:
        """What the file holds at its top, for messages."""
        names = [visible(name) for name in itertools.islice(self._root, 13)]
        return ", ".join([*names[:12], *(["and more"] if len(names) > 12 else [])]) or "nothing"

    def bytes_at(self, start: int, size: int) -> bytes:
        if start + size > self.size:
            raise self.error("is cut off or damaged; copy or write the file again")
        self._raw.seek(start)
        return self._raw.read(size)

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
        self._check_size(found, path)
        self._check_chunks(found, path)
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

    def _check_size(self, found: Any, path: str) -> None:
        shape = found.shape or ()
        values = math.prod(shape)  # as whole numbers of Python, which do not overflow
        claimed = values * found.id.get_type().get_size()
        if values > _MOST_VALUES or claimed > _LARGEST_RATIO * self.size:
            raise self.error(
                f"{path} claims {values} values ({claimed} bytes) in a file of {self.size} bytes; "
                "the file is damaged or larger than can be read"
            )

    def _check_chunks(self, found: Any, path: str) -> None:
        """Refuse chunks that are too many, too large, or do not inflate to their size.

        HDF5 would inflate a chunk to the end, however long that is, and then cut it.
        """
        if not found.chunks:
            return
        corners = [range(0, n, step) for n, step in zip(found.shape, found.chunks, strict=True)]
        if math.prod(len(places) for places in corners) > _MOST_CHUNKS:
            raise self.error(f"{path} is cut into too many chunks; rewrite it with h5repack")
        filters = filters_of(found)
        if not filters or found.dtype.hasobject:  # text of variable length, not read from chunks
            return
        if len(set(filters)) < len(filters) or set(filters) - {_DEFLATE, _SHUFFLE, _FLETCHER32}:
            raise self.error(
                f"{path} is packed by other filters than gzip; unpack it: h5repack -f NONE"
            )
        size = math.prod(found.chunks) * found.id.get_type().get_size()
        if size > min(_LARGEST_CHUNK, _LARGEST_RATIO * self.size):
            raise self.error(
                f"{path} claims chunks of {size} bytes in a file of {self.size} bytes; rewrite it "
                "with h5repack"
            )
        for corner in itertools.product(*corners):
            stored = found.id.get_chunk_info_by_coord(corner)
            if stored.byte_offset is not None and not self._is_whole(found, stored, filters, size):
                raise self.error(f"a chunk of {path} is damaged; copy or write the file again")

    def _is_whole(self, found: Any, stored: Any, filters: list[int], size: int) -> bool:
        deflate = filters.index(_DEFLATE) if _DEFLATE in filters else len(filters)
        if deflate == len(filters) or stored.filter_mask >> deflate & 1:  # not deflated
            return bool(stored.size == size + _CHECKSUM * (_FLETCHER32 in filters))
        if stored.size > self.size:
            return False
        inflated = size + _CHECKSUM * (_FLETCHER32 in filters[:deflate])
        raw = found.id.read_direct_chunk(stored.chunk_offset)[1]
        return len(zlib.decompressobj().decompress(raw, inflated + 1)) == inflated


def filters_of(found: Any) -> list[int]:
    """The numbers of the filters that a dataset's chunks go through when they are written."""
    plan = found.id.get_create_plist()
    return [plan.get_filter(i)[0] for i in range(plan.get_nfilters())]


@contextmanager
def opened(name: str) -> Iterator[Container]:
    """A file to read from; errors of h5py become a TrialFileError."""
    with _readable(name), Path(name).open("rb") as raw, _h5py(name).File(name, "r") as root:
        yield Container(root, raw, name)


@contextmanager
def new_image(image: IO[bytes], name: str) -> Iterator[Any]:
    """The root of a new file in memory.

    HDF5 crashes (SIGSEGV) when it closes a file for which the disk has no room; memory has.
    """
    with _h5py(name).File(image, "w") as root:
        yield root


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except LlrcalError:
        raise
    # What h5py raises over damaged files is of many types, which have no common base.
    except Exception as problem:
        raise TrialFileError(
            f"{name}: cannot be read as HDF5 ({problem}); copy or write the file again"
        ) from problem


def _h5py(name: str) -> Any:
    try:
        import h5py
    except ImportError as problem:
        raise TrialFileError(
            f'{name}: HDF5 files need h5py, which is not installed: pip install "llrcal[hdf5]"'
        ) from problem
    return h5py


def visible(name: str) -> str:
    """A name from a file for messages: printable, and not too long."""
    cut = name if len(name) <= 60 else f"{name[:40]}…"
    return cut if cut.isprintable() else ascii(cut)[1:-1]
