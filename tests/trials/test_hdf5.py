"""HDF5 files of scores and keys: every convention is read, and what is hostile is refused."""

from __future__ import annotations

import errno
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import TrialFileError, read_trials
from llrcal.trials import hdf5
from llrcal.trials.hdf5 import write_hdf5
from llrcal.trials.request import Contents, ReadOptions
from llrcal.trials.source import Source
from tests.conftest import real_scores

h5py = pytest.importorskip("h5py")
pytestmark = pytest.mark.slow

MODELS, SEGMENTS = ["m1", "m2", "m3"], ["a.wav", "b.wav", "c.wav", "d.wav"]
MASK = np.array([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 1]])
SCORES = np.where(MASK, np.arange(12).reshape(3, 4) / 4 - 1.5, 99.0)
MARKS = np.array([[1, 0, -1, -1], [0, 0, 1, 0], [-1, 1, 0, -1]])
BOSARIS, SIDEKIT = ("ID/row_ids", "ID/column_ids"), ("modelset", "segset")

EXPECTED = pl.DataFrame(
    {
        "enrol": ["m1", "m1", "m1", "m2", "m3", "m3", "m3"],
        "test": ["a.wav", "c.wav", "d.wav", "c.wav", "a.wav", "b.wav", "d.wav"],
        "score": [-1.5, -1.0, -0.75, 0.0, 0.5, 0.75, 1.25],
        "label": [True, False, False, True, False, True, False],
    }
)
SCORED, LABELLED = EXPECTED.drop("label"), EXPECTED.drop("score")
SQUARE = {
    "scores": np.arange(9.0).reshape(3, 3),
    "score_mask": np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]], np.uint8),
}

Fill = Callable[[Any], object]


def read_hdf5(path: str, contents: Contents = "scores", **form: Any) -> tuple[pl.DataFrame, str]:
    table = hdf5.read_hdf5(path, ReadOptions(**form).request(contents))
    assert table.source == path
    return table.frame.cast({pl.Int8: pl.Boolean}), table.reading


def made(path: Path, *fills: Fill, **options: Any) -> str:
    """A file that is filled by hand."""
    with h5py.File(path, "w", **options) as file:
        for fill in fills:
            fill(file)
    return str(path)


def ids(names: tuple[str, str] = BOSARIS, *, dtype: Any = "S", **options: Any) -> Fill:
    def fill(file: Any) -> None:
        for name, side in zip(names, (MODELS, SEGMENTS), strict=True):
            file.create_dataset(name, data=np.array(side, dtype), **options)

    return fill


def matrices(**given: Any) -> Fill:
    def fill(file: Any) -> None:
        for name, values in given.items():
            file[name] = values

    return fill


SCORE_FILE = (ids(), matrices(scores=SCORES, score_mask=MASK.astype(np.uint8)))


# -- the conventions


def as_bosaris(file: Any) -> None:
    """As MATLAB's hdf5write does: one chunk, text that ends in a NUL byte."""
    for name, side in zip(BOSARIS, (MODELS, SEGMENTS), strict=True):
        text = h5py.h5t.C_S1.copy()
        text.set_size(max(map(len, side)) + 1)
        group, last = name.split("/")
        place = file.require_group(group).id
        space = h5py.h5s.create_simple((len(side),))
        found = h5py.h5d.create(place, last.encode(), text, space)
        found.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array(side, f"S{text.get_size()}"), text)
    file.create_dataset("scores", data=SCORES, chunks=SCORES.shape)
    file.create_dataset("score_mask", data=MASK.astype(np.uint8), chunks=MASK.shape)


def as_sidekit(file: Any) -> None:
    packed = {"compression": "gzip", "fletcher32": True}
    ids(SIDEKIT, maxshape=(None,), **packed)(file)
    for name, values in (("scores", SCORES), ("score_mask", MASK.astype(np.int8))):
        file.create_dataset(name, data=values, maxshape=(None, None), **packed)


