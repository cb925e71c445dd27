"""The bootstrap for several sets of LLRs of the same trials, all on the same drawn sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.cells import Cells
from llrcal.evaluation.resampling import Pairs
from llrcal.evaluation.speaker_draws import SpeakerDraws
from llrcal.evaluation.trial_draws import Joint, Runs, drawn_numbers
from llrcal.scoring_rule import ScoringRule


class PairedBootstrap:
    """Draws of one test set: by speaker where speakers are given, by trial otherwise.

    LLRs are added one set after the other, and only what the draws need is kept of them. Those that
    rise with the ``scores`` of the test set cost least. ``speakers`` are integers of shape (trials,
    2) for either class: the enrolment and the test speaker of each trial.
    """

    def __init__(
        self,
        scores: tuple[Array, Array],
        speakers: Pairs | None,
        *,
        prior_log_odds: Sequence[float],
        curve: Floats,
        rules: Sequence[ScoringRule] = (),
        replicates: int,
        seed: int = 0,
    ) -> None:
        self._points, self._curve = np.array(prior_log_odds, np.float64), curve
        self._rules, self._replicates, self._seed = rules, replicates, seed
        self._done: list[Replicates] = []
        self._cells: list[Cells] = []
        self._runs: tuple[list[Runs], list[Runs]] = ([], [])
        self._speakers: SpeakerDraws | None = None
        self._order: list[Counts] = []
        if speakers is None:
            self._order = [np.argsort(side, kind="stable") for side in scores]
        else:
            self._speakers = SpeakerDraws.of(*speakers, replicates=replicates, seed=seed)

    def add(self, tar: Array, non: Array) -> None:
        """One more set of LLRs."""
        asked = {"prior_log_odds": self._points, "curve": self._curve}
        cells = Cells.of(tar, non, **asked, rules=self._rules)
        if self._speakers is not None:
            numbers = self._speakers.numbers(cells)
            self._done.append(Replicates.of(cells, numbers, by="speaker"))
            return
        sides = (cells.tar, cells.non)
        for runs, side, order in zip(self._runs, sides, self._order, strict=True):
            runs.append(Runs.of(side.cell, order))
        # The cell of each trial is in the runs: millions of them need not be kept as well.
        self._cells.append(cells.counted)

    def replicates(self) -> list[Replicates]:
        """The numbers of every set of LLRs that was added, in that order."""
        if self._speakers is not None or not self._cells:
            return self._done
        joint = [
            Joint.of_runs(runs, len(order))
            for runs, order in zip(self._runs, self._order, strict=True)
        ]
        drawn = drawn_numbers(self._cells, *joint, replicates=self._replicates, seed=self._seed)
        return [
            Replicates.of(cells, numbers, by="trial")
            for cells, numbers in zip(self._cells, drawn, strict=True)
        ]
