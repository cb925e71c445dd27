"""A new method is one class and one entry in the table: then everything knows it."""

from __future__ import annotations

import csv
import inspect
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import pytest

import llrcal
from llrcal.calibrations.curve import Formula
from llrcal.calibrations.training import Training
from llrcal.comparison import compare
from llrcal.figures import looks
from llrcal.method_table import TABLE, Entry, methods_to_compare
from llrcal.trials import Trials
from tests.report.pages import Page
from tests.trial_sets import normal

ROOT = Path(__file__).resolve().parents[1]
TOY: Any = "toy"  # which type checkers do not know


# ------------------------------------------------------------------------------- the method


@dataclass(frozen=True, kw_only=True, repr=False)
class Toy(llrcal.Calibration):
    """LLRs that are the scores themselves, less the middle of the training scores."""

    middle: Annotated[float, "The middle of the training scores."]

    method: ClassVar[str] = "toy"

    @classmethod
    def fit(cls, data: Training) -> Self:
        low, high = data.score_range
        return cls(
            tar_count=data.tar_count,
            non_count=data.non_count,
            report=llrcal.Report.closed_form(0.0),
            middle=(low + high) / 2,
        )

    @property
    def params(self) -> dict[str, Any]:
        return {"middle": self.middle}

    @property
    def formula(self) -> Formula:
        return Formula(lambda distance: distance, self.middle, 1.0)


ENTRY = Entry(
    "tests.test_new_method:Toy",
    "scores with another zero",
    group="toys",
)


# ------------------------------------------------------------------------------- in a program

TAR, NON = normal(200, 1.5, 1.2), normal(400, -1.5, 1.0)


@pytest.fixture
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLE, "toy", ENTRY)


def test_a_method_is_short() -> None:
    assert len(inspect.getsource(Toy).splitlines()) <= 40


@pytest.mark.usefixtures("_known")
def test_it_can_be_fitted_saved_and_loaded(tmp_path: Path) -> None:
    toy = llrcal.fit(TAR, NON, method=TOY)
    assert llrcal.METHODS["toy"] is type(toy)
    assert [*llrcal.METHODS] == [*TABLE]
    assert "'toy'" in repr(llrcal.METHODS)
    toy.save(tmp_path / "toy.json")
    assert llrcal.load(tmp_path / "toy.json") == toy
    with pytest.raises(llrcal.OptionError, match="toy has no option 'alpha'"):
        llrcal.fit(TAR, NON, method=TOY, alpha=0.5)


@pytest.mark.usefixtures("_known")
def test_it_is_compared_but_is_none_of_the_paper() -> None:
    compared = methods_to_compare()
    assert all(method in compared for method in ("smooth", *llrcal.PAPER))
    assert compared[-1] == "toy"
    trials = Trials(TAR, NON, "train"), Trials(TAR + 0.1, NON + 0.1, "test")
    assert list(compare(*trials, replicates=0).candidates)[-1] == "toy"


def test_it_is_unknown_otherwise() -> None:
    assert "toy" not in llrcal.METHODS
    with pytest.raises(llrcal.OptionError, match="there is no method 'toy'"):
        llrcal.fit(TAR, NON, method=TOY)


# -------------------------------------------------------------------------- on the command line


def command(*arguments: str) -> str:
    """What ``llrcal`` prints where the table has the entry."""
    code = (
        "import sys; from llrcal.method_table import TABLE, Entry\n"
        f"TABLE['toy'] = {ENTRY!r}; sys.argv = ['llrcal', *{arguments!r}]\n"
        "from llrcal.cli import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return ran.stdout


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``llrcal compare`` writes."""
    folder = tmp_path_factory.mktemp("toy")
    for name, shift in (("train", 0.0), ("test", 0.1)):
        np.savez(folder / f"{name}.npz", tar=TAR + shift, non=NON + shift)
    files = ["--train", f"{folder}/train.npz", "--test", f"{folder}/test.npz"]
    said = command(
        "compare", *files, "--out", f"{folder}/out", "--replicates", "0", "--formats", "svg"
    )
    assert "toy" in said
    return folder / "out"


@pytest.mark.slow
def test_help_lists_it() -> None:
    assert re.search(r"\[smooth\|[\w|\s-]*\|toy\]", command("fit", "--help"))


@pytest.mark.slow
@pytest.mark.usefixtures("_known")
def test_it_has_a_model_and_its_metrics(results: Path) -> None:
    toy = llrcal.load(results / "models" / "toy.json")
    assert toy == llrcal.fit(TAR, NON, method=TOY)
    with (results / "metrics.csv").open(encoding="utf-8") as file:
        rows = {row["method"]: row for row in csv.DictReader(file)}
    cllr = llrcal.evaluate(toy(TAR + 0.1), toy(NON + 0.1)).cllr
    assert float(rows["toy"]["cllr"]) == pytest.approx(cllr, rel=1e-12)


@pytest.mark.slow
@pytest.mark.usefixtures("_known")
def test_the_report_shows_it(results: Path) -> None:
    page = Page((results / "report.html").read_text("utf-8"))
    assert ENTRY.description in page.text
    shown = {method["label"]: method for method in json.loads(page.scripts[0])["methods"]}
    look = looks(["toy"])["toy"]
    style = shown["toy"]["style"]
    assert (style["light"], style["dark"]) == (look.light, look.dark)


@pytest.mark.slow
@pytest.mark.usefixtures("_known")
@pytest.mark.parametrize("name", ["bayes-error-toys", "bayes-error-all", "transforms"])
def test_figures_show_it(results: Path, name: str) -> None:
    drawing = (results / "figures" / f"{name}.svg").read_text("utf-8")
    assert ">toy</text>" in drawing
    assert f"stroke: {looks(['toy'])['toy'].light}" in drawing
    assert ("nig" in drawing) == (name != "bayes-error-toys")
