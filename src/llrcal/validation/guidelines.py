"""What guidelines ask of a validation, and where on the page it stands.

Meuwly, Ramos and Haraksim, "A guideline for the validation of likelihood ratio methods used for
forensic evidence evaluation", Forensic Science International 276 (2017), 142-153. Morrison et al.,
"Consensus on validation of forensic voice comparison", Science & Justice 61 (2021), 299-309. Items
are in our words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from llrcal.validation.validation import STATED, Validation

GUIDELINE, CONSENSUS = "2017", "2021"
BOTH = f"{GUIDELINE}, {CONSENSUS}"


class Item(NamedTuple):
    """Something that a validation is asked for."""

    asked: str
    by: str
    """The years of the publications that ask for it."""
    place: str
    """The id of the section in which it stands; empty if it is nowhere on the page."""
    answer: str
    """In a few words, the answer, or what is missing."""


def items(validation: Validation) -> Iterator[Item]:
    """Every item, and where it stands in this validation."""
    asked_by = {"purpose": GUIDELINE, "propositions": BOTH, "population": CONSENSUS}
    for name, words in STATED.items():
        stated = name in validation.stated
        answer = "stated by the author" if stated else "not stated: for the author to add"
        yield Item(words, asked_by.get(name, BOTH), "scope" if stated else "", answer)
    yield Item("Data: origin, and numbers of trials and speakers", BOTH, "data", "")
    yield _separation(validation)
    yield Item("Accuracy", BOTH, "results", "Cllr, ECE plot")
    yield Item("Discriminating power", GUIDELINE, "results", "EER, minCllr, DET plot")
    yield Item("Calibration", BOTH, "results", "calibration loss, devPAV, PAV plot")
    yield Item("Distribution of LRs, and misleading evidence", BOTH, "results", "Tippett plot")
    by = validation.intervals.by
    yield Item("Uncertainty of these numbers", CONSENSUS, "results", f"intervals by {by}")
    given = "set by the author" if validation.criteria else "none were given"
    yield Item("Criteria, set in advance", BOTH, "results" if validation.criteria else "", given)
    decided = "met or not" if validation.criteria else "none, without criteria"
    yield Item("Decision", GUIDELINE, "verdict" if validation.criteria else "", decided)
    yield Item("Range of LRs that the data support", CONSENSUS, "system", "bounds, ELUB")
    yield Item("Generalisation", GUIDELINE, "method", validation.comparison.separation.text)
    elsewhere = "not here: validate under other conditions as well, and compare other methods"
    yield Item("Robustness, coherence", GUIDELINE, "", elsewhere)
    yield Item("Means to repeat it", BOTH, "data", "checksums, version, seeds")


def _separation(validation: Validation) -> Item:
    """Whether speakers of training were tested."""
    asked, folds = "No speaker in both training and test", validation.comparison.folds
    if folds is not None:
        known = folds.by == "speaker"
        answer = "folds by speaker" if known else "not known: the data do not name speakers"
        return Item(asked, BOTH, "method" if known else "", answer)
    shared = validation.shared_speakers
    if shared is None:
        return Item(asked, BOTH, "", "not known: the data do not name speakers")
    answer = f"{shared:,} names occur in both" if shared else "no name occurs in both"
    return Item(asked, BOTH, "" if shared else "data", answer)
