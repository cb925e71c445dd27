"""The classes of the methods by name, from the table of methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from llrcal.calibrations.calibration import Calibration
from llrcal.errors import OptionError
from llrcal.method_table import TABLE, methods_to_compare

Method = str | tuple[str, Mapping[str, Any]]


class _Methods(Mapping[str, type[Calibration]]):
    """The classes in the table of methods, by name; each is imported when it is first used."""

    def __getitem__(self, name: str) -> type[Calibration]:
        module, _, class_name = TABLE[name].home.partition(":")
        found: type[Calibration] = getattr(import_module(module), class_name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(TABLE)

    def __len__(self) -> int:
        return len(TABLE)

    def __repr__(self) -> str:
        return repr(dict(self))


METHODS: Mapping[str, type[Calibration]] = _Methods()
PAPER: tuple[Method, ...] = tuple(
    entry
    for entry in methods_to_compare()
    if TABLE[entry if isinstance(entry, str) else entry[0]].in_paper
)


def method_and_options(entry: Method) -> tuple[str, Mapping[str, Any]]:
    """A method and its options."""
    if isinstance(entry, str):
        return entry, {}
    match entry:
        case (str(method), Mapping() as options):
            return method, options
    raise OptionError(f"methods: {entry!r} is neither a name nor a pair of a name and options")


def label(method: str, options: Mapping[str, Any]) -> str:
    """A short name for a method with its options, for legends and file names."""
    return "-".join([method, *(str(value) for value in options.values())])


def check_method(method: str, options: Mapping[str, Any]) -> None:
    """Raise an OptionError if there is no such method, or it has no such option."""
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r}; choose one of {', '.join(METHODS)}")
    takes = TABLE[method].options
    for name in options:
        if name not in takes:
            known = f"takes {', '.join(takes)}" if takes else "takes no options"
            raise OptionError(f"method {method} has no option {name!r}; it {known}")
