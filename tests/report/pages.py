"""Reports in tests: as elements and text, and opened in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from llrcal.comparison import Comparison
from llrcal.report import build_report

VOID = {"meta", "link", "input", "img", "br"}


class Page(HTMLParser):
    """Elements of a page with their attributes, and the text of its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            self.scripts[-1] += data
        elif self._open and self._open[-1] != "style":
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser, where there is one on this machine."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("there is no Chromium on this machine")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


class Opened:
    """A page, and everything it asked for or complained of."""

    def __init__(self, browser: Any, report: Path, **options: Any) -> None:
        self.address = report.as_uri()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page = browser.new_page(**options)
        self.page.set_default_timeout(60_000)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(self.address)

    def is_quiet(self) -> bool:
        """Whether it fetched itself and nothing else, and said nothing."""
        fetched = [one for one in self.requests if not one.startswith("data:")]  # pictures
        return (fetched, self.complaints) == ([self.address], [])


def written(comparison: Comparison, folders: pytest.TempPathFactory) -> Path:
    path = folders.mktemp("report") / "report.html"
    path.write_text(build_report(comparison), "utf-8")
    return path
