"""Files and frames opened in pieces, whatever their size, and what is made of them."""

from __future__ import annotations

from typing import Any

import llrcal
from llrcal.trials.request import ReadKeywords

_OPENING = {*ReadKeywords.__annotations__, "key", "client", "progress"}


def open_trials(source: Any, **options: Any) -> Any:
    return llrcal.open_trials(source, in_pieces=True, **options)


def _opened(source: Any, settings: dict[str, Any]) -> Any:
    """The trials; the settings that are left are not about opening them."""
    return open_trials(source, **{name: settings.pop(name) for name in _OPENING & {*settings}})


def fit(source: Any, **settings: Any) -> Any:
    return llrcal.fit(_opened(source, settings), **settings)


def fit_all(source: Any, **settings: Any) -> dict[str, llrcal.Calibration]:
    return llrcal.fit_all(_opened(source, settings), **settings)


def evaluate(source: Any, *, calibration: Any = None, **settings: Any) -> llrcal.Evaluation:
    trials = _opened(source, {"allow_infinite": True, **settings})
    asked = {name: value for name, value in settings.items() if name not in _OPENING}
    return llrcal.evaluate(trials if calibration is None else trials.mapped(calibration), **asked)