def as_matlab_today(file: Any) -> None:
    """As h5write does: all dimensions turned around, numbers as doubles, text of any length."""
    file["ID/row_ids"] = np.array(MODELS, h5py.string_dtype())[None, :]
    file["ID/column_ids"] = np.array(SEGMENTS, h5py.string_dtype())[None, :]
    file["scores"], file["score_mask"] = SCORES.T, MASK.T.astype(float)


CONVENTIONS: dict[str, tuple[tuple[Fill, ...], dict[str, Any]]] = {
    "BOSARIS": ((as_bosaris,), {}),
    "SIDEKIT": ((as_sidekit,), {}),
    "SIDEKIT, early": (
        (
            ids(("modelset", "segest")),
            matrices(scores=SCORES, score_mask=MASK.astype(np.int8)),
        ),
        {},
    ),
    "hyperion": (
        (ids(), matrices(scores=SCORES.astype(np.float32), score_mask=MASK.astype(np.uint8))),
        {},
    ),
    "MATLAB today": ((as_matlab_today,), {}),
    "big-endian": (
        (ids(), matrices(scores=SCORES.astype(">f4"), score_mask=MASK.astype(">i2"))),
        {},
    ),
    "other text behind a user block": (
        (ids(dtype=h5py.string_dtype("ascii")), *SCORE_FILE[1:]),
        {"userblock_size": 512},
    ),
    "a long user block": (SCORE_FILE, {"userblock_size": 2**14}),
    "shuffled": (
        (
            ids(),
            lambda file: file.create_dataset(
                "scores", data=SCORES, chunks=(2, 3), compression="gzip", shuffle=True
            ),
            lambda file: file.create_dataset("score_mask", data=MASK, chunks=(1, 4)),
        ),
        {"libver": "latest"},
    ),
}


@pytest.fixture(params=CONVENTIONS)
def score_file(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    fills, options = CONVENTIONS[request.param]
    return made(tmp_path / "scores.h5", *fills, **options)


def test_scores_are_read_row_by_row(score_file: str, request: pytest.FixtureRequest) -> None:
    assert Source(score_file).kind == "hdf5"
    frame, reading = read_hdf5(score_file)
    assert frame.equals(SCORED)
    assert frame.schema == {"enrol": pl.String, "test": pl.String, "score": pl.Float64}
    assert "(HDF5), 3 x 4 pairs" in reading
    who = "SIDEKIT" if "SIDEKIT" in request.node.callspec.id else "BOSARIS"
    assert reading.startswith(f"{who} scores")
    assert reading.endswith("(stored transposed)") == ("MATLAB" in request.node.callspec.id)


@pytest.mark.parametrize("one_model", [True, False])
@pytest.mark.parametrize("rank", [1, 2])
def test_one_model_or_one_segment(tmp_path: Path, one_model: bool, rank: int) -> None:
    sides = (["m1"], SEGMENTS) if one_model else (SEGMENTS, ["m1"])
    shape = (-1,) if rank == 1 else (len(sides[0]), len(sides[1]))
    mask = np.array([1, 0, 1, 1], np.uint8).reshape(shape)

    def fill(file: Any) -> None:
        for name, side in zip(BOSARIS, sides, strict=True):
            file[name] = np.array(side, "S")

    scores = np.arange(4.0).reshape(shape)
    path = made(tmp_path / "a.h5", fill, matrices(scores=scores, score_mask=mask))
    frame, reading = read_hdf5(path)
    assert frame["test" if one_model else "enrol"].to_list() == ["a.wav", "c.wav", "d.wav"]
    assert frame["score"].to_list() == [0, 2, 3]
    assert "transposed" not in reading


@pytest.mark.parametrize("fill", [as_bosaris, as_sidekit, as_matlab_today])
def test_in_pieces_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fill: Fill) -> None:
    path = made(tmp_path / "a.h5", fill)
    for piece in (1, 4, 5, 8):
        monkeypatch.setattr(hdf5, "_PIECE", piece)
        assert read_hdf5(path)[0].equals(SCORED)


