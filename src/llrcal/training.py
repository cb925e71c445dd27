"""The training scores of one calibration, or of several that share the passes over them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from llrcal.arrays import Array, ArrayLike, Counts, Floats
from llrcal.chunks import map_parts
from llrcal.errors import OptionError
from llrcal.ranks import Groups, groups, next_above
from llrcal.scores import as_scores, check_finite
from llrcal.summary import Summary


class Training:
    """Target and non-target scores, and what the methods ask of them, each worked out once."""

    def __init__(self, tar: ArrayLike, non: ArrayLike, *, lower_is_better: bool = False) -> None:
        self._tar = as_scores(tar, "target", allow_infinite=True)
        self._non = as_scores(non, "non-target", allow_infinite=True)
        if lower_is_better:
            self._tar, self._non = -self._tar, -self._non
        self.tar_count = len(self._tar)
        self.non_count = len(self._non)

    @cached_property
    def tar(self) -> Summary:
        """Summary of the target scores."""
        check_finite(self._tar, "target")
        return Summary.of(self._tar)

    @cached_property
    def non(self) -> Summary:
        """Summary of the non-target scores."""
        check_finite(self._non, "non-target")
        return Summary.of(self._non)

    @cached_property
    def groups(self) -> Groups:
        """Both classes in rising order, pooled where nothing can bend."""
        return groups(self._tar, self._non)

    def first_scores(self, which: Counts) -> Floats:
        """The smallest score in each of some groups."""
        first, above = self.groups.low[which], self.groups.above[which]
        if above.any():
            first[above] = next_above(self._larger, first[above])
        return first

    @cached_property
    def score_range(self) -> tuple[float, float]:
        """Least and greatest score of both classes together.

        Whatever the methods have worked out before knows them, but for scores of the larger class
        above all others: groups do not tell the greatest of those.
        """
        if "tar" in vars(self) and "non" in vars(self):
            sides = self.tar, self.non
            return min(side.least for side in sides), max(side.greatest for side in sides)
        low, above = self.groups.low, self.groups.above
        greatest = max(map_parts(np.max, self._larger)) if above[-1] else low[-1]
        return float(low[0]), float(greatest)

    @property
    def _larger(self) -> Array:
        return self._non if self.tar_count <= self.non_count else self._tar

    @property
    def empirical_alpha(self) -> float:
        """The share of targets, T / (T + N)."""
        return self.tar_count / (self.tar_count + self.non_count)

    def weight(self, alpha: float | str) -> float:
        """The weight of the targets as a number.

        Raises
        ------
        OptionError
            If ``alpha`` is neither a number strictly between 0 and 1 nor "empirical".
        """
        if alpha == "empirical":
            return self.empirical_alpha
        is_number = isinstance(alpha, int | float) and not isinstance(alpha, bool)
        if not is_number or not 0 < float(alpha) < 1:
            raise OptionError(
                f'alpha is {alpha!r}; give a number strictly between 0 and 1, or "empirical"'
            )
        return float(alpha)
