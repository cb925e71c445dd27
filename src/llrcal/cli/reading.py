"""Options for reading trial files, and for the direction of their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from llrcal.cli.options import FILE, Command, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from llrcal.notes import Note

FORM = ("columns", "convention", "separator", "header", "decimal", "on_nan")
POLICIES = ("labels", "missing", "unknown", "duplicates", "spoof")
"""The arguments that a verb gets from ``form_options``, and from ``policy_options``."""

form_options = together(
    click.option(
        "--columns",
        metavar="ROLES",
        help="The columns in order (enrol,test,score,label, with - for any other), or roles "
        "and names of columns (score=plda).",
    ),
    click.option(
        "--format",
        "convention",
        metavar="NAME",
        help="The format of the file: kaldi, wespeaker, speechbrain, voxceleb, "
        "nist, asvspoof2019, asvspoof2021, bob4, bob5, ...",
    ),
    click.option(
        "--separator",
        type=click.Choice(["tab", "comma", "semicolon", "space"]),
        help="What separates the columns; space means any run of blanks.",
    ),
    click.option(
        "--header/--no-header", default=None, help="Whether the first line names the columns."
    ),
    click.option(
        "--decimal",
        type=click.Choice(["point", "comma"]),
        default="point",
        help="The decimal separator of numbers in text files.",
    ),
    click.option(
        "--on-nan",
        type=click.Choice(["error", "drop"]),
        default="error",
        help="Trials whose score is NaN: refuse the file, or drop them and print how many.",
    ),
)
"""The form of a score file, for files in which it is ambiguous; and NaN scores."""


def _policy_options(missing: Sequence[str], without_score: str) -> Callable[[Command], Command]:
    """How to handle unusual labels and unusual trials."""
    return together(
        click.option(
            "--labels",
            metavar="TARGET,NONTARGET",
            help="The two labels, if they are unusual: Yes,No.",
        ),
        click.option("--missing", type=click.Choice(missing), default="error", help=without_score),
        click.option(
            "--unknown",
            type=click.Choice(["error", "skip"]),
            default="error",
            help="Scores of trials that are not in the key.",
        ),
        click.option(
            "--duplicates",
            type=click.Choice(["error", "first", "mean", "all"]),
            default="error",
            help="Trials that occur more than once.",
        ),
        click.option(
            "--spoof",
            type=click.Choice(["error", "omit", "nontarget", "only"]),
            default="error",
            help="Spoof trials: omit them, count them as non-targets like the others, or use them "
            "as the only non-targets.",
        ),
    )


_key = together(
    click.option(
        "--key", metavar="FILE", type=FILE, help="Labels, if they are not in the score file."
    ),
    click.option(
        "--key-columns", metavar="ROLES", help="The columns of the key, as for --columns."
    ),
    click.option(
        "--key-format",
        "key_convention",
        metavar="NAME",
        help="The format of the key, as for --format.",
    ),
)
_WITHOUT_SCORE = "Trials of the key that have no score"
policy_options = _policy_options(["error", "skip"], f"{_WITHOUT_SCORE}.")
key_options = together(_key, policy_options)
"""Where the labels are, and what to do with trials that do not match."""
key_options_of_systems = together(
    _key,
    _policy_options(
        ["error", "skip", "patterns"],
        f"{_WITHOUT_SCORE} of a system: refuse the files, skip them, or fuse the systems that are "
        "there.",
    ),
)
"""The same for several systems, some of which may lack scores."""

direction_options = together(
    click.option(
        "--distance", is_flag=True, help="Scores are distances: lower means more similar."
    ),
    click.option(
        "--inverted",
        is_flag=True,
        help="Continue even if targets score lower than non-targets.",
    ),
)
"""The direction of the scores."""


def refuse_wrong_way(notes: Iterable[Note], source: str, *, distance: bool) -> None:
    """Refuse scores if a note says that they run the wrong way."""
    from llrcal.onepass import direction

    direction.refuse_wrong_way(notes, source, distance=distance)
