"""The documentation: links of its pages, their code, and the site that is made of them."""

from __future__ import annotations

import importlib
import os
import pydoc
import re
import runpy
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import polars as pl
import pytest

import llrcal
from tests.command_files import make_files
from tests.report import pages as opening

browser = opening.browser
ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = {page.relative_to(DOCS).as_posix(): page.read_text("utf-8") for page in DOCS.rglob("*.md")}
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
        target = (DOCS / name).parent / path if path else DOCS / name
        assert target.exists(), link
        if anchor:
            assert anchor in slugs(target.read_text("utf-8")), link


def test_what_the_reference_leaves_out_is_there() -> None:
    """Names that only other modules use; a list of them that is out of date hides nothing."""
    for page in (DOCS / "api").glob("*.rst"):
        text = page.read_text("utf-8")
        home = re.findall(r"^.. currentmodule:: (\S+)", text, re.M)[0]
        classes = re.findall(r"^.. auto(?:class|module):: (\S+)\n((?:   .*\n?)*)", text, re.M)
        for name, options in classes:
            owner = pydoc.locate(name if name.startswith("llrcal") else f"{home}.{name}")
            known = {*dir(owner), *getattr(owner, "__dataclass_fields__", ())}
            for names in re.findall(r":exclude-members:((?:.|\n)*)", options):
                assert {name.strip() for name in names.split(",")} <= known, name


@pytest.mark.parametrize("module", ["", "sklearn"])
def test_the_reference_lists_every_public_name(module: str) -> None:
    home = f"llrcal.{module}" if module else "llrcal"
    listed: set[str] = set()
    for page in (DOCS / "api").glob("*.rst"):
        text = page.read_text("utf-8")
        if f".. currentmodule:: {home}\n" in text:
            tables = re.findall(r"^.. autosummary::\n\n((?:   \S+\n)+)", text, re.M)
            listed |= {name for table in tables for name in table.split()}
    constants = {"METHODS", "PAPER", "KEEP_MEMORY", "__version__"}
    assert listed == {*importlib.import_module(home).__all__} - constants


# ------------------------------------------------------------------------------- what is run

_RUN_ELSEWHERE = {"formats.md", "how-it-works.md", "sklearn.md"}  # each by a test of its own
_IN_PARTS = {"adaptation.md", "few-trials.md"}  # which say what to do with trials of yours
_WITH_FILES = {"fusion.md", "scale.md"}
_ELSEWHERE = re.compile(
    r"/shared/|/scratch/|s3://scores/|storage_options=\{[^}]*\}, "
    r"|from distributed import Client\n|, client=client"
)


def blocks(name: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", PAGES[name], re.DOTALL | re.MULTILINE)


def test_every_page_with_code_is_run_somewhere() -> None:
    notebook = runpy.run_path(str(DOCS / "figures" / "notebook.py"))
    run = {path.name for path in notebook["PAGES"]} | _RUN_ELSEWHERE | _IN_PARTS | _WITH_FILES
    assert {name for name in PAGES if blocks(name)} == run


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(_IN_PARTS))
def test_code_about_trials_of_yours_runs(name: str) -> None:
    trials = llrcal.simulate(targets=40, nontargets=1_000)
    names: dict[str, Any] = {"llrcal": llrcal, "scores": trials.scores}
    names |= {"tar": trials.tar, "non": trials.non}
    names |= {"tar_speakers": trials.tar_speakers, "non_speakers": trials.non_speakers}
    run(name, names)


def run(name: str, names: dict[str, Any]) -> None:
    for block in blocks(name):
        exec(compile(_ELSEWHERE.sub("", block), name, "exec"), names)  # noqa: S102


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_files()


@pytest.mark.slow
@pytest.mark.usefixtures("_files")
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # within Dask
def test_code_about_several_systems_runs() -> None:
    import dask.dataframe as dd

    table = pl.read_csv("all.csv")
    targets = table["y"].to_numpy() == 1
    names = {name: table[name].to_numpy() for name in ("seconds", "channel")}
    for name, column in tuple(names.items()):
        names |= {f"tar_{name}": column[targets], f"non_{name}": column[~targets]}
    scores = table.select("cos", "plda").to_numpy()
    names |= {"scores": scores, "tar": scores[targets], "non": scores[~targets]}
    run("fusion.md", {"llrcal": llrcal, "dask_frame": dd.read_parquet("night"), **names})


_CLUSTERS = {
    "dask_jobqueue": "SLURMCluster",
    "dask_kubernetes": "operator",
    "dask_kubernetes.operator": "KubeCluster",
}


