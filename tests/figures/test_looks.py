"""Looks: a palette by position, in which every line stands out from the page."""

from __future__ import annotations

import pytest

from llrcal.calibrations.methods import label, method_and_options
from llrcal.figures.looks import PALETTE, Look, looks
from llrcal.method_table import TABLE, Entry, methods_to_compare
from tests.colours import contrast

SURFACE = {"light": "#ffffff", "dark": "#171c24"}


@pytest.mark.parametrize("page", SURFACE)
def test_lines_stand_out_from_the_page(page: str) -> None:
    for look in PALETTE:
        assert contrast(getattr(look, page), SURFACE[page]) > 3, look


def test_no_two_share_dashes_or_a_marker() -> None:
    assert len({look.dashes for look in PALETTE}) == len(PALETTE)
    assert len({look.marker for look in PALETTE}) == len(PALETTE)


def test_methods_look_the_same_in_every_figure() -> None:
    names = [label(*method_and_options(entry)) for entry in methods_to_compare()]
    together = looks(["my own", *names])
    for name in names:
        assert looks([name])[name] == together[name]
    assert len({*together.values()}) == len(together)
    for name in TABLE:
        assert looks([name])[name] == looks([f"{name}-0.5"]).get(name, looks([name])[name])


def test_other_labels_are_stable_and_distinct() -> None:
    labels = [f"system {i}" for i in range(50)]
    together = looks(labels)
    assert len({(look.dashes, look.marker, look.light) for look in together.values()}) == 50
    first = [look.light for look in together.values()][: len(PALETTE)]
    assert len(set(first)) == len(PALETTE)  # all colours, before any comes again
    assert looks(["raw scores"]) == looks(["raw scores"])
    odd = ["$", "", "_x", "linear-gaussian-2", "logistic-0.0", "logistic-x", "nig-0.5", "\ud800"]
    assert list(looks(odd)) == odd


def test_any_number_of_methods_has_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Entry("some:Class", "something", group="mine", options=("alpha",))
    for i in range(10):
        monkeypatch.setitem(TABLE, f"mine {i}", entry)
    labels = [label(*method_and_options(one)) for one in methods_to_compare()[:-30]]
    labels += [f"mine {i}-{alpha}" for i in range(10) for alpha in ("empirical", 0.5, 0.92)]
    found: dict[str, Look] = looks(labels)
    assert len({*found.values()}) == len(labels)
    assert looks(["mine 9"])["mine 9"] == found["mine 9-0.5"]
