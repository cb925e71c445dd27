"""The seeds in ``fuzz/corpus``, made again: ``python -m fuzz.seeds``.

Text and HDF5 files are those of the tests, one of each convention.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import numpy as np
import polars as pl
from polars._typing import IpcCompression, ParquetCompression
from tests.trials import files, test_hdf5

import llrcal
from fuzz.key import MARK
from llrcal.calibrations import METHODS
from llrcal.calibrations.bounds import POLICIES
from llrcal.files.compression import zstd

CORPUS = Path(__file__).parent / "corpus"

_TAR = np.array([1.5, 2.25, -0.5, 3.0, 1.0, 5.5])
_NON = np.array([-1.0, 0.125, -2.0, -3.5, 0.75, -1.25])
_FRAME = pl.DataFrame(
    {
        "model": ["m1", "m1", "m2"],
        "segment": ["a", "b", "a"],
        "score": [1.5, -0.5, 2.0],
        "label": ["target", "nontarget", "target"],
        "duration": [3, 10, 7],
    }
)
_ROWS = files.EXAMPLE[:4]

_OPTIONS = (
    ("enrol,test,score,label", "", "", "", "", "trials", "a b 1.5 target\nc d -2 nontarget\n"),
    ("score=plda,label=key", "Yes,No", "comma", "yes", "", "trials", "plda,key\n1.5,Yes\n2,No\n"),
    ("-,score,test", "", "tab", "no", "", "scores", "x\t1.5\ta\ny\t-2\tb\n"),
    ("", "1,-1", "", "", "voxceleb", "key", "1 a b\n-1 a c\n"),
    ("", "t,n,s", "semicolon", "", "", "trials", "enrol;test;llr;label\na;b;1.5;t\na;c;2;n\n"),
)


def seeds() -> Iterator[tuple[str, str, bytes]]:
    """Target, name and content of every seed."""
    for convention in files.CONVENTIONS + files.BY_RECORDING:
        by_recording = convention in files.BY_RECORDING
        written = convention(files.by_recording(_ROWS) if by_recording else _ROWS)
        scores, name = written.scores.encode(), f"{convention.name}.txt"
        yield "text", name, scores
        yield "rewriting", name, scores
        if written.key is not None:
            yield "text", f"{convention.name}-key.txt", written.key.encode()
            yield "key", name, scores + MARK + written.key.encode()
    yield from _oddities()
    for number, lines in enumerate(_OPTIONS):
        yield "options", f"{number}.txt", "\n".join(lines).encode()
    for name, (fills, options) in test_hdf5.CONVENTIONS.items():
        yield "hdf5", f"{name.replace(',', '').replace(' ', '-')}.h5", _hdf5(*fills, **options)
    marks, masks = test_hdf5.MARKS, [test_hdf5.MARKS == 1, test_hdf5.MARKS == -1]
    old = test_hdf5.matrices(target_mask=masks[0], nontarget_mask=masks[1])
    yield "hdf5", "key.h5", _hdf5(test_hdf5.ids(), test_hdf5.matrices(trial_mask=marks))
    yield "hdf5", "old-key.h5", _hdf5(test_hdf5.ids(test_hdf5.SIDEKIT), old)
    yield "hdf5", "index.h5", _hdf5(test_hdf5.ids(), test_hdf5.matrices(trial_mask=abs(marks)))
    yield from _models()
    yield from _arrays()
    yield from _frames()
    text = files.named_csv(_ROWS).scores.encode()
    yield "packed", "plain.csv", text
    yield "packed", "comma.csv.gz", gzip.compress(text, mtime=0)
    yield "packed", "comma.csv.zst", zstd.compress(text)
    yield "packed", "two.csv.gz", gzip.compress(text, mtime=0) + gzip.compress(b"", mtime=0)
    yield "packed", "zeros.gz", gzip.compress(bytes(2**22), mtime=0)
    yield "packed", "zeros.zst", zstd.compress(bytes(2**22))


def _oddities() -> Iterator[tuple[str, str, bytes]]:
    """Text as it also comes: other line ends, comments, blanks, quotation marks."""
    plain = files.wespeaker(_ROWS).scores
    comma = files.named_csv(_ROWS).scores
    quoted = 'enrol,test,score,label\n"a, ""b""",c,"1.5",target\n d , e , -2 ,nontarget\n'
    texts = {
        "crlf": plain.replace("\n", "\r\n"),
        "cr": plain.replace("\n", "\r"),
        "bom": "\ufeff" + comma,
        "comments": f"# made by hand\n\n{plain}# end\n",
        "blanks": plain.replace(" ", " \t ").replace("\n", "  \n"),
        "no-end": plain.removesuffix("\n"),
        "quoted": quoted,
        "infinite": "a b inf target\na c -Infinity nontarget\n",
        "unicode": plain.replace("id10270", "Zoë 模型".replace(" ", "\u3000")),
    }
    for name, text in texts.items():
        yield "text", f"{name}.txt", text.encode()
        yield "rewriting", f"{name}.txt", text.encode()


def _hdf5(*fills: test_hdf5.Fill, **options: Any) -> bytes:
    return _file(lambda path: test_hdf5.made(path, *fills, **options))


def _models() -> Iterator[tuple[str, str, bytes]]:
    for number, method in enumerate(METHODS):
        bounds = POLICIES[number % 3]
        fitted = llrcal.fit(
            _TAR, _NON, method=method, bounds=bounds, lower_is_better=number % 2 == 1
        )
        yield "model", f"{method}.json", _file(fitted.save)


def _arrays() -> Iterator[tuple[str, str, bytes]]:
    for dtype in ("<f8", ">f4", "<i2", "?", "<U9"):
        array = np.array([1, 0, 1]).astype(dtype)
        yield "npy", f"{array.dtype.name}.npy", _file(partial(_save, array))
    scores, labels = np.concatenate([_TAR, _NON]), np.arange(12) < 6
    yield "npy", "classes.npz", _file(lambda path: _savez(path, tar=_TAR, non=_NON))
    yield "npy", "labelled.npz", _file(lambda path: _savez(path, scores=scores, labels=labels))


def _save(array: Any, path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, array)


def _savez(path: Path, **arrays: Any) -> None:
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _frames() -> Iterator[tuple[str, str, bytes]]:
    for packing in get_args(ParquetCompression):
        image = io.BytesIO()
        _FRAME.write_parquet(image, compression=packing)
        yield "parquet", f"{packing}.parquet", image.getvalue()
    for packing in get_args(IpcCompression):
        image = io.BytesIO()
        _FRAME.write_ipc(image, compression=packing)
        yield "parquet", f"{packing}.arrow", image.getvalue()


def _file(write: Callable[[Path], object]) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "seed"
        write(path)
        return path.read_bytes()


if __name__ == "__main__":
    for target, name, content in seeds():
        place = CORPUS / target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
