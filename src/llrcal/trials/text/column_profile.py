"""What the values of a column have in common: numbers, labels, names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from llrcal.inputs.labels import FORENSIC_WORDS
from llrcal.trials.conventions import IDS

NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE
)
_WHOLE = re.compile(r"\d+", re.ASCII)
_PRECISE = re.compile(r"-\d*\.\d+.*|[+-]?\d*\.\d{4,}.*", re.ASCII)
_ATTACK = re.compile(r"[A-Z]\d{2}")
_KIND = re.compile(rf"bonafide|spoof|-|Task\d-team\d+|{_ATTACK.pattern}")
_SIDE = re.compile(r"[abAB]")
_MAYBE_COMMA = re.compile(r"[+-]?\d+(?:,\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


_MOST = 0.9  # a few odd values do not make a different column: they are reported later


@dataclass(frozen=True)
class ColumnProfile:
    """What the values at the beginning of a column have in common."""

    number: bool
    """Most are numbers."""
    measurement: bool
    """Most are numbers with a point, a sign or an exponent, which ids are not."""
    precise: bool
    """Many are numbers that cannot be names: negative with a point, or with many digits."""
    label: bool
    """Most are words for target, non-target or spoof."""
    kind: bool
    """Each says bona fide, or which attack."""
    attack: bool
    """Each looks like the name of an attack, such as A07, which may be an id as well."""
    side: bool
    """Each is a or b."""
    decimal_comma: bool
    """Each is a number, and many have a decimal comma."""
    forensic: bool
    """Each is a hypothesis, Hp or Hd."""

    @classmethod
    def of(cls, values: Sequence[str], words: frozenset[str]) -> ColumnProfile:
        count = max(len(values), 1)
        numbers = [value for value in values if NUMBER.fullmatch(value.strip())]
        whole = sum(1 for value in numbers if _WHOLE.fullmatch(value))
        distinct = set(values)

        def all_match(pattern: re.Pattern[str]) -> bool:
            return bool(distinct) and all(pattern.fullmatch(value) for value in distinct)

        return cls(
            number=len(numbers) >= _MOST * count,
            measurement=len(numbers) - whole >= count / 2,
            precise=sum(1 for value in numbers if _PRECISE.fullmatch(value)) >= count / 4,
            label=sum(1 for value in values if value in words) >= _MOST * count
            and not (1 - _MOST) * count < len(numbers) < _MOST * count,  # "1" and "no" don't mix
            kind=all_match(_KIND),
            attack=all_match(_ATTACK),
            side=all_match(_SIDE),
            decimal_comma=2 * sum("," in value for value in values) >= count
            and all_match(_MAYBE_COMMA),
            forensic=bool(distinct) and distinct <= FORENSIC_WORDS,
        )

    def fits(self, role: str) -> bool:
        """Whether a column like this is likely to have a role: names are not measurements."""
        return self.may_fit(role) and not (role in IDS and self.measurement)

    def may_fit(self, role: str) -> bool:
        """Whether a column like this can have a role at all: numbers can be names."""
        if role in {"score", "label", "kind", "side"}:
            return bool(getattr(self, "number" if role == "score" else role))
        if role in IDS:
            is_kind = self.kind and not self.attack
            is_word = self.label and not self.number
            return not is_kind and not is_word and not self.precise
        return True

    def __str__(self) -> str:
        if self.label:
            return "label or number" if self.number else "label"
        return "number" if self.number else "text"
