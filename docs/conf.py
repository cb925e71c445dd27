"""The documentation site: `make site` builds it, by way of site.py."""

import inspect
import re
from pathlib import Path
from typing import Any

from sphinx.ext.autosummary import Autosummary
from sphinx.pycode import ModuleAnalyzer

from llrcal.version import __version__

project = "llrcal"
author = "the llrcal developers"
project_copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["figures", "gallery/*.py"]
suppress_warnings = [
    "config.cache",  # every build is a fresh one
]

highlight_language = "none"  # blocks without a language are commands, output and formulas

# Pages are read on forges as well: links are those of plain Markdown.
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]

# Names in text must exist. Types in signatures are for readers: many come from elsewhere.
nitpick_ignore_regex = [("py:class", ".*"), ("py:data", ".*")]
autosummary_generate = False
autodoc_member_order = "groupwise"
# Types that overloads and properties name: not what they stand for, which takes up lines.
_NAMED = ("Array", "ArrayLike", "Floats", "MethodName", "Policy", "Speakers")
autodoc_type_aliases = dict(zip(_NAMED, _NAMED, strict=True))
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

_THUMBNAIL = (3.0, 2.1)  # inches
_LETTERS, _LONG_LABEL = 9.0, 24  # their size in points, and how many make a label long


def scraped(block: Any, block_vars: Any, gallery_conf: Any) -> str:
    """The figures of an example, as Sphinx-Gallery saves them; and the first as a thumbnail.

    A picture that is made smaller cannot be read: the thumbnail is drawn anew, at its size.
    """
    import matplotlib.pyplot as plt
    from sphinx_gallery.scrapers import matplotlib_scraper  # type: ignore[import-untyped]

    figures = [plt.figure(number) for number in plt.get_fignums()]
    made = matplotlib_scraper(block, block_vars, gallery_conf)
    if figures:
        images = Path(str(block_vars["image_path_iterator"].image_path)).parent
        (images / "small").mkdir(exist_ok=True)
        name = f"sphx_glr_{Path(block_vars['src_file']).stem}_thumb.png"
        _shrink(figures[0])
        figures[0].savefig(images / "small" / name, dpi=200)
    return str(made)


def _shrink(figure: Any) -> None:
    """What can be read in a figure of the size of a thumbnail."""
    figure.set_size_inches(_THUMBNAIL)
    figure.set_layout_engine("constrained")
    for ax in figure.axes:
        if legend := ax.get_legend():
            legend.remove()
        for note in list(ax.texts):
            note.remove()
        for line in ax.lines:
            line.set_linewidth(max(line.get_linewidth(), 1.8))
            line.set_markersize(min(line.get_markersize(), 5))
        for axis in (ax.xaxis, ax.yaxis):
            ticks = axis.get_majorticklocs()
            if len(ticks) > 5:
                axis.set_ticks(ticks[:: -(-len(ticks) // 5)])
        for label in (ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels(), *ax.get_yticklabels()):
            long = len(label.get_text()) > _LONG_LABEL
            label.set_fontsize(0.8 * _LETTERS if long else _LETTERS)


def put_thumbnails_in_place(app: Any) -> None:
    """Instead of those that Sphinx-Gallery has made of the large pictures."""
    for small in Path(app.srcdir).glob("gallery/*/images/small/*.png"):
        small.replace(small.parents[1] / "thumb" / small.name)


sphinx_gallery_conf = {
    "image_scrapers": (scraped,),
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": ".*",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "notebook_extensions": [],
    "capture_repr": (),
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 60,
    "abort_on_example_error": True,
    "remove_config_comments": True,
}

html_theme = "furo"
html_title = "llrcal"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]  # the report that site.py has written
html_logo = html_favicon = "static/logo.svg"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "light_css_variables": {"color-brand-primary": "#0b57b5", "color-brand-content": "#0b57b5"},
    "dark_css_variables": {"color-brand-primary": "#8ab8ff", "color-brand-content": "#8ab8ff"},
}


def link_to_pages(
    _app: Any, _what: str, _name: str, _member: Any, _options: Any, lines: list[str]
) -> None:
    """Docstrings name pages by their files, as in docs/few-trials.md."""
    lines[:] = [re.sub(r"\bdocs/([\w/-]+)\.md", r":doc:`/\1`", line) for line in lines]


_CALLED = {"Accumulator", "OperatingPoint", "Trials"}
_CALLED |= {"LLRCalibratedClassifier", "LLRCalibrator"}
"""Classes that users call by their names; others are what functions give."""


class Plain(str):
    """Text that shows itself without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def signature_as_written(
    _app: Any, _what: str, _name: str, called: Any, _options: Any, _text: str, _result: str
) -> tuple[str, str] | None:
    """The signature with types as they stand in the source: ArrayLike, not what it stands for."""
    if inspect.isclass(called):
        is_called = called.__name__ in _CALLED or issubclass(called, Exception)
        return None if is_called else ("", "")
    if not callable(called):
        return None
    signature = inspect.signature(called)
    parameters = [
        each.replace(annotation=_shown(each.annotation), default=_default(each.default))
        for name, each in signature.parameters.items()
        if name != "self"
    ]
    plain = signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty)
    returned = signature.return_annotation
    return str(plain), "" if returned is inspect.Signature.empty else str(returned)


def _shown(annotation: Any) -> Any:
    return Plain(annotation) if isinstance(annotation, str) else annotation


def _default(value: Any) -> Any:
    if inspect.isroutine(value) or len(repr(value)) > 40:
        return Plain("...")
    return value


class Summaries(Autosummary):
    """Tables of names with short signatures, but for classes that users do not call."""

    def get_items(self, names: list[str]) -> list[tuple[str, str | None, str, str]]:
        return [
            (name, None if signature == "()" and name[0].isupper() else signature, words, place)
            for name, signature, words, place in super().get_items(names)
        ]


# One signature a function: overloads differ in what they return, and take up a page.
setattr(ModuleAnalyzer, "overloads", property(lambda _: {}, lambda *_: None))  # noqa: B010


def skip_what_others_document(
    _app: Any, _what: str, _name: str, member: Any, _skip: bool, _options: Any
) -> bool | None:
    """Methods that estimators inherit from scikit-learn are described there."""
    home = getattr(member, "__module__", None) or ""
    return True if home.startswith("sklearn") else None


# A link lies over the page in it, which is too small there to be worked with.
_LIVE = """<div class="live">
<iframe src="demo/report.html" title="Report" loading="lazy" tabindex="-1" aria-hidden="true">
</iframe>
<a href="demo/report.html"><span>Open this report</span></a>
</div>"""


def link_to_what_is_built(_app: Any, _docname: str, source: list[str]) -> None:
    """On a forge, pages link to the folder of examples; here, to the pages made of it.

    And there is a report to look at.
    """
    page = source[0].replace("](../examples/gallery)", "](gallery/index.rst)")
    source[0] = page.replace("<!-- a report -->", _LIVE)


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.add_directive("autosummary", Summaries, override=True)
    app.connect("builder-inited", put_thumbnails_in_place, priority=900)
    app.connect("source-read", link_to_what_is_built)
    app.connect("autodoc-process-docstring", link_to_pages)
    app.connect("autodoc-process-signature", signature_as_written)
    app.connect("autodoc-skip-member", skip_what_others_document)
