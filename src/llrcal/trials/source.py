"""Where the bytes come from: a file or standard input, plain or compressed."""

from __future__ import annotations

import gzip
import io
import re
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import IO, Literal, Protocol

from llrcal.errors import TrialFileError
from llrcal.files.compression import NO_ZSTD, zstd
from llrcal.files.fingerprint import FileFingerprint
from llrcal.files.names import STANDARD_STREAM, display_name, given_name
from llrcal.files.overwriting import opened_input, tell_input

_BLOCK = 2**20
_HEAD = 2**18
_LINES = 4  # enough to tell a header from what is below it
LONGEST_LINE = 2**22
"""Bytes; a file with a longer line is not a file of trials."""
# Score files shrink three- to tenfold; what expands by more than this is not one of them.
_LARGEST_RATIO = 100
_HARMLESS = 2**26  # bytes: up to here a large ratio does no harm

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, *([zstd.ZstdError] if zstd else []))

Kind = Literal["npy", "npz", "excel", "parquet", "arrow", "hdf5", "text"]
"""What a file is, by its first bytes."""
_BEGINNINGS: dict[Kind, bytes] = {
    "npy": rb"\x93NUMPY",
    "parquet": rb"PAR1",
    "arrow": rb"ARROW1",
    # At byte 30 of an archive is the name of its first entry.
    "excel": rb"PK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels/|docProps/|xl/)",
    "npz": rb"PK(?:\x03\x04|\x05\x06)",
    # MATLAB's own files have a block of text in front, and others a longer one: 512 bytes, doubled.
    "hdf5": rb"(?:.{512}|.{1024}|.{2048}|.{4096}|.{8192}|.{16384}|.{32768})?\x89HDF\r\n\x1a\n",
}


def kind_of(head: bytes) -> Kind:
    r"""What a file is that begins like this.

    Examples
    --------
    >>> from llrcal.trials.source import kind_of
    >>> kind_of(b"\x89HDF\r\n\x1a\n\x00"), kind_of(b"enrol test 1.5")
    ('hdf5', 'text')
    """
    found = (kind for kind, start in _BEGINNINGS.items() if re.match(start, head, re.DOTALL))
    return next(found, "text")


class Readable(Protocol):
    """Anything that bytes can be read from."""

    def read(self, size: int, /) -> bytes: ...


@contextmanager
def reading_errors(name: str) -> Iterator[None]:
    """Turn errors of the system, and those about damaged data, into a TrialFileError."""
    try:
        yield
    except _DAMAGED as problem:
        raise TrialFileError(
            f"{name}: the compressed data is cut off or damaged ({problem}); copy the file again"
        ) from problem
    except OSError as problem:
        raise TrialFileError(f"{name}: cannot be read: {problem.strerror or problem}") from problem


