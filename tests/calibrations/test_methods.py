"""The table of methods, its classes, and what a fit is where nothing is said."""

from __future__ import annotations

import inspect
from typing import get_args

import pytest

import llrcal
from llrcal.calibrations.methods import PAPER, label, method_and_options
from llrcal.method_table import TABLE, MethodName, methods_to_compare
from tests.trial_sets import normal

TAR, NON = normal(50, 2, 1.2), normal(200, -1, 1)


def test_all_ten_of_the_paper() -> None:
    labels = [label(*method_and_options(entry)) for entry in PAPER]
    every = llrcal.fit_all(TAR, NON)
    assert list(every) == labels
    assert {one.bounds.policy for one in every.values()} == {"counts"}
    assert None not in {one.bounds.eer_score for one in every.values()}
    assert not any(one.lower_is_better for one in every.values())


def test_type_checkers_know_the_names_in_the_table_and_no_other() -> None:
    assert get_args(MethodName) == tuple(TABLE)
    for fit in (llrcal.fit, llrcal.Accumulator.fit):
        assert inspect.signature(fit).parameters["method"].annotation == "MethodName"


EVERY_METHOD = pytest.mark.parametrize("name", TABLE)


@EVERY_METHOD
def test_an_entry_describes_its_class(name: str) -> None:
    entry, chosen = TABLE[name], llrcal.METHODS[name]
    assert issubclass(chosen, llrcal.Calibration)
    assert chosen.method == name
    taken = [p for p in inspect.signature(chosen.fit).parameters if p != "data"]
    assert taken == list(entry.options)
    assert entry.description == entry.description.strip(".")


def test_weights_of_the_callers_choice() -> None:
    chosen = methods_to_compare([0.3])
    assert [entry[0] if isinstance(entry, tuple) else entry for entry in chosen] == list(TABLE)
    weighted = [name for name, entry in TABLE.items() if "alpha" in entry.options]
    assert [one for one in chosen if not isinstance(one, str)] == [
        (name, {"alpha": 0.3}) for name in weighted
    ]
