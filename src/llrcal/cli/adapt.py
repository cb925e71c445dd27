"""``llrcal adapt``: a calibration for scores that have shifted since training."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import click

from llrcal.cli.options import (
    FORCE,
    JSON,
    QUIET,
    SPEAKERS,
    File,
    NewFolder,
    NewModel,
    argument,
    command,
    option,
    output,
    refuse,
)
from llrcal.cli.reading import Reading, Scale, unlabelled
from llrcal.cli.terminal import echo_err, in_words, print_json, print_notes, print_table
from llrcal.errors import OptionError

if TYPE_CHECKING:
    from llrcal.calibrations.adapted import Adapted, Estimate

_CHOICES = {
    "as it was": "left as it was",
    "in between": "between as it was and moved",
    "moved": "moved",
    "order": "by the order of the scores alone, since no move explains them",
    "no evidence": "without evidence, so that LLRs are about 0",
}
_WORTH_SAYING = 0.01  # a probability
_LARGE = 1e6  # a shift of scores that is not written out


@dataclass(frozen=True)
class _Reading(Reading):
    """How to read trials whose speakers make no difference."""

    speakers_from: ClassVar[None] = None  # type: ignore[misc]


@command()
def adapt(
    *,
    model: File = argument("MODEL"),
    scores: File | None = argument("[SCORES]", required=False),
    out: NewModel = output("The adapted model (JSON).", "NEW"),
    p_target: float | None = option("Rough share of targets among SCORES. Omit it if unknown."),
    factor: float = option(
        "How far off that share may be: a factor that is one standard deviation.", 2.0
    ),
    speakers: str | None = SPEAKERS,
    labelled: File | None = option("A few labelled scores from the field.", metavar="FILE"),
    reading: _Reading,
    scale: Scale,
    json: bool = JSON,
    figures: NewFolder | None = option("Draw figures into this folder.", metavar="DIR"),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Adapt a calibration to scores from another domain.

    MODEL is a calibration by any method. SCORES is a file of unlabelled scores from the field;
    labels in it are not used. With --labelled, a few labelled scores help, or do alone. NEW is an
    ordinary model, with the least cost (Cllr) that can be expected: the old one if nothing has
    moved, a moved one if the scores have, or one in between. If no move explains the scores, LLRs
    shrink to what their order still says. The options on columns are for both
    files, and --key and --nontargets are for --labelled. SCORES may also be a folder of files or a
    pattern in quotes, of any size.

    \b
    llrcal adapt model.json field-scores.txt -o field.json
    llrcal adapt model.json field.npy --p-target 0.05 --figures figures -o field.json
    llrcal adapt model.json field.txt --labelled few.txt --key few-key.txt -o field.json
    """
    from llrcal.adaptation.adapt import adaptation, check_options, portrait_of
    from llrcal.calibrations import load
    from llrcal.files.atomic import atomic_folder
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
    field, people = None, None
    if scores is not None:
        field, people = unlabelled(scores, before, reading, scale, speakers, quiet=quiet)
    with atomic_folder(figures, force=force) if figures else nullcontext() as folder:
        after = adaptation(
            before,
            field,
            p_target=p_target,
            factor=factor,
            tar=few.tar if few else None,
            non=few.non if few else None,
            speakers=people,
        )
        if folder is not None:
            from llrcal.figures.folder import draw_adaptation

            draw_adaptation(before, after, folder, field)
    after.save(out)
    notes = after.report.all_notes
    if json:
        answer = after.adapted.to_dict() if after.adapted else {}
        print_json({"model": out, "figures": figures, "method": after.method, **answer}, notes)
    elif after.adapted and not quiet:
        _show(after.method, after.adapted)
    print_notes(notes, quiet=quiet, lead="note: ")
    if not quiet:
        if figures:
            echo_err(f"Figures: {figures}")
        echo_err(f"Model: {out}")


def _show(method: str, what: Adapted) -> None:
    given = []
    if what.unlabelled:
        given.append(
            f"{what.unlabelled:,} unlabelled scores, which weigh as much as {what.effective:,.0f} "
            "independent ones"
        )
    if what.tar:
        given.append(f"{what.tar} + {what.non} labelled")
    click.echo(f"{method}, {_CHOICES[what.choice]}: {'; '.join(given)}")
    doubts = {
        "nothing has moved": what.unmoved,
        "the share of targets is another": what.wrong_share,
        "all of them are targets": what.only_targets,
        "all of them are non-targets": what.only_non_targets,
        "no move explains the scores": what.unknown,
    }
    told = {name: p for name, p in doubts.items() if p > _WORTH_SAYING or p is what.unmoved}
    for name, probability in told.items():
        click.echo(f"probability that {name}: {in_words(probability)}")
    at = what.share.value if what.p_target is None else what.p_target
    is_known = what.unknown < 0.5  # or no move says where the classes are
    shift = _form_of(what.tar_shift, what.non_shift)
    moves = {
        "targets: shift of scores": (what.tar_shift, shift),
        "targets: wider by a factor of": (what.tar_widening, ".3g"),
        "non-targets: shift of scores": (what.non_shift, shift),
        "non-targets: wider by a factor of": (what.non_widening, ".3g"),
    }
    estimates = {
        **(moves if is_known else {}),
        **({"share of targets": (what.share, ".3g")} if what.unlabelled else {}),
        "expected Cllr as it was": (what.cllr_before, ".3f"),
        **({"expected Cllr as it is now": (what.cllr, ".3f")} if what.applied else {}),
        "expected EER": (what.eer, ".2%"),
    }
    if what.unlabelled or what.p_target is not None:  # or no share is known
        estimates[f"expected DCF at {at:.3g}, normalised"] = what.dcf, ".3f"
    print_table(
        ("", "estimate", "95 % interval"),
        [
            (name, f"{one.value:{form}}", f"{one.low:{form}} to {one.high:{form}}")
            for name, (one, form) in estimates.items()
        ],
        words=("",),
    )
    click.echo(
        "Expected values hold if the classes are those of training, moved."
        if is_known
        else "Expected values hold if the order of scores means what it did in training."
    )


def _form_of(*shifts: Estimate) -> str:
    """Three digits of the largest, and as many decimals of the others."""
    largest = max(abs(end) for one in shifts for end in one)
    decimals = 2 - math.floor(math.log10(largest)) if largest else 0
    return f"+z.{min(max(decimals, 0), 12)}f" if largest < _LARGE else "+.3g"
