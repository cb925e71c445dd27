"""What compare and demo share: a comparison, its folder of results, and its terminal output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from llrcal.cli.options import methods_with, operating_points, refuse, split_names, weight
from llrcal.cli.reading import Opener, Scale, opener
from llrcal.cli.terminal import print_json, print_lines, print_notes, print_table, progress_bar
from llrcal.messages import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from llrcal.calibrations.methods import Method
    from llrcal.comparison import Comparison
    from llrcal.evaluation import Evaluation
    from llrcal.trials.systems import Systems
    from llrcal.trials.trials import TrialSet

_MOST_WARNINGS = 5  # on the terminal: what does not push the verdict off the screen


def compare_and_write(
    read: Callable[[Opener], Sequence[TrialSet | Systems]],
    out: str,
    scale: Scale,
    *,
    systems: bool = False,
    by: Sequence[str] = (),
    alphas: Sequence[str],
    rules: Sequence[str],
    bayes: bool,
    p_target: Sequence[float],
    c_miss: Sequence[float],
    c_fa: Sequence[float],
    criterion: str | None,
    replicates: int,
    formats: str,
    force: bool,
    as_json: bool,
    quiet: bool,
    learning_curve: bool,
    adapt: float | None = None,
    paper: bool = False,
    folds: int | None = None,
    preset: Sequence[str] = (),
    lower_is_better: bool = False,
    inverted: bool = True,
) -> None:
    """Compare on two sets of trials, or on folds of one, and write everything to a folder."""
    from llrcal.comparison import compare as compare_trials
    from llrcal.comparison.looks import figure_formats
    from llrcal.files.atomic import atomic_folder
    from llrcal.report.folder import write_results

    wanted = [] if formats == "none" else figure_formats(split_names(formats))
    methods = methods_with(alphas, rules, bayes=bayes)
    if systems:
        methods = _weights_of_systems(alphas, rules, bayes=bayes)
    points = operating_points(p_target, c_miss, c_fa, preset)
    with (
        atomic_folder(out, force=force) as folder,  # first, so that a bad folder is refused at once
        opener(scale, quiet=quiet) as opened,
    ):
        sets = read(opened)
        with progress_bar("steps", quiet=quiet) as show:

            def progress(step: str) -> None:
                show("comparing", description=f"comparing: {step}")

            comparison = compare_trials(
                *sets,
                folds=folds,
                methods=methods,
                points=points if p_target or preset else None,
                criterion=criterion,
                replicates=replicates,
                lower_is_better=lower_is_better,
                learning_curve=learning_curve,
                adapt=adapt,
                settings="paper" if paper else "default",
                by=by,
                inverted=inverted,
                progress=progress,
            )
            write_results(comparison, folder, formats=wanted, progress=progress)
    if comparison.folds is not None:
        print_notes([comparison.folds.note], quiet=quiet)
    if as_json:
        known = [note for one in sets for note in one.notes]
        notes = dict.fromkeys([*known, *comparison.notes, *comparison.verdict.reasons])
        print_json({"out": out, **comparison.to_dict()}, notes)
    elif not quiet:
        show_comparison(comparison)
        if comparison.learning_curve is not None:
            print_lines(comparison.learning_curve.verdict)
        click.echo(printable(f"Report: {Path(out) / 'report.html'}"))


def _weights_of_systems(
    alphas: Sequence[str], rules: Sequence[str], *, bayes: bool
) -> Sequence[Method]:
    """The only method by which systems are compared, at the given weight of the targets."""
    refuse(
        {
            "systems are compared by lines at one weight of the targets: give --alpha at most "
            "once, and neither --rule nor --bayes": rules or bayes or len(alphas) > 1
        }
    )
    return [("logistic", {"alpha": weight(one)}) for one in alphas or ("0.5",)]


def show_comparison(comparison: Comparison) -> None:
    """Print the table of a comparison, the verdict, and the gravest warnings."""
    from rich.console import Console
    from rich.text import Text

    from llrcal.cli.evaluation_tables import show_conditions
    from llrcal.comparison.tables import gravest_first, shown

    _show_table(comparison)
    by = comparison.candidates[comparison.recommended].by
    if by is not None:
        print_lines(f"{shown(comparison.recommended)}, by condition:")
        show_conditions(by, comparison.points)
    _show_verdict(comparison)
    warnings, others = gravest_first(comparison)
    for note in warnings[:_MOST_WARNINGS]:
        warning = Text(f"warning: {shown(note.on_command_line, limit=500)}")
        Console().print(warning, highlight=False)
    more = len(warnings[_MOST_WARNINGS:]) + others
    if more:
        words = "1 more note" if more == 1 else f"{more} more notes"
        print_lines(f"{words}: see the report.")


def _show_table(comparison: Comparison) -> None:
    from llrcal.comparison.tables import shown

    criterion, ranking, raw = comparison.criterion, comparison.ranking, comparison.raw
    ranked = {"range": "mean error", "points": "at points", "cllr": "Cllr"}[criterion.name]
    is_cllr = criterion.name == "cllr"
    priors = [point.prior_log_odds for point in comparison.points]

    def row(name: str, value: float, interval: str, *numbers: float) -> list[str]:
        cells = [f"{value:.4f}", *([interval] if ranking.intervals else [])]
        return [name, *cells, *(f"{number:.4f}" for number in numbers[is_cllr:])]

    def of_candidate(label: str, ev: Evaluation) -> list[str]:
        mark = "*" if comparison.verdict.fit and label == comparison.recommended else " "
        ends = " to ".join(f"{end:.4f}" for end in ranking.intervals.get(label, ()))
        costs = ev.cllr, ev.calibration_loss, *ev.bayes_error(priors)
        return row(f"{mark} {shown(label)}", ranking.values[label], ends, *costs)

    rows = [of_candidate(label, one.evaluation) for label, one in comparison.candidates.items()]
    # The least that any calibration of these scores can reach.
    least = raw.min_cllr, 0.0, *raw.min_bayes_error(priors)
    rows.append(row("  minimum", criterion.least(raw), "", *least))
    styles = {name: "bold" for name, *_ in rows if name.startswith("*")} | {"  minimum": "dim"}
    heads = ["calibration", ranked, *(["95 % interval"] if ranking.intervals else [])]
    heads += [*([] if is_cllr else ["Cllr"]), "loss", *(point.name for point in comparison.points)]
    caption = (
        "p...: actual detection cost at an operating point; 1 is deciding by the prior alone\n"
        f"{ranked}: the {criterion.words}"
    )
    print_table(heads, rows, words=("calibration",), caption=caption, styles=styles)


def _show_verdict(comparison: Comparison) -> None:
    """The verdict in a box, in a red one if no calibration is fit for use."""
    from rich import box
    from rich.console import Console, Group
    from rich.panel import Panel
    from rich.text import Text

    from llrcal.comparison.tables import shown

    verdict = comparison.verdict
    words = Group(
        Text(shown(verdict.headline, limit=500), style="bold"),
        Text(shown(verdict.basis, limit=2000)),
    )
    title, frame, style = Text("Verdict"), box.ROUNDED, ""
    if not verdict.fit:
        title = Text(" NOT FIT FOR USE ", style="bold white on red")
        frame, style = box.DOUBLE, "bold red"
    Console().print(Panel(words, title=title, title_align="left", box=frame, border_style=style))
