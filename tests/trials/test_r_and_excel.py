"""Tables as R and Excel write them: read with no option, or refused with advice that works."""

from __future__ import annotations

import re
import sys
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

import llrcal
from llrcal.errors import OptionError, TrialFileError
from llrcal.trials import read_trials
from llrcal.trials.request import ReadOptions
from llrcal.trials.rewriting import rewrite
from tests import beyond_memory
from tests.cli.running import done, only_line
from tests.cli.running import llrcal as run

SCORES = [1.5, -0.25, 1e-05, -3.0]
LABELS = ["SS", "DS", "SS", "DS"]
MODELS = ["a b", "c", 'd"e', "c"]

# What R writes of a frame of models, scores and types.
TABLE_OF_R = """"model" "score" "type"
"1" "ab" 1.5 "SS"
"2" "c" -0.25 "DS"
"3" "d-e" 1e-05 "SS"
"4" "c" -3 "DS"
"""
CSV = """"","model","score","type"
"1","a b",1.5,"SS"
"2","c",-0.25,"DS"
"3","d""e",1e-05,"SS"
"4","c",-3,"DS"
"""
FORMS = {
    "write.table": TABLE_OF_R,
    "write.table, blanks in values": TABLE_OF_R.replace("ab", "a b"),
    "write.table, no quotes": TABLE_OF_R.replace('"', ""),
    "write.table, no row names": re.sub(r'(?m)^"\d" ', "", TABLE_OF_R),
    "write.table, tabs": TABLE_OF_R.replace(" ", "\t").replace("ab", "a b"),
    "write.table, tabs and col.names=NA": CSV.replace(",", "\t"),
    "write.csv": CSV,
    "write.csv, no row names": re.sub(r'(?m)^"\d?",', "", CSV),
}


def saved(folder: Path, text: str) -> Path:
    path = folder / "table.txt"
    path.write_text(text)
    return path


def rewritten(path: Path, **options: Any) -> list[float]:
    """The scores of a copy in which they are a third of what they were."""
    out = path.with_name("out.txt")
    request = ReadOptions(**options).request("scores")
    rewrite(str(path), str(out), lambda scores: {"llr": scores / 3}, request)
    thirds: list[float] = read_trials(out, **options).scores.tolist()
    return thirds


@pytest.mark.parametrize("form", FORMS)
def test_tables_of_r(form: str, tmp_path: Path) -> None:
    path = saved(tmp_path, FORMS[form])
    trials = read_trials(path)
    assert trials.scores.tolist() == SCORES
    pieces = beyond_memory.open_trials(path)
    assert llrcal.fit(pieces, method="pav") == llrcal.fit(trials, method="pav")
    assert rewritten(path) == [score / 3 for score in SCORES]
    out = path.with_name("out.txt")
    for before, after in zip(*(one.read_text().split("\n") for one in (path, out)), strict=True):
        assert (before[:3], before[-3:]) == (after[:3], after[-3:])


def test_decimal_commas(tmp_path: Path) -> None:
    path = saved(tmp_path, CSV.replace(",", ";").replace(".", ","))
    with pytest.raises(TrialFileError, match="decimal='comma'"):
        read_trials(path)
    assert read_trials(path, decimal="comma").scores.tolist() == SCORES
    assert rewritten(path, decimal="comma") == [score / 3 for score in SCORES]


def test_a_short_first_line_that_names_nothing_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, "m1 s1 target\nm1 s2 0.5 target\nm2 s1 0.1 nontarget\n")
    with pytest.raises(TrialFileError, match="line 1: has 3 columns where most have 4"):
        read_trials(path)


