"""Embeddings and labels from files of every kind; and what is wrong with them, in one line."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal.errors import DegenerateError, LlrcalError
from llrcal.pairing.embeddings import opened

RNG = np.random.default_rng(1)
WHO = np.array([f"id{i // 4:02}" for i in range(40)])
IDS = np.array([f"{who}/video{i // 2}/{i:05}" for i, who in enumerate(WHO)])
VECTORS = (RNG.normal(size=(10, 16))[np.arange(40) // 4] + RNG.normal(size=(40, 16))).astype("f4")
WANT = llrcal.pairs(VECTORS, WHO)


def kaldi_vector(vector: Any, kind: bytes = b"FV ") -> bytes:
    size = struct.pack("<bi", 4, len(vector))
    return b"\0B" + kind + size + np.asarray(vector, "<f4" if kind[:1] == b"F" else "<f8").tobytes()


def npz(path: Path) -> str:
    np.savez(path / "e.npz", embeddings=VECTORS, speakers=WHO, ids=IDS)
    return str(path / "e.npz")


def parquet_of_lists(path: Path) -> str:
    frame = pl.DataFrame({"id": IDS, "speaker": WHO, "embedding": VECTORS.tolist()})
    frame.write_parquet(path / "e.parquet")
    return str(path / "e.parquet")


def parquet_of_columns(path: Path) -> str:
    columns = {f"dim{i}": VECTORS[:, i] for i in range(16)}
    pl.DataFrame({"id": IDS, "spk": WHO, **columns}).write_parquet(path / "e.parquet")
    return str(path / "e.parquet")


def hdf5(path: Path) -> str:
    with h5py.File(path / "e.h5", "w") as file:
        file["embeddings"] = VECTORS
        file["speakers"] = WHO.astype("S")
        file["ids"] = IDS.tolist()
    return str(path / "e.h5")


def ark(path: Path) -> str:
    parts = [one.encode() + b" " + kaldi_vector(v) for one, v in zip(IDS, VECTORS, strict=True)]
    (path / "e.ark").write_bytes(b"".join(parts))
    return str(path / "e.ark")


def text_ark(path: Path) -> str:
    lines = [
        f"{one}  [ {' '.join(map(repr, v.tolist()))} ]" for one, v in zip(IDS, VECTORS, strict=True)
    ]
    (path / "e.ark").write_text("\n".join(lines) + "\n")
    return str(path / "e.ark")


def scp(path: Path) -> str:
    lines, place = [], 0
    for one, vector in zip(IDS, VECTORS, strict=True):
        lines.append(f"{one} e.ark:{place + len(one) + 1}")
        place += len(one) + 1 + len(kaldi_vector(vector))
    ark(path)
    (path / "e.scp").write_text("\n".join(lines) + "\n")
    return str(path / "e.scp")


@pytest.mark.parametrize(
    "kind", [npz, parquet_of_lists, parquet_of_columns, hdf5, ark, text_ark, scp]
)
def test_files(kind: Callable[[Path], str], tmp_path: Path) -> None:
    name = kind(tmp_path)
    found = opened(name, "embeddings")
    np.testing.assert_array_equal(found.vectors, VECTORS)
    (tmp_path / "utt2spk").write_text("".join(f"{i} {w}\n" for i, w in zip(IDS, WHO, strict=True)))
    for speakers in (str(tmp_path / "utt2spk"), "id:^[^/]+", "id:^(id..)/"):
        assert np.array_equal(found.labels(speakers, "speakers"), WHO)
    if kind not in (ark, text_ark, scp):
        assert np.array_equal(found.labels(None, "speakers").astype(str), WHO)


def test_an_array_is_mapped_into_memory(tmp_path: Path) -> None:
    np.save(tmp_path / "e.npy", VECTORS)
    (tmp_path / "speakers").write_text("\n".join(WHO))
    found = opened(tmp_path / "e.npy", "embeddings")
    assert isinstance(found.vectors, np.memmap)
    got = llrcal.pairs(tmp_path / "e.npy", tmp_path / "speakers")
    assert np.array_equal(got.scores, WANT.scores)
    assert np.array_equal(got.nontargets, WANT.nontargets)


def test_labels_name_both_sets(tmp_path: Path) -> None:
    name = npz(tmp_path)
    got = llrcal.pairs(name, test=name, exclude="ids")
    assert got.counts == (2 * WANT.counts[0], 2 * WANT.counts[1])


# --------------------------------------------------------------------------- what is wrong


def one_line(match: str, *given: Any, **settings: Any) -> None:
    with pytest.raises(LlrcalError, match=match) as error:
        llrcal.pairs(*given, **settings)
    assert "\n" not in str(error.value)


def changed(row: int, value: float) -> Any:
    vectors = VECTORS.astype(float)
    vectors[row] = value
    return vectors


def test_vectors_that_cannot_be_used() -> None:
    one_line("embeddings: a value is NaN at row 7", changed(7, np.nan), WHO)
    one_line("embeddings: a value is infinite at row 8", changed(8, -np.inf), WHO)
    one_line(
        "a vector of zeros has no direction, so cosines do not exist, at row 5", changed(5, 0), WHO
    )
    one_line("there is no pair left to be a trial", VECTORS[:1], WHO[:1])
    one_line("rows have different lengths; pass a matrix", [[1.0, 2.0], [1.0]], [1, 2])
    one_line(r"an array of shape \(40,\) and type float32", VECTORS[:, 0], WHO)
    one_line("an array of shape .* and type complex64", VECTORS + 1j, WHO)
    one_line("embeddings: there are none", VECTORS[:0], WHO[:0])
    one_line("they have 0 dimensions", VECTORS[:, :0], WHO)
    one_line("all 30 embeddings are the same", np.ones((30, 3)), np.arange(30) % 4)
    one_line(
        "the longest vector has length 4e.300, and dot products",
        changed(2, 1e300),
        WHO,
        similarity="dot",
    )
    one_line("have 16 dimensions, and test 15", VECTORS, (WHO, WHO), test=VECTORS[:, :15])


def test_norms_of_any_size_have_cosines() -> None:
    factors = 10.0 ** np.linspace(-300, 300, 40)[:, None]
    got = llrcal.pairs(VECTORS.astype(float) * factors, WHO)
    assert np.abs(got.scores - WANT.scores).max() <= 2.0**-21
    assert got.counts == WANT.counts


def test_labels_that_cannot_be_used(tmp_path: Path) -> None:
    name = npz(tmp_path)
    one_line("nothing says who speaks; give speakers", VECTORS)
    one_line(
        r"there are 40 embeddings, and an array of shape \(39,\) for speakers", VECTORS, WHO[1:]
    )
    one_line("no column and no file 'who' .there are speakers, ids.: speakers", name, "who")
    one_line(
        "1 embeddings have no label for speakers; the first is at row 3",
        VECTORS,
        [*WHO[:3], None, *WHO[4:]],
    )
    one_line("have no label for exclude", VECTORS, WHO, exclude=[*range(39), np.nan])
    one_line("speakers: pass a pair, with the labels of both sets", VECTORS, WHO, test=VECTORS)
    one_line("nothing in the id 'id00/video0/00000' matches 'x'", name, "id:x")
    one_line(r"is no regular expression: '\('", name, "id:(")
    one_line("models are for enrolment: give a second set as test", VECTORS, WHO, models=WHO)
    one_line(
        "a model has two speakers: id00 and id01",
        VECTORS,
        (WHO, WHO),
        test=VECTORS,
        models=0 * np.arange(40),
    )
    (tmp_path / "utt2spk").write_text(f"{IDS[0]} a\n{IDS[2]} b\n")
    one_line(
        f"38 of 40 embeddings are not in it; the first is '{IDS[1]}'", name, tmp_path / "utt2spk"
    )
    one_line("similarity is 'euclid'; give 'cosine' or 'dot'", VECTORS, WHO, similarity="euclid")
    one_line("groups is -1; give 0 or more", VECTORS, WHO, groups=-1)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    def given(name: str, content: bytes) -> str:
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    one_line("No such file", str(tmp_path / "none.npz"))
    one_line("holds no embeddings that llrcal knows", given("a.txt", b"hello\n"))
    np.savez(tmp_path / "b.npz", scores=np.arange(4.0))
    one_line("holds scores .4,.; expected a matrix called embeddings", str(tmp_path / "b.npz"))
    whole = b"a " + kaldi_vector([1, 2, 3])
    one_line("is cut off or damaged at a", given("c.ark", whole[:-2]), "id:.")
    one_line(
        "vectors have different lengths: 3, and 2 at row 1",
        given("d.ark", whole + b"b " + kaldi_vector([1, 2])),
        "id:.",
    )
    one_line("is of Kaldi's type 'CM'", given("e.ark", b"a \0BCM xxxxx"), "id:.")
    one_line(r"expected \[ numbers \] after b", given("f.ark", b"a [ 1 2 ]\nb 1 2\n"), "id:.")
    one_line("a has a value that is no number", given("g.ark", b"a [ 1 x ]\n"), "id:.")
    one_line(
        "expected an id and FILE:OFFSET, and found 'b' in line 2",
        given("h.scp", b"a c.ark:2\nb\n"),
        "id:.",
    )
    one_line("no.ark: cannot be read: No such file", given("i.scp", b"a no.ark:2\n"), "id:.")
    lists = pl.DataFrame({"speaker": [1, 2], "embedding": [[1.0, 2.0], [1.0]]})
    lists.write_parquet(tmp_path / "j.parquet")
    one_line("vectors have different lengths: 2, and 1 at row 1", str(tmp_path / "j.parquet"))
    pl.DataFrame({"speaker": [1, 2]}).write_parquet(tmp_path / "k.parquet")
    one_line("expected embeddings as one column of lists", str(tmp_path / "k.parquet"))


def test_only_numbered_columns_are_dimensions(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    columns = {f"d{i}": rng.normal(size=60) for i in range(12)}
    known = {"id": [f"u{i}" for i in range(60)], "speaker": np.arange(60) // 3}
    plain = pl.DataFrame({**columns, **known})
    given: Any = plain
    found = llrcal.pairs(given)
    more = plain.with_columns(duration=pl.Series(rng.uniform(2, 20, 60)), snr=pl.lit(1.5))
    turned = more.select(reversed(more.columns))
    for given in (more, turned, plain.rename({f"d{i}": f"d{i:03}" for i in range(12)})):
        assert llrcal.pairs(given).scores.tolist() == found.scores.tolist()
    for frame in (plain.rename({"d0": "a", "d1": "b"}).drop("^d.*$"), more.with_columns(x1=0.5)):
        one_line("or as columns of floats called d0, d1 and so on", frame)
    path = tmp_path / "utt2spk"
    path.write_text("".join(f"u{i} s{i // 3}\n" for i in range(60)) + "\nu7 s2\nu7 s9\n")
    one_line("utt2spk: has two speakers for 'u7', on lines 8 and 63", plain, speakers=str(path))


def test_duplicates_are_told() -> None:
    got = llrcal.pairs(np.repeat(VECTORS, 2, axis=0), np.repeat(WHO, 2))
    [note] = got.notes
    assert note.code == "duplicates"
    assert "of 80 embeddings only 40 are different" in str(note)
    assert WANT.notes == ()
    with pytest.raises(DegenerateError, match="all 2 embeddings are the same"):
        llrcal.pairs(np.repeat(VECTORS[:1], 2, axis=0), [0, 1])
