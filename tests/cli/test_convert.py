"""``llrcal convert``: from every format into every other, and back to the same trials."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from llrcal import fit, read_trials
from tests.cli.running import answer, done, refused
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


@pytest.fixture(autouse=True)
def _given(here: Path) -> None:
    """Trials in a file with a name that nothing is converted to."""
    text = "".join(f"{m} {t} {int(k)} {s!r}\n" for m, t, s, k in ROWS)
    Path("given.txt").write_text(text)


def trials(*paths: str | Path) -> list[Trial]:
    """What is read again, in an order of its own, for a matrix has none."""
    read = read_trials(*paths, allow_infinite=True)
    assert read.ids is not None
    rows = zip(read.ids["enrol"], read.ids["test"], read.scores, read.labels, strict=True)
    return sorted((m, t, float(s), bool(k)) for m, t, s, k in rows)


# --------------------------------------------------------------------------------- round trips


def test_through_every_format_and_back() -> None:
    """Each is written from what was read of the one before: nothing is lost on the way."""
    files = ["given.txt"]
    for number, to in enumerate((*WHOLE, *PARTED, "wespeaker")):
        out = f"{number}{ENDINGS.get(to, '.txt')}"
        after = [out, f"{out}.key"] if to in PARTED else [out]
        result = done("convert", " --key ".join(files), "--to", to, "-o", " --key-out ".join(after))
        assert result.stdout == ""
        assert "not in it" not in result.stderr
        files = after
        assert trials(*files) == sorted(ROWS), to


@pytest.mark.parametrize("name", ["a.npz", "a.csv", "a.tsv", "a.parquet"])
def test_arrays_there_and_back(name: str) -> None:
    """Two classes, labelled scores and files of one class each have no ids, and need none."""
    tar, non = (np.array([s for _, _, s, k in ROWS if k is kind]) for kind in (True, False))
    np.savez("two.npz", tar=tar, non=non)
    labels = np.array([k for *_, k in ROWS])
    np.savez("one.npz", scores=np.array([s for _, _, s, _ in ROWS]), labels=labels)
    np.save("tar.npy", tar)
    Path("non.txt").write_text("".join(f"{s!r}\n" for s in non.tolist()))
    for source in ("two.npz", "one.npz", "tar.npy --nontargets non.txt"):
        done("convert", source, "-o", name)
        after = read_trials(name)
        Path(name).unlink()
        assert after.tar.tolist() == tar.tolist()
        assert after.non.tolist() == non.tolist()


def test_speakers_in_an_archive_stay() -> None:
    same, others = np.array([[0, 0], [7, 7]]), np.array([[0, 7]])
    np.savez("a.npz", tar=[1.5, 2.5], non=[-1.5], tar_speakers=same, non_speakers=others)
    done("convert a.npz -o a.csv")
    assert Path("a.csv").read_text() == (
        "score,label,enrol_speaker,test_speaker\n"
        "1.5,target,0,0\n2.5,target,7,7\n-1.5,nontarget,0,7\n"
    )


def test_an_array_of_scores_alone() -> None:
    np.savez("a.npz", scores=np.array([1.5, -2.0]))
    assert done("convert a.npz -o - --to scores").stdout == "1.5\n-2.0\n"


def test_a_real_key_is_not_a_file_of_scores(here: Path) -> None:
    path = real_scores("formats", "bosaris_key_sre10_det5.h5")
    refused("has no scores; is", "convert", path, "-o a.csv --quiet")
    assert [one.name for one in here.iterdir()] == ["given.txt"]


def test_bob_and_back() -> None:
    path = real_scores("formats", "scores-cmc-5col.txt")
    for to in ("bob5", "csv"):
        assert "not in it" not in done("convert", path, "-o", to, "--to", to).stderr
    before, after = (
        [line.split() for line in one.read_text().splitlines() if line.strip()]
        for one in (path, Path("bob5"))
    )
    for rows in (before, after):
        rows[:] = [[*row[:4], str(float(row[4]))] for row in rows]
    assert after == before
    assert trials("csv") == trials(path)


# ------------------------------------------------------------------------ keys and what is lost


def test_labels_go_to_a_key() -> None:
    done("convert given.txt --to kaldi -o scores.txt --key-out trials.txt")
    scores, key = (Path(name).read_text() for name in ("scores.txt", "trials.txt"))
    assert scores == "".join(f"{m} {t} {s!r}\n" for m, t, s, _ in ROWS)
    words = {True: "target", False: "nontarget"}
    assert key == "".join(f"{m} {t} {words[k]}\n" for m, t, _, k in ROWS)


def test_whatever_is_left_out_is_said() -> None:
    Path("a.csv").write_text(
        "modelid,segmentid,side,score,label,speaker1,speaker2\n"
        "m1,t1,a,1.5,target,s1,s1\nm2,t2,b,-1.5,nontarget,s1,s2\n"
    )
    lost = {"kaldi": ["sides and speakers", "labels"], "bob4": ["models and sides"], "csv": []}
    for to, words in lost.items():
        said = done("convert a.csv --to", to, "-o", to).stderr.splitlines()
        told = [line.removeprefix(f"{to}: ") for line in said if "not in it" in line]
        assert [line.split(" are not")[0] for line in told] == words, to
        if "labels" in words:
            assert told[-1] == "labels are not in it; add --key-out"
    assert done("convert a.csv --to kaldi -o out --quiet").output == ""


def test_columns_that_nobody_knows_are_named() -> None:
    """Speakers are among them, unless they are called by a common name."""
    Path("a.csv").write_text(
        "score,label,pupil_A,pupil_B\n1.5,target,p1,p1\n-1.5,nontarget,p1,p2\n"
    )
    said = "b.csv: columns that are not in it: pupil_A, pupil_B; if they name speakers, say so: "
    hint = "--columns enrol_speaker=NAME,test_speaker=NAME"
    assert f"{said}{hint}\n" in done("convert a.csv -o b.csv").stderr
    Path("b.csv").unlink()
    assert said + hint in [note["text"] for note in answer("convert a.csv -o b.csv")["notes"]]
    Path("b.csv").unlink()
    named = "--columns enrol_speaker=pupil_A,test_speaker=pupil_B"
    assert "not in it" not in done("convert a.csv -o b.csv", named).stderr
    assert read_trials("b.csv").has_speakers


def test_speakers_from_ids_become_columns() -> None:
    Path("a.txt").write_text("s1-a s1-b 1.5 target\ns1-a s2-a -1.5 nontarget\n")
    done("convert a.txt -o b.csv --speakers-from {speaker}-{rest}")
    assert Path("b.csv").read_text().splitlines()[1] == "s1-a,s1-b,1.5,target,s1,s1"
    assert read_trials("b.csv").has_speakers


def test_a_file_without_labels_is_as_welcome() -> None:
    Path("a.txt").write_text("m t 1.5\nn u -2.5\n")
    done("convert a.txt -o a.csv")
    assert Path("a.csv").read_text() == "enrol,test,score\nm,t,1.5\nn,u,-2.5\n"
    refused("there are scores but no labels", "convert a.txt -o b.csv --key-out k.csv")


# ----------------------------------------------------------------------------------- spoof trials


@pytest.mark.parametrize("to", ["hdf5", "speechbrain"])
def test_spoof_trials_are_not_made_into_something_else(to: str) -> None:
    Path("a.txt").write_text("m t 1.5 target\nm u -2.5 nontarget\nm v 0.5 spoof\n")
    command = f"convert a.txt -o out --to {to}{' --key-out key' if to == 'hdf5' else ''}"
    refused(f"format {to} has no word for spoof trials; leave them out (--spoof omit)", command)
    assert not Path("out").exists()
    for policy, count in (("omit", 2), ("nontarget", 3), ("only", 2)):
        assert "1 spoof trials" in done(command, "--spoof", policy).stderr
        assert len(read_trials("out", "key" if to == "hdf5" else None)) == count
        for written in ("out", "key"):
            Path(written).unlink(missing_ok=True)


# ------------------------------------------------------------------------------------- the rest


def test_from_standard_input_to_standard_output() -> None:
    result = done("convert - -o - --to tsv", stdin=Path("given.txt").read_bytes())
    head, *lines = result.stdout.splitlines()
    assert head == "enrol\ttest\tscore\tlabel"
    assert [float(line.split("\t")[2]) for line in lines] == [s for _, _, s, _ in ROWS]
    assert result.stderr.startswith("standard input: 12 trials; SpeechBrain")


def test_trials_that_do_not_match() -> None:
    Path("a.txt").write_text("m t 1.5\nm u 2.5\nm u 3.5\n")
    Path("key.txt").write_text("m t target\nm v nontarget\n")
    command = "convert a.txt --key key.txt -o - --to csv"
    refused("1 repeated trials, such as (m u)", command)
    refused("1 trials of", command, "--duplicates first")
    result = done(command, "--duplicates first --missing skip --unknown skip")
    assert result.stdout == "enrol,test,score,label\nm,t,1.5,target\n"
    assert "have no score, such as (m v); left out" in result.stderr
    assert "are not in the key, such as (m u); left out" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("-o -", "the extension does not tell the format; choose one (--to FORMAT)"),
        ("-o out --to bob4", "format bob4 needs enrol_speaker,test_speaker,test,score"),
        ("-o no/a.csv", "no/a.csv cannot be written: no is not a folder"),
        ("-o a --to kaldi --key-out no/k", "no/k cannot be written: no is not a folder"),
        ("-o a --to wespeaker --key-out k", "format wespeaker has no file for labels alone"),
        ("-o a --to scores --key-out k", "no file for labels alone; write them with --to labels"),
        ("-o a --to hdf5 --key-out k.h5.gz", "k.h5.gz: this can only be written to a plain file"),
    ],
)
def test_wrong_use_writes_nothing(here: Path, arguments: str, words: str) -> None:
    refused(words, "convert given.txt", arguments)
    assert [path.name for path in here.iterdir()] == ["given.txt"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize(
    "arguments",
    [
        "convert given.txt --to parquet",
        "apply model.json given.txt --format speechbrain",
        "apply model.json in.parquet",
    ],
)
def test_standard_output_that_takes_no_more(arguments: str) -> None:
    done("convert given.txt -o in.parquet")
    fit([1.0, 3.0], [0.0, 2.0]).save("model.json")
    words = [sys.executable, "-m", "llrcal", *arguments.split(), "-o", "-", "--quiet"]
    reading, writing = os.pipe()
    os.close(reading)
    full = os.open("/dev/full", os.O_WRONLY)
    for output, ended in (
        (full, (2, "llrcal: No space left on device\n")),
        (writing, (141, "")),
    ):
        ran = subprocess.run(words, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
        assert (ran.returncode, ran.stderr) == ended
        os.close(output)