def workbook(folder: Path, *sheets: list[list[object]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    path = folder / "trials.xlsx"
    book.save(path)
    return path


TABLE: list[list[object]] = [
    [None, "model", "score", "same"],
    *([i, m, s, x == "SS"] for i, (m, s, x) in enumerate(zip(MODELS, SCORES, LABELS, strict=True))),
]


def test_workbooks(tmp_path: Path) -> None:
    path = workbook(tmp_path, [], TABLE)
    trials = read_trials(path)
    assert trials.scores.tolist() == SCORES
    assert "sheet 'Sheet1': 4 trials; columns by name" in str(trials.notes[0])
    llrcal.fit(trials).save(tmp_path / "model.json")
    result = run("apply", tmp_path / "model.json", path, "-o", tmp_path / "out.xlsx")
    only_line(result, "LLRs of a workbook are written as CSV: name")
    done("apply", tmp_path / "model.json", path, "-o", tmp_path / "out.csv")
    llrs = read_trials(tmp_path / "out.csv", keep=["model"])
    assert llrs.scores.tolist() == llrcal.fit(trials)(trials.scores).tolist()
    assert llrs.labels.tolist() == trials.labels.tolist()
    assert llrs.kept is not None
    assert llrs.kept["model"].to_list() == MODELS


def test_workbooks_with_several_sheets_or_none(tmp_path: Path) -> None:
    with pytest.raises(TrialFileError, match="trials may be in Sheet, Sheet1; save"):
        read_trials(workbook(tmp_path, TABLE, TABLE))
    with pytest.raises(TrialFileError, match="every sheet is empty"):
        read_trials(workbook(tmp_path, []))
    with pytest.raises(TrialFileError, match="2 columns could be the score: score, score"):
        read_trials(workbook(tmp_path, [["score", "same", "score"], [1.5, True, 2.5]]))


ODD = {
    "date": datetime(2024, 1, 2, tzinfo=None),
    "day": date(2024, 1, 2),
    "time": time(1, 2),
    "duration": timedelta(hours=3),
    "truth": True,
    "text": "n/a",
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("rows", [4, 30])
def test_what_is_no_number_among_scores_is_refused(tmp_path: Path, odd: str, rows: int) -> None:
    body: list[list[object]] = [[f"m{i}", i / 8, i % 2 == 0] for i in range(rows)]
    body[2][1] = ODD[odd]
    path = workbook(tmp_path, [["model", "score", "same"], *body])
    for in_pieces in (False, True):
        with pytest.raises(
            TrialFileError, match=r"trials\.xlsx, sheet 'Sheet', line 4: the score '"
        ):
            llrcal.open_trials(path, in_pieces=in_pieces)
    scores = pd.DataFrame({"score": [row[1] for row in body], "same": [row[2] for row in body]})
    with pytest.raises(TrialFileError, match="1 non-numeric values, the first in row 2"):
        read_trials(scores)


def test_titles_and_blank_rows_of_a_sheet(tmp_path: Path) -> None:
    path = workbook(tmp_path, [["Case 17"], [], ["#", *TABLE[0][1:]], [], *TABLE[1:], []])
    trials = read_trials(path)
    assert trials.scores.tolist() == SCORES
    assert "sheet 'Sheet' below its title: 4 trials; columns by name" in str(trials.notes[0])
    bad = workbook(tmp_path, [["Case 17"], [], *TABLE, [], [9, "z", "?", True]])
    with pytest.raises(TrialFileError, match=r"line 9: the score '\?' is not a number"):
        read_trials(bad)


def test_empty_scores_of_a_sheet(tmp_path: Path) -> None:
    path = workbook(tmp_path, [*TABLE, [9, "z", None, True]])
    with pytest.raises(TrialFileError, match="line 6: has no score"):
        read_trials(path)
    assert read_trials(path, on_nan="drop").scores.tolist() == SCORES


def test_without_openpyxl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path, TABLE)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(OptionError, match=r"pip install 'llrcal\[excel\]'"):
        read_trials(path)


def test_damaged_workbooks(tmp_path: Path) -> None:
    path = workbook(tmp_path, TABLE)
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(TrialFileError, match="cannot be read as a workbook"):
        read_trials(path)


def test_ids_that_nobody_needs_do_not_stop_a_table(tmp_path: Path) -> None:
    path = saved(tmp_path, "side,channel,score,label\nA,B,1.5,1\nA,A,-0.5,0\nB,A,0.5,0\n")
    assert np.array_equal(read_trials(path).tar, [1.5])
    key = tmp_path / "key.csv"
    key.write_text("side,channel,label\nA,B,1\nA,A,0\nB,A,0\n")
    with pytest.raises(TrialFileError, match="2 columns could be the side"):
        read_trials(path, key=key)
