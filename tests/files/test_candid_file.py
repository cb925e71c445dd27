"""Errors of writing keep their name and their reason, whatever is made of them on the way up."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import polars as pl
import pytest

from llrcal.files.candid_file import CandidFile

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.is_char_device(), reason="there is no /dev/full")


def test_what_is_written_is_there(tmp_path: Path) -> None:
    with CandidFile(tmp_path / "file", "x") as file:
        assert file.write(b"one") == 3
        file.write(b"two" * 10**5)
        file.sync()
        assert (tmp_path / "file").read_bytes() == b"one" + b"two" * 10**5
    with pytest.raises(FileExistsError):
        CandidFile(tmp_path / "file", "x")


@pytest.mark.parametrize("size", [1, 10**6], ids=["at its end", "at once"])
def test_an_error_has_the_name_of_the_file(size: int) -> None:
    def write() -> None:
        with CandidFile(FULL, "a") as file:
            file.write(bytes(size))

    with pytest.raises(OSError, match="/dev/full") as caught:
        write()
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(FULL))


def test_what_cannot_be_brought_to_disk() -> None:
    ours, theirs = os.openpty()
    try:
        name = os.ttyname(theirs)
        with CandidFile(Path(name), "a") as file, pytest.raises(OSError, match=name):
            file.sync()
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("rows", [3, 100, 30_000])
@pytest.mark.parametrize("kind", ["parquet", "ipc", "csv"])
def test_what_polars_makes_of_it_is_undone(kind: str, rows: int) -> None:
    frame = pl.DataFrame({"id": [str(7919 * i) for i in range(rows)], "score": range(rows)})

    def write() -> None:
        with CandidFile(FULL, "a") as file, file.reasons():
            getattr(frame, f"write_{kind}")(file)

    with pytest.raises(OSError, match="/dev/full") as caught:
        write()
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.parametrize("error", [RuntimeError("transport error"), OSError("in words alone")])
def test_a_reason_that_was_lost_is_told(error: Exception) -> None:
    """So much at once is not kept to be written later, so that to close the file is no error."""

    def write() -> None:
        with CandidFile(FULL, "a") as file, file.reasons():
            try:
                file.write(bytes(3 * 10**6))
            except OSError:
                raise error from None

    with pytest.raises(OSError, match="/dev/full") as caught:
        write()
    assert caught.value.errno == errno.ENOSPC


def test_other_errors_stay_as_they_are(tmp_path: Path) -> None:
    problem = ValueError("of another kind")
    file = CandidFile(tmp_path / "file", "x")
    with file, pytest.raises(ValueError, match="kind") as got, file.reasons():
        raise problem
    assert got.value is problem
    assert got.value.__cause__ is None
