"""Every number of an evaluation that has an interval, in one list: for tables and criteria."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import reduce
from operator import getitem
from typing import Any, NamedTuple

from llrcal.evaluation.operating_points import OperatingPoint

Numbers = Mapping[str, Any]
"""What :meth:`llrcal.Evaluation.to_dict` gives."""


class Measure(NamedTuple):
    """A number and its interval."""

    name: str
    """A name for programs; empty for what depends on an operating point or a scoring rule."""
    words: str
    value: float
    """Shares are fractions. NaN where it is not defined, as devPAV if classes do not overlap."""
    interval: tuple[float, float]

    @property
    def is_share(self) -> bool:
        """Whether it is a share of trials, rather than a cost or a logarithm."""
        return is_share(self.name)

    def written(self, value: float) -> str:
        """The number, or an end of its interval, for a table; a share in per cent."""
        if math.isnan(value):
            return "none"
        return f"{100 * value:.4f} %" if self.is_share else f"{value:.4f}"


def is_share(name: str) -> bool:
    """Whether the measure of this name is a share of trials."""
    return name == "eer" or name.startswith("misleading_")


def measures(answer: Numbers) -> Iterator[Measure]:
    """The numbers that have intervals, given an evaluation with intervals as plain values."""
    found = answer["intervals"]
    if "forensic" in found:
        found = found | {"forensic": {**found["forensic"], "misleading": found["misleading"]}}
    for name, words, *path in _places(answer):
        number, ends = (reduce(getitem, path, numbers) for numbers in (answer, found))
        yield Measure(name, words, *_plain(number, ends))


def misleading_rates(rates: Numbers) -> Iterator[tuple[float, str, float, str, float]]:
    """Strengths, and the LRs that mislead as much: words and rate of each class."""
    for strength, tar, non in zip(*rates.values(), strict=True):
        inverse = "1" if strength == 1 else f"1/{strength:,.0f}"
        yield strength, f"LR < {inverse}", tar, f"LR > {strength:,.0f}", non


def _plain(number: Any, ends: Any) -> tuple[float, tuple[float, float]]:
    low, high = ends
    return float(number), (float(low), float(high))


def _places(answer: Numbers) -> Iterator[tuple[Any, ...]]:
    """What each is called, by programs and by people, and where it is in the answer."""
    yield "cllr", "Cllr", "cllr"
    yield "min_cllr", "minCllr", "min_cllr"
    yield "calibration_loss", "calibration loss", "calibration_loss"
    for rule in answer.get("rules", ()):
        yield "", f"{rule} cost", "rules", rule, "actual"
        yield "", f"{rule} minimum", "rules", rule, "minimum"
        yield "", f"{rule} calibration loss", "rules", rule, "loss"
    yield "eer", "EER", "eer"
    points = zip(answer["p_target"], answer["c_miss"], answer["c_fa"], strict=True)
    for i, point in enumerate(points):
        name = OperatingPoint(*point).name
        yield "", f"DCF {name}", "act_dcf", i
        yield "", f"minDCF {name}", "min_dcf", i
    if "forensic" in answer:
        rates = answer["forensic"]["misleading"]
        for i, (strength, below, _, above, _) in enumerate(misleading_rates(rates)):
            end = "" if strength == 1 else f"_{strength:.0f}"
            place = "forensic", "misleading"
            yield f"misleading_tar{end}", f"{below}, same source", *place, "tar", i
            yield f"misleading_non{end}", f"{above}, different sources", *place, "non", i
        yield "dev_pav", "devPAV (log10)", "forensic", "dev_pav"
        place = "forensic", "expected"
        yield "log10_lr_tar", "mean log10 LR, same source", *place, "log10_lr_tar"
        yield "log10_lr_non", "mean log10 LR, different sources", *place, "log10_lr_non"