# -- keys and indices


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("names", [BOSARIS, SIDEKIT])
@pytest.mark.parametrize("dtype", [np.int8, np.float64])
def test_a_key(tmp_path: Path, transposed: bool, names: tuple[str, str], dtype: Any) -> None:
    marks = (MARKS.T if transposed else MARKS).astype(dtype)
    path = made(tmp_path / "a.h5", ids(names), matrices(trial_mask=marks))
    frame, reading = read_hdf5(path, "key")
    assert frame.equals(LABELLED)
    assert "key (HDF5), 3 x 4 pairs" in reading
    assert reading.endswith("(stored transposed)") == transposed


def test_scores_and_key_in_one(tmp_path: Path) -> None:
    path = made(tmp_path / "a.h5", *SCORE_FILE, matrices(trial_mask=MARKS))
    frame, reading = read_hdf5(path)
    assert frame.equals(EXPECTED)
    assert reading.startswith("BOSARIS scores and key (HDF5), 3 x 4 pairs")
    with h5py.File(path, "r+") as file:
        file["trial_mask"][1, 2] = 0
    with pytest.raises(TrialFileError, match="scores for some trials and labels for others"):
        read_hdf5(path)


@pytest.mark.parametrize("dtype", [np.uint8, bool])
def test_an_index_is_no_key(tmp_path: Path, dtype: Any) -> None:
    path = made(tmp_path / "a.h5", ids(), matrices(trial_mask=MASK.astype(dtype)))
    with pytest.raises(TrialFileError, match=r"a\.h5: .* is an index \(Ndx\)"):
        read_hdf5(path, "key")


def test_ones_and_zeros_may_be_an_index_or_a_key(tmp_path: Path) -> None:
    """SIDEKIT writes an index as int8; BOSARIS says in a key that it is one."""
    path = made(tmp_path / "a.h5", ids(), matrices(trial_mask=MASK.astype(np.int8)))
    with pytest.raises(TrialFileError, match=r"an index .* or a key without non-targets"):
        read_hdf5(path, "key")
    with h5py.File(path, "r+") as file:
        file["file_format"] = np.array([b"2.0"])
    assert read_hdf5(path, "key")[0]["label"].to_list() == [True] * 7
    with pytest.raises(
        TrialFileError, match=r"BOSARIS key .* pairs: has no scores; is this the key"
    ):
        read_hdf5(path)


def test_the_real_key_and_index() -> None:
    path = real_scores("formats", "bosaris_key_sre10_det5.h5")
    frame, reading = read_hdf5(str(path), "key")
    assert reading == "BOSARIS key (HDF5), 580 x 712 pairs"
    assert frame["label"].value_counts(sort=True).rows() == [(False, 29_665), (True, 708)]
    with h5py.File(path) as file:
        marks = file["trial_mask"][()]
        places = [file[name].asstr()[()].tolist().index for name in BOSARIS]
    for enrol, test, label in frame.sample(500, seed=1).rows():
        assert marks[places[0](enrol), places[1](test)] == (1 if label else -1)
    with pytest.raises(TrialFileError, match=r"is an index \(Ndx\)"):
        read_hdf5(str(real_scores("formats", "bosaris_ndx_sre10_det5.h5")), "key")


# -- which way round


def square(path: Path, *more: Fill) -> str:
    def fill(file: Any) -> None:
        for name, side in zip(BOSARIS, (MODELS, SEGMENTS[:3]), strict=True):
            file[name] = np.array(side, "S")

    return made(path, fill, matrices(**SQUARE), *more)


def test_a_square_is_read_as_bosaris_writes_it(tmp_path: Path) -> None:
    frame, reading = read_hdf5(square(tmp_path / "a.h5"))
    assert frame.rows()[1] == ("m1", "b.wav", 1.0)
    assert reading.endswith("3 x 3 pairs (a square: its rows are taken for the models)")


def by_matlab(file: Any) -> None:
    file["scores"].attrs["MATLAB_class"] = np.bytes_(b"double")


