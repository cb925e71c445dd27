"""Compressed files, and output that is compressed according to its name."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import IO, Any, cast

from llrcal.errors import OptionError
from llrcal.files.atomic import atomic_file, place_of_file
from llrcal.files.names import STANDARD_STREAM
from llrcal.files.overwriting import refuse_to_overwrite

_GZIP, _ZSTD = (".gz",), (".zst", ".zstd")

zstd: Any = None
"""The module for zstd, where it is installed."""
with suppress(ImportError):
    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

NO_ZSTD = (
    'zstd needs backports.zstd, which is not installed: pip install "llrcal[zstd]", or use gzip'
)


def plain_name(name: str) -> str:
    """A name without the extension of a compressed file."""
    for ending in (*_GZIP, *_ZSTD):
        if name.endswith(ending):
            return name.removesuffix(ending)
    return name


def check_place(
    name: str, *, by_name: bool = False, mark: bytes | None = None, force: bool = True
) -> None:
    """Raise an OptionError if no file can be written here, before any work is done for it.

    With ``by_name``, the file can be neither compressed nor sent to standard output. Files that are
    there already are replaced only if they have the ``mark``, and with ``force``.
    """
    if by_name and (name == STANDARD_STREAM or plain_name(name) != name):
        raise OptionError(f"{name}: this can only be written to a plain file; name one")
    if name.endswith(_ZSTD) and zstd is None:
        raise OptionError(f"{name}: {NO_ZSTD}")
    if name == STANDARD_STREAM:
        if not hasattr(sys.stdout, "buffer"):  # it is closed, or not for bytes
            raise OptionError("standard output is closed; name a file")
        return
    place_of_file(name, mark, force=force)


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
