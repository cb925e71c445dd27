"""Binary files that are damaged, lie about their size, lead elsewhere, or want to run code."""

from __future__ import annotations

import gzip
import io
import math
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import llrcal
from llrcal.errors import ModelFileError, TrialFileError
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.files import holds, put

TAR, NON = np.array([1.5, 2.25, 3.0]), np.array([-1.0, 0.125, -2.0, -3.5])


class Trap:
    """What leaves a file behind when it is unpickled."""

    def __reduce__(self) -> Any:
        return Path.write_text, (Path("trapped"), "code has run")


def trapped(read: Callable[[str], Any], name: str, content: bytes) -> Any:
    """Read a file, and see to it that no code in it has run."""

    def run() -> Any:
        try:
            return read(put(name, content))
        finally:
            assert not Path("trapped").exists()

    return run


def npy(array: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **options)
    return out.getvalue()


def npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def read(content: bytes, name: str = "scores.npz") -> Any:
    return lambda: llrcal.read_trials(put(name, content))


def read_pair(tar: bytes) -> Any:
    return lambda: llrcal.read_trials(put("tar.npy", tar), nontargets=put("non.npy", npy(NON)))


def lying_npy() -> bytes:
    """The header of eight terabytes, and three numbers."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    padded = header.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded + bytes(24)


def npz_bomb() -> Any:
    with zipfile.ZipFile("scores.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tar.npy", npy(np.zeros(12_000_000)))
    return llrcal.read_trials("scores.npz")


def zip_of(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def twice() -> Any:
    with zipfile.ZipFile("scores.npz", "w") as archive:
        archive.writestr("tar.npy", npy(TAR))
        archive.writestr("non.npy", npy(NON))
        archive.NameToInfo.clear()  # or else it warns
        archive.writestr("tar.npy", npy(-TAR))
    return llrcal.read_trials("scores.npz")


def climbing() -> Any:
    Path("inside").mkdir()
    content = zip_of(**{"tar.npy": npy(TAR), "non.npy": npy(NON), "../escaped.npy": npy(TAR)})
    trials = llrcal.read_trials(put("inside/scores.npz", content))
    assert not Path("escaped.npy").exists()
    return trials


Fill = Callable[[h5py.File], Any]


def hdf5(fill: Fill) -> Any:
    """Read a matrix of two models and two segments, once something was done to it."""

    def run() -> Any:
        with h5py.File("secret.h5", "w") as file:
            file["scores"] = np.full((2, 2), 42.0)
        with h5py.File("scores.h5", "w") as file:
            file["ID/row_ids"] = np.array([b"m1", b"m2"])
            file["ID/column_ids"] = np.array([b"t1", b"t2"])
            file["score_mask"] = np.ones((2, 2), np.uint8)
            fill(file)
        return llrcal.read_trials("scores.h5", put("key.txt", KEY))

    return run


KEY = "m1 t1 target\nm1 t2 nontarget\nm2 t1 nontarget\nm2 t2 target\n"


def external_storage(file: h5py.File) -> None:
    file.create_dataset("scores", (2, 2), "f8", external=[("secret.h5", 0, 32)])


def external_link(file: h5py.File) -> None:
    file["scores"] = h5py.ExternalLink("secret.h5", "/scores")


def virtual(file: h5py.File) -> None:
    layout = h5py.VirtualLayout((2, 2), "f8")
    layout[:] = h5py.VirtualSource("secret.h5", "scores", (2, 2))
    file.create_virtual_dataset("scores", layout)


def soft_link(file: h5py.File) -> None:
    file["hidden"] = np.ones((2, 2))
    file["scores"] = h5py.SoftLink("/hidden")


def immense(file: h5py.File) -> None:
    del file["score_mask"]
    for name, kind in (("scores", "f8"), ("score_mask", "u1")):
        file.create_dataset(name, (10**6, 10**6), kind, chunks=(1000, 1000))


def nan_in_a_matrix(file: h5py.File) -> None:
    file["scores"] = np.array([[1.0, np.nan], [0.5, 2.0]])


def plain(file: h5py.File) -> None:
    file["scores"] = np.array([[1.0, 2.0], [3.0, 4.0]])


FRAME = pl.DataFrame(
    {
        "enrol": ["m1", "m1", "m2", "m2"],
        "test": ["t1", "t2", "t1", "t2"],
        "score": [1.5, -2.5, 0.25, 3.5],
        "label": ["target", "nontarget", "nontarget", "target"],
    }
)


GAPS = [1.5, -2.5, None, math.nan]


def parquet(frame: pl.DataFrame = FRAME) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def lying_page() -> Any:
    """The only page of a column claims 16,383 values instead of 70, with a footer that does not."""
    out = io.BytesIO()
    table = pa.table({"score": np.arange(70.0), "label": np.arange(70) < 35})
    pq.write_table(table, out, use_dictionary=False, write_statistics=False)
    honest, lie = b"\x2c\x15\x8c\x01", b"\x2c\x15\xfe\xff\x01"
    content = out.getvalue()
    assert content.index(honest) < content.index(b"score")
    return llrcal.read_trials(put("scores.parquet", content.replace(honest, lie, 1)))


def in_another_file() -> Any:
    collected: list[Any] = []
    pq.write_table(FRAME.to_arrow(), "secret.parquet", metadata_collector=collected)
    collected[0].set_file_path("secret.parquet")
    collected[0].write_metadata_file("scores.parquet")
    return llrcal.read_trials("scores.parquet")


def dropping(frame: Any) -> Any:
    return lambda: llrcal.read_trials(frame, on_nan="drop")


def named_by_pattern() -> Any:
    put("scores1.parquet", parquet())
    return llrcal.read_trials("scores*.parquet")


PICKLED = pickle.dumps(Trap())
CASES = (
    Case(
        "a pickle that runs code, for scores",
        trapped(llrcal.read_trials, "scores.pkl", PICKLED),
        Refused(TrialFileError, "not", "scores.pkl"),
        "Refused; nothing is ever unpickled.",
        "pandas, joblib, `np.load(allow_pickle=True)`: the code has run",
    ),
    Case(
        "a pickle that runs code, for a model",
        trapped(llrcal.load, "model.json", PICKLED),
        Refused(ModelFileError, "not a JSON document", "model.json"),
        "Refused; models are JSON.",
        "lir `load_model`: the code has run",
    ),
    Case(
        "a pickle that runs code, in an archive of arrays",
        trapped(
            llrcal.read_trials,
            "scores.npz",
            zip_of(**{"tar.npy": npy(np.array([Trap()], object), allow_pickle=True)}),
        ),
        Refused(TrialFileError, "cannot be read", "scores.npz"),
        "Refused.",
    ),
    Case(
        "an array that claims to hold eight terabytes",
        read_pair(lying_npy()),
        Refused(TrialFileError, "cannot be read as an array", "tar.npy"),
        "Refused: the file is shorter than that.",
        "numpy: MemoryError",
    ),
    Case(
        "an array with two dimensions",
        read_pair(npy(np.ones((2, 2)))),
        Refused(TrialFileError, "have shape (2, 2)", "tar.npy", "one-dimensional"),
        "Refused.",
    ),
    Case(
        "a compressed array",
        lambda: llrcal.read_trials(put("scores.npz.gz", gzip.compress(npz(tar=TAR, non=NON)))),
        Refused(TrialFileError, "must be a plain file", "scores.npz.gz", "decompress it first"),
        "Refused, with the remedy.",
    ),
    Case(
        "an archive that swells to a hundred megabytes",
        npz_bomb,
        Refused(TrialFileError, "expand to", "scores.npz", "not an archive of scores"),
        "Refused before it is unpacked.",
        "numpy: loaded",
    ),
    Case(
        "an archive with two arrays of one name",
        twice,
        Refused(TrialFileError, "two of its arrays have the same name", "scores.npz"),
        "Refused.",
        "numpy: the last one",
    ),
    Case(
        "an archive without labels",
        read(npz(scores=TAR)),
        Refused(TrialFileError, "holds scores", "scores.npz", "expected tar and non"),
        "Refused, with what it holds.",
    ),
    Case(
        "an archive with a name that climbs out of its folder",
        climbing,
        Answered(holds(TAR.tolist(), NON.tolist())),
        "Nothing is unpacked to disk, so that names lead nowhere.",
    ),
    Case(
        "HDF5 whose numbers lie in another file",
        hdf5(external_storage),
        Refused(
            TrialFileError, "lies in other files", "scores.h5: scores", "copy it into this one"
        ),
        "Refused before a byte of it is read.",
        "h5py: the other file's bytes (CVE-2026-1669)",
    ),
    Case(
        "HDF5 with a link to another file",
        hdf5(external_link),
        Refused(
            TrialFileError, "lies in other files", "scores.h5: scores", "copy it into this one"
        ),
        "Refused.",
        "h5py: the other file's numbers",
    ),
    Case(
        "HDF5 with a virtual dataset",
        hdf5(virtual),
        Refused(
            TrialFileError, "lies in other files", "scores.h5: scores", "copy it into this one"
        ),
        "Refused.",
        "h5py: the other file's numbers",
    ),
    Case(
        "HDF5 with a link within the file",
        hdf5(soft_link),
        Answered(holds([1.0, 1.0], [1.0, 1.0])),
        "Read.",
    ),
    Case(
        "HDF5 that claims a million models and a million segments",
        hdf5(immense),
        Refused(TrialFileError, "expand to 8000000000000", "scores.h5", "damaged, or larger"),
        "Refused before room is made for it.",
        "h5py: MemoryError, 7.3 TiB",
    ),
    Case(
        "HDF5 with a NaN where there is a score",
        hdf5(nan_in_a_matrix),
        Refused(TrialFileError, "nan", "m1"),
        "Refused, and the trial named.",
    ),
    Case(
        "a whole HDF5 file",
        hdf5(plain),
        Answered(holds([1.0, 4.0], [2.0, 3.0])),
        "Read.",
    ),
    Case(
        "Parquet that was cut off",
        read(parquet()[:-200], "scores.parquet"),
        Refused(TrialFileError, "cannot be read", "scores.parquet"),
        "Refused.",
    ),
    Case(
        "Parquet with a page that claims more values than there are",
        lying_page,
        Refused(TrialFileError, "cannot be read", "scores.parquet", "write the file again"),
        "Refused.",
    ),
    Case(
        "Parquet whose columns lie in another file",
        in_another_file,
        Refused(TrialFileError, "cannot be read", "scores.parquet", "write the file again"),
        "Refused.",
    ),
    Case(
        "the same, to be left out",
        dropping(FRAME.with_columns(score=pl.Series(GAPS))),
        Answered(holds([1.5], [-2.5], "2 of 4 trials left out because their score is NaN")),
        "The other trials, and a note that counts those.",
    ),
    Case(
        "a file name with an asterisk, which is not there",
        named_by_pattern,
        Refused(TrialFileError, "No such file", "scores*.parquet"),
        "Refused; a name is a name, no pattern.",
        "polars: reads all that match",
    ),
)

SECTION = Section(
    "D",
    "Binary files",
    "Files that are damaged, lie about their size, lead elsewhere, or want to run code.",
    CASES,
)
