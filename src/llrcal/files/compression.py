"""Compressed files, and output that is compressed according to its name."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from llrcal.errors import OptionError
from llrcal.files.atomic import atomic_file
from llrcal.files.names import STANDARD_STREAM
from llrcal.files.overwriting import refuse_to_overwrite

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["check_place", "output", "plain_name", "zstd"]

_GZIP, _ZSTD = (".gz",), (".zst", ".zstd")


def plain_name(name: str) -> str:
    """A name without the extension of a compressed file."""
    for ending in (*_GZIP, *_ZSTD):
        if name.endswith(ending):
            return name.removesuffix(ending)
    return name


def check_place(name: str, *, by_name: bool = False) -> None:
    """Raise an OptionError if no file can be written here, before any work is done for it.

    With ``by_name``, the file can be neither compressed nor sent to standard output.
    """
    path = Path(name)
    if by_name and (name == STANDARD_STREAM or plain_name(name) != name):
        raise OptionError(f"{name}: this can only be written to a plain file; name one")
    if name == STANDARD_STREAM:
        if sys.stdout is None:
            raise OptionError("standard output is closed; name a file")
        return
    if path.is_dir():
        raise OptionError(f"{name} is a folder; name a file in it")
    if not path.absolute().parent.is_dir():
        raise OptionError(f"{name} cannot be written: {path.parent} is not a folder")


@contextmanager
def output(name: str) -> Iterator[IO[bytes]]:
    """A file that appears when it is complete, compressed according to its name; or ``-``."""
    check_place(name)
    if name == STANDARD_STREAM:
        refuse_to_overwrite(name)
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with atomic_file(name) as file:
        if name.endswith(_GZIP):
            # Without name and time, so that equal content makes equal files.
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                yield cast("IO[bytes]", packed)
        elif name.endswith(_ZSTD):
            with zstd.ZstdFile(file, mode="wb") as packed:
                yield cast("IO[bytes]", packed)
        else:
            yield file
