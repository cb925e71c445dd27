"""What columns are called: read in the same way from every format, whole, in pieces, in parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import dask.dataframe as dd
import h5py
import numpy as np
import polars as pl
import pytest

import llrcal as package
from llrcal import OptionError
from llrcal.arrays import Array, Floats
from llrcal.inputs.units import Unit
from tests.cli.running import document, llrcal

RNG = np.random.default_rng(38)
NATS = np.concatenate([RNG.normal(2, 2, 40), RNG.normal(-2, 2, 120)])
IS_TARGET = np.arange(160) < 40
HALVES = (np.arange(0, 160, 2), np.arange(1, 160, 2))
ALL = np.arange(160)

Change = Callable[[Floats], Floats]
NAMINGS: dict[str, tuple[str, tuple[str, str], Change]] = {
    "Hp/Hd": ("llr", ("Hp", "Hd"), lambda x: x),
    "log10": ("log10_lr", ("same speaker", "different speakers"), lambda x: x / np.log(10)),
    "LR": ("LR", ("target", "nontarget"), np.exp),
    "unnamed": ("score", ("target", "nontarget"), lambda x: x),
}
"""The name of the column, the labels, and what becomes of LLRs in nats."""


def frame(naming: str, rows: Array) -> pl.DataFrame:
    name, words, unit = NAMINGS[naming]
    labels = np.where(IS_TARGET[rows], *words)
    ids = {"enrol": [f"m{row}" for row in rows], "test": [f"t{row}" for row in rows]}
    return pl.DataFrame({**ids, name: unit(NATS[rows]), "label": labels})


def as_npz(table: pl.DataFrame, path: Path) -> None:
    np.savez(path, scores=table[:, 2].to_numpy(), labels=np.array(table["label"].to_list()))


def as_hdf5(table: pl.DataFrame, path: Path) -> None:
    marks = np.where(table["label"].is_in(["target"]).to_numpy(), 1, -1).astype(np.int8)
    with h5py.File(path, "w") as file:
        file["scores"], file["trial_mask"] = table[:, 2].to_numpy()[None], marks[None]
        file["score_mask"] = np.ones((1, len(table)), np.int8)
        file["ID/row_ids"] = np.array([path.stem.encode()])
        file["ID/column_ids"] = np.array([one.encode() for one in table["test"]])


def as_xlsx(table: pl.DataFrame, path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["Comparisons of case 38"], table.columns, *map(list, table.rows())):
        book.active.append(row)
    book.save(path)


WRITERS: dict[str, Callable[[pl.DataFrame, Path], None]] = {
    "csv": pl.DataFrame.write_csv,
    "tsv": lambda table, path: table.write_csv(path, separator="\t"),
    "txt": lambda table, path: table.write_csv(path, separator=" ", quote_style="always"),
    "parquet": pl.DataFrame.write_parquet,
    "arrow": pl.DataFrame.write_ipc,
    "xlsx": as_xlsx,
    "npz": as_npz,
    "h5": as_hdf5,
}
FIXED = {"npz": ("Hp/Hd", "unnamed"), "h5": ("unnamed",)}  # formats that name the scores themselves
CASES = [(kind, name) for kind in WRITERS for name in FIXED.get(kind, tuple(NAMINGS))]
ASKED = {
    "Hp/Hd": "--units log10 or --units nats",
    "LR": "--units ratio, nats, log10 or bits",
}


def outcome(*words: object) -> float | str:
    """The Cllr, or why there is none."""
    result = llrcal("evaluate", *words, "--json")
    if result.exit_code == 0:
        return float(document(result.stdout)["cllr"])
    assert result.exit_code == 2
    return result.stderr


def expected(naming: str, answer: float | str) -> bool:
    """Whether the answer is the right one: logarithms are converted, and all else is asked for."""
    if isinstance(answer, float):
        right = package.evaluate(NATS[IS_TARGET], NATS[~IS_TARGET]).cllr
        return naming not in ASKED and answer == pytest.approx(right, rel=1e-12)
    return naming in ASKED and ASKED[naming] in answer


def answers(kind: str, naming: str, folder: Path) -> dict[str, bool]:
    """Of one format and naming, whether each way to read it ends as it should."""

    def put(name: str, naming: str, rows: Array) -> Path:
        path = folder / f"{name}.{kind}"
        WRITERS[kind](frame(naming, rows), path)
        return path

    one = put("one", naming, ALL)
    parts = [put(f"part{i}", naming, rows) for i, rows in enumerate(HALVES)]
    out = {
        "one, memory": expected(naming, outcome(one)),
        "one, pieces": expected(naming, outcome(one, "--in-pieces")),
        "several": expected(naming, outcome(folder / "part*")),
    }
    if kind == "h5":  # its keys have both classes
        return out
    classes = [put(f"class{i}", naming, ALL[bool(i) == IS_TARGET]) for i in range(2)]
    both = outcome(classes[1], "--nontargets", classes[0])
    out["two classes, memory"] = expected(naming, both)
    other = "unnamed" if naming != "unnamed" else "Hp/Hd" if kind == "npz" else "log10"
    if len(FIXED.get(kind, NAMINGS)) > 1:
        put("part1", other, HALVES[1])
        mixed = outcome(folder / "part*")
        out["mixed"] = isinstance(mixed, str) and all(str(path) in mixed for path in parts)
        put("class0", other, ALL[~IS_TARGET])
        mixed = outcome(classes[1], "--nontargets", classes[0])
        named = isinstance(mixed, str) and all(str(path) in mixed for path in classes)
        out["two classes, mixed"] = named
    return out


@pytest.mark.parametrize(("kind", "naming"), CASES)
def test_names_say_the_same_everywhere(kind: str, naming: str, tmp_path: Path) -> None:
    found = answers(kind, naming, tmp_path)
    assert all(found.values()), found


@pytest.mark.parametrize("naming", NAMINGS)
def test_frames_say_the_same_as_files(naming: str, tmp_path: Path) -> None:
    table = frame(naming, ALL)
    table.write_parquet(tmp_path / "a.parquet")
    sources: Sequence[object] = (table, table.lazy(), table.to_pandas(), tmp_path / "a.parquet")
    opened = [package.open_trials(source) for source in sources]
    opened.append(package.open_trials(tmp_path / "a.parquet", in_pieces=True))
    name, words, _ = NAMINGS[naming]
    on_cluster = dd.from_pandas(table.to_pandas(), npartitions=3)
    opened.append(package.open_trials(on_cluster, columns={"score": name}))
    asked: dict[str, Unit] = {"Hp/Hd": "nats", "LR": "ratio"}
    units = asked.get(naming)
    right = package.evaluate(NATS[IS_TARGET], NATS[~IS_TARGET]).cllr
    cal = package.fit(opened[0], method="logistic")
    for one in opened:
        assert (one.score_name, one.forensic) == (name, "Hp" in words)
        if units:
            with pytest.raises(OptionError, match=r"specify which: units='(log10|ratio)'"):
                package.evaluate(one)
        assert package.evaluate(one, units=units).cllr == pytest.approx(right, rel=1e-12)
        assert package.evaluate(one.mapped(cal)).cllr < 1  # LLRs, whatever their scores are called


def test_units_are_those_of_files_and_there_are_four() -> None:
    with pytest.raises(OptionError, match="units='nats' is for files"):
        package.evaluate(NATS[IS_TARGET], NATS[~IS_TARGET], units="nats")
    trials = package.read_trials(frame("unnamed", ALL))
    with pytest.raises(OptionError, match="units='dB': choose one of nats, log10, bits, ratio"):
        package.evaluate(trials, units="dB")  # type: ignore[call-overload]


def test_several_files_in_different_units_are_refused_by_every_verb(tmp_path: Path) -> None:
    frame("log10", HALVES[0]).write_csv(tmp_path / "a.csv")
    frame("unnamed", HALVES[1]).write_csv(tmp_path / "b.csv")
    for verb in ("fit", "evaluate"):
        result = llrcal(
            verb, tmp_path / "*.csv", *(["-o", tmp_path / "m"] if verb == "fit" else [])
        )
        assert result.exit_code == 2
        assert re.search(r"log10_lr.*a\.csv.*score.*b\.csv.*different units", result.stderr)
