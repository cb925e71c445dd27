"""Options that say how trial files are to be read, and the reading itself, said aloud."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from llrcal.calibrations import Calibration
    from llrcal.errors import OptionError
    from llrcal.trials import Trials

_Command = TypeVar("_Command", bound=Callable[..., Any])


def applied(command: _Command, *options: Callable[[_Command], _Command]) -> _Command:
    """A command with options, in the order given."""
    for option in reversed(options):
        command = option(command)
    return command


def form_options(command: _Command) -> _Command:
    """What the columns of a score file are, where that cannot be told, and what may be in them."""
    return applied(
        command,
        click.option(
            "--columns",
            metavar="ROLES",
            help="The columns in order (enrol,test,score,label, with - for any other), or a name "
            "for a role (score=plda).",
        ),
        click.option(
            "--format",
            "convention",
            metavar="NAME",
            help="Whose convention the file follows: kaldi, wespeaker, speechbrain, voxceleb, "
            "nist, asvspoof2019, asvspoof2021, bob4, bob5, matrix, ...",
        ),
        click.option(
            "--separator",
            type=click.Choice(["tab", "comma", "semicolon", "space"]),
            help="What parts the columns; space is any run of blanks.",
        ),
        click.option(
            "--header/--no-header", default=None, help="Whether the first line names the columns."
        ),
        click.option(
            "--on-nan",
            type=click.Choice(["error", "drop"]),
            default="error",
            help="Trials whose score is NaN: refuse the file, or leave them out and say how many.",
        ),
    )


def key_options(command: _Command) -> _Command:
    """Where the labels are, and what to do with trials that do not match."""
    return applied(
        command,
        click.option("--key", metavar="FILE", help="Labels, if they are not in the score file."),
        click.option("--key-columns", metavar="ROLES", help="The columns of the key, likewise."),
        click.option(
            "--key-format", "key_convention", metavar="NAME", help="Whose convention it follows."
        ),
        policy_options,
    )


def policy_options(command: _Command) -> _Command:
    """What to do with words and trials that are out of the ordinary."""
    return applied(
        command,
        click.option(
            "--labels", metavar="TARGET,NONTARGET", help="The words for them, if unusual: Yes,No."
        ),
        click.option(
            "--missing",
            type=click.Choice(["error", "skip"]),
            default="error",
            help="Trials of the key that have no score.",
        ),
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
            help="Trials that are there more than once.",
        ),
        click.option(
            "--spoof",
            type=click.Choice(["error", "omit", "nontarget", "only"]),
            default="error",
            help="Spoof trials: leave them out, count them as non-targets beside the others, or "
            "as the only non-targets.",
        ),
    )


def direction_options(command: _Command) -> _Command:
    """Which way the scores run."""
    return applied(
        command,
        click.option(
            "--distance", is_flag=True, help="Scores are distances: lower means more alike."
        ),
        click.option(
            "--inverted", is_flag=True, help="Go on even if targets score lower than non-targets."
        ),
    )


def read(source: str, *, quiet: bool, **settings: Any) -> Trials:
    """Read trials, and say on standard error how."""
    from llrcal.trials import read_trials

    trials = read_trials(source, **settings)
    if not quiet:
        for note in trials.notes:
            click.echo(note, err=True)
    return trials


def check_direction(trials: Trials, *, distance: bool, inverted: bool) -> None:
    """Refuse scores that run the wrong way, unless the user knows.

    Raises
    ------
    OptionError
        If targets score lower than non-targets, or the other way round with distances.
    """
    from llrcal.trials.direction import targets_score_lower

    lower, higher = (trials.non, trials.tar) if distance else (trials.tar, trials.non)
    if not inverted and targets_score_lower(lower, higher):
        raise wrong_way(trials.source, distance=distance)


def check_direction_of(model: Calibration, source: str, *, inverted: bool) -> None:
    """The same for trials that were read in pieces, by what their calibration says.

    Raises
    ------
    OptionError
        Likewise.
    """
    from llrcal.calibrations.direction import INVERTED, INVERTED_DISTANCES

    if not inverted and {INVERTED, INVERTED_DISTANCES} & set(model.report.notes):
        raise wrong_way(source, distance=model.lower_is_better)


def wrong_way(source: str, *, distance: bool) -> OptionError:
    """What is said of scores that run the wrong way."""
    from llrcal.errors import OptionError

    if distance:
        return OptionError(
            f"{source}: targets have greater distances than non-targets. Are these "
            "similarities? Then leave --distance away; or insist with --inverted"
        )
    return OptionError(
        f"{source}: targets score lower than non-targets. Are these distances? Then say "
        "--distance. Are the labels swapped? Then say --labels. Or insist with --inverted"
    )
