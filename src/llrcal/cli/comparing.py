"""What compare and demo share: a comparison, its folder of results, and its terminal output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from llrcal.cli.options import (
    FORCE,
    JSON,
    RULES,
    WEIGHTED,
    Points,
    option,
    split_names,
    weight,
)
from llrcal.cli.reading import Opener, Scale, opener
from llrcal.cli.terminal import (
    print_json,
    print_lines,
    print_notes,
    print_rows,
    progress_bar,
)
from llrcal.errors import OptionError
from llrcal.messages import printable
from llrcal.method_table import ALPHAS, integrated_out, methods_to_compare

if TYPE_CHECKING:
    from llrcal.calibrations.methods import Method
    from llrcal.comparison import Comparison
    from llrcal.trials.systems import Systems
    from llrcal.trials.trials import TrialSet

_MOST_WARNINGS = 5  # on the terminal: what does not push the verdict off the screen


@dataclass(frozen=True)
class Comparing(Points):
    """Which calibrations to compare, at which operating points, and how to write the results."""

    alpha: Sequence[str] = option(
        f"Weight of the targets for {WEIGHTED}: a number between 0 and 1, or 'empirical'. "
        f"Repeatable.  [default: {', '.join(map(str, ALPHAS))}]",
        metavar="WEIGHT",
    )
    rule: Sequence[str] = option(
        f"Scoring rule for logistic: {RULES}. Repeatable.  [default: log]", metavar="RULE"
    )
    bayes: bool = option(
        "Also gaussian, student-t and nig with their parameters integrated out, for few trials: "
        "see docs/few-trials.md."
    )
    bounds: Literal["counts", "elub", "range", "none"] | None = option(
        "Limits of LLRs, for all methods: see llrcal fit.  [default: counts]"
    )
    criterion: Literal["points", "range", "cllr"] | None = option(
        "What the verdict goes by: the mean Bayes error at the operating points that were given, "
        "or over the range of prior log-odds with 30 errors of each kind; or Cllr.  [default: "
        "points if any were given, else range]"
    )
    replicates: Annotated[int, click.IntRange(min=0)] = option(
        "Bootstrap replicates for the intervals, and for telling calibrations apart; 0 for none.",
        200,
    )
    paper: bool = option("As in the paper: plain formulas, which may fall, and no bounds.")
    learning_curve: bool = option("Also train on smaller sets: how many trials do I need?")
    adapt: float | None = option(
        "Also smooth (or else the first method) and nig as llrcal adapt adapts them to the test "
        "scores, of which roughly this share is of targets. Labels are not used for it.",
        metavar="SHARE",
    )
    forensic: bool = option(
        "Also print devPAV, ELUB, rates of misleading evidence and expected LRs of the recommended "
        "calibration."
    )
    formats: str = option(
        "Formats of the figures, or 'none': drawing them takes most of the time.", "png,pdf,svg"
    )
    force: bool = FORCE
    json: bool = JSON
    quiet: bool = option("Print no progress bars and no table.")

    def methods(self, *, systems: bool) -> Sequence[Method]:
        """Every method at each weight and with each rule that was given, or at the default ones.

        Systems are compared by one method only.
        """
        weights = [weight(one) for one in self.alpha]
        if systems:
            several = self.rule or self.bayes or len(weights) > 1
            if several:
                raise OptionError(
                    "systems are compared by lines at one weight of the targets: give --alpha at "
                    "most once, and neither --rule nor --bayes"
                )
            return [("logistic", {"alpha": one}) for one in weights or (0.5,)]
        methods = methods_to_compare(weights or ALPHAS, self.rule or ["log"])
        return [*methods, *integrated_out(methods)] if self.bayes else methods


def compare_and_write(
    read: Callable[[Opener], Sequence[TrialSet | Systems]],
    out: str,
    asked: Comparing,
    scale: Scale,
    *,
    systems: bool = False,
    llrs: str | None = None,
    **more: Any,
) -> None:
    """Compare on two sets of trials, or on folds of one, and write everything to a folder.

    ``llrs`` is a file for the LLRs of the recommended calibration, which may be in that folder;
    ``more`` are further arguments of :func:`llrcal.compare`.
    """
    from llrcal.comparison import compare
    from llrcal.comparison.axes import figure_formats
    from llrcal.files.atomic import atomic_folder
    from llrcal.report.folder import write_results
    from llrcal.trials.writing import table_format, write_trials

    formats = (
        [] if asked.formats == "none" else figure_formats(split_names(asked.formats, "formats"))
    )
    methods, points = asked.methods(systems=systems), asked.given()
    if llrs is not None:
        table_format(llrs)
    with (
        # First, so that a bad folder is refused at once.
        atomic_folder(out, force=asked.force) as folder,
        opener(scale, quiet=asked.quiet) as opened,
    ):
        sets = read(opened)
        with progress_bar(quiet=asked.quiet) as show:

            def progress(step: str, done: int = 0, total: int | None = None) -> None:
                if total is None:
                    show("comparing", description=f"comparing: {step}")
                else:
                    show(step, completed=done, total=total)

            comparison = compare(
                *sets,
                methods=methods,
                bounds=asked.bounds or ("none" if asked.paper else None),
                points=points or None,
                criterion=asked.criterion,
                replicates=asked.replicates,
                learning_curve=asked.learning_curve,
                adapt=asked.adapt,
                rising=not asked.paper,
                progress=progress,
                **more,
            )
            write_results(comparison, folder, formats=formats, name=out, progress=progress)
            if llrs is not None:
                is_inside = Path(llrs).absolute().parent == Path(out).absolute()
                write_trials(comparison.llrs(), folder / Path(llrs).name if is_inside else llrs)
    if comparison.folds is not None:
        print_notes([comparison.folds.note], quiet=asked.quiet)
    if asked.json:
        known = [note for one in sets for note in one.notes]
        notes = dict.fromkeys([*known, *comparison.notes, *comparison.verdict.reasons])
        answer = comparison.to_dict(forensic=asked.forensic)
        print_json({"out": out, **({"llrs": llrs} if llrs else {}), **answer}, notes)
    elif not asked.quiet:
        show_comparison(comparison)
        if asked.forensic:
            from llrcal.cli.evaluation_tables import show_forensic

            recommended = comparison.candidates[comparison.recommended]
            found = recommended.evaluation.to_dict((), forensic=True)["forensic"]
            numbers = recommended.evaluation.numbers((), forensic=True)
            show_forensic(found, numbers, of=comparison.recommended)
        if comparison.learning_curve is not None:
            print_lines(comparison.learning_curve.verdict)
        if llrs is not None:
            click.echo(printable(f"LLRs of {comparison.recommended}: {llrs}"))
        click.echo(printable(f"Report: {Path(out) / 'report.html'}"))
        if following := comparison.next_command(out):
            click.echo(printable(f"Next:   {following}"))


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
        show_conditions(by.to_dict(comparison.points))
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

    criterion, answer = comparison.criterion, comparison.to_dict()
    ranked = {"range": "mean error", "points": "at points", "cllr": "Cllr"}[criterion.name]
    columns = {"calibration": "{name}", ranked: "{value:.4f}", "95 % interval": "{ends}"}
    columns |= {"Cllr": "{cllr:.4f}", "loss": "{calibration_loss:.4f}"}
    columns |= {one.name: f"{{act_dcf[{i}]:.4f}}" for i, one in enumerate(comparison.points)}
    if not comparison.ranking.intervals:
        del columns["95 % interval"]
    rows: list[dict[str, Any]] = []
    styles = {"  minimum": "dim"}
    for label, one in answer["calibrations"].items():
        is_best = comparison.verdict.fit and label == comparison.recommended
        name = f"{'*' if is_best else ' '} {shown(label)}"
        ends = " to ".join(f"{end:.4f}" for end in one["interval"] or ())
        rows.append({**one, "name": name, "ends": ends})
        styles |= {name: "bold"} if is_best else {}
    # The least that any calibration of these scores can reach.
    least = {
        "value": comparison.least(criterion.least),
        "cllr": comparison.least(lambda ev: ev.min_cllr),
        "calibration_loss": 0.0,
        "act_dcf": comparison.least(lambda ev: ev.to_dict(comparison.points)["min_dcf"]),
    }
    rows.append({**least, "name": "  minimum", "ends": ""})
    caption = "p...: actual detection cost at an operating point; 1 is deciding by the prior alone"
    if ranked != criterion.words:
        caption += f"\n{ranked}: the {criterion.words}"
    print_rows(columns, rows, words=("calibration",), caption=caption, styles=styles)


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
