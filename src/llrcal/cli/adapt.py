"""``llrcal adapt``: labels from training, scores from the field."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import click

from llrcal.cli.options import (
    JSON,
    QUIET,
    File,
    NewFile,
    NewFolder,
    argument,
    command,
    option,
    refuse,
)
from llrcal.cli.reading import Reading, Scale, unlabelled
from llrcal.cli.terminal import echo_err, print_json, print_notes, print_table
from llrcal.errors import OptionError

if TYPE_CHECKING:
    from llrcal.calibrations.adapted import Adapted

_CHOICES = {
    "as it was": "left as it was",
    "in between": "between as it was and moved",
    "moved": "moved",
    "no evidence": "without evidence, so that LLRs are about 0",
}
_WORTH_SAYING = 0.01  # a probability


@dataclass(frozen=True)
class _Reading(Reading):
    """How to read trials whose speakers make no difference."""

    speakers_from: ClassVar[None] = None  # type: ignore[misc]


@command()
def adapt(
    *,
    model: File = argument("MODEL"),
    scores: File | None = argument("[SCORES]", required=False),
    new: NewFile = option("The adapted model (JSON).", None, "-o", metavar="NEW", required=True),
    p_target: float | None = option(
        "Rough share of targets among SCORES. What you say is believed, so leave it out if you do "
        "not know it."
    ),
    factor: float = option(
        "How far off that share may be: a factor that is one standard deviation.", 2.0
    ),
    labelled: File | None = option("A few labelled scores from the field.", metavar="FILE"),
    reading: _Reading,
    scale: Scale,
    json: bool = JSON,
    out: NewFolder | None = option("Draw figures into this folder.", metavar="DIR"),
    force: bool = option("Replace the folder of figures if it exists."),
    quiet: bool = QUIET,
) -> None:
    """Adapt a calibration to scores from another domain.

    MODEL is a calibration by any method. SCORES is a file of unlabelled scores from the field;
    labels in it are not used. With --labelled, a few labelled scores help, or do alone. NEW is an
    ordinary model, with the least cost (Cllr) that can be expected: the old one if nothing has
    moved, a moved one if the scores have, or one in between. The options on columns are for both
    files, and --key and --nontargets are for --labelled. SCORES may also be a folder of files or a
    pattern in quotes, of any size.

    \b
    llrcal adapt model.json field-scores.txt -o field.json
    llrcal adapt model.json field.npy --p-target 0.05 --out figures -o field.json
    llrcal adapt model.json field.txt --labelled few.txt --key few-key.txt -o field.json
    """
    from llrcal.adaptation.adapt import adaptation, check_options, portrait_of
    from llrcal.calibrations import load
    from llrcal.files.atomic import atomic_folder
    from llrcal.files.compression import check_place
    from llrcal.trials.counts import Counts
    from llrcal.trials.reading import trials_from

    refuse(
        {
            "there is nothing to adapt to: give SCORES, --labelled, or both": (
                scores is None and labelled is None
            ),
            "a key and non-targets are for labelled scores: give them with --labelled": (
                labelled is None and any(reading.files)
            ),
        }
    )
    check_place(new, by_name=True)
    before = load(model)
    portrait_of(before)  # or refused, before any scores are read
    check_options(p_target, factor)
    few = None if labelled is None else trials_from(labelled, reading.key, reading.options())
    if isinstance(few, Counts):
        raise OptionError(
            f"{labelled}: labelled scores are given one by one, and these are counted"
        )
    if few is not None:
        print_notes(few.notes, quiet=quiet)
    field = None if scores is None else unlabelled(scores, before, reading, scale, quiet=quiet)
    with atomic_folder(out, force=force) if out else nullcontext() as folder:
        after = adaptation(
            before,
            field,
            p_target=p_target,
            factor=factor,
            tar=few.tar if few else None,
            non=few.non if few else None,
        )
        if folder is not None:
            from llrcal.figures.folder import draw_adaptation

            draw_adaptation(before, after, folder, field)
    after.save(new)
    notes = after.report.all_notes
    if json:
        answer = after.adapted.to_dict() if after.adapted else {}
        print_json({"model": new, "figures": out, "method": after.method, **answer}, notes)
    elif after.adapted and not quiet:
        _show(after.method, after.adapted)
    print_notes(notes, quiet=quiet, lead="note: ")
    if not quiet:
        if out:
            echo_err(f"Figures: {out}")
        echo_err(f"Model: {new}")


def _show(method: str, what: Adapted) -> None:
    click.echo(
        f"{method}, {_CHOICES[what.choice]}: {what.unlabelled:,} unlabelled scores, which weigh as "
        f"much as {what.trust:,.0f} independent ones; {what.tar} + {what.non} labelled"
    )
    doubts = {
        "nothing has moved": what.unmoved,
        "the share of targets is another": what.wrong_share,
        "all of them are targets": what.only_targets,
        "all of them are non-targets": what.only_non_targets,
        "they are not of this recognizer": what.other_scores,
        "they run the other way": what.reversed,
    }
    told = {name: p for name, p in doubts.items() if p > _WORTH_SAYING or p is what.unmoved}
    for name, probability in told.items():
        click.echo(f"probability that {name}: {probability:.2g}")
    at = what.share.value if what.p_target is None else what.p_target
    estimates = {
        "targets: shift of scores": (what.tar_shift, "+.3g"),
        "targets: wider by a factor of": (what.tar_widening, ".3g"),
        "non-targets: shift of scores": (what.non_shift, "+.3g"),
        "non-targets: wider by a factor of": (what.non_widening, ".3g"),
        **({"share of targets": (what.share, ".3g")} if what.unlabelled else {}),
        "expected Cllr as it was": (what.cllr_before, ".3f"),
        "expected Cllr as it is now": (what.cllr, ".3f"),
        "expected EER": (what.eer, ".2%"),
        f"expected DCF at {at:.3g}, normalised": (what.dcf, ".3f"),
    }
    print_table(
        ("", "estimate", "95 % interval"),
        [
            (name, f"{one.value:{form}}", f"{one.low:{form}} to {one.high:{form}}")
            for name, (one, form) in estimates.items()
        ],
        words=("",),
    )
    click.echo("Expected values hold as far as the classes are those of training, moved.")
