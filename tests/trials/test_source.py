"""Where the bytes come from: compressed or not, whole or not, a file at all or not."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import OptionError, TrialFileError, read_trials
from llrcal.files.compression import zstd
from llrcal.trials.source import Source, whole_lines
from tests.trials.files import EXAMPLE, PACKED, assert_reads, wespeaker

TEXT = wespeaker(EXAMPLE).scores.encode()
# What compresses as badly as scores do.
LONG = b"".join(b"%d %d %d.5 %s\n" % (i, i * 7919 % 99991, i * 31 % 1013, [b"tar", b"non"][i % 2])
                for i in range(9, 30_000))  # fmt: skip
COMPRESSED = {name: pack for name, pack in PACKED.items() if name != "plain"}
each_compression = pytest.mark.parametrize("pack", COMPRESSED.values(), ids=COMPRESSED)


@given(
    st.lists(st.text("ab\n").map(str.encode)), st.integers(1, 20), st.sampled_from([b"\n", b"a"])
)
def test_blocks_that_end_where_a_line_does(blocks: list[bytes], size: int, end: bytes) -> None:
    *cut, last = [*whole_lines(blocks, end, "file", at_least=size), b""]
    assert b"".join(cut) + last == b"".join(blocks)
    assert all(block.endswith(end) and len(block) >= size for block in cut[:-1])


def test_lines_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llrcal.trials.source.LONGEST_LINE", 10)
    assert list(whole_lines([b"12345", b"67890", b"\n1"], b"\n", "x")) == [b"1234567890\n", b"1"]
    with pytest.raises(TrialFileError, match="x: a line is longer than 10 bytes; this is not"):
        list(whole_lines([b"12345", b"678901", b"\n"], b"\n", "x"))


@each_compression
def test_several_members_in_one_file(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "a"
    path.write_bytes(pack(TEXT[:100]) + pack(b"") + pack(TEXT[100:]))
    assert_reads(read_trials(path), EXAMPLE, ("enrol", "test"))


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(TEXT)
    with pytest.raises(TrialFileError, match="cannot be read: Not a directory"):
        read_trials(tmp_path / "a" / "b")
    with pytest.raises(TrialFileError, match="cannot be read: File name too long"):
        read_trials("x" * 5000)
    with pytest.raises(TrialFileError, match="cannot be read: File name too long"):
        read_trials("x" * 5000 + ",y")
    with pytest.raises(TrialFileError, match="is a folder, not a file"):
        read_trials(tmp_path)
    with pytest.raises(OptionError, match="the name of a file or folder is empty"):
        read_trials("")


def test_files_that_fail_while_they_are_read(tmp_path: Path) -> None:
    sock = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(sock))
        with pytest.raises(TrialFileError, match="socket: cannot be read: No such device"):
            read_trials(sock)
    with pytest.raises(TrialFileError, match=r"cannot be read|holds no trials"):
        read_trials("/proc/self/mem")


def test_odd_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (
        "a b.txt",
        "ä.txt",
        "a,b.txt",
        "[1].txt",
        "*.txt",
        "-a.txt",
        "a\nb",
        "%41.txt",
        "a.gz",
        "a.zst",
    ):
        Path(name).write_bytes(TEXT)
        assert_reads(read_trials(name), EXAMPLE, ("enrol", "test"))
    Path("link").symlink_to("a b.txt")
    assert_reads(read_trials(Path("link")), EXAMPLE, ("enrol", "test"))


def test_a_head_ends_with_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for end in (b"\n", b"\r\n", b"\r"):
        path.write_bytes(LONG.replace(b"\n", end))
        head = Source(str(path)).head
        assert head.endswith(end)
        assert len(head) >= 2**18 - 100
        assert path.read_bytes().startswith(head)


def test_a_head_has_enough_lines_to_tell_a_header(tmp_path: Path) -> None:
    path = tmp_path / "a"
    rows = [b"x" * 200_000 + b"\n"] * 6
    path.write_bytes(b"".join(rows))
    assert Source(str(path)).head.count(b"\n") >= 4


def test_zstd_is_needed_only_for_zstd(tmp_path: Path) -> None:
    lines = "".join(f"a t{i} {i % 7 + i % 2}.5 {'non' * (i % 2)}target\n" for i in range(60))
    (tmp_path / "plain.txt").write_text(lines)
    (tmp_path / "packed.zst").write_bytes(zstd.compress(lines.encode()))
    for command, words in (
        ("fit plain.txt -o model.json", "Model: model.json"),
        (
            "fit packed.zst -o other.json",
            "packed.zst: zstd needs backports.zstd, which is not inst",
        ),
        ("apply model.json plain.txt -o llrs.zst", 'pip install "llrcal[zstd]"'),
    ):
        code = (
            "import sys; sys.modules['backports.zstd'] = sys.modules['compression.zstd'] = None\n"
            f"sys.argv = ['llrcal', *{command.split()!r}]; from llrcal.cli import main; main()"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert words in done.stdout + done.stderr
    assert [*tmp_path.glob("*.json")] == [tmp_path / "model.json"]
    assert not (tmp_path / "llrs.zst").exists()
