"""The training scores of one calibration, or of several that share the passes over them."""

from __future__ import annotations

from functools import cached_property

from llrcal.arrays import ArrayLike, Counts, Floats
from llrcal.errors import OptionError
from llrcal.ranks import Groups, groups, next_above
from llrcal.scores import as_scores, check_finite
from llrcal.summary import Summary


class Training:
    """Target and non-target scores, and what the methods ask of them, each worked out once."""

    def __init__(self, tar: ArrayLike, non: ArrayLike) -> None:
        self._tar = as_scores(tar, "target", allow_infinite=True)
        self._non = as_scores(non, "non-target", allow_infinite=True)
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
            larger = self._non if self.tar_count <= self.non_count else self._tar
            first[above] = next_above(larger, first[above])
        return first

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
