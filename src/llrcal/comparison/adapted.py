"""Candidates that were adapted to the test scores, without ever seeing their labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from llrcal.adaptation.adapt import adaptation, check_share
from llrcal.adaptation.move import has_densities
from llrcal.calibrations import Calibration
from llrcal.errors import OptionError
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.trials.trial_set import TrialSet

SUFFIX = "-adapted"
"""Ends the label of an adapted calibration."""


def check_adapt(share: float | None, *, in_folds: bool) -> None:
    """Raise an OptionError for a share of targets that is none, or where there is no new place."""
    if share is None:
        return
    check_share(share, "adapt")
    if in_folds:
        raise OptionError(
            Setting("adapt"),
            " is for test trials of another place than those of training: give two sets of trials",
        )


def adapted(
    calibrations: Mapping[str, Calibration],
    test: TrialSet,
    share: float | None,
    begin: Callable[[str], None],
) -> dict[str, Calibration]:
    """Calibrations with densities, adapted to the test scores; none without a share of targets."""
    if share is None:
        return {}
    begin("adapting")
    movable = {label: one for label, one in calibrations.items() if has_densities(one)}
    if not movable:
        raise OptionError(
            "none of the calibrations can be adapted: compare gaussian, student-t or nig as well, "
            "or leave out ",
            Setting("adapt"),
        )
    pool = test.pooled()
    return {
        f"{label}{SUFFIX}": adaptation(one, pool, p_target=share) for label, one in movable.items()
    }


def seen_notes(labels: Mapping[str, Calibration]) -> list[Note]:
    """A note that these calibrations, if there are any, know more than the others."""
    text = f"{', '.join(labels)}: adapted to the test scores, so these were seen, but no labels"
    return [Note.of("adapted", text)] if labels else []
