"""Labels of any type, of which the first rows do not know all."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from llrcal import TrialFileError
from llrcal.trials.frames import labels_in
from llrcal.trials.request import Request
from tests.scale.sets import words

REQUEST = Request("trials")
ROWS = 33_000  # a few more than are looked at for words
IS_TARGET = np.arange(ROWS) >= ROWS - 100
WORDS = words(IS_TARGET)
COLUMNS = {
    "text": pl.Series(WORDS),
    "categories": pl.Series(WORDS, dtype=pl.Categorical),
    "whole numbers": pl.Series(IS_TARGET).cast(pl.Int64),
    "signs": pl.Series(IS_TARGET).cast(pl.Int8) * 2 - 1,
    "doubles": pl.Series(IS_TARGET).cast(pl.Float64),
    "booleans": pl.Series(IS_TARGET),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_words_that_the_first_rows_do_not_have(column: pl.Series) -> None:
    assert labels_in(column, REQUEST, "a").to_list() == IS_TARGET.tolist()


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        (pl.Series([*WORDS, "perhaps"]), f"row {ROWS}.*'perhaps'"),
        (pl.Series([1] * ROWS + [0, -1]), "0 may mean that there is no trial"),
    ],
    ids=["no label", "three numbers"],
)
def test_wrong_labels_after_the_first_rows(column: pl.Series, wrong: str) -> None:
    with pytest.raises(TrialFileError, match=wrong):
        labels_in(column, REQUEST, "a")
