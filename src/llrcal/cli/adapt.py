"""``llrcal adapt``: labels from one domain, scores from another."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from llrcal.cli.options import FILE, flag, refuse
from llrcal.cli.reading import Scale, opener, reading_options, scale_options
from llrcal.cli.terminal import echo_err, json_option, print_json, print_notes, print_table
from llrcal.files.overwriting import (
    refuse_output_around_inputs,
    refuse_to_overwrite,
    refuse_to_read_twice,
)

if TYPE_CHECKING:
    from llrcal.arrays import Floats
    from llrcal.calibrations import Calibration
    from llrcal.calibrations.adapted import Adapted
    from llrcal.onepass.summary import Summary
    from llrcal.trials.request import ReadOptions


@click.command()
@click.argument("model", metavar="MODEL", type=FILE)
@click.argument("scores", metavar="[SCORES]", type=FILE, required=False)
@click.option(
    "-o", "new", required=True, metavar="NEW", type=FILE, help="The adapted model (JSON)."
)
@click.option("--p-target", type=float, default=0.01, help="Rough share of targets among SCORES.")
@click.option(
    "--factor",
    type=float,
    default=2.0,
    help="How far off that share may be: a factor that is one standard deviation.",
)
@click.option(
    "--labelled", metavar="FILE", type=FILE, help="A few labelled scores from the new domain."
)
@reading_options()
@scale_options
@json_option
@click.option("--out", metavar="DIR", type=FILE, help="Draw figures into this folder.")
@flag(
    "--force",
    "Adapt even if the model does not fit the scores or they cannot tell the classes apart, "
    "and replace the folder of figures if it exists.",
)
@flag("--quiet", "Print only warnings and errors.")
def adapt(
    model: str,
    scores: str | None,
    new: str,
    p_target: float,
    factor: float,
    labelled: str | None,
    as_json: bool,
    out: str | None,
    force: bool,
    quiet: bool,
    key: str | None,
    reading: ReadOptions,
    scale: Scale,
) -> None:
    """Adapt a calibration to scores from another domain.

    MODEL is a calibration by gaussian, student-t or nig. SCORES is a file of unlabelled scores
    from the new domain; labels in it are not used. With --labelled, a few labelled scores help, or
    do alone. NEW is an ordinary model. If there is a reason not to adapt, it is the old one, and
    you are told. The options on columns are for both files, and --key and --nontargets are
    for --labelled. SCORES may also be a folder of files or a pattern in quotes, of any size.

    \b
    llrcal adapt nig.json field-scores.txt --p-target 0.01 -o field.json
    llrcal adapt nig.json field.npy --p-target 0.05 --out figures -o field.json
    llrcal adapt nig.json field.txt --labelled few.txt --key few-key.txt -o field.json
    """
    from llrcal.adaptation.adapt import adaptation
    from llrcal.adaptation.move import densities_of
    from llrcal.calibrations import load
    from llrcal.files.atomic import atomic_folder
    from llrcal.files.compression import check_place
    from llrcal.trials.reading import trials_from

    refuse(
        {
            "there is nothing to adapt to: give SCORES, --labelled, or both": (
                scores is None and labelled is None
            ),
            "a key and non-targets are for labelled scores: give them with --labelled": (
                labelled is None and (key or reading.nontargets)
            ),
        }
    )
    check_place(new, by_name=True)
    files = (scores, labelled, key, reading.nontargets)
    inputs = [name for name in (model, *files) if name is not None]
    refuse_to_read_twice(*files)
    refuse_to_overwrite(new, *inputs)
    refuse_output_around_inputs(out, *inputs)
    before = load(model)
    densities_of(before)  # or refused, before any scores are read
    few = None if labelled is None else trials_from(labelled, key, reading)
    if few is not None:
        print_notes(few.notes, quiet=quiet)
    field = None if scores is None else _unlabelled(scores, before, reading, scale, quiet=quiet)
    with atomic_folder(out, force=force) if out else nullcontext() as folder:
        after = adaptation(
            before,
            field,
            p_target=p_target,
            factor=factor,
            tar=few.tar if few else None,
            non=few.non if few else None,
            force=force,
        )
        if folder is not None:
            from llrcal.figures.folder import draw_adaptation

            draw_adaptation(before, after, folder, field)
    after.save(new)
    if as_json:
        answer = after.adapted.to_dict() if after.adapted else {}
        print_json(
            {"model": new, "figures": out, "method": after.method, **answer},
            after.report.all_notes,
        )
    elif after.adapted and not quiet:
        _show(after.method, after.adapted)
    print_notes(after.report.all_notes, quiet=quiet, lead="note: ")
    if not quiet:
        if out:
            echo_err(f"Figures: {out}")
        echo_err(f"Model: {new}")


def _unlabelled(
    source: str, model: Calibration, reading: ReadOptions, scale: Scale, *, quiet: bool
) -> Floats | Summary:
    """The scores of files, whatever their labels; a summary if they are read in pieces."""
    from llrcal.trials.trials import TrialSet

    with opener(scale, quiet=quiet) as opened:
        scores = opened.scores(source, replace(reading, duplicates="all", nontargets=None))
        if isinstance(scores, TrialSet):
            return (scores.negated() if model.lower_is_better else scores).pooled()
        return scores


def _show(method: str, what: Adapted) -> None:
    done = "adapted" if what.applied else "left as it was"
    click.echo(
        f"{method}, {done}: {what.unlabelled:,} unlabelled scores, which weigh as much as "
        f"{what.trust:,.0f} independent ones; {what.tar} + {what.non} labelled"
    )
    click.echo(f"probability that nothing has moved: {what.unmoved:.2g}")
    estimates = {
        "targets: shift of scores": (what.tar_shift, "+.3g"),
        "targets: wider by a factor of": (what.tar_widening, ".3g"),
        "non-targets: shift of scores": (what.non_shift, "+.3g"),
        "non-targets: wider by a factor of": (what.non_widening, ".3g"),
        **({"share of targets": (what.share, ".3g")} if what.unlabelled else {}),
        "expected Cllr before": (what.cllr_before, ".3f"),
        "expected Cllr after": (what.cllr, ".3f"),
        "expected EER": (what.eer, ".2%"),
        f"expected DCF at {what.p_target:g}, normalised": (what.dcf, ".3f"),
    }
    print_table(
        ("", "estimate", "95 % interval"),
        [
            (name, f"{one.value:{form}}", f"{one.low:{form}} to {one.high:{form}}")
            for name, (one, form) in estimates.items()
        ],
        words=("",),
    )
    click.echo("Expected values hold as far as the moved densities describe both classes.")
