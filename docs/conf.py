"""The documentation site: `make site` builds it, by way of site.py."""

import inspect
import re
from typing import Any

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
_NAMED = ("Array", "ArrayLike", "Floats", "MethodName", "Policy", "RuleLike", "Speakers")
autodoc_type_aliases = dict(zip(_NAMED, _NAMED, strict=True))
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
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
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": False}


def link_to_pages(
    _app: Any, _what: str, _name: str, _member: Any, _options: Any, lines: list[str]
) -> None:
    """Docstrings name pages by their files, as in docs/few-trials.md."""
    lines[:] = [re.sub(r"\bdocs/([\w/-]+)\.md", r":doc:`/\1`", line) for line in lines]


_CALLED = {"Accumulator", "OperatingPoint", "ScoringRule", "Trials"}
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


def skip_what_others_document(
    _app: Any, _what: str, _name: str, member: Any, _skip: bool, _options: Any
) -> bool | None:
    """Methods that estimators inherit from scikit-learn are described there."""
    home = getattr(member, "__module__", None) or ""
    return True if home.startswith("sklearn") else None


def link_to_gallery(_app: Any, _docname: str, source: list[str]) -> None:
    """On a forge, pages link to the folder of examples; here, to the pages made of it."""
    source[0] = source[0].replace("](../examples/gallery)", "](gallery/index.rst)")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", link_to_gallery)
    app.connect("autodoc-process-docstring", link_to_pages)
    app.connect("autodoc-process-signature", signature_as_written)
    app.connect("autodoc-skip-member", skip_what_others_document)
