"""The documentation: links of its pages, their code, and the site that is made of them."""

from __future__ import annotations

import os
import re
import runpy
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import llrcal
from tests.report.pages import Opened, chromium

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = {page.name: page.read_text("utf-8") for page in DOCS.glob("*.md")}
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


# ------------------------------------------------------------------------ as a forge shows them


def slugs(page: str) -> set[str]:
    """Anchors of the headings, as forges make them."""
    headings = re.findall(r"^#+ (.*)$", _FENCED.sub("", page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_links_lead_to_files_and_headings(name: str) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", _FENCED.sub("", PAGES[name])):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = DOCS / (path or name)
        assert target.exists(), link
        if anchor:
            assert anchor in slugs(target.read_text("utf-8")), link


# ------------------------------------------------------------------------------- what is run

_RUN_ELSEWHERE = {"formats.md", "how-it-works.md", "sklearn.md"}  # each by a test of its own
_NOT_RUN = {"scale.md", "fusion.md"}  # a cluster, and trials of several systems are not here
_IN_PARTS = {"adaptation.md", "few-trials.md"}  # which say what to do with trials of yours


def blocks(name: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", PAGES[name], re.DOTALL | re.MULTILINE)


def test_every_page_with_code_is_run_somewhere() -> None:
    notebook = runpy.run_path(str(DOCS / "figures" / "notebook.py"))
    run = {path.name for path in notebook["PAGES"]} | _RUN_ELSEWHERE | _NOT_RUN | _IN_PARTS
    assert {name for name in PAGES if blocks(name)} == run


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(_IN_PARTS))
def test_code_about_trials_of_yours_runs(name: str) -> None:
    trials = llrcal.simulate(targets=40, nontargets=1_000)
    names: dict[str, Any] = {"llrcal": llrcal, "scores": trials.scores}
    names |= {"tar": trials.tar, "non": trials.non}
    names |= {"tar_speakers": trials.tar_speakers, "non_speakers": trials.non_speakers}
    for block in blocks(name):
        exec(compile(block, name, "exec"), names)  # noqa: S102


@pytest.mark.parametrize("name", sorted(_NOT_RUN))
def test_code_that_is_not_run_is_python(name: str) -> None:
    for block in blocks(name):
        compile(block, name, "exec")


# ---------------------------------------------------------------------------------- the site

# What new users asked, and where the answer is: one click from the landing page.
ANSWERS = {
    "questions.html": (
        "how-many-trials-do-i-need",
        "i-have-one-data-set-what-now",
        "my-data-have-shifted",
        "how-do-i-get-a-threshold-at-fmr-1e-4",
        "how-do-i-use-it-in-c",
        "platt-isotonic-and-this",
        "how-sure-is-one-llr",
        "what-does-edge-kappa-0-mean-for-me",
        "how-do-i-fuse-two-systems",
        "how-do-i-draw-this",
    ),
    "forensics.html": ("what-is-this-score-worth",),
}


class Html(HTMLParser):
    """Anchors of a page, where it links to, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := found.get(name))}
        loads = found.get("src") or (found.get("href") if tag == "link" else None)
        if loads:
            self.loaded.append(loads)
        elif tag == "a" and (link := found.get("href")):
            self.links.append(link)


@pytest.fixture(scope="module")
def site() -> Path:
    """The built site, of which `make site` says where it is."""
    if "LLRCAL_SITE" not in os.environ:
        pytest.skip("the site is built, and tested, by make site")
    return Path(os.environ["LLRCAL_SITE"]).resolve()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def test_every_internal_link_leads_somewhere(site: Path) -> None:
    pages = {path.resolve(): Html(path) for path in site.rglob("*.html")}
    missing = []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            if link.startswith(("https://", "http://")):
                assert link not in page.loaded, (path, link)
                continue
            name, _, anchor = unquote(link).partition("#")
            target = (path.parent / name.partition("?")[0]).resolve() if name else path
            if not target.exists() or (
                anchor and target in pages and anchor not in pages[target].anchors
            ):
                missing.append((path.name, link))
    assert not missing
    front = pages[(site / "index.html").resolve()]
    for name, anchors in ANSWERS.items():
        assert name in front.links
        assert set(anchors) <= pages[(site / name).resolve()].anchors


def test_the_gallery_has_pictures_and_no_warnings(site: Path) -> None:
    assert len(list((site / "_images").glob("sphx_glr_*_thumb.png"))) >= 20
    for page in (site / "gallery").rglob("*.html"):
        assert "Warning: " not in page.read_text("utf-8"), page


@pytest.mark.parametrize("width", [1280, 375])
def test_pages_open_quietly_and_fit(site: Path, browser: Any, width: int) -> None:
    pages = "index", "questions", "glossary", "cli", "gallery/index", "api/train"
    for name in pages:
        viewport = {"width": width, "height": 900}
        opened = Opened(browser, site / f"{name}.html", viewport=viewport)
        assert all(address.startswith(("file:", "data:")) for address in opened.requests)
        assert opened.complaints == []
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width, name
        opened.page.close()
