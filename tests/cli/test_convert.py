"""``llrcal convert``: from every format into every other, and back to the same trials."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from llrcal import fit, read_trials
from tests.cli.running import llrcal, only_line, run
from tests.conftest import real_scores

pytestmark = pytest.mark.slow

ROWS = [
    (f"m{i % 4}", f"t{i}", score, i % 3 == 0)
    for i, score in enumerate(np.random.default_rng(5).normal(size=12).tolist())
]
Trial = tuple[str, str, float, bool]

# Formats that hold trials with their labels: in one file, or in two.
WHOLE = ("wespeaker", "speechbrain", "voxceleb", "csv", "tsv", "nist-tsv", "parquet")
PARTED = ("kaldi", "hdf5")
ENDINGS = {"parquet": ".parquet", "hdf5": ".h5", "csv": ".csv"}


@pytest.fixture
def speechbrain(tmp_path: Path) -> Path:
    path = tmp_path / "given.txt"  # a name that nothing is converted to
    path.write_text("".join(f"{m} {t} {int(k)} {s!r}\n" for m, t, s, k in ROWS))
    return path


def trials(*paths: Path) -> list[Trial]:
    """What is read again, in an order of its own, for a matrix has none."""
    read = read_trials(*paths, allow_infinite=True)
    assert read.ids is not None
    rows = zip(read.ids["enrol"], read.ids["test"], read.scores, read.labels, strict=True)
    return sorted((m, t, float(s), bool(k)) for m, t, s, k in rows)


def converted(source: Path, to: str, *, key: Path | None = None) -> tuple[Path, ...]:
    """The file, or the two, of the same trials in another format."""
    out = source.parent / f"{to}{ENDINGS.get(to, '.txt')}"
    parted = ("--key-out", f"{out}.key") if to in PARTED else ()
    given = ("--key", key) if key else ()
    result = llrcal("convert", source, *given, "-o", out, "--to", to, *parted)
    assert (result.exit_code, result.stdout) == (0, ""), result.stderr
    assert "not in it" not in result.stderr
    return (out, Path(f"{out}.key")) if parted else (out,)


# --------------------------------------------------------------------------------- round trips


def test_through_every_format_and_back(speechbrain: Path) -> None:
    """Each is written from what was read of the one before: nothing is lost on the way."""
    path, key = speechbrain, None
    for to in (*WHOLE, *PARTED, "wespeaker"):
        path, *keys = converted(path, to, key=key)
        key = keys[0] if keys else None
        assert trials(path, *keys) == sorted(ROWS), to


@pytest.mark.parametrize("name", ["a.npz", "a.csv", "a.tsv", "a.parquet"])
def test_arrays_there_and_back(tmp_path: Path, name: str) -> None:
    """Two classes, labelled scores and files of one class each have no ids, and need none."""
    tar, non = (np.array([s for _, _, s, k in ROWS if k is kind]) for kind in (True, False))
    np.savez(tmp_path / "two.npz", tar=tar, non=non)
    labels = np.array([k for *_, k in ROWS])
    np.savez(tmp_path / "one.npz", scores=np.array([s for _, _, s, _ in ROWS]), labels=labels)
    np.save(tmp_path / "tar.npy", tar)
    (tmp_path / "non.txt").write_text("".join(f"{s!r}\n" for s in non.tolist()))
    apart = ("tar.npy", "--nontargets", tmp_path / "non.txt")
    for source, *others in (("two.npz",), ("one.npz",), apart):
        result = llrcal("convert", tmp_path / str(source), *others, "-o", tmp_path / name)
        assert result.exit_code == 0, result.stderr
        after = read_trials(tmp_path / name)
        assert after.tar.tolist() == tar.tolist()
        assert after.non.tolist() == non.tolist()


def test_speakers_in_an_archive_stay(tmp_path: Path) -> None:
    arrays = {
        "tar": np.array([1.5, 2.5]),
        "non": np.array([-1.5]),
        "tar_speakers": np.array([[0, 0], [7, 7]]),
        "non_speakers": np.array([[0, 7]]),
    }
    np.savez(tmp_path / "a.npz", allow_pickle=False, **arrays)
    assert llrcal("convert", tmp_path / "a.npz", "-o", tmp_path / "a.csv").exit_code == 0
    assert (tmp_path / "a.csv").read_text() == (
        "score,label,enrol_speaker,test_speaker\n"
        "1.5,target,0,0\n2.5,target,7,7\n-1.5,nontarget,0,7\n"
    )


def test_an_array_of_scores_alone(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", scores=np.array([1.5, -2.0]))
    result = llrcal("convert", tmp_path / "a.npz", "-o", "-", "--to", "scores")
    assert result.stdout == "1.5\n-2.0\n"


@pytest.mark.parametrize("name", ["bosaris_key_sre10_det5.h5"])
def test_a_real_key_is_not_a_file_of_scores(tmp_path: Path, name: str) -> None:
    path = real_scores("formats", name)
    only_line(llrcal("convert", path, "-o", tmp_path / "a.csv", "--quiet"), "has no scores; is")
    assert not any(tmp_path.iterdir())


def test_bob_and_back(tmp_path: Path) -> None:
    path = real_scores("formats", "scores-cmc-5col.txt")
    for to in ("bob5", "csv"):
        result = llrcal("convert", path, "-o", tmp_path / to, "--to", to)
        assert result.exit_code == 0
        assert "not in it" not in result.stderr
    before = [line.split() for line in path.read_text().splitlines() if line.strip()]
    after = [line.split() for line in (tmp_path / "bob5").read_text().splitlines()]
    assert [row[:4] for row in after] == [row[:4] for row in before]
    assert [float(row[4]) for row in after] == [float(row[4]) for row in before]
    assert trials(tmp_path / "csv") == trials(path)


# ------------------------------------------------------------------------ keys and what is lost


def test_labels_go_to_a_key(speechbrain: Path, tmp_path: Path) -> None:
    paths = ("-o", tmp_path / "scores.txt", "--key-out", tmp_path / "trials.txt")
    result = llrcal("convert", speechbrain, "--to", "kaldi", *paths)
    assert result.exit_code == 0
    assert (tmp_path / "scores.txt").read_text() == "".join(
        f"{m} {t} {s!r}\n" for m, t, s, _ in ROWS
    )
    assert (tmp_path / "trials.txt").read_text() == "".join(
        f"{m} {t} {'target' if k else 'nontarget'}\n" for m, t, _, k in ROWS
    )


def test_labels_that_are_left_out_are_said(speechbrain: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.txt"
    result = llrcal("convert", speechbrain, "--to", "kaldi", "-o", out)
    assert f"{out}: labels are not in it; add --key-out" in result.stderr
    assert llrcal("convert", speechbrain, "--to", "kaldi", "-o", out, "--quiet").output == ""


def test_whatever_is_left_out_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "modelid,segmentid,side,score,label,speaker1,speaker2\n"
        "m1,t1,a,1.5,target,s1,s1\nm2,t2,b,-1.5,nontarget,s1,s2\n"
    )
    lost = {"kaldi": ["sides and speakers", "labels"], "bob4": ["models and sides"], "csv": []}
    for to, words in lost.items():
        result = llrcal("convert", tmp_path / "a.csv", "-o", tmp_path / "out", "--to", to)
        assert result.exit_code == 0, result.stderr
        said = [line for line in result.stderr.splitlines() if "not in it" in line]
        assert [line.split(": ", 1)[1].split(" are not")[0] for line in said] == words, to


def test_a_file_without_labels_is_as_welcome(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("m t 1.5\nn u -2.5\n")
    assert llrcal("convert", tmp_path / "a.txt", "-o", tmp_path / "a.csv").exit_code == 0
    assert (tmp_path / "a.csv").read_text() == "enrol,test,score\nm,t,1.5\nn,u,-2.5\n"
    only_line(
        llrcal("convert", tmp_path / "a.txt", "-o", tmp_path / "b.csv", "--key-out", "k.csv"),
        "there are scores but no labels",
    )


@pytest.mark.parametrize(
    ("key_out", "to", "words"),
    [
        ("no/key.txt", "kaldi", "no/key.txt cannot be written: no is not a folder"),
        ("key.txt", "wespeaker", "format wespeaker has no file for labels alone"),
        ("key.txt", "scores", "no file for labels alone; write them with --to labels"),
        ("./out.txt", "kaldi", "out.txt cannot be both the scores and the key"),
        ("key.h5.gz", "hdf5", "key.h5.gz: this can only be written to a plain file"),
    ],
)
def test_both_files_appear_or_none(
    speechbrain: Path, monkeypatch: pytest.MonkeyPatch, key_out: str, to: str, words: str
) -> None:
    monkeypatch.chdir(speechbrain.parent)
    command = ("convert", speechbrain.name, "-o", "out.txt", "--to", to, "--key-out", key_out)
    only_line(llrcal(*command), words)
    assert list(speechbrain.parent.iterdir()) == [speechbrain]


# ----------------------------------------------------------------------------------- spoof trials


@pytest.fixture
def spoofed(tmp_path: Path) -> Path:
    path = tmp_path / "spoofed.txt"
    path.write_text("m t 1.5 target\nm u -2.5 nontarget\nm v 0.5 spoof\n")
    return path


@pytest.mark.parametrize("to", ["hdf5", "speechbrain"])
def test_spoof_trials_are_not_made_into_something_else(
    spoofed: Path, tmp_path: Path, to: str
) -> None:
    out, key = tmp_path / "out", tmp_path / "key"
    more = ("--key-out", key) if to == "hdf5" else ()
    result = llrcal("convert", spoofed, "-o", out, "--to", to, *more)
    only_line(result, f"format {to} has no word for spoof trials; leave them out (--spoof omit)")
    assert list(tmp_path.iterdir()) == [spoofed]
    for policy, count in (("omit", 2), ("nontarget", 3), ("only", 2)):
        result = llrcal("convert", spoofed, "-o", out, "--to", to, *more, "--spoof", policy)
        assert result.exit_code == 0
        assert "1 spoof trials" in result.stderr
        assert len(read_trials(out, key if more else None)) == count


# ------------------------------------------------------------------------------------- the rest


def test_from_standard_input_to_standard_output(speechbrain: Path) -> None:
    result = llrcal("convert", "-", "-o", "-", "--to", "tsv", stdin=speechbrain.read_bytes())
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "enrol\ttest\tscore\tlabel"
    assert len(result.stdout.splitlines()) == 1 + len(ROWS)
    assert result.stderr.startswith("standard input: 12 trials; SpeechBrain")


def test_pipes_stay_clean(speechbrain: Path) -> None:
    command = ("convert", speechbrain.name, "-o", "-", "--to", "scores")
    ran = run(*command, cwd=speechbrain.parent)
    assert ran.returncode == 0
    assert [float(line) for line in ran.stdout.splitlines()] == [s for _, _, s, _ in ROWS]
    assert "models and recordings are not in it" in ran.stderr


def test_trials_that_do_not_match(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("m t 1.5\nm u 2.5\nm u 3.5\n")
    (tmp_path / "key.txt").write_text("m t target\nm v nontarget\n")
    command = (
        "convert",
        tmp_path / "a.txt",
        "--key",
        tmp_path / "key.txt",
        "-o",
        "-",
        "--to",
        "csv",
    )
    only_line(llrcal(*command), "1 repeated trials, such as (m u)")
    only_line(llrcal(*command, "--duplicates", "first"), "1 trials of")
    skipped = ("--duplicates", "first", "--missing", "skip", "--unknown", "skip")
    result = llrcal(*command, *skipped)
    assert result.stdout == "enrol,test,score,label\nm,t,1.5,target\n"
    assert "have no score, such as (m v); left out" in result.stderr
    assert "are not in the key, such as (m u); left out" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["-o", "out.txt"],
            "does not tell the format; choose one (--to FORMAT) of kaldi",
        ),
        (["-o", "-"], "the extension does not tell the format; choose one (--to FORMAT)"),
        (["-o", "out", "--to", "htk"], "there is no format 'htk'; choose one of kaldi"),
        (["-o", "out", "--to", "bob4"], "format bob4 needs enrol_speaker,test_speaker,test,score"),
        (["-o", "-", "--to", "hdf5"], "-: this can only be written to a plain file"),
        (["-o", "no/a.csv"], "no/a.csv cannot be written: no is not a folder"),
    ],
)
def test_wrong_use(
    speechbrain: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(speechbrain.parent)
    only_line(llrcal("convert", speechbrain.name, *arguments), words)
    assert list(speechbrain.parent.iterdir()) == [speechbrain]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize(
    "arguments",
    [
        "convert given.txt --to parquet",
        "apply model.json given.txt --format speechbrain",
        "apply model.json in.parquet",
    ],
)
def test_standard_output_that_takes_no_more(
    speechbrain: Path, tmp_path: Path, arguments: str
) -> None:
    assert llrcal("convert", speechbrain, "-o", tmp_path / "in.parquet").exit_code == 0
    fit([1.0, 3.0], [0.0, 2.0]).save(tmp_path / "model.json")
    words = [sys.executable, "-m", "llrcal", *arguments.split(), "-o", "-", "--quiet"]
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False
        )
    assert (ran.returncode, ran.stderr) == (2, "llrcal: No space left on device\n")
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        words, stdout=writing, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (141, "")
