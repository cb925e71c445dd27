"""Matrices of scores as text: every cell must be what a loop over the lines finds."""

from __future__ import annotations

import itertools

from fuzz.harness import answer, as_file, require, same_numbers
from llrcal.trials.request import MATRIX, Request
from llrcal.trials.source import Source
from llrcal.trials.table import Table
from llrcal.trials.table_reading import read_table
from llrcal.trials.text.fields import BLANK, is_data, lines_of
from llrcal.trials.text.sniffing import sniff


def check(data: bytes) -> None:
    """Read a matrix, with and without being told that it is one."""
    path = as_file(data)
    told = answer(read_table, path, Request("scores", convention=MATRIX))
    if told is not None:
        agree(told, path, Request("scores", convention=MATRIX))
    labelled = answer(read_table, path, Request("trials", convention=MATRIX))
    if labelled is not None:
        require(told is not None, "scores with labels, but no scores")
        same = [row["enrol"] == row["test"] for row in labelled.frame.rows(named=True)]
        require(labelled.frame["label"].to_list() == same, "targets are not those of one name")
    sniffed = answer(read_table, path, Request("scores"))
    if sniffed is not None and told is not None and sniffed.reading.startswith("a matrix"):
        require(told.frame.equals(sniffed.frame), "another matrix, when told")


def agree(table: Table, path: str, request: Request) -> None:
    """Compare a table with what a loop over the cells of the matrix finds."""
    source = Source(path)
    layout = sniff(source.head, request, path)
    lines = lines_of(source.content.decode("utf-8-sig"))
    top, *others = itertools.dropwhile(lambda line: not is_data(line), lines)
    lines = [top, *(line for line in others if line.strip(BLANK))]  # a # may begin a name
    rows = [[field.strip(" ") for field in layout.fields(line)] for line in lines]
    (_, *columns), *body = rows
    models = [row[0] for row in body for _ in columns]
    require(table.frame["enrol"].to_list() == models, f"models are not {models[:20]}")
    require(table.frame["test"].to_list() == columns * len(body), f"columns are not {columns[:20]}")
    scores = [float(cell) for row in body for cell in row[1:]]
    require(same_numbers(table.frame["score"], scores), f"scores are not {scores[:20]}")
