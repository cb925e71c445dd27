"""What each system adds to a fusion: Cllr on trials that it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.errors import ScoreError
from llrcal.evaluation.costs import cllr
from llrcal.fusion.fuse import correlations, fusion
from llrcal.fusion.inputs import Scores, as_columns, as_names
from llrcal.inputs.beside_scores import Speakers, both_speakers, numbered
from llrcal.notes import Note

_ENOUGH = 20_000  # trials of a class


@dataclass(frozen=True)
class Contributions:
    """Cllr of a fusion, of each system alone, and of the fusion of all others."""

    fused: float
    alone: dict[str, float]
    without: dict[str, float]
    """Empty if there is only one system."""
    tar_correlations: Floats
    non_correlations: Floats

    @property
    def notes(self) -> tuple[Note, ...]:
        """Whether the fusion is of any use, and which systems are of none."""
        best = min(self.alone, key=lambda name: self.alone[name])
        notes = []
        if self.without and self.fused >= self.alone[best]:
            text = (
                f"the fusion does not beat the best single system, {best}: Cllr {self.fused:.4f} "
                f"against {self.alone[best]:.4f} on trials held out"
            )
            notes.append(Note.warning("not better", text))
        for name, other in self.without.items():
            if other <= self.fused:
                text = f"the others do as well without it: Cllr {other:.4f} held out"
                notes.append(Note.of("adds nothing", text).about(name))
        return tuple(notes)


def contributions(
    tar: Scores,
    non: Scores,
    *,
    names: Sequence[str] | None = None,
    alpha: float | str = 0.5,
    speakers: Speakers | None = None,
) -> Contributions:
    """What each system adds, by training on one half of the trials and testing on the other.

    Parameters
    ----------
    tar, non, names, alpha, speakers
        As for :func:`llrcal.fuse`. If speakers are known, none of them is in both halves. Trials of
        which a system has no score are left out, and of very many trials a sample is taken.

    Raises
    ------
    ScoreError
        If scores cannot be used, or a half has no trials of a class.

    Examples
    --------
    >>> import numpy as np
    >>> from llrcal.fusion import contributions
    >>> rng = np.random.default_rng(1)
    >>> tar, non = (rng.normal(mean, 1, (300, 2)) for mean in (1, -1))
    >>> found = contributions(tar, non, names=["cosine", "plda"])
    >>> found.fused < min(found.alone.values())
    True
    """
    systems = as_names(names, tar, "system")
    columns = [
        as_columns(side, systems, f"{what} scores", holes=True)
        for side, what in ((tar, "target"), (non, "non-target"))
    ]
    halves = _halves(columns, speakers)

    def held_out(chosen: list[int]) -> float:
        costs = []
        for train, test in (halves, halves[::-1]):
            model = fusion(*(side[:, chosen] for side in train), alpha=alpha)
            costs.append(cllr(*(model.answers(side[:, chosen])[0] for side in test)))
        return float(np.mean(costs))

    every = list(range(len(systems)))
    without = {}
    if len(systems) > 1:
        without = {name: held_out([k for k in every if k != i]) for i, name in enumerate(systems)}
    return Contributions(
        held_out(every),
        {name: held_out([i]) for i, name in enumerate(systems)},
        without,
        *(correlations(side[~np.isnan(side).any(axis=1)]) for side in columns),
    )


def _halves(columns: list[Array], speakers: Speakers | None) -> list[list[Array]]:
    """Targets and non-targets that have every score, in two halves that share no speaker."""
    every = [np.flatnonzero(~np.isnan(side).any(axis=1)) for side in columns]
    every = [some[:: max(len(some) // _ENOUGH, 1)] for some in every]
    # How many of the two speakers of each trial are in the first half; or every other trial is.
    in_first = [2 - 2 * (np.arange(len(some)) % 2) for some in every]
    if speakers is not None:
        ids, count = numbered(*both_speakers(speakers, *map(len, columns)))
        is_first = np.random.default_rng(0).permutation(count) < count / 2
        in_first = [is_first[who[some]].sum(axis=1) for who, some in zip(ids, every, strict=True)]
    sides = list(zip(columns, every, in_first, strict=True))
    halves = [[side[some[first == two]] for side, some, first in sides] for two in (2, 0)]
    if not all(len(side) for half in halves for side in half):
        raise ScoreError(
            "there are too few trials to hold half of them out: every half needs trials of both "
            "classes, and no speaker may be in both halves"
        )
    return halves