def with_ids_across(file: Any) -> None:
    for name in BOSARIS:
        values = file[name][()]
        del file[name]
        file[name] = values[None, :]


@pytest.mark.parametrize("sign", [by_matlab, with_ids_across])
def test_a_square_of_another_program_is_not_guessed(tmp_path: Path, sign: Fill) -> None:
    path = square(tmp_path / "a.h5", sign)
    with pytest.raises(TrialFileError, match=r"square.*write it with one of these programs"):
        read_hdf5(path)


WRITE_WITHOUT_ROOM = """
import resource, sys
import polars as pl
from llrcal.trials.hdf5 import write_hdf5
frame = pl.DataFrame({"enrol": "m", "test": [f"t{i}" for i in range(2000)], "score": 1.5})
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    write_hdf5(sys.argv[1], frame)
except OSError as problem:
    print("refused:", problem.errno)
"""


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    command = [sys.executable, "-c", WRITE_WITHOUT_ROOM, str(tmp_path / "a.h5")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["refused:", str(errno.EFBIG)]
    assert not [*tmp_path.iterdir()]


# -- writing

trials = st.dictionaries(
    st.tuples(
        *[st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=5)] * 2
    ).filter(lambda pair: all(one.isprintable() for one in pair)),
    st.floats(allow_nan=False, allow_infinity=False),
    min_size=1,
    max_size=30,
)


@given(trials)
def test_what_is_written_is_read(scores: dict[tuple[str, str], float]) -> None:
    frame = pl.DataFrame(
        {
            "enrol": [enrol for enrol, _ in scores],
            "test": [test for _, test in scores],
            "score": list(scores.values()),
            "label": [score > 0 for score in scores.values()],
        }
    ).sort("enrol", "test")
    with tempfile.TemporaryDirectory() as folder:
        path, key = f"{folder}/a.h5", f"{folder}/key.h5"
        write_hdf5(path, frame.drop("label"))
        again, _ = read_hdf5(path)
        assert again.sort("enrol", "test").equals(frame.drop("label"))
        write_hdf5(key, frame.drop("score"))
        again, _ = read_hdf5(key, "key")
        assert again.sort("enrol", "test").equals(frame.drop("score"))


def test_files_are_as_bosaris_reads_them(tmp_path: Path) -> None:
    path = str(tmp_path / "a.h5")
    write_hdf5(path, SCORED)
    with h5py.File(path) as file:
        assert sorted(file) == ["ID", "score_mask", "scores"]
        assert file["ID/row_ids"][()].tolist() == [b"m1", b"m2", b"m3"]
        assert file["ID/column_ids"][()].tolist() == [b"a.wav", b"c.wav", b"d.wav", b"b.wav"]
        assert file["ID/row_ids"].dtype == np.dtype("S2")
        assert file["scores"].dtype == np.float64
        assert file["score_mask"].dtype == np.uint8
        assert file["score_mask"][()].tolist() == [[1, 1, 1, 0], [0, 1, 0, 0], [1, 0, 1, 1]]
        assert file["scores"][1].tolist() == [0, 0, 0, 0]
        assert file["scores"][2].tolist() == [0.5, 0, 1.25, 0.75]
    key = str(tmp_path / "key.h5")
    write_hdf5(key, LABELLED)
    with h5py.File(key) as file:
        assert sorted(file) == ["ID", "file_format", "trial_mask"]
        assert file["trial_mask"].dtype == np.int8
        assert file["trial_mask"][()].tolist() == [[1, -1, -1, 0], [0, 1, 0, 0], [-1, 0, -1, 1]]
        assert file["file_format"][()].tolist() == [b"2.0"]


def test_ids_say_how_they_are_encoded(tmp_path: Path) -> None:
    path = str(tmp_path / "a.h5")
    write_hdf5(path, SCORED.with_columns(enrol=pl.col("enrol").str.replace("m1", "Zoë")))
    with h5py.File(path) as file:
        kinds = [h5py.check_string_dtype(file[name].dtype).encoding for name in BOSARIS]
        assert file["ID/row_ids"].asstr()[0] == "Zoë"
    assert kinds == ["utf-8", "ascii"]


