"""Several systems on the same trials: each calibrated alone, and their fusion, side by side.

Every candidate is a fusion, of one system or of all. What stands for the score of a trial, in the
minimum and in figures, is the LLR of the fusion of all.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from llrcal.comparison.looks import FUSION
from llrcal.errors import OptionError
from llrcal.evaluation.evaluation import Evaluation
from llrcal.fusion import Fused
from llrcal.fusion.fuse import fusion
from llrcal.notes import Note
from llrcal.trials import Trials
from llrcal.trials.systems import Systems

_ROUNDING = 1e-9  # of Cllr


def trained_systems(train: Systems, alpha: float | str) -> dict[str, Fused]:
    """Each system alone, and all of them."""
    if len(train.names) < 2:
        raise OptionError("there is one system only: compare calibrations of its scores instead")
    if FUSION in train.names:
        raise OptionError(
            f"a system is called {FUSION!r}, as their fusion is; give it another name"
        )
    missing = "patterns" if np.isnan(train.scores).any() else "error"

    def trained(names: tuple[str, ...]) -> Fused:
        sides = train.split(train.scores[:, [train.names.index(name) for name in names]])
        who = None if train.speakers is None else train.split(train.speakers)
        there = [~np.isnan(side).all(axis=1) for side in sides]
        tar, non = (side[one] for side, one in zip(sides, there, strict=True))
        speakers = None if who is None else (who[0][there[0]], who[1][there[1]])
        return fusion(tar, non, names=names, alpha=alpha, speakers=speakers, missing=missing)

    return {**{name: trained((name,)) for name in train.names}, FUSION: trained(train.names)}


def system_llrs(model: Fused, systems: Systems) -> Trials:
    """Trials with the LLRs of a model for scores."""
    absent = [name for name in model.names if name not in systems.names]
    if absent:
        raise OptionError(f"the test trials have no scores of {', '.join(map(repr, absent))}")
    places = [systems.names.index(name) for name in model.names]
    llrs, notes = model.answers(systems.scores[:, places])
    tar, non = systems.split(llrs)
    of_tar, of_non = (None, None) if systems.speakers is None else systems.split(systems.speakers)
    return Trials(
        tar,
        non,
        systems.source,
        of_tar,
        of_non,
        is_target=systems.is_target,
        ids=systems.ids,
        notes=(*systems.notes, *notes),
        allow_infinite=True,
        kept=systems.kept,
    )


def fusion_notes(evaluations: Mapping[str, Evaluation]) -> list[Note]:
    """Whether the fusion, if there is one, is of any use."""
    if FUSION not in evaluations:
        return []
    single = {label: one.cllr for label, one in evaluations.items() if label != FUSION}
    best = min(single, key=lambda label: single[label])
    fused = evaluations[FUSION].cllr
    if fused < single[best] - _ROUNDING:
        return []
    text = (
        f"the fusion does not beat the best single system, {best}: Cllr {fused:.4f} against "
        f"{single[best]:.4f}"
    )
    return [Note.warning("not better", text)]