class Source:
    """A file, ``-`` for standard input, or bytes; its content is decompressed if necessary."""

    compression: str | None = None
    fingerprint: FileFingerprint | None = None
    """That of a file, which must stay the same for as long as it is read."""

    def __init__(self, name: str, content: bytes | None = None) -> None:
        self.name = display_name(name)
        self._path, self._content = name, content
        if content is None and _is_regular(name):
            self.fingerprint = opened_input(name)
        elif content is None:  # what can be read only once
            tell_input(name)
            with self.open() as file:
                self._content = _to_the_end(file, self.name)
        with self.open() as file:
            start = file.read(4)
        # By the first bytes rather than by the name.
        self.compression = "gzip" if start[:2] == _GZIP else "zstd" if start == _ZSTD else None
        is_plain = self._content is None and self.compression is None
        self.path = name if is_plain else None
        """The name of the file, if the content can be read from it as it is."""

    @cached_property
    def _start(self) -> bytes:
        """The first bytes of the content."""
        with self.open() as file:
            start = file.read(_HEAD)
            if len(start) == _HEAD and start.count(b"\n") < _LINES:  # a matrix has long lines
                start += file.read(_LINES * LONGEST_LINE)
        return start

    @cached_property
    def head(self) -> bytes:
        """The beginning of the content: whole lines, unless there is no end of line."""
        head = self._start
        if len(head) < _HEAD:
            return head
        end = max(head.rfind(b"\n"), head.rfind(b"\r"))
        if end < 0 and len(head) > LONGEST_LINE:
            raise too_long(self.name, "the first line")
        return head[: end + 1] if end >= 0 else head

    @cached_property
    def kind(self) -> Kind:
        """What the content is."""
        return kind_of(self._start)

    @property
    def on_disk(self) -> str:
        """The name of a file in a format that must be opened by name; an error if it has none."""
        if self.path is None:
            raise TrialFileError(
                f"{self.name}: binary data must be a plain file; decompress it first"
            )
        return self.path

    @cached_property
    def content(self) -> bytes:
        """All of the content, decompressed."""
        if self._content is not None and not self.compression:
            return self._content
        with self.held():
            if self.compression:
                return b"".join(self.blocks())
            with self.open() as file:
                return file.read(-1)

    def held(self) -> AbstractContextManager[None]:
        """Refuse what is read here if the file changes meanwhile."""
        return nullcontext() if self.fingerprint is None else self.fingerprint.held()

    @contextmanager
    def open(self) -> Iterator[Readable]:
        """The content as a stream, decompressed."""
        if "content" in vars(self):  # it is here already
            yield io.BytesIO(self.content)
            return
        with reading_errors(self.name), self._raw() as raw:
            if self.compression == "gzip":
                yield gzip.GzipFile(fileobj=raw)
            elif self.compression == "zstd":
                if zstd is None:
                    raise TrialFileError(f"{self.name}: {NO_ZSTD}")
                yield zstd.ZstdFile(raw)
            else:
                yield raw

    def _raw(self) -> AbstractContextManager[IO[bytes]]:
        if self._content is not None:
            return io.BytesIO(self._content)
        if self._path == STANDARD_STREAM:
            return nullcontext(sys.stdin.buffer)
        return Path(self._path).open("rb")

    def blocks(self) -> Iterator[bytes]:
        """The content block by block; refused if it expands beyond reason."""
        total = 0
        with self.open() as file:
            while block := file.read(_BLOCK):
                total += len(block)
                if self.compression:
                    hint = "if this is intended, decompress the file first"
                    refuse_swelling(self.name, self.size, total, _LARGEST_RATIO, hint)
                yield block

    @cached_property
    def line_end(self) -> bytes:
        """What lines end with: carriage returns only if there are no line feeds."""
        return b"\n" if b"\n" in self.head or b"\r" not in self.head else b"\r"

    @cached_property
    def size(self) -> int:
        """Bytes, compressed as they are."""
        return len(self._content) if self._content is not None else Path(self._path).stat().st_size


def refuse_swelling(name: str, size: int, claimed: int, ratio: int, hint: str) -> None:
    """Refuse a file that claims to hold many times as many bytes as it has."""
    if claimed > max(_HARMLESS, ratio * size):
        raise TrialFileError(f"{name}: {size} bytes expand to {claimed}; {hint}")


def whole_lines(
    blocks: Iterable[bytes], end: bytes, name: str, *, at_least: int = 1
) -> Iterator[bytes]:
    """The same content in blocks that end where a line does, each of some size but the last."""
    held: list[bytes] = []
    size = open_line = 0
    for block in blocks:
        cut = block.rfind(end) + 1
        open_line = len(block) - cut if cut else open_line + len(block)
        if open_line > LONGEST_LINE:
            raise too_long(name, "a line")
        if cut and size + cut >= at_least:
            yield b"".join([*held, block[:cut]])
            held, size = [], 0
            block = block[cut:]  # noqa: PLW2901
        held.append(block)
        size += len(block)
    if rest := b"".join(held):
        yield rest


def _to_the_end(file: Readable, name: str) -> bytes:
    """Everything from a pipe; refused if its first line has no end, as that of /dev/zero."""
    start = b""
    while len(start) <= LONGEST_LINE and (block := file.read(_BLOCK)):
        start += block
    ends = start.count(b"\n") + start.count(b"\r")
    if len(start) > LONGEST_LINE and not ends and kind_of(start) == "text":
        raise too_long(name, "the first line")
    return start + file.read(-1) if len(start) > LONGEST_LINE else start


def too_long(name: str, line: str) -> TrialFileError:
    """The error for a line that is too long for a file of trials."""
    return TrialFileError(
        f"{name}: {line} is longer than {LONGEST_LINE} bytes; this is not a file of trials"
    )


def _is_regular(name: str) -> bool:
    if name == STANDARD_STREAM:
        if sys.stdin is None:
            raise TrialFileError("standard input is closed; name a file")
        return False
    path = Path(given_name(name))
    try:
        with reading_errors(name):
            mode = path.stat().st_mode
    except ValueError as problem:  # a NUL byte in the name
        raise TrialFileError(f"{name!r} is not the name of a file: {problem}") from problem
    if stat.S_ISDIR(mode):
        raise TrialFileError(f"{name}: is a folder, not a file")
    return stat.S_ISREG(mode)
