"""What a reader should know beside the numbers, grouped by kind."""

from __future__ import annotations

from collections.abc import Sequence

from llrcal.notes import Note
from llrcal.report.text import escaped, sentence

# The gravest first: heading, what it means for the reader, and the codes of the notes.
_KINDS = (
    (
        "Scores that run the wrong way",
        "Targets should score higher than non-targets; no calibration mends scores that do not.",
        ("wrong way", "slope against ranks", "falling"),
    ),
    (
        "Fits that did not converge",
        "Their parameters are not the optimum, and their numbers not the method's.",
        ("not converged",),
    ),
    (
        "Fits at a limit of their model",
        "The model was stopped by a bound, or a rule had to step in.",
        (
            "edge",
            "dof at floor",
            "separable",
            "constant",
            "no minimum",
            "several minima",
            "several optima",
            "one score",
            "few levels",
            "beyond counts",
        ),
    ),
    (
        "Training and test differ",
        "Calibration learned on one kind of scores need not hold on another.",
        ("shift",),
    ),
    (
        "Calibrations that are bad in a condition",
        "Numbers of all trials together hide it: in these conditions LLRs are not what they say.",
        ("bad in a condition", "no condition"),
    ),
    (
        "Scores of one class alone",
        "Where there is one class only, no calibration can be checked, nor adapted.",
        ("one class",),
    ),
    (
        "A fusion that is of no use",
        "One of its systems does as well alone.",
        ("not better",),
    ),
    (
        "Doubts about an adaptation",
        "Something about the test scores is not what an adaptation takes for granted, so it may be "
        "wrong.",
        ("unknown", "share", "few scores"),
    ),
    (
        "Calibrations that were adapted",
        "They know more than the others: the test scores, though not their labels.",
        ("adapted", "nothing moved"),
    ),
    (
        "Test scores outside the training range",
        "Nothing was seen there in training: the LLR of the nearest training score is held.",
        ("range",),
    ),
    (
        "LLRs that are held",
        "The formula would bend back there: a better score would be weaker evidence. It gets the "
        "LLR of the turning point instead.",
        ("held",),
    ),
    (
        "LLRs that fall while scores rise",
        "A better score should not be weaker evidence. Such bends come from the tails of fitted "
        "densities, and matter where scores occur.",
        ("not monotone",),
    ),
    (
        "Cross-validation",
        "What the folds of a single set of trials can show, and what they cannot.",
        ("folds by trial", "folds by speaker"),
    ),
    (
        "Speakers in training and test",
        "Speakers that were seen in training are easier than new ones.",
        ("shared speakers",),
    ),
    (
        "Intervals",
        "How far they can be trusted.",
        ("by trial", "few drawn", "no intervals"),
    ),
    (
        "Operating points with few errors",
        "Rates that rest on fewer than 30 errors may be luck (Doddington's rule of 30).",
        ("rule of 30",),
    ),
)
_KIND_OF = {code: (heading, meaning) for heading, meaning, codes in _KINDS for code in codes}
_FEW = 3  # notes in all, which are not too long to be read at once
_MOST = 40


def warnings_list(notes: Sequence[Note], *, few: int = _FEW) -> str:
    """Notes as foldable groups, which start folded unless there are only a few notes."""
    state = " open" if len(notes) <= few else ""
    groups: dict[tuple[str, str], list[Note]] = {(h, m): [] for h, m, _ in _KINDS}
    for note in notes:
        kind = _KIND_OF.get(note.code, (note.code.capitalize(), ""))
        groups.setdefault(kind, []).append(note)
    parts = []
    for (heading, meaning), group in groups.items():
        items = [f"<li>{sentence(note.text)}</li>" for note in group[:_MOST]]
        if len(group) > _MOST:
            items.append(f"<li>and {len(group) - _MOST:,} more</li>")
        if group:
            parts.append(
                f'<details class="warning"{state}>'
                f'<summary>{escaped(heading)} <span class="count">{len(group):,}</span></summary>'
                f'<p class="note">{meaning}</p><ul>{"".join(items)}</ul></details>'
            )
    return "\n".join(parts) or "<p>There is nothing to warn of.</p>"