def test_sparse_trials_make_a_small_file(tmp_path: Path) -> None:
    names = [f"speaker-{i:04}" for i in range(1000)]
    frame = pl.DataFrame({"enrol": names, "test": names, "score": np.arange(1000.0)})
    write_hdf5(str(tmp_path / "a.h5"), frame)
    assert (tmp_path / "a.h5").stat().st_size < 300_000  # instead of nine million
    assert read_hdf5(str(tmp_path / "a.h5"))[0].equals(frame)


def with_id(value: str) -> pl.DataFrame:
    return SCORED.with_columns(test=pl.Series([*SCORED["test"][:-1], value]))


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (SCORED.clear(), "there are no trials"),
        (pl.concat([SCORED, SCORED[2:5]]), r"3 trials occur more than once, such as \("),
        (with_id("\0"), "cannot be an id"),
        (with_id(""), "cannot be an id"),
        (with_id("x" * 5000), "cannot be an id"),
        (
            pl.DataFrame({"enrol": map(str, range(20_000)), "score": 1.0}).with_columns(
                test=pl.col("enrol")
            ),
            "20,000 models and 20,000 recordings are too many for a matrix",
        ),
    ],
)
def test_what_no_file_can_hold(tmp_path: Path, frame: pl.DataFrame, words: str) -> None:
    path = tmp_path / "a.h5"
    with pytest.raises(TrialFileError, match=rf"a\.h5: cannot be written: .*{words}"):
        write_hdf5(str(path), frame)
    assert not path.exists()


# -- hostile files


def replaced(name: str, put: Callable[[Any, Any], None]) -> Fill:
    """Take a dataset out, and let ``put`` put something else in its place."""

    def fill(file: Any) -> None:
        values = file[name][()]
        del file[name]
        put(file, values)

    return fill


def group(name: str) -> Fill:
    return replaced(name, lambda file, _: file.create_group(name))


def instead(name: str, values: Any, **options: Any) -> Fill:
    return replaced(name, lambda f, _: f.create_dataset(name, data=values, **options))


def claiming(name: str, shape: tuple[int, ...], dtype: Any = "f8", **options: Any) -> Fill:
    return replaced(name, lambda f, _: f.create_dataset(name, shape, dtype, **options))


def without(name: str) -> Fill:
    return lambda file: file.__delitem__(name)


def time_of_day(file: Any) -> None:
    """A type that numpy has not."""
    del file["scores"]
    h5py.h5d.create(file.id, b"scores", h5py.h5t.UNIX_D32LE, h5py.h5s.create_simple((3, 4)))


def references(file: Any) -> None:
    """Cells of MATLAB, as in its own files."""
    cells = [file["scores"].ref for _ in MODELS]
    del file["ID/row_ids"]
    file.create_dataset("ID/row_ids", data=cells, dtype=h5py.ref_dtype)


BAD = np.where(MASK, SCORES, np.nan)  # only where there is no trial
NAN, INFINITE = SCORES.copy(), SCORES.copy()
NAN[1, 2], INFINITE[2, 3] = np.nan, np.inf

