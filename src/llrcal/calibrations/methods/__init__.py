"""The classes of the methods by name, from the table of methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, cast

from llrcal.calibrations.calibration import Calibration
from llrcal.errors import OptionError
from llrcal.method_table import TABLE, MethodName, methods_to_compare

Method = str | tuple[str, Mapping[str, Any]]


class _Methods(Mapping[MethodName, type[Calibration]]):
    """The classes in the table of methods, by name; each is imported when it is first used."""

    def __getitem__(self, name: str) -> type[Calibration]:
        return class_of(name)

    def __iter__(self) -> Iterator[MethodName]:
        return cast("Iterator[MethodName]", iter(TABLE))

    def __len__(self) -> int:
        return len(TABLE)

    def __repr__(self) -> str:
        return repr(dict(self))


METHODS = _Methods()
PAPER: tuple[Method, ...] = tuple(
    entry
    for entry in methods_to_compare()
    if TABLE[entry if isinstance(entry, str) else entry[0]].in_paper
)


def method_and_options(entry: Method) -> tuple[str, Mapping[str, Any]]:
    """A method and its options.

    Raises
    ------
    OptionError
        If there is no such method, or it has no such option.
    """
    given: object = entry  # whatever a caller without types may give
    match given:
        case str(method):
            options: Mapping[str, Any] = {}
        case (str(method), Mapping() as options):
            pass
        case _:
            text = f"methods: {entry!r} is neither a name nor a pair of a name and options"
            raise OptionError(text)
    if method not in TABLE:
        raise OptionError(f"there is no method {method!r}; choose one of {', '.join(TABLE)}")
    takes = _options(method)
    for name in options:
        if name not in takes:
            known = f"takes {', '.join(takes)}" if takes else "takes no options"
            others = [other for other in TABLE if name in _options(other)]
            hint = f". Methods with this option: {', '.join(others)}" if others else ""
            raise OptionError(f"method {method} has no option {name!r}; it {known}{hint}")
    if not isinstance(options.get("bayes", False), bool):
        raise OptionError(f"bayes is {options['bayes']!r}; give True or False")
    return method, options


def _options(method: str) -> tuple[str, ...]:
    """The options of a method, and ``bayes`` if its parameters can be integrated out."""
    entry = TABLE[method]
    return (*entry.options, "bayes") if entry.bayes else entry.options


def class_of(method: str, *, bayes: bool = False) -> type[Calibration]:
    """The class of a method, or the one that integrates its parameters out."""
    module, _, name = (TABLE[method].bayes if bayes else TABLE[method].home).partition(":")
    chosen: type[Calibration] = getattr(import_module(module), name)
    return chosen


def label(method: str, options: Mapping[str, Any]) -> str:
    """A short name for a method with its options, for legends and file names."""
    shown = (_shown(name, value) for name, value in options.items())
    return "-".join([method, *filter(None, shown)])


def _shown(name: str, value: Any) -> str:
    """An option, in letters that file names may have; empty if it says nothing."""
    if name == "bayes":
        return name if value else ""
    return str(value)
