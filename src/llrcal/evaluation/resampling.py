"""Test sets drawn from one: by speaker where speakers are known, by trial otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llrcal.arrays import Array, Floats
from llrcal.evaluation.cells import Counted
from llrcal.evaluation.speaker_draws import SpeakerDraws
from llrcal.evaluation.trial_draws import Joint, drawn_numbers

Pairs = tuple[Array, Array]
"""The enrolment and the test speaker of each target, and of each non-target trial."""

Progress = Callable[[int, int], None]
"""Called with how many sets are done, and how many there are."""


REPLICATES = 1000
"""Sets to draw, unless told otherwise: the ends of an interval hardly depend on the seed."""


def unheard(_done: int, _total: int) -> None:
    """Progress that nobody follows."""


@dataclass(frozen=True)
class Resampling:
    """Drawn test sets, which are the same however often numbers of them are asked for.

    By speaker, they are also the same for other LLRs of the same trials.
    """

    replicates: int
    seed: int
    speakers: SpeakerDraws | None

    @classmethod
    def of(cls, speakers: Pairs | None, *, replicates: int, seed: int) -> Resampling:
        """Draws of so many sets; the speakers are drawn at once."""
        if speakers is None:
            return cls(replicates, seed, None)
        draws = SpeakerDraws.of(*speakers, replicates=replicates, seed=seed)
        return cls(replicates, seed, draws)

    @property
    def by(self) -> str:
        """What is drawn: "trial" or "speaker"."""
        return "trial" if self.speakers is None else "speaker"

    def numbers(self, cells: Counted, progress: Progress = unheard) -> Floats:
        """The numbers of every drawn set: a row a draw."""
        if self.speakers is not None:
            return self.speakers.numbers(cells, progress)
        joint = Joint.of_one(cells.tar), Joint.of_one(cells.non)
        (numbers,) = drawn_numbers(
            [cells], *joint, replicates=self.replicates, seed=self.seed, progress=progress
        )
        return numbers
