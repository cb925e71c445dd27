"""The page of a validation: one HTML file without scripts, for screens and for A4 paper."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from llrcal.evaluation.measures import Number
from llrcal.report.pictures import pictures
from llrcal.report.skeleton import filled, whole_page
from llrcal.report.text import MINUS, Tile, escaped, fields, sentence, table, tiles
from llrcal.report.warnings_list import warnings_list
from llrcal.validation.guidelines import items
from llrcal.validation.requirements import CHARACTERISTICS
from llrcal.validation.validation import STATED, Validation
from llrcal.version import __version__

_ROLES = {"all": "All trials", "training": "Training", "test": "Test"}
_BOUNDS = {
    "counts": "A score beyond all training scores gets the LR of the nearest one, and LRs are kept "
    "within what the training trials and their speakers support.",
    "elub": "A score beyond all training scores gets the LR of the nearest one, and LRs are kept "
    "within the empirical lower and upper bounds (ELUB) of the training LRs.",
    "range": "A score beyond all training scores gets the LR of the nearest one.",
    "none": "Beyond the training scores, the formula is extrapolated.",
}
_SECTIONS = {
    "scope": "Scope",
    "data": "Data",
    "system": "System and model",
    "results": "Results",
    "method": "Method",
    "verdict": "Outcome",
}


def build_page(validation: Validation) -> str:
    """The page, with nothing to fetch and nothing to run."""
    stated = {words: validation.stated.get(name, "") for name, words in STATED.items()}
    ends, evaluations = validation.intervals, {validation.candidate.label: validation.evaluation}
    body = filled(
        "validation.html",
        title=sentence(validation.title),
        byline=fields({"Author": sentence(validation.author), "Date": sentence(validation.date)}),
        outcome_class="fit" if validation.met else "unfit",
        verdict=sentence(validation.verdict),
        tiles=tiles(_tiles(validation)),
        scope=fields({words: sentence(text) for words, text in stated.items()}),
        data="".join(_data(validation)),
        system=_system(validation),
        results_note=sentence(
            f"Numbers of the tested trials, with {100 * ends.level:g} % intervals by {ends.by}. "
            "Cllr, minCllr and calibration loss are in bits."
        ),
        results=_results(validation),
        figures=pictures(
            evaluations,
            lambda figure: figure.in_validation,
            level=ends.level,
            replicates=ends.replicates,
            units="log10",
        ),
        method="".join(f"<p>{sentence(text)}</p>" for text in _method(validation)),
        notes=warnings_list(validation.notes, few=len(validation.notes)),  # no script unfolds them
        guidelines=_guidelines(validation),
    )
    return whole_page(validation.title, body, styles=("page.css", "validation.css"))


def _tiles(validation: Validation) -> Iterator[Tile]:
    """The numbers to see first."""
    for name in ("cllr", "eer", "dev_pav"):
        number, interval = _written(validation.measures[name])
        yield escaped(validation.measures[name].words), number, [interval]
    ev = validation.evaluation
    counts = [f"{ev.tar_count:,} same source", f"{ev.non_count:,} different sources"]
    yield "Tested on", f"{ev.tar_count + ev.non_count:,} trials", counts


def _written(measure: Number) -> tuple[str, str]:
    """A number and its interval."""
    ends = (measure.value, *measure.interval)
    number, low, high = (measure.written(end).replace("-", MINUS) for end in ends)
    return number, f"{low} to {high}"


def _data(validation: Validation) -> Iterator[str]:
    """The sets of trials, and checksums of their files."""
    for trials in validation.data:
        low, high = (f"{end:.4g}".replace("-", MINUS) for end in trials.scores)
        rows = {
            "Source": f"<bdi>{escaped(trials.source)}</bdi>",
            "Same source": f"{trials.targets:,} trials",
            "Different sources": f"{trials.nontargets:,} trials",
            "Speakers": "not known" if trials.speakers is None else f"{trials.speakers:,}",
            "Scores": f"{low} to {high}",
        }
        for file in trials.files:
            name = f"<bdi>{escaped(file.path)}</bdi>, {file.size:,} bytes"
            rows[f"SHA-256 of {name}"] = f'<span class="digest">{file.sha256}</span>'
        if not trials.files:
            rows["Files"] = "none: the trials were in memory, or came from a stream"
        yield f"<h3>{_ROLES[trials.role]}</h3>{fields(rows)}"


def _system(validation: Validation) -> str:
    """The calibration, and what its LRs can be."""
    model, candidate, fit = validation.model, validation.candidate, validation.model.report
    ends = model.without_warnings(np.array(model.training_range))
    rows = {
        "Calibration": sentence(f"{candidate.label}: {candidate.what}"),
        "Trained on": model.trained_on.in_words("same-source", "different-source"),
        "Fit": sentence(f"{'' if fit.converged else 'not converged: '}{fit.reason}"),
        "Bounds": f"{validation.bounds}. {_BOUNDS[validation.bounds]}",
        "LRs that the training trials support": _lrs(*model.supported_llrs),
        "LRs in the range of training scores": _lrs(*sorted(map(float, ends))),
        "Empirical lower and upper bound (ELUB) of the tested LRs": _lrs(
            *validation.evaluation.forensic.elub
        ),
        "Software": f"llrcal {__version__}",
        "SHA-256 of the model file": f'<span class="digest">{validation.model_sha256}</span>',
    }
    return fields(rows)


def _lrs(*llrs: float) -> str:
    """A range of LRs, to four digits."""
    ratios = (math.exp(min(llr, 700.0)) for llr in llrs)
    return " to ".join(f"{one:,.0f}" if one >= 1000 else f"{one:.4g}" for one in ratios)


def _results(validation: Validation) -> str:
    """The validation matrix: each number with its interval and criterion, by characteristic."""
    heads = ["Measure", "Result", f"{100 * validation.intervals.level:g} % interval"]
    heads += ["Criterion"] if validation.criteria else []
    rows: list[list[str]] = []
    for characteristic, names in CHARACTERISTICS.items():
        rows.append([characteristic])
        for name in names:
            measure = validation.measures[name]
            number, interval = _written(measure)
            row = [
                escaped(measure.capitalised),
                number,
                "" if math.isnan(measure.value) else interval,
            ]
            if validation.criteria:
                row.append("<br>".join(_judged(validation, name)))
            rows.append(row)
    return table("Results", heads, rows)


def _judged(validation: Validation, name: str) -> Iterator[str]:
    """The criteria of a measure."""
    for criterion in validation.criteria:
        if criterion.requirement.name == name:
            kind = "met" if criterion.met else "unmet"
            text = f"{criterion.requirement.limit}: {criterion.verdict}"
            yield f'<span class="{kind}">{escaped(text)}</span>'


def _method(validation: Validation) -> Iterator[str]:
    """What was done, in paragraphs."""
    yield (
        "A recognizer gives each comparison of two items a score. A calibration turns it into a "
        "likelihood-ratio (LR): how much more probable the score is if both items are of the same "
        "source (Hp, target trials) than if they are of different sources (Hd, non-target trials)."
    )
    ev, folds, ends = validation.evaluation, validation.comparison.folds, validation.intervals
    how = "The calibration was trained on the training trials and tested on the test trials."
    if folds is not None:
        dealt, unseen = ("speakers", "its speakers") if folds.by == "speaker" else ("trials", "it")
        cut = f"in {folds.count} folds of {dealt} (seed {folds.seed})"
        if folds.seed is None:
            cut = f"leaving out two of {folds.count} speakers at a time"
        how = (
            f"The calibration was tested by cross-validation, {cut}: the LR of a trial comes from "
            f"a calibration that was trained without {unseen}. The model above was trained in the "
            "same way, on all trials."
        )
    yield (
        f"{how} {ev.tar_count:,} same-source and {ev.non_count:,} different-source trials were "
        "tested."
    )
    yield (
        f"Intervals are those of {ends.replicates:,} sets of trials, drawn from the tested ones by "
        f"{ends.by} with replacement (bootstrap). They tell how far the numbers depend on which "
        f"{ends.by}s happened to be tested. Intervals of rates without errors, and of Cllr if "
        "there are none at all, reach as far as errors that nobody made could: with as many trials "
        "as their speakers can make, that is a rate of about 3.7 over their number at a level of "
        "95 %. A criterion is met if the number itself is as required; the table says whether all "
        "of its interval is."
    )


def _guidelines(validation: Validation) -> str:
    """Items of guidelines, and links to the sections that answer them."""
    rows = []
    for item in items(validation):
        answer = f'<span class="none">{sentence(item.answer)}</span>'
        if item.place:
            link = f'<a href="#{item.place}">{_SECTIONS[item.place]}</a>'
            answer = ": ".join(filter(None, (link, sentence(item.answer))))
        rows.append([sentence(item.asked), f"<small>{item.by}</small>", answer])
    heads = ("What is asked for", "By", "On this page")
    return table("Guidelines", heads, rows, attributes='class="words"')
