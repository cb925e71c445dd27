"""Names that are markup, formulas, or steer the display: text wherever they come out."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import PAPER, fit_all
from llrcal.comparison import Comparison
from llrcal.comparison.tables import SENTENCE, shown
from llrcal.notes import Note
from llrcal.report import build_report
from tests.cli.running import llrcal
from tests.report.comparisons import small
from tests.report.pages import Opened, Page, written

CONTROLS = "".join(map(chr, [*range(32), *range(127, 160)]))
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
NAMES = {
    "markup": "<b>bold</b> &amp; <!-- -->]]>{{x}}<textarea><title>",
    "attribute": "' onload='window.broken = true' \" onload=\"window.broken = true\" `",
    "script": "</script><script>window.broken = true</script>",
    "template": "$verdict ${data} $$ %s {0} \\g<0> \\1",
    "mathtext": r"$\foo$ $\frac{",
    "controls": CONTROLS,
    "bidi": BIDI + "abc",
    "invisible": "a\u200b\u200d\ufeff\u00ad\u3164\u2028\u2029b",
    "no characters": "\ufffe\uffff\ud800\udfff\U0010ffff",
    "formula": "=cmd|'/c calc'!A1",
    "terminal": "\x1b]0;title\x07\x1b[2J",
    "long": "x" * 100_000,
    "path": "../../../etc/passwd",
    "other scripts": "متحدث 話者 Größe",
}
EVERY_NAME = pytest.mark.parametrize("kind", NAMES)
PLOTLY = files("llrcal.report").joinpath("page", "plotly-basic.min.js").read_text("utf-8")
STEERING = re.compile(f"[{re.escape(CONTROLS.replace(chr(10), ''))}{BIDI}\u200b\u2028\u2029\ufffe]")


def with_name(name: str) -> Comparison:
    """The small comparison with a name wherever one comes in."""
    first, *others = list(small().candidates.values())[-3:]
    model: Any = first.calibration
    report = replace(model.report, converged=False, reason=name, notes=(Note.of("edge", name),))
    first = replace(first, label=name, calibration=replace(model, report=report))
    both = (first, *others)  # without bands
    every = [replace(candidate, replicates=None, intervals=None) for candidate in both]
    return replace(
        small(),
        train=replace(small().train, source=name),
        test=replace(small().test, source=name),
        candidates={candidate.label: candidate for candidate in every},
        notes=(Note.of(name, name).about(name), Note.of("edge", name).about(name)),
    )


@cache
def page_with(name: str) -> Page:
    """The report with a name everywhere, but without the library of plots, which is large."""
    html = build_report(with_name(name)).replace(PLOTLY, "")
    html.encode("utf-8")
    assert not STEERING.search(html)
    return Page(html)


def structure(page: Page) -> Counter[str]:
    """Elements with their attributes, but for the numbers in some."""
    return Counter(
        f"{tag} {sorted((k, v) for k, v in attributes.items() if k != 'data-value')}"
        for tag, attributes in page.elements
    )


def assert_is_text(name: str) -> None:
    page, ordinary = page_with(name), page_with("ordinary")
    assert structure(page) == structure(ordinary)
    text = shown(name)
    assert page.text.count(text) >= 6  # sources, tables, warnings
    verdict = with_name(name).verdict
    for words in (verdict.headline, verdict.basis):
        assert shown(words, limit=SENTENCE) in page.text
    data, _, script = page.scripts
    assert script == ordinary.scripts[2]
    assert json.loads(data)["methods"][0]["label"] == text
    assert not set("<>&") & set(data)


@EVERY_NAME
def test_a_name_anywhere_in_the_report_is_text(kind: str) -> None:
    assert_is_text(NAMES[kind])


@given(name=st.text(min_size=1, max_size=40))
def test_any_name_in_the_report_is_text(name: str) -> None:
    assert_is_text(name)


# ------------------------------------------------------------------------- names of files

SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


def test_labels_are_fit_for_file_names() -> None:
    for name in fit_all([1.0, 2.0, 3.0, 4.0, 5.5], [0.0, 1.5, -1.0, 2.5, 0.7], methods=PAPER):
        assert SAFE.fullmatch(name)


# ------------------------------------------------------------------------------ converted ids


@pytest.mark.parametrize("to", ["csv", "tsv", "nist-tsv", "kaldi", "parquet"])
def test_ids_of_trials_are_data_and_stay_as_they_are(to: str, tmp_path: Path) -> None:
    """An apostrophe before a formula would make another id of it, which no key knows."""
    ids = ["=1+1", "+1", "-1", "@a", "'b", "<b>", "$\\foo$", "\u202ec", "a;=1", '"q"']
    ids = [name for name in ids if to != "tsv" or '"' not in name]
    lines = [f"{name}\tt{i}\t{i}.5\n" for i, name in enumerate(ids)]
    (tmp_path / "in.tsv").write_text("enrol\ttest\tscore\n" + "".join(lines), "utf-8")
    given, out, back = (tmp_path / name for name in ("in.tsv", "out", "back.tsv"))
    assert llrcal("convert", given, "-o", out, "--to", to).exit_code == 0
    assert llrcal("convert", out, "-o", back, "--to", "tsv").exit_code == 0
    assert [line.split("\t")[0] for line in back.read_text("utf-8").splitlines()][1:] == ids


# ------------------------------------------------------------------------------ in a browser


@pytest.mark.parametrize("kind", ["markup", "attribute", "long"])
def test_a_name_in_a_browser_is_text(
    kind: str, browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = NAMES[kind]
    opened = Opened(browser, written(with_name(name), tmp_path_factory))
    page = opened.page

    def texts(selector: str) -> list[str]:
        return [text.strip() for text in page.locator(selector).all_text_contents()]

    text = shown(name).strip()
    assert text in texts("#metrics tbody th")
    assert text in texts("#readout tbody th")
    assert text in texts("#methods label bdi")
    assert text in texts("#density-method option")
    assert texts("#data .name") == [text, text]
    page.evaluate("Plotly.Fx.hover('transforms-plot', [{ curveNumber: 0, pointNumber: 300 }])")
    assert page.locator("#transforms-plot .hoverlayer").text_content().startswith(text[:20])
    assert page.evaluate("window.broken") is None
    assert page.locator("img:not(#pictures img), textarea, iframe, b, .main-svg a").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert opened.is_quiet()
    page.close()


pytestmark = pytest.mark.slow
