"""What is compared: calibrations, adapted ones, and fusions of systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from llrcal.adaptation.adapt import adaptation
from llrcal.arrays import Floats
from llrcal.calibrations import Calibration
from llrcal.comparison.folds import Both, Folds, Part, Progress
from llrcal.errors import OptionError
from llrcal.evaluation import ByCondition, Evaluation
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.intervals import Intervals
from llrcal.fusion.fuse import fusion
from llrcal.fusion.fused import Fused
from llrcal.messages import Setting
from llrcal.method_table import DEFAULT
from llrcal.models import Model
from llrcal.notes import Note
from llrcal.scoring_rule import Rule
from llrcal.trials import Trials
from llrcal.trials.systems import Systems
from llrcal.trials.trials import TrialSet

FUSION = "fusion"
"""The label of a fusion of several systems."""

_ROUNDING = 1e-9  # of Cllr
_WITHOUT = "without "


@dataclass(frozen=True)
class Candidate:
    """A calibration and its test results."""

    label: str
    calibration: Model
    """A fusion, of one system or several, where systems are compared."""
    evaluation: Evaluation
    replicates: Replicates | None = None
    """Its numbers in drawn test sets, which are the same sets for all candidates."""
    intervals: Intervals | None = None
    """95 % intervals of its numbers, if test sets were drawn."""
    by: ByCondition | None = None
    """Its evaluation by condition, if that was asked for."""

    @property
    def of_score(self) -> Calibration | None:
        """The calibration, if it is one of the score that figures show."""
        return self.calibration if isinstance(self.calibration, Calibration) else None

    @property
    def method(self) -> str:
        """The name of its method."""
        return self.calibration.method

    @property
    def description(self) -> str:
        """What it is, in words."""
        return self.calibration.description

    @property
    def what(self) -> str:
        """What it is, with its options, in words."""
        parts = [self.description]
        if self.bayes:
            parts.append("its parameters are integrated out")
        if self.adapted:
            parts.append("adapted to the test scores, without their labels")
        if self.alpha is not None:
            parts.append(f"weight of the targets {self.alpha}")
        if self.rule is not None:
            parts.append(f"scoring rule {self.rule}")
        return "; ".join(parts)

    @property
    def parameters(self) -> float:
        """How many numbers it learned."""
        return self.calibration.parameters

    @property
    def alpha(self) -> float | str | None:
        """The weight of a linear calibration; None for the others."""
        return getattr(self.calibration, "alpha", None)

    @property
    def rule(self) -> Rule | None:
        """The scoring rule that was minimised, if it is not the logarithmic one."""
        rule: Rule = getattr(self.calibration, "rule", "log")
        return None if rule == "log" else rule

    @property
    def kind(self) -> dict[str, Any]:
        """What it is, as plain values."""
        names = ("method", "alpha", "rule", "bayes", "adapted")
        return {name: getattr(self, name) for name in names}

    @property
    def bayes(self) -> bool:
        """Whether its parameters are integrated out."""
        return self.of_score is not None and self.of_score.bayes

    @property
    def adapted(self) -> bool:
        """Whether it has seen the test scores, though not their labels."""
        return self.of_score is not None and self.of_score.adapted is not None


def adapt_each(
    calibrations: Mapping[str, Calibration],
    test: TrialSet,
    share: float | None,
    begin: Callable[[str], None],
) -> dict[str, Calibration]:
    """Some calibrations, adapted to the test scores without ever seeing their labels.

    They are ``smooth``, or the first of all if it is not among them, and ``nig``: once scores have
    moved, LLRs hardly depend on the method. None without a share of targets.
    """
    if share is None:
        return {}
    begin("adapting")
    by_method: dict[str, str] = {}
    for label, one in calibrations.items():
        if one.portrait is not None:
            by_method.setdefault(one.method, label)
    if not by_method:
        raise OptionError(
            "none of the calibrations can be adapted, since training scores are infinite: leave "
            "out ",
            Setting("adapt"),
        )
    first = by_method.get(DEFAULT, next(iter(by_method.values())))
    pool = test.pooled()
    return {
        f"{label}-adapted": adaptation(calibrations[label], pool, p_target=share)
        for label in dict.fromkeys((first, by_method.get("nig", first)))
    }


def train_systems(train: Systems, alpha: float | str, *, allow_nan: bool) -> dict[str, Fused]:
    """Each system alone, all of them, and, of more than two, all but each: every one a fusion.

    ``allow_nan`` says whether scores may be missing, be it in training or in test.
    """
    if len(train.names) < 2:
        raise OptionError("there is one system only: compare calibrations of its scores instead")
    if FUSION in train.names:
        raise OptionError(
            f"a system is called {FUSION!r}, as their fusion is; give it another name"
        )
    chosen = {**{name: (name,) for name in train.names}, FUSION: train.names}
    for name in train.names if len(train.names) > 2 else ():
        chosen[f"{_WITHOUT}{name}"] = tuple(other for other in train.names if other != name)
    found = {}
    for label, names in chosen.items():
        scores = train.scores[:, [train.names.index(name) for name in names]]
        tar, non = (
            rows[~np.isnan(scores[rows]).all(axis=1)]
            for rows in train.split(np.arange(len(scores)))
        )
        found[label] = fusion(
            scores[tar],
            scores[non],
            names=names,
            alpha=alpha,
            speakers=None if train.speakers is None else (train.speakers[tar], train.speakers[non]),
            missing="patterns" if allow_nan else "error",
        )
    return found


def systems_in_folds(
    systems: Systems, folds: Folds, alpha: float | str, *, allow_nan: bool, say: Progress
) -> dict[str, Trials]:
    """All trials, each with the LLRs of models that have seen neither of its speakers."""
    is_target = folds.trials.labels
    places = systems.split(np.arange(len(is_target)))

    def work(part: Part) -> dict[str, Both]:
        train, test = (
            [every[some] for every, some in zip(places, both, strict=True)]
            for both in (part.train, part.test)
        )
        rows = np.concatenate(train)
        speakers = None if systems.speakers is None else systems.speakers[rows]
        some = replace(systems, scores=systems.scores[rows], speakers=speakers)
        models = train_systems(replace(some, is_target=is_target[rows]), alpha, allow_nan=allow_nan)
        tar, rows = len(test[0]), np.concatenate(test)
        llrs = {
            label: one.answers(_scores_for(one, systems)[rows])[0] for label, one in models.items()
        }
        return {label: (some[:tar], some[tar:]) for label, some in llrs.items()}

    return folds.answers(work, say)


def system_llrs(model: Fused, systems: Systems) -> Trials:
    """Trials with the LLRs of a model for scores."""
    llrs, notes = model.answers(_scores_for(model, systems))
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
        speaker_names=systems.speaker_names,
    )


def _scores_for(model: Fused, systems: Systems) -> Floats:
    """The scores of those systems that a model is for."""
    absent = [name for name in model.names if name not in systems.names]
    if absent:
        raise OptionError(f"the test trials have no scores of {', '.join(map(repr, absent))}")
    return systems.scores[:, [systems.names.index(name) for name in model.names]]


def fusion_notes(candidates: Mapping[str, Candidate]) -> list[Note]:
    """Whether the fusion, if there is one, is of any use, and which systems are of none."""
    costs = {label: candidate.evaluation.cllr for label, candidate in candidates.items()}
    if FUSION not in costs:
        return []
    fused = costs.pop(FUSION)
    alone = {
        label: cost
        for label, cost in costs.items()
        if len(candidates[label].calibration.names) == 1
    }
    least, best = min((cost, label) for label, cost in alone.items())
    notes = []
    if fused >= least - _ROUNDING:
        text = (
            f"the fusion does not beat the best single system, {best}: Cllr {fused:.4f} against "
            f"{least:.4f}"
        )
        notes.append(Note.warning("not better", text))
    for label, cost in costs.items():
        if label not in alone and cost <= fused:
            text = f"the others do as well without it: Cllr {cost:.4f} against {fused:.4f}"
            notes.append(Note.of("adds nothing", text).about(label.removeprefix(_WITHOUT)))
    return notes
