"""What a validation is to show, in the words of whoever asks: ``cllr<0.3``, ``eer<=5%``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass

from llrcal.errors import OptionError
from llrcal.evaluation.measures import SHARE, STRENGTHS, Asked, Number, listed
from llrcal.messages import Setting

_MEASURES = {
    Number(measure, label, math.nan).name: measure
    for measure, label in listed(Asked(strengths=STRENGTHS))
    if measure.characteristic
}
CHARACTERISTICS = {
    characteristic: tuple(
        name for name, measure in _MEASURES.items() if measure.characteristic == characteristic
    )
    for characteristic in dict.fromkeys(one.characteristic for one in _MEASURES.values())
    if characteristic
}
"""What each measure tells of, as in a validation matrix (Meuwly, Ramos and Haraksim, 2017)."""
NAMES = tuple(name for names in CHARACTERISTICS.values() for name in names)
_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_FORM = re.compile(
    r"\s*(?P<name>[A-Za-z][\w -]*?)\s*(?P<sign>[<>]=?)\s*(?P<bound>\S+?)\s*(?P<share>%?)\s*"
)


@dataclass(frozen=True)
class Requirement:
    """A measure, how it is to compare, and with what."""

    name: str
    sign: str
    bound: float

    @classmethod
    def parsed(cls, text: str) -> Requirement:
        """What a text such as ``devPAV < 0.1`` or ``eer<=5%`` says.

        Raises
        ------
        OptionError
            If it names no measure, is not of this form, or would hold of any value, or of none.
        """
        said = Setting("require")
        form = _FORM.fullmatch(text) if isinstance(text, str) else None
        bound = _number(form["bound"]) if form else math.nan
        if form is None or not math.isfinite(bound):
            raise OptionError(
                said,
                f" is {text!r:.80}; give a measure, one of {' '.join(_SIGNS)}, and a number, such "
                "as 'cllr<0.3' or 'eer<5%'",
            )
        known = {_folded(name): name for name in NAMES}
        name = known.get(_folded(form["name"]))
        if name is None:
            raise OptionError(
                said, f" is {text!r:.80}: {form['name']!r:.40} is not one of {', '.join(NAMES)}"
            )
        if form["share"]:
            if not _is_share(name):
                raise OptionError(
                    said, f" is {text!r:.80}, but {name} is not a share; leave out the % sign"
                )
            bound /= 100
        asked = cls(name, form["sign"], bound)
        low, high = _MEASURES[name].limits
        low = math.ulp(0.0) if name == "cllr" else low  # only LLRs without end would cost nothing
        if asked.is_met_by(low) == asked.is_met_by(high):
            holds = "always" if asked.is_met_by(low) else "never"
            percent = "; for per cent, add a % sign" if _is_share(name) and bound > 1 else ""
            raise OptionError(
                said,
                f" is {text!r:.80}, which {holds} holds: {name} is between {round(low, 9):g} and "
                f"{high:g}{percent}",
            )
        return asked

    def is_met_by(self, *values: float) -> bool:
        """Whether it holds of all these values; not of NaN."""
        return all(_SIGNS[self.sign](value, self.bound) for value in values)

    @property
    def limit(self) -> str:
        """Sign and number for people; a share in per cent."""
        bound = f"{100 * self.bound:g} %" if _is_share(self.name) else f"{self.bound:g}"
        return f"{self.sign} {bound}"

    def __str__(self) -> str:
        return f"{self.name} {self.limit}"


@dataclass(frozen=True)
class Criterion:
    """A requirement, and what was found."""

    requirement: Requirement
    measure: Number

    @property
    def met(self) -> bool:
        """Whether the number is as required."""
        return self.requirement.is_met_by(self.measure.value)

    @property
    def interval_met(self) -> bool:
        """Whether all of its interval is."""
        return self.requirement.is_met_by(*self.measure.interval)

    @property
    def verdict(self) -> str:
        """In words."""
        if math.isnan(self.measure.value):
            return "not met: not defined, since the classes do not overlap"
        if self.met:
            return "met" if self.interval_met else "met, but not by all of the interval"
        return "not met"

    def __str__(self) -> str:
        words = self.measure.words
        return f"{words}{':' if ',' in words else ''} {self.requirement.limit}"

    def to_dict(self) -> dict[str, object]:
        """The same as plain values."""
        asked, found = self.requirement, self.measure
        return {
            "criterion": str(asked),
            "measure": asked.name,
            "operator": asked.sign,
            "bound": asked.bound,
            "value": found.value,
            "interval": list(found.interval),
            "met": self.met,
            "interval_met": self.interval_met,
        }


def requirements(texts: Iterable[str] | str) -> tuple[Requirement, ...]:
    """What all of these say, each once."""
    given = (texts,) if isinstance(texts, str) else texts
    return tuple(dict.fromkeys(map(Requirement.parsed, given)))


def _is_share(name: str) -> bool:
    return _MEASURES[name].unit == SHARE


def _folded(name: str) -> str:
    """A name as it may be spelled: devPAV is dev_pav."""
    return re.sub(r"[\W_]", "", name).lower()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
