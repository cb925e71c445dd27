"""What each system adds to a fusion: Cllr on trials that it was not trained on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
_Both = tuple[Array, Array]


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
    who = None if speakers is None else both_speakers(speakers, *map(len, columns))
    halves = list(_halves(columns, who))

    def held_out(chosen: list[int]) -> float:
        costs = []
        for train, test in halves:
            tar, non = (side[part][:, chosen] for side, part in zip(columns, train, strict=True))
            model = fusion(tar, non, alpha=alpha)
            tar, non = (side[part][:, chosen] for side, part in zip(columns, test, strict=True))
            costs.append(cllr(model.answers(tar)[0], model.answers(non)[0]))
        return float(np.mean(costs))

    every = list(range(len(systems)))
    without = {}
    if len(systems) > 1:
        without = {name: held_out([k for k in every if k != i]) for i, name in enumerate(systems)}
    return Contributions(
        held_out(every),
        {name: held_out([i]) for i, name in enumerate(systems)},
        without,
        *map(correlations, columns),
    )


def _halves(
    columns: list[Array], speakers: _Both | None
) -> Iterator[tuple[list[Array], list[Array]]]:
    """Trials to train on and to test on, either way, as indices of targets and of non-targets."""
    whole = [np.flatnonzero(~np.isnan(side).any(axis=1)) for side in columns]
    whole = [side[:: max(len(side) // _ENOUGH, 1)] for side in whole]
    if speakers is None:
        first, second = ([side[k::2] for side in whole] for k in (0, 1))
    else:
        ids, count = numbered(*speakers)
        is_first = np.random.default_rng(0).permutation(count) < count / 2
        of_first = [is_first[who[side]] for who, side in zip(ids, whole, strict=True)]
        first = [side[one.all(axis=1)] for side, one in zip(whole, of_first, strict=True)]
        second = [side[~one.any(axis=1)] for side, one in zip(whole, of_first, strict=True)]
    if not all(map(len, (*first, *second))):
        raise ScoreError(
            "there are too few trials to hold half of them out: every half needs trials of both "
            "classes, and no speaker may be in both halves"
        )
    yield first, second
    yield second, first
