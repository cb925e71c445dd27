"""The page of a validation: one HTML file without scripts, for screens and for A4 paper."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from llrcal.calibrations.weighing import trained_on
from llrcal.evaluation.measures import Measure
from llrcal.figures.costs import ece
from llrcal.figures.det import det
from llrcal.figures.folder import Drawing, drawn
from llrcal.figures.reliability import reliability
from llrcal.figures.style import column_style, in_formats
from llrcal.figures.tippett import tippett
from llrcal.figures.zoo import zoo
from llrcal.report.skeleton import filled, whole_page
from llrcal.report.text import MINUS, Tile, escaped, scrolled, sentence, table, tiles
from llrcal.report.warnings_list import warnings_list
from llrcal.validation.guidelines import items
from llrcal.validation.requirements import CHARACTERISTICS, Criterion
from llrcal.validation.validation import STATED, Validation
from llrcal.version import __version__

_LARGE = 200_000  # bytes of a picture, beyond which dots take less than lines
_ROLES = {"all": "All trials", "training": "Training", "test": "Test"}
_BOUNDS = {
    "counts": "A score beyond all training scores gets the LR of the nearest one, and LRs are kept "
    "within what the training trials and their speakers support.",
    "elub": "A score beyond all training scores gets the LR of the nearest one, and LRs are kept "
    "within the empirical lower and upper bounds (ELUB) of the training LRs.",
    "range": "A score beyond all training scores gets the LR of the nearest one.",
    "none": "Beyond the training scores, the formula is extrapolated.",
}


def build_page(validation: Validation) -> str:
    """The page, with nothing to fetch and nothing to run."""
    stated = {words: validation.stated.get(name, "") for name, words in STATED.items()}
    body = filled(
        "validation.html",
        title=sentence(validation.title),
        byline=_fields({"Author": sentence(validation.author), "Date": sentence(validation.date)}),
        outcome_class="fit" if validation.met else "unfit",
        verdict=sentence(validation.verdict),
        tiles=tiles(list(_tiles(validation))),
        scope=_fields({words: sentence(text) for words, text in stated.items()}),
        data="".join(_data(validation)),
        system=_system(validation),
        results_note=sentence(
            f"Numbers of the tested trials, with {_percent(validation)} intervals by "
            f"{validation.intervals.by}. Cllr, minCllr and calibration loss are in bits."
        ),
        results=scrolled(_results(validation), "Results"),
        figures="".join(_figures(validation)),
        method="".join(_method(validation)),
        notes=warnings_list(validation.notes, few=len(validation.notes)),  # no script unfolds them
        guidelines=scrolled(_guidelines(validation), "Guidelines"),
    )
    return whole_page(validation.title, body, styles=("page.css", "validation.css"))


def _tiles(validation: Validation) -> Iterator[Tile]:
    """The numbers to see first."""
    for name in ("cllr", "eer", "dev_pav"):
        one = validation.measures[name]
        number, low, high = (_written(one, value) for value in (one.value, *one.interval))
        yield escaped(one.words), number, [f"{low} to {high}"]
    ev = validation.evaluation
    counts = [f"{ev.tar_count:,} same source", f"{ev.non_count:,} different sources"]
    yield "Tested on", f"{ev.tar_count + ev.non_count:,} trials", counts


def _written(measure: Measure, value: float) -> str:
    return measure.written(value).replace("-", MINUS)


def _fields(rows: dict[str, str]) -> str:
    """Names and what they are, as HTML; what is missing is said to be so."""
    missing = '<span class="none">not stated</span>'
    cells = (f"<dt>{name}</dt><dd>{text or missing}</dd>" for name, text in rows.items())
    return f'<dl class="fields">{"".join(cells)}</dl>'


def _percent(validation: Validation) -> str:
    return f"{100 * validation.intervals.level:g} %"


def _data(validation: Validation) -> Iterator[str]:
    """The sets of trials, and checksums of their files."""
    for one in validation.data:
        low, high = (f"{end:.4g}".replace("-", MINUS) for end in one.scores)
        rows = {
            "Source": f"<bdi>{escaped(one.source)}</bdi>",
            "Same source": f"{one.targets:,} trials",
            "Different sources": f"{one.nontargets:,} trials",
            "Speakers": "not known" if one.speakers is None else f"{one.speakers:,}",
            "Scores": f"{low} to {high}",
        }
        for file in one.files:
            name = f"<bdi>{escaped(file.path)}</bdi>, {file.size:,} bytes"
            rows[f"SHA-256 of {name}"] = f'<span class="digest">{file.sha256}</span>'
        if not one.files:
            rows["Files"] = "none: the trials were in memory, or came from a stream"
        yield f"<h3>{_ROLES[one.role]}</h3>{_fields(rows)}"


def _system(validation: Validation) -> str:
    """The calibration, and what its LRs can be."""
    model, one = validation.model, validation.candidate
    settings = [f"weight of the targets {one.alpha}"] if one.alpha is not None else []
    settings += [f"scoring rule {one.rule}"] if one.rule else []
    settings += ["parameters integrated out"] if one.bayes else []
    ends = sorted(map(float, model.without_warnings(np.array(model.training_range))))
    low, high = (_lr(end) for end in ends)
    supported = " to ".join(map(_lr, model.supported_llrs))
    least, greatest = map(_lr, validation.evaluation.forensic.elub)
    fit = model.report
    rows = {
        "Calibration": sentence("; ".join([f"{one.label}: {one.description}", *settings])),
        "Trained on": trained_on(model, "same-source", "different-source"),
        "Fit": sentence(f"{'' if fit.converged else 'not converged: '}{fit.reason}"),
        "Bounds": f"{validation.bounds}. {_BOUNDS[validation.bounds]}",
        "LRs that the training trials support": supported,
        "LRs in the range of training scores": f"{low} to {high}",
        "Empirical lower and upper bound (ELUB) of the tested LRs": f"{least} to {greatest}",
        "Software": f"llrcal {__version__}",
        "SHA-256 of the model file": f'<span class="digest">{validation.model_sha256}</span>',
    }
    return _fields(rows)


def _lr(llr: float) -> str:
    """An LR to four digits."""
    ratio = math.exp(min(llr, 700.0))
    return f"{ratio:,.0f}" if ratio >= 1000 else f"{ratio:.4g}"


def _results(validation: Validation) -> str:
    """The validation matrix: each number with its interval and criterion, by characteristic."""
    criteria = validation.criteria
    heads = ["Measure", "Result", f"{_percent(validation)} interval"]
    heads += ["Criterion"] if criteria else []
    parts = []
    for characteristic, names in CHARACTERISTICS.items():
        rows = []
        for one in map(validation.measures.__getitem__, names):
            number, low, high = (_written(one, value) for value in (one.value, *one.interval))
            interval = "" if math.isnan(one.value) else f"{low} to {high}"
            cells = [f'<th scope="row">{_cased(one.words)}</th>', f"<td>{number}</td>"]
            cells.append(f"<td>{interval}</td>")
            if criteria:
                about = [_judged(each) for each in criteria if each.requirement.name == one.name]
                cells.append(f"<td>{'<br>'.join(about)}</td>")
            rows.append(f"<tr>{''.join(cells)}</tr>")
        head = f'<tr><th scope="rowgroup" colspan="{len(heads)}">{characteristic}</th></tr>'
        parts.append(f"<tbody>{head}{''.join(rows)}</tbody>")
    columns = "".join(f'<th scope="col">{head}</th>' for head in heads)
    return (
        f'<table><caption class="hidden">Results</caption><thead><tr>{columns}</tr></thead>'
        f"{''.join(parts)}</table>"
    )


def _cased(words: str) -> str:
    return escaped(words[0].upper() + words[1:] if words.startswith(("mean", "cal")) else words)


def _judged(one: Criterion) -> str:
    kind = "met" if one.met else "unmet"
    return f'<span class="{kind}">{escaped(f"{one.requirement.limit}: {one.verdict}")}</span>'


def _figures(validation: Validation) -> Iterator[str]:
    """Pictures with what to see in them."""
    ev, ends = {validation.candidate.label: validation.evaluation}, validation.intervals
    bands: dict[str, Any] = {"level": ends.level, "replicates": ends.replicates}
    pictures: dict[str, tuple[Drawing, str, str]] = {
        "tippett": (
            partial(tippett, ev, **bands),
            "Tippett plot",
            "The share of comparisons with at least some LR. At log10 LR = 0, the distance of the "
            "solid line from the top and the height of the dashed one are the rates of misleading "
            "evidence.",
        ),
        "ece": (
            partial(ece, ev, **bands),
            "ECE plot",
            "Empirical cross-entropy: the uncertainty that is left, at any prior; at even odds it "
            "is Cllr. The solid line should be near the dashed one, and below the dotted one.",
        ),
        "reliability": (
            partial(reliability, ev, units="log10"),
            "PAV plot",
            "What LRs should have been, by PAV, against what they are. Calibrated LRs follow the "
            "diagonal.",
        ),
        "det": (
            partial(det, ev),
            "DET plot",
            "Miss and false-alarm rates at every threshold: discrimination alone.",
        ),
    }
    if validation.evaluation.knows_speakers:
        pictures["zoo"] = (
            partial(zoo, validation.evaluation, units="log10"),
            "Zoo plot",
            "Mean log10 LRs of each speaker. Larger points have a larger share of Cllr.",
        )
    with column_style():
        for name, (draw, title, caption) in pictures.items():
            kind, content = _picture(drawn(name, draw))
            data = base64.b64encode(content).decode()
            yield (
                f'<figure id="{name}"><h3>{title}</h3>'
                f'<img alt="{title}" src="data:image/{kind};base64,{data}">'
                f'<figcaption class="note">{sentence(caption)}</figcaption></figure>\n'
            )


def _picture(figure: Figure) -> tuple[str, bytes]:
    """The type of a picture and its content: lines, unless there are very many of them."""
    content = in_formats(figure, ["svg"])["svg"]
    if len(content) <= _LARGE:
        return "svg+xml", content
    return "png", in_formats(figure, ["png"])["png"]


def _method(validation: Validation) -> Iterator[str]:
    """What was done, in paragraphs."""
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
    counts = f"{ev.tar_count:,} same-source and {ev.non_count:,} different-source trials"
    for text in (
        "A recognizer gives each comparison of two items a score. A calibration turns it into a "
        "likelihood-ratio (LR): how much more probable the score is if both items are of the same "
        "source (Hp, target trials) than if they are of different sources (Hd, non-target trials).",
        f"{how} {counts} were tested.",
        f"Intervals are those of {ends.replicates:,} sets of trials, drawn from the tested ones by "
        f"{ends.by} with replacement (bootstrap). They tell how far the numbers depend on which "
        f"{ends.by}s happened to be tested. Intervals of rates without errors, and of Cllr if "
        "there are none at all, reach as far as errors that nobody made could: with as many trials "
        "as their speakers can make, that is a rate of about 3.7 over their number at a level of "
        "95 %. A criterion is met if the number itself is as required; the table says whether all "
        "of its interval is.",
    ):
        yield f"<p>{sentence(text)}</p>"


def _guidelines(validation: Validation) -> str:
    """Items of guidelines, and links to the sections that answer them."""
    titles = {"scope": "Scope", "data": "Data", "system": "System and model"}
    titles |= {"results": "Results", "method": "Method", "verdict": "Outcome"}
    rows = []
    for item in items(validation):
        where = f'<a href="#{item.place}">{titles[item.place]}</a>' if item.place else ""
        answer = sentence(item.answer)
        if not item.place:
            answer = f'<span class="none">{answer}</span>'
        rows.append(
            [
                sentence(item.asked),
                f"<small>{item.by}</small>",
                ": ".join(filter(None, (where, answer))),
            ]
        )
    heads = ("What is asked for", "By", "On this page")
    return table("Guidelines", heads, rows, attributes='class="words"')
