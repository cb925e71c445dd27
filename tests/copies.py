"""What an object answers, as text to compare; and the classes of what users get from llrcal."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from typing import Any

import numpy as np
import polars as pl

import llrcal
from llrcal.evaluation.bands import Bands
from llrcal.evaluation.forensic import Forensic
from llrcal.sklearn import LLRCalibratedClassifier, LLRCalibrator

AT = np.linspace(-3.0, 4.0, 41)
INTERNAL = {
    # Parts that machines ask for, and make anew whenever they do.
    *(
        "Bootstrap",
        "CalibrationFile",
        "Ends",
        "Evaluated",
        "Formula",
        "FusionFile",
        "LLRs",
        "Part",
        "Summary",
    ),
    *("Training", "TrialSet", "Unseen", "Uncertainty", "Who"),
    # Words of annotations that mean something else where they stand.
    *("Both", "Names", "Sides", "Series", "Stored"),
}


QUESTIONS: list[tuple[type, Callable[[Any], object]]] = [
    (llrcal.Calibration, lambda cal: (cal(AT), cal.regions(0.5), cal.llr_range)),
    (llrcal.Calibration, lambda cal: (cal.interval(AT), cal.weigh(1.5))),
    (llrcal.Conditioned, lambda cal: cal(AT, condition=["a", "b", "c"] * 13 + ["a", "b"])),
    (llrcal.Fused, lambda fused: fused(np.column_stack([AT, AT]))),
    (llrcal.Evaluation, lambda ev: (ev.bayes_error(AT), ev.pfa(AT), ev.cost("brier"))),
    (llrcal.Evaluation, lambda ev: ev.intervals(rules=["brier"], forensic=True, replicates=39)),
    (llrcal.Evaluation, lambda ev: ev.bands(replicates=39)),
    (llrcal.Evaluation, lambda ev: (ev.threshold(pfa=0.05), ev.worst(3))),
    (Forensic, lambda forensic: forensic.misleading(10.0)),
    (Bands, lambda bands: bands.bayes_error(AT)),
    (
        llrcal.Comparison,
        lambda found: (found.to_dict(), found.llrs(), found.model(found.recommended)),
    ),
    (llrcal.Trials, lambda trials: llrcal.fit(trials, method="logistic")),
    (llrcal.Counts, lambda trials: llrcal.fit(trials, method="logistic")),
    (llrcal.Accumulator, lambda scores: scores.fit("logistic")),
    (llrcal.LlrcalError, lambda error: (str(error), error.on_command_line, vars(error))),
    (llrcal.LlrcalWarning, lambda warning: (str(warning), warning.note.on_command_line)),
    (LLRCalibrator, lambda estimator: (estimator.transform(AT), estimator.predict(AT))),
    (LLRCalibratedClassifier, lambda estimator: estimator.predict_proba(AT.reshape(-1, 1))),
]


class Digests:
    """Digests of values, and of all that they answer."""

    def __init__(self) -> None:
        self.classes: set[str] = set()
        """Those of our objects that were met."""
        self._known: dict[int, tuple[object, str]] = {}
        self._inside: list[type] = []

    def of_answers(self, value: object) -> dict[str, str]:
        """What an object of ours answers, by the names of its attributes."""
        self.classes.add(type(value).__name__)
        self._inside.append(type(value))
        digests: dict[str, str] = {}
        for name, answer in _answers(value):
            digests[name] = digests.get(name, "") + self.of(answer)
        self._inside.pop()
        return digests

    def of(self, value: Any) -> str:
        """Of any value; floats and arrays by their bits."""
        if id(value) not in self._known:
            self._known[id(value)] = value, "itself"
            self._known[id(value)] = value, sha256(self._text(value).encode()).hexdigest()
        return self._known[id(value)][1]

    def _text(self, value: Any) -> str:
        if _is_ours(value):
            if self._inside.count(type(value)) > 1:  # such as the same in order, which is in order
                return type(value).__name__
            return repr(sorted(self.of_answers(value).items()))
        if isinstance(value, np.ndarray):
            return f"{value.dtype} {value.shape} {value.tolist()!r}"
        if isinstance(value, Mapping):
            return repr([(self.of(key), self.of(part)) for key, part in value.items()])
        if isinstance(value, pl.DataFrame):
            return repr((value.schema, value.rows()))
        if isinstance(value, tuple | list):
            return repr(list(map(self.of, value)))
        return f"{type(value).__name__} {re.sub(' at 0x.*', '', repr(value))}"


def facts(value: object) -> dict[str, str]:
    """A digest of each answer of an object: of its public attributes, and of common questions."""
    digests = Digests()
    return digests.of_answers(value) if _is_ours(value) else {"": digests.of(value)}


def _is_word(kind: type) -> bool:
    return (
        issubclass(kind, Enum) or getattr(kind, "_is_protocol", False) or kind.__name__ in INTERNAL
    )


def _is_ours(value: object) -> bool:
    return type(value).__module__.split(".")[0] == "llrcal" and not _is_word(type(value))


def _answers(value: Any) -> Iterator[tuple[str, object]]:
    """Public attributes, and answers to questions that take arguments."""
    for name in dir(value):
        if name.startswith("_"):
            continue
        try:
            answer = getattr(value, name)
        except Exception as problem:  # that has no such answer
            answer = str(problem)
        if not callable(answer) or isinstance(answer, type) or _is_ours(answer):
            yield name, answer
    for kind, question in QUESTIONS:
        if isinstance(value, kind):
            try:
                yield "to a question", question(value)
            except llrcal.LlrcalError as problem:  # as trials in pieces have no worst ones
                yield "to a question", str(problem)


def classes_of_results() -> set[str]:
    """The classes, by name, that public functions and classes give, and what these give in turn.

    They are those of annotations. Of a class that others inherit from, only these count.
    """
    modules = [llrcal, *(importlib.import_module(f"llrcal.{name}") for name in llrcal._MODULES)]
    left = [
        thing
        for module in modules
        for name in dir(module)
        if isinstance(thing := getattr(module, name), type) or inspect.isroutine(thing)
        if thing.__module__ == module.__name__ or name in getattr(module, "__all__", ())
    ]
    classes: set[type] = set()
    while left:
        thing = left.pop()
        if thing in classes or not str(thing.__module__).startswith("llrcal"):
            continue
        if isinstance(thing, type):
            classes.add(thing)
            left += thing.__subclasses__()
        at_hand = vars(sys.modules[thing.__module__])
        named = [at_hand.get(name) for name in _annotated(thing)]
        left += [one for one in named if isinstance(one, type) and one.__name__ not in INTERNAL]
    return {
        one.__name__
        for one in classes
        if not one.__subclasses__() and not one.__name__.startswith("_") and not _is_word(one)
    }


def _annotated(thing: Any) -> Iterator[str]:
    """Names in what is said of the values that something gives."""
    texts = []
    if isinstance(thing, type):
        own = {name: value for base in thing.__mro__[::-1] for name, value in vars(base).items()}
        for name, member in own.items():
            if not name.startswith("_") or name == "__call__":
                function = getattr(member, "fget", None) or getattr(member, "func", member)
                texts.append(getattr(function, "__annotations__", {}).get("return"))
        if is_dataclass(thing):
            texts += [one.type for one in fields(thing) if not one.name.startswith("_")]
        elif issubclass(thing, tuple):
            texts += list(thing.__annotations__.values())
    else:
        texts.append(getattr(thing, "__annotations__", {}).get("return"))
    for text in texts:
        yield from re.findall(r"\w+", re.sub(r'"[^"]*"', "", str(text)))
