"""What people do in a notebook, after ``import llrcal`` and nothing else."""

from __future__ import annotations

import json
import runpy
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal

DOCS = Path(__file__).resolve().parents[1] / "docs"
NOTEBOOK = runpy.run_path(str(DOCS / "figures" / "notebook.py"))
PAGES: tuple[Path, ...] = NOTEBOOK["PAGES"]

PINS = (DOCS.parent / "constraints.txt").read_text("utf-8").splitlines()
VERSIONS = [f"{name}=={version(name)}" for name in ("numpy", "scipy", "polars", "matplotlib")]
OTHERS = ", ".join(pin for pin in VERSIONS if pin not in PINS)


@pytest.fixture(scope="module")
def trials() -> llrcal.Trials:
    return llrcal.simulate(targets=300, nontargets=6_000)


@pytest.fixture(scope="module")
def cal(trials: llrcal.Trials) -> llrcal.Calibration:
    return llrcal.fit(trials, method="nig")


@pytest.fixture(scope="module")
def comparison(trials: llrcal.Trials) -> llrcal.Comparison:
    test = llrcal.simulate(targets=300, nontargets=6_000, condition="test")
    return llrcal.compare(trials, test, methods=["logistic", "pav", "nig"], replicates=0)


@pytest.mark.parametrize("name", ["figures", "sklearn"])
def test_modules_are_there(name: str) -> None:
    assert getattr(llrcal, name).__name__ == f"llrcal.{name}"
    assert name in dir(llrcal)


@pytest.mark.slow
def test_trials_go_wherever_scores_go(trials: llrcal.Trials, cal: llrcal.Calibration) -> None:
    (tar, non), who = trials, trials.speakers
    assert (len(tar), len(non)) == (300, 6_000)
    assert cal == llrcal.fit(tar, non, method="nig", speakers=who)
    every = llrcal.fit_all(trials, methods=["pav"])
    assert every == llrcal.fit_all(tar, non, methods=["pav"], speakers=who)
    ev = llrcal.evaluate(trials.mapped(cal))
    assert ev.cllr == llrcal.evaluate(cal(tar), cal(non)).cllr
    assert llrcal.evaluate(trials).eer == llrcal.evaluate(tar, non).eer


def test_one_score_gives_one_number(cal: llrcal.Calibration) -> None:
    llr = cal(0.3)
    assert type(llr) is float
    assert json.loads(json.dumps({"llr": llr})) == {"llr": llr}
    assert llr == cal([0.3])[0] == cal(np.float32(0.3).astype(float) * 0 + 0.3)


def test_scores_and_labels_are_not_two_classes() -> None:
    scores, labels = np.array([0.1, 2.5, -1.0, 3.0]), np.array([0, 1, 0, 1])
    for ask in (llrcal.fit, llrcal.evaluate):
        with pytest.raises(llrcal.ScoreError, match=r"llrcal\.split\(scores, labels\)"):
            ask(scores, labels)
    assert llrcal.evaluate(*llrcal.split(scores, labels)).eer == 0


@pytest.mark.parametrize("ask", [llrcal.fit, llrcal.fit_all, llrcal.evaluate])
def test_one_array_is_no_set_of_trials(ask: Any) -> None:
    with pytest.raises(llrcal.ScoreError, match="no non-target scores; pass target and non-target"):
        ask([1.0, 2.0])


def test_an_evaluation_as_plain_values(trials: llrcal.Trials, cal: llrcal.Calibration) -> None:
    ev = llrcal.evaluate(trials.mapped(cal))
    numbers = json.loads(json.dumps(ev.to_dict()))
    assert (numbers["cllr"], numbers["eer"]) == (ev.cllr, ev.eer)
    assert numbers["p_target"] == [0.001, 0.01, 0.1, 0.5]
    assert numbers["act_dcf"][1] == ev.act_dcf(0.01)
    (point,) = ev.to_dict([llrcal.OperatingPoint(0.01, 10)])["min_dcf_unnormalised"]
    assert point == ev.min_dcf(0.01, 10, normalised=False)


class Text(HTMLParser):
    """The words of a piece of HTML that is well formed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words = ""
        self._open: list[str] = []
        self.feed(html)
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += f"{data} "


@pytest.mark.slow
def test_everything_shows_itself_in_a_few_words(
    trials: llrcal.Trials, cal: llrcal.Calibration, comparison: llrcal.Comparison
) -> None:
    ev = llrcal.evaluate(trials.mapped(cal))
    for thing, words in (
        (trials, ["simulated training trials", "300", "6,000"]),
        (cal, ["nig", "gradient below tolerance"]),
        (ev, ["300", "Cllr"]),
        (comparison, ["3 calibrations", "Least error"]),
    ):
        assert len(repr(thing)) < 400
        assert all(word in repr(thing) for word in words)
    html = {type(x).__name__: Text(x._repr_html_()).words for x in (trials, ev, comparison)}
    assert "6,000" in html["Trials"]
    assert f"Cllr {ev.cllr:.4f}" in html["Evaluation"]
    assert comparison.verdict.text in html["Comparison"]
    for method in llrcal.METHODS:
        shown = Text(llrcal.fit(trials, method=method)._repr_html_()).words
        assert method in shown
        assert "6,000" in shown


def test_names_are_text_in_a_notebook() -> None:
    trials = llrcal.Trials(np.ones(2), np.zeros(2), "<script>alert(1)</script>")
    assert "<script>" not in trials._repr_html_()


@pytest.mark.slow
def test_a_comparison_is_saved_as_by_the_command_line(
    comparison: llrcal.Comparison, tmp_path: Path
) -> None:
    comparison.save(tmp_path / "results", formats=["svg"])
    found = {path.name for path in (tmp_path / "results").iterdir()}
    assert found - {".llrcal-folder.json"} == {
        *("models", "metrics.csv", "metrics.md", "metrics.tex", "figures", "report.html")
    }
    assert llrcal.load(tmp_path / "results" / "models" / "nig.json")(0.0)
    with pytest.raises(llrcal.OptionError, match="force=True"):
        comparison.save(tmp_path / "results")


@pytest.mark.slow
def test_a_comparison_of_distances_saves_models_that_take_distances(tmp_path: Path) -> None:
    train, test = (
        llrcal.simulate(targets=100, nontargets=900, condition=name).negated()
        for name in ("train", "test")
    )
    found = llrcal.compare(train, test, methods=["logistic"], replicates=0, lower_is_better=True)
    found.save(tmp_path / "results", formats=[])
    model = llrcal.load(tmp_path / "results" / "models" / "logistic.json")
    assert model == llrcal.fit(train, method="logistic", lower_is_better=True)
    assert "wrong way" not in [note.code for note in found.notes]


@pytest.mark.slow
@pytest.mark.parametrize("name", [page.stem for page in PAGES])
def test_the_page_shows_what_its_code_gives(name: str, tmp_path: Path) -> None:
    page = (DOCS / f"{name}.md").read_text("utf-8")
    written = NOTEBOOK["run"](page, tmp_path)
    if written != page and OTHERS:
        pytest.skip(f"pages show the numbers of the versions in constraints.txt, not {OTHERS}")
    assert written == page, "run `make docs`"
    pictures = {path.name for path in tmp_path.iterdir()}
    assert pictures == {path.name for path in (DOCS / "figures").glob(f"{name}-*.png")}
    assert all(f"(figures/{name})" in page for name in pictures)
