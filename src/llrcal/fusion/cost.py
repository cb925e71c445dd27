"""The criterion of a fusion without its prior."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from llrcal.arrays import Floats
from llrcal.densities.density import Evaluated
from llrcal.fitting.logistic import effective_sample_size, log_odds
from llrcal.fusion.passes import InMemory, Pass, Trials
from llrcal.fusion.terms import Terms
from llrcal.scoring_rule import logistic_terms


@dataclass(frozen=True)
class Cost:
    """Over trials, wherever they are: each call is a pass over them."""

    terms: Terms
    trials: Trials
    sample: InMemory
    counts: tuple[int, int]
    """How many targets and non-targets there are."""
    alpha: float

    @classmethod
    def of(cls, trials: Trials, systems: int, alpha: float) -> Cost:
        """The criterion of trials with scores of so many systems."""
        tar, non = trials.looks()
        sample = InMemory(tar.sample(systems), non.sample(systems))
        return cls(Terms.of(tar, non, systems), trials, sample, (len(tar), len(non)), alpha)

    def thinned(self) -> Cost:
        """The same criterion on a sample, if there are more trials than enough."""
        counts = len(self.sample.tar), len(self.sample.non)
        return Cost(self.terms, self.sample, self.sample, counts, self.alpha)

    @property
    def effective_sample_size(self) -> float:
        """How many trials those of both classes are worth together."""
        return float(effective_sample_size(self.alpha, *self.counts))

    @property
    def share(self) -> float:
        """The share of the targets among the trials."""
        return self.counts[0] / sum(self.counts)

    def __call__(self, weights: Floats) -> Evaluated:
        """Value, gradient and Hessian, to the same bits for trials in any order and division."""
        work = self._pass(weights)
        tar, non = self.trials.sums(work)
        of_tar, of_non = work.derivatives(tar, -1.0), work.derivatives(non, 1.0)
        size = self.effective_sample_size
        in_tar, in_non = size * self.alpha, size * (1 - self.alpha)
        return Evaluated(
            in_tar * of_tar[0] + in_non * of_non[0],
            in_tar * of_tar[1] + in_non * of_non[1],
            in_tar * of_tar[2] + in_non * of_non[2],
        )

    def is_separable(self, weights: Floats) -> bool:
        """Whether every target has a higher LLR than every non-target."""
        work = self._pass(weights)
        for trials in (self.sample, self.trials):  # most sets overlap in any sample
            tar, non = trials.sums(work)
            if non.greatest >= -tar.greatest:
                return False
        return True

    def pulls(self, weights: Floats) -> Iterator[Floats]:
        """What each trial adds to the gradient, one column for each; one array for each class.

        The trials must be in memory.
        """
        if not isinstance(self.trials, InMemory):
            raise TypeError("these trials are not in memory")
        for side, sign, share, count in (
            (self.trials.tar, -1.0, self.alpha, self.counts[0]),
            (self.trials.non, 1.0, 1 - self.alpha, self.counts[1]),
        ):
            rows = self.terms.rows(side, inside=True)
            x = sign * (weights @ rows + log_odds(self.alpha))
            pull = logistic_terms(x)[1]
            yield (sign * self.effective_sample_size * share / count) * rows * pull

    def _pass(self, weights: Floats) -> Pass:
        return Pass(self.terms, tuple(weights.tolist()), log_odds(self.alpha))
