"""The frame of every page: one HTML file with everything in it, and no request to anywhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from string import Template

from llrcal.report.text import escaped
from llrcal.version import __version__


def asset(name: str) -> str:
    """A file of the folder ``page``."""
    return files("llrcal.report").joinpath("page", name).read_text("utf-8")


def filled(name: str, **parts: str) -> str:
    """A template of that folder with its parts, which are HTML already."""
    return Template(asset(name)).substitute(parts)


def whole_page(
    title: str, body: str, *, styles: Sequence[str], data: str = "", scripts: Sequence[str] = ()
) -> str:
    """A self-contained page, to be saved as UTF-8.

    Its content security policy lets it run its own scripts, and fetch nothing.

    Parameters
    ----------
    title
        Plain text.
    body
        HTML, in which names have been escaped: see :mod:`llrcal.report.text`.
    styles
        Names of style sheets in the folder ``page``: the first is always ``page.css``, which has
        colours, tables, boxes and what changes on paper.
    data
        JSON for the scripts, as :func:`llrcal.report.data.as_json` writes it.
    scripts
        JavaScript, each for an element of its own.
    """
    held = [_inline(script) for script in scripts]
    elements = [f'<script type="application/json" id="data-json">{data}</script>\n'] * bool(data)
    elements += [f"<script>{script}</script>\n" for script in held]
    return filled(
        "page.html",
        policy=_policy(held),
        version=escaped(__version__),
        title=escaped(title),
        style="\n".join(map(asset, styles)),
        body=body,
        scripts="".join(elements),
    )


def _policy(scripts: Sequence[str]) -> str:
    """Content security policy: these scripts and no others; nothing from anywhere else.

    Plotly writes style attributes, and makes pictures for download by way of data and blob
    addresses, neither of which leaves the page.
    """
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _inline(script: str) -> str:
    """A script that can stand inside a script element.

    Lines end as a browser reads them, since the policy holds a hash of what it reads.
    """
    lines = script.replace("\r\n", "\n").replace("\r", "\n")
    return lines.replace("</script", "<\\/script").replace("<!--", "<\\!--")
