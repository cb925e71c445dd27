"""What compare and demo share: a comparison, its folder of results, and its terminal output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from llrcal.cli.answers import print_json
from llrcal.cli.options import methods_with, operating_points, split_names, weight
from llrcal.cli.reading import refuse_wrong_way
from llrcal.cli.terminal import print_lines, progress_bar, say, tell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from llrcal.calibrations.methods import Method
    from llrcal.trials.systems import Systems
    from llrcal.trials.trial_set import TrialSet


def compare_and_write(
    trials: AbstractContextManager[tuple[TrialSet | Systems, ...]],
    out: str,
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
    from llrcal.cli.show_comparison import show
    from llrcal.comparison import compare as compare_trials
    from llrcal.comparison.figure_formats import figure_formats
    from llrcal.comparison.learning import SIZES
    from llrcal.files.atomic import atomic_folder
    from llrcal.report.folder import write_results

    wanted = [] if formats == "none" else figure_formats(split_names(formats))
    methods = methods_with(alphas, rules, bayes=bayes)
    if systems:
        methods = _weights_of_systems(alphas, rules, bayes=bayes)
    points = operating_points(p_target, c_miss, c_fa, preset)
    moved = 0 if adapt is None else 1 + 3 * (1 + bayes)  # gaussian, student-t and nig
    steps = len(methods) + moved + 6 + (folds or 0) + (SIZES if learning_curve else 0)
    with (
        atomic_folder(out, force=force) as folder,  # first, so that a bad folder is refused at once
        trials as sets,
        progress_bar("comparing", total=steps, quiet=quiet) as progress,
    ):
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
            progress=progress,
        )
        if not inverted:
            raw = comparison.raw.direction_notes
            refuse_wrong_way(raw, sets[-1].source, distance=lower_is_better)
            refuse_wrong_way(comparison.notes, sets[0].source, distance=lower_is_better)
        write_results(comparison, folder, formats=wanted, progress=progress)
    if comparison.folds is not None:
        say([comparison.folds.note], quiet=quiet)
    if as_json:
        read = [note for one in sets for note in one.notes]
        notes = dict.fromkeys([*read, *comparison.notes, *comparison.verdict.reasons])
        print_json({"out": out, **comparison.to_dict()}, notes)
    elif not quiet:
        show(comparison)
        if comparison.learning_curve is not None:
            print_lines(comparison.learning_curve.verdict)
        tell(f"Report: {Path(out) / 'report.html'}", err=False)


def _weights_of_systems(
    alphas: Sequence[str], rules: Sequence[str], *, bayes: bool
) -> Sequence[Method]:
    """The only method by which systems are compared, at the given weight of the targets."""
    from llrcal.errors import OptionError

    if rules or bayes or len(alphas) > 1:
        raise OptionError(
            "systems are compared by lines at one weight of the targets: give --alpha at most "
            "once, and neither --rule nor --bayes"
        )
    return [("logistic", {"alpha": weight(one)}) for one in alphas or ("0.5",)]
