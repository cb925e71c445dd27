"""Zip archives: which kind one is, and whether it is what it claims to be."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from llrcal.errors import TrialFileError

_LARGEST_RATIO = 1000
_HARMLESS = 2**26
# At byte 30 of an archive is the name of its first entry, which begins like this in a workbook.
_WORKBOOK = re.compile(rb".{30}(?:\[Content_Types\]\.xml|_rels/|docProps/|xl/)", re.DOTALL)


def is_npz(head: bytes) -> bool:
    """Whether a file that begins like this is an archive of arrays."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06")) and not is_workbook(head)


def is_workbook(head: bytes) -> bool:
    """Whether a file that begins like this is a workbook of Excel."""
    return head.startswith(b"PK\x03\x04") and _WORKBOOK.match(head) is not None


def refuse_bombs(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse an archive that claims to be far larger than it is."""
    total = sum(entry.file_size for entry in archive.infolist())
    packed = Path(name).stat().st_size
    if total > max(_HARMLESS, _LARGEST_RATIO * packed):
        raise TrialFileError(
            f"{name}: {packed} compressed bytes expand to {total}; this is not an archive of scores"
        )
