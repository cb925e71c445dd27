"""Looks: fixed, distinct, and apart for readers who do not see some colours, or any."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from llrcal.calibrations.methods import PAPER, label, method_and_options
from llrcal.comparison.looks import looks
from llrcal.method_table import ALPHAS, TABLE, Entry, Look, methods_to_compare
from tests.calibrations.model_files import OURS
from tests.colours import SIGHTS, contrast, lab

EVERY = looks(label(*method_and_options(entry)) for entry in methods_to_compare())
# No colour is left that is as far from all of these; those of more methods may be nearer.
FAR_APART = {*OURS, *(label(*method_and_options(entry)) for entry in PAPER)}
TOGETHER = [
    [f"linear-gaussian-{alpha}" for alpha in ALPHAS],
    [f"logistic-{alpha}" for alpha in ALPHAS],
    ["nig", "student-t", "gaussian"],
]
PAGES = pytest.mark.parametrize("page", ["light", "dark"])
EVERY_SIGHT = pytest.mark.parametrize("sight", SIGHTS)
SURFACE = {"light": "#ffffff", "dark": "#171c24"}


def colour(look: Look, page: str) -> str:
    return look.light if page == "light" else look.dark


def test_every_calibration_has_the_looks_of_the_table() -> None:
    assert list(EVERY.values()) == [look for entry in TABLE.values() for look in entry.looks]


def test_no_two_share_dashes_or_a_marker() -> None:
    assert len({look.dashes for look in EVERY.values()}) == len(EVERY)
    assert len({look.marker for look in EVERY.values()}) == len(EVERY)


@PAGES
@EVERY_SIGHT
def test_colours_are_apart_for_everybody(page: str, sight: str) -> None:
    seen = {name: lab(colour(look, page), SIGHTS[sight]) for name, look in EVERY.items()}
    for one, other in combinations(seen, 2):
        apart = 15 if {one, other} <= FAR_APART else 10
        assert np.linalg.norm(seen[one] - seen[other]) > apart, (one, other)


@PAGES
def test_lines_stand_out_from_the_page(page: str) -> None:
    free = looks([f"system {i}" for i in range(50)])
    for name, look in {**EVERY, **free}.items():
        assert contrast(colour(look, page), SURFACE[page]) > 3, name


@PAGES
@pytest.mark.parametrize("labels", TOGETHER)
def test_what_the_paper_draws_together_goes_from_dark_to_light(
    labels: list[str], page: str
) -> None:
    luminance = [lab(colour(EVERY[name], page))[0] for name in labels]
    assert (np.diff(luminance) > 14).all()


@PAGES
def test_other_weights_lie_between_those_of_the_paper(page: str) -> None:
    names = ["0.001", "0.01", "0.2", "0.5", "0.7", "0.92"]
    found = looks([f"logistic-{name}" for name in names])
    assert (np.diff([lab(colour(look, page))[0] for look in found.values()]) > 0).all()
    rare = looks(["logistic-1e-05"])["logistic-1e-05"]
    assert colour(rare, page) == colour(EVERY["logistic-empirical"], page)


@PAGES
def test_with_parameters_integrated_out_a_method_has_another_shade_and_dots(page: str) -> None:
    can = {label(*method_and_options(m)) for m in methods_to_compare() if not isinstance(m, str)}
    for name in can | {name for name, entry in TABLE.items() if entry.bayes}:
        plain, other = looks([name, f"{name}-bayes"]).values()
        deeper = looks([name, f"{name}-adapted"])[f"{name}-adapted"]
        assert colour(deeper, page) not in (colour(plain, page), colour(other, page))
        shades = colour(plain, page), colour(other, page)
        assert np.linalg.norm(np.subtract(*map(lab, shades))) > 20, name
        assert contrast(shades[1], SURFACE[page]) > 3, name
        assert other.dashes == (1.0, 1.4) != plain.dashes
        assert other.marker != plain.marker


def test_other_labels_are_stable_and_distinct() -> None:
    labels = [f"system {i}" for i in range(20)]
    together = looks(labels)
    assert len({(look.dashes, look.marker) for look in together.values()}) == len(labels)
    first = [look.light for look in together.values()][:5]
    assert len(set(first)) == 5  # as many colours as there are
    for name in labels[:1] + labels[5:]:
        assert looks([name])[name].light == together[name].light
    assert looks(["raw scores"]) == looks(["raw scores"])
    odd = ["$", "", "_x", "linear-gaussian-2", "logistic-0.0", "logistic-x", "nig-0.5", "\ud800"]
    assert list(looks(odd)) == odd


@PAGES
@EVERY_SIGHT
def test_methods_are_far_apart_for_everybody(page: str, sight: str) -> None:
    seen = {name: lab(colour(look, page), SIGHTS[sight]) for name, look in looks(TABLE).items()}
    for one, other in combinations(seen, 2):
        apart = 25 if {one, other} <= FAR_APART else 10
        assert np.linalg.norm(seen[one] - seen[other]) > apart, (one, other)


def test_weights_of_a_method_with_one_look_share_its_colours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    look = Look("#102030", "#d0e0f0", "p")
    entry = Entry("some:Class", "something", group="mine", looks=(look,), options=("alpha",))
    monkeypatch.setitem(TABLE, "mine", entry)
    found = looks(["mine", "mine-empirical", "mine-0.3", "mine-0.92"])
    assert found["mine"] == look == looks(["mine-0.5"])["mine-0.5"]
    assert {(one.light, one.dark) for one in found.values()} == {(look.light, look.dark)}
    assert len({(one.dashes, one.marker) for one in found.values()}) == 4
