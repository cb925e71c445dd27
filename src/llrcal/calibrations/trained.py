"""Methods trained on the same scores, wherever these are, with bounds, margins and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

from llrcal.arrays import ArrayLike
from llrcal.calibrations.array_training import ArrayTraining
from llrcal.calibrations.bounds import Bounds, Policy, check_policy, soft_end
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.fit_notes import fit_notes
from llrcal.calibrations.methods import (
    METHODS,
    PAPER,
    Method,
    check_method,
    class_of,
    label,
    method_and_options,
)
from llrcal.calibrations.training import Trainable, Training
from llrcal.calibrations.uncertainty import margins
from llrcal.errors import DegenerateError, OptionError
from llrcal.inputs.speakers import Speakers
from llrcal.method_table import TABLE
from llrcal.notes import Note
from llrcal.onepass.chunks import threads
from llrcal.onepass.elub import elub

_WORTH_A_THREAD = 2**20  # scores


def trained(
    tar: ArrayLike | Trainable,
    non: ArrayLike | None = None,
    *,
    methods: Sequence[Method] = PAPER,
    bounds: Policy = "counts",
    rising: bool = True,
    lower_is_better: bool = False,
    speakers: Speakers | None = None,
    with_margins: bool = True,
) -> dict[str, Calibration]:
    """The same as :func:`fit_all`, for callers that handle the notes themselves.

    Without margins, calibrations have no intervals: for those that nobody will see.
    """
    chosen = _checked(methods, bounds, rising=rising, lower_is_better=lower_is_better)
    ranked = [METHODS[method].needs_ranks for method, _ in chosen]
    data: Training
    if isinstance(tar, Trainable) and non is None:
        if speakers is not None:
            raise OptionError("speakers go with arrays of scores; trials bring their own along")
        data = tar.training(
            summarised=not all(ranked), ranked=any(ranked), lower_is_better=lower_is_better
        )
    else:
        data = ArrayTraining(tar, non, lower_is_better=lower_is_better, speakers=speakers)
    flags = {"rising": rising, "lower_is_better": lower_is_better, "with_margins": with_margins}
    fits = [partial(_fitted, data, name, options, bounds, **flags) for name, options in chosen]
    found = _with_ranks_aside(fits, ranked) if _is_worth_a_thread(data) else (f() for f in fits)
    return {label(*one): calibration for one, calibration in zip(chosen, found, strict=True)}


def _is_worth_a_thread(data: Training) -> bool:
    largest = max(data.tar_count, data.non_count)
    return isinstance(data, ArrayTraining) and largest > _WORTH_A_THREAD and threads() > 1


def _with_ranks_aside(
    fits: Sequence[Callable[[], Calibration]], ranked: Sequence[bool]
) -> Iterator[Calibration]:
    """Fits in order; those that need ranks on a thread of their own, unless they come first.

    Finding ranks is a long pass over the scores, while other fits need summaries only. The first of
    these makes the summaries, on all threads.
    """
    yield fits[0]()
    others = list(zip(fits[1:], ranked[1:], strict=True))
    with ThreadPoolExecutor(1) as pool:
        aside = iter([pool.submit(fit) for fit, needs_ranks in others if needs_ranks])
        here = iter([fit() for fit, needs_ranks in others if not needs_ranks])
        for _, needs_ranks in others:
            yield next(aside).result() if needs_ranks else next(here)


def notes_of(calibrations: Mapping[str, Calibration]) -> list[Note]:
    """The notes of calibrations, each with the label of its calibration."""
    return [
        note.about(label) for label, one in calibrations.items() for note in one.report.all_notes
    ]


def _checked(
    methods: Sequence[Method], bounds: Policy, *, rising: bool, lower_is_better: bool
) -> list[tuple[str, Mapping[str, Any]]]:
    """Methods and their options; invalid settings are refused before anything is read."""
    check_policy(bounds)
    for name, value in (("rising", rising), ("lower_is_better", lower_is_better)):
        if not isinstance(value, bool):
            raise OptionError(f"{name} is {value!r}; give True or False")
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise OptionError(f"methods are {methods!r}; give a list of names")
    chosen = [method_and_options(entry) for entry in methods]
    for method, options in chosen:
        check_method(method, options)
    return chosen


def _fitted(
    data: Training,
    method: str,
    options: Mapping[str, Any],
    bounds: Policy,
    *,
    rising: bool,
    lower_is_better: bool,
    with_margins: bool,
) -> Calibration:
    """A method trained on scores, wherever they are, with its bounds and notes."""
    try:
        bayes = options.get("bayes", False)
        chosen = class_of(method, bayes=bayes)
        fitted = chosen.fit(data, **{name: options[name] for name in options if name != "bayes"})
    except DegenerateError as problem:
        raise problem.within("for the negated distances") if lower_is_better else problem from None
    limits = Bounds.of(
        bounds,
        *data.score_range,
        soft_end=soft_end(0 if bayes else TABLE[method].freedom, data.tar_count, data.non_count),
        meeting=fitted.meeting(data) if rising else None,
    )
    if bounds == "elub":
        least, greatest = elub(*data.ranked(replace(fitted, bounds=limits).quietly))
        limits = replace(limits, least_llr=least, greatest_llr=greatest)
    fitted = replace(fitted, bounds=limits, lower_is_better=lower_is_better)
    found = margins(fitted, data) if with_margins else None
    notes = fit_notes(fitted, data, with_intervals=found is not None)
    return replace(fitted, margins=found, report=fitted.report.with_notes(notes))
