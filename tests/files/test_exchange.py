"""Two paths change places, or nothing happens."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from llrcal.files.exchange import exchanged
from tests.stopping import contents, put


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may be unable to")
def test_folders_change_places(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "öther name"
    put(one, {"a": b"1"})
    put(other, {"b/c": b"2"})
    numbers = one.stat().st_ino, other.stat().st_ino
    if not exchanged(one, other):
        pytest.skip("this file system cannot do it")
    assert (contents(one), contents(other)) == ({"b/c": b"2"}, {"a": b"1"})
    assert (other.stat().st_ino, one.stat().st_ino) == numbers


def test_where_it_cannot_be_done_nothing_changes(tmp_path: Path) -> None:
    put(tmp_path / "one", {"a": b"1"})
    for missing in (tmp_path / "two", tmp_path / "no" / "two"):
        assert not exchanged(tmp_path / "one", missing)
        assert not exchanged(missing, tmp_path / "one")
    assert not exchanged(tmp_path, tmp_path / "one")  # a folder and one in it
    assert contents(tmp_path) == {"one/a": b"1"}