HOSTILE: list[tuple[str, Fill, str]] = [
    ("a group", group("scores"), "has no dataset scores"),
    ("a dataset for a group", instead("ID/row_ids", 0), "ID/row_ids has type int64"),
    ("complex scores", instead("scores", SCORES * 1j), "scores has type complex128"),
    ("boolean scores", instead("scores", SCORES > 0), "scores has type bool"),
    ("times", time_of_day, "cannot be read as HDF5 .*; copy or write the file again"),
    ("references", references, "ID/row_ids has type object; expected text"),
    ("three dimensions", instead("scores", SCORES[None]), r"shapes \(1, 3, 4.*\) and \(3, 4\)"),
    ("no space at all", instead("scores", h5py.Empty("f8")), "cannot be read as HDF5"),
    (
        "ids in two dimensions",
        instead("ID/row_ids", [list("ab"), list("cd")]),
        "there are 4 ID/row",
    ),
    ("fewer ids", instead("ID/row_ids", [b"a", b"b"]), r"shapes \(3, 4\), and there are 2 ID/row"),
    ("another mask", instead("score_mask", MASK[:2]), r"shapes \(2, 4\) and \(3, 4\)"),
    ("twos in a mask", instead("score_mask", 2 * MASK), "score_mask holds 2; expected 1, 0 only"),
    ("NaN in a mask", instead("score_mask", BAD), "score_mask holds"),
    ("an empty mask", instead("score_mask", 0 * MASK), "holds no trials"),
    ("NaN", instead("scores", NAN), "1 of 7 scores are not finite; the first is nan, of m2 / c"),
    ("infinite", instead("scores", INFINITE), "the first is inf, of m3 / d.wav"),
    (
        "more than fits",
        claiming("scores", (2**58, 3)),
        f"bytes expand to {3 * 2**61}; scores is damaged",
    ),
    ("latin-1", instead("ID/row_ids", [b"m1", b"Zo\xeb", b"m3"]), "can't decode byte 0xeb"),
    ("two conventions", ids(SIDEKIT), "has two kinds of ids: expected ID/row_ids"),
    ("no mask", without("score_mask"), "has no dataset score_mask; it holds ID, scores"),
    ("no column ids", without("ID/column_ids"), "has no dataset ID/column_ids"),
    ("no ids at all", without("ID"), "has no ids: expected ID/row_ids"),
    ("no scores", without("scores"), "holds ID, score_mask; expected scores and score_mask"),
    (
        "threes in a key",
        matrices(trial_mask=3 * MARKS),
        "trial_mask holds 3; expected 1, 0, -1 only",
    ),
]


@pytest.mark.parametrize(
    ("fill", "words"), [case[1:] for case in HOSTILE], ids=[c[0] for c in HOSTILE]
)
def test_hostile_files_are_refused(tmp_path: Path, fill: Fill, words: str) -> None:
    path = made(tmp_path / "a.h5", *SCORE_FILE, fill)
    with pytest.raises(TrialFileError, match=words) as caught:
        read_hdf5(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).count(path) == 1


def test_ids_that_repeat(tmp_path: Path) -> None:
    twice = instead("ID/row_ids", [b"m1", b"m1", b"m3"])
    path = made(tmp_path / "a.h5", *SCORE_FILE, matrices(trial_mask=-abs(MARKS)), twice)
    with pytest.raises(TrialFileError, match=r"ID/row_ids holds 'm1' more than once"):
        read_trials(path)


def test_nan_where_there_is_no_trial_does_no_harm(tmp_path: Path) -> None:
    path = made(tmp_path / "a.h5", ids(), matrices(scores=BAD, score_mask=MASK))
    assert read_hdf5(path)[0].equals(SCORED)


def test_nan_is_never_allowed(tmp_path: Path) -> None:
    path = made(tmp_path / "a.h5", ids(), matrices(scores=NAN, score_mask=MASK))
    with pytest.raises(TrialFileError, match="1 of 7 scores are NaN; the first is nan, of m2 / c"):
        read_hdf5(path, allow_infinite=True)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "text.h5").write_text("m1 a.wav 1.5\n")
    for name in ("text.h5", "missing.h5", ".", "a\0b"):
        with pytest.raises(TrialFileError, match="cannot be read as HDF5"):
            read_hdf5(f"{tmp_path}/{name}")


def test_without_h5py(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "a.h5", *SCORE_FILE)
    monkeypatch.setitem(sys.modules, "h5py", None)
    for call in (read_hdf5, lambda name: write_hdf5(name, SCORED)):
        with pytest.raises(TrialFileError, match=r'pip install "llrcal\[hdf5\]"'):
            call(path)
