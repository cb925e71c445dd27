"""The kinds of notes on a comparison: one registry of their codes, for tables and pages alike."""

from __future__ import annotations

from typing import NamedTuple

from llrcal.notes import Note


class Kind(NamedTuple):
    """Notes that belong together."""

    heading: str
    meaning: str
    """What they mean for the reader."""
    codes: tuple[str, ...]


KINDS = (
    Kind(
        "Scores that run the wrong way",
        "Targets should score higher than non-targets; no calibration mends scores that do not.",
        ("wrong way", "slope against ranks", "falling"),
    ),
    Kind(
        "Fits that did not converge",
        "Their parameters are not the optimum, and their numbers not the method's.",
        ("not converged",),
    ),
    Kind(
        "Fits at a limit of their model",
        "The model was stopped by a bound, or a rule had to step in.",
        (
            "edge",
            "dof at floor",
            "separable",
            "constant",
            "no minimum",
            "several optima",
            "one score",
            "few levels",
            "beyond counts",
        ),
    ),
    Kind(
        "Training and test differ",
        "Calibration learned on one kind of scores need not hold on another.",
        ("shift",),
    ),
    Kind(
        "Calibrations that are bad in a condition",
        "Numbers of all trials together hide it: in these conditions LLRs are not what they say.",
        ("bad in a condition", "no condition"),
    ),
    Kind(
        "Scores of one class alone",
        "Where there is one class only, no calibration can be checked, nor adapted.",
        ("one class",),
    ),
    Kind(
        "The fusion does not help",
        "One of its systems does as well alone.",
        ("not better",),
    ),
    Kind(
        "Doubts about an adaptation",
        "Something about the test scores is not what an adaptation takes for granted, so it may be "
        "wrong.",
        ("unknown", "share", "few scores"),
    ),
    Kind(
        "Calibrations that were adapted",
        "They know more than the others: the test scores, though not their labels.",
        ("adapted", "nothing moved"),
    ),
    Kind(
        "Test scores outside the training range",
        "Nothing was seen there in training: the LLR of the nearest training score is held.",
        ("range",),
    ),
    Kind(
        "LLRs that are held",
        "The formula would bend back there: a better score would be weaker evidence. It gets the "
        "LLR of the turning point instead.",
        ("held",),
    ),
    Kind(
        "LLRs that fall while scores rise",
        "A better score should not be weaker evidence. Such bends come from the tails of fitted "
        "densities, and matter where scores occur.",
        ("not monotone",),
    ),
    Kind(
        "Cross-validation",
        "What the folds of a single set of trials can show, and what they cannot.",
        ("folds by trial", "folds by speaker"),
    ),
    Kind(
        "Speakers in training and test",
        "Speakers that were seen in training are easier than new ones.",
        ("shared speakers",),
    ),
    Kind(
        "Intervals",
        "How far they can be trusted.",
        ("by trial", "few drawn", "no intervals"),
    ),
    Kind(
        "Operating points with few errors",
        "Rates that rest on fewer than 30 errors may be luck (Doddington's rule of 30).",
        ("rule of 30",),
    ),
)
"""The gravest first."""

_PLACES = {code: place for place, kind in enumerate(KINDS) for code in kind.codes}


def gravity(note: Note) -> int:
    """Where the kind of a note stands among all; those of no kind come last."""
    return _PLACES.get(note.code, len(KINDS))