class NoCluster:
    """Takes the place of clusters and their clients: Dask's threads do the work then."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def __enter__(self) -> NoCluster:
        return self

    def __exit__(self, *_: object) -> None: ...

    def scale(self, jobs: int) -> None: ...


@pytest.mark.slow
@pytest.mark.usefixtures("_files")
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # within Dask
def test_code_about_clusters_runs_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    import dask
    import dask.dataframe as dd

    from llrcal.scale.dask_engine import KEEP_MEMORY

    for module, name in _CLUSTERS.items():
        monkeypatch.setitem(sys.modules, module, SimpleNamespace(**{name: NoCluster}))
    train = llrcal.read_trials("dev.npz")
    names = {"Client": NoCluster, "dask_frame": dd.read_parquet("night")}
    names |= {"first_tar": train.tar, "first_non": train.non}
    with dask.config.set(KEEP_MEMORY):  # and as it was afterwards
        run("scale.md", names)


# ---------------------------------------------------------------------------------- the site

# What new users asked, and where the answer is: two clicks from the landing page at most.
ANSWERS = {
    "How many trials do I need?": "questions.html#how-many-trials-do-i-need",
    "What if I have one set?": "questions.html#i-have-one-data-set-what-now",
    "What do I do about shift?": "questions.html#my-data-have-shifted",
    "How sure is one LLR?": "questions.html#how-sure-is-one-llr",
    "What does edge kappa = 0 mean?": "questions.html#what-does-edge-kappa-0-mean-for-me",
    "How do I fuse?": "questions.html#how-do-i-fuse-two-systems",
    "How does this relate to Platt and isotonic?": "questions.html#platt-isotonic-and-this",
    "A threshold at FMR = 1e-4?": "questions.html#how-do-i-get-a-threshold-at-fmr-1e-4",
    "How do I use it in C++?": "questions.html#how-do-i-use-it-in-c",
    "What is this score worth?": "forensics.html#what-is-this-score-worth",
    "What comes with which extra?": "install.html#what-comes-with-which-extra",
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


def test_every_internal_link_leads_somewhere(site: Path) -> None:
    pages = {path.resolve(): Html(path) for path in site.rglob("*.html")}
    missing = []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            if link.startswith("data:"):
                continue
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


def test_questions_are_answered_two_clicks_away(site: Path) -> None:
    def places(page: str) -> set[str]:
        """Where one click leads, as paths from the root of the site."""
        found = set()
        for link in Html(site / page).links:
            name, _, anchor = link.partition("#")
            found.add(f"{name or page}#{anchor}" if anchor else name)
        return found

    near = places("index.html")
    pages = {link for link in near if link.endswith(".html") and "/" not in link}
    reached = near.union(*map(places, pages))
    assert {question for question, place in ANSWERS.items() if place not in reached} == set()


def test_the_reference_names_types_as_the_source_does(site: Path) -> None:
    for page in (site / "api").glob("*.html"):
        text = page.read_text("utf-8")
        assert "_SupportsArray" not in text, page
        assert "Annotated" not in text, page


def test_the_gallery_has_pictures_and_no_warnings(site: Path) -> None:
    assert len(list((site / "_images").glob("sphx_glr_*_thumb.png"))) >= 20
    for page in (site / "gallery").rglob("*.html"):
        assert "Warning: " not in page.read_text("utf-8"), page


def test_pages_open_quietly_and_fit(site: Path, browser: Any) -> None:
    opened = opening.Opened(browser, site / "index.html")
    for page in [*site.glob("*.html"), *site.glob("*/*.html")]:
        opened.page.goto(page.as_uri())
        for width in (1280, 375):
            opened.page.set_viewport_size({"width": width, "height": 900})
            assert opened.page.evaluate("document.documentElement.scrollWidth") <= width, page
    assert all(address.startswith(("file:", "data:")) for address in opened.requests)
    assert opened.complaints == []


def test_the_landing_page_has_five_cards_and_a_live_report(site: Path, browser: Any) -> None:
    opened = opening.Opened(browser, site / "index.html", viewport={"width": 1280, "height": 900})
    cards = opened.page.locator("#start-here li a")
    assert cards.count() == 5
    for card in cards.all():
        assert card.bounding_box()["y"] < 900  # above the fold
    opened.page.locator(".live a").click()
    assert opened.page.url.endswith("demo/report.html")
    assert "Use " in opened.page.locator("#verdict .verdict").inner_text()
    assert opened.complaints == []
