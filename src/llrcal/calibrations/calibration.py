"""What every calibration is: a frozen map from scores to log-likelihood-ratios."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np

from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.calibrations.bounds import UNBOUNDED, Bounds, supported_llrs
from llrcal.calibrations.fields import Fields
from llrcal.calibrations.thresholds import Interval, regions
from llrcal.calibrations.training import Training
from llrcal.fitting.report import Report
from llrcal.inputs.scores import as_floats, check_finite
from llrcal.onepass.chunks import map_into


@dataclass(frozen=True, kw_only=True)
class Calibration(ABC):
    """A fitted calibration: call it on scores to get natural-log likelihood-ratios.

    Where lower scores are better, as with distances, it was trained on the negated scores, and
    ``params`` and ``bounds`` are theirs. All else takes and gives the scores as they are.
    """

    tar_count: int
    non_count: int
    report: Report
    bounds: Bounds = UNBOUNDED
    """What is answered beyond the training scores."""
    lower_is_better: bool = False

    method: ClassVar[str]
    options: ClassVar[tuple[str, ...]] = ()
    """Names of the options that ``fit`` takes."""

    @classmethod
    @abstractmethod
    def fit(cls, data: Training) -> Self:
        """Train on target and non-target scores."""

    @property
    @abstractmethod
    def params(self) -> dict[str, Any]:
        """The parameters, by their names in the literature, as plain numbers."""

    @abstractmethod
    def _llrs(self, scores: Array) -> Floats:
        """Log-likelihood-ratios of a one-dimensional chunk of scores, by the formula."""

    def _turns(self, low: float, high: float) -> Floats:
        """Scores between two others where the formula stops rising or falling.

        None, as here, for a formula that never turns. A few too many do no harm.
        """
        return np.empty(0)

    @abstractmethod
    def to_model(self) -> dict[str, Any]:
        """Everything that ``from_model`` needs, as plain JSON values."""

    @classmethod
    @abstractmethod
    def from_model(cls, model: Fields, **common: Any) -> Self:
        """The calibration that ``to_model`` described."""

    @property
    def training_range(self) -> tuple[float, float]:
        """Least and greatest training score, of both classes together."""
        low, high = self.bounds.lowest_score, self.bounds.highest_score
        return (-high, -low) if self.lower_is_better else (low, high)

    @property
    def supported_llrs(self) -> tuple[float, float]:
        """Least and greatest LLR that the number of training trials can support."""
        return supported_llrs(self.tar_count, self.non_count)

    def __call__(self, scores: ArrayLike) -> Floats:
        """Log-likelihood-ratios of scores, in nats and in the shape of ``scores``.

        Raises
        ------
        ScoreError
            If a score is NaN or not a real number.
        """
        array = as_floats(scores, "the")
        check_finite(array, "the", allow_infinite=True)
        return map_into(self._llrs_of_raw, array)

    def _llrs_of_raw(self, scores: Array) -> Floats:
        scores = scores.astype(np.float64, copy=False)
        return self._bounded_llrs(-scores if self.lower_is_better else scores)

    def _bounded_llrs(self, scores: Floats) -> Floats:
        if self.bounds.policy == "none":
            return self._llrs(scores)
        llrs = self._llrs(np.clip(scores, *self.bounds.reach))
        return np.clip(llrs, *self.supported_llrs) if self.bounds.policy == "counts" else llrs

    def regions(self, llr: float) -> tuple[Interval, ...]:
        """The scores whose LLR is at least ``llr``, as closed intervals in rising order.

        There may be none, and there may be several, where the LLR rises and falls. Each end is the
        last double to be accepted: its neighbour outside is not. Linear methods and PAV accept a
        score exactly if it lies in an interval. So do the others, but for scores whose LLR differs
        from ``llr`` by no more than its rounding errors (NIG: 1e-9; relative above one).

        Raises
        ------
        OptionError
            If ``llr`` is NaN, or no number.

        Examples
        --------
        >>> import llrcal
        >>> cal = llrcal.fit([2.0, 9.0], [-1.0, 1.0, 0.0], method="pav")
        >>> cal.regions(0.0)
        (Interval(low=2.0, high=inf),)
        """
        return regions(self, self._places, llr)

    @cached_property
    def _places(self) -> Floats:
        """Scores between which the LLR nowhere turns, from one end of the axis to the other."""
        places = self._turns_and_ends(*self.bounds.reach)
        places = np.concatenate([[-np.inf], places, [np.inf]])
        return np.unique(-places if self.lower_is_better else places)

    @cached_property
    def llr_range(self) -> tuple[float, float]:
        """Least and greatest LLR within the range of the training scores."""
        bounds = self.bounds
        llrs = self._bounded_llrs(self._turns_and_ends(bounds.lowest_score, bounds.highest_score))
        return float(llrs.min()), float(llrs.max())

    def _turns_and_ends(self, low: float, high: float) -> Floats:
        turns = self._turns(low, high)
        return np.concatenate([[low], turns[(low < turns) & (turns < high)], [high]])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the calibration to a JSON file; the file appears whole or not at all."""
        from llrcal.calibrations.model_file import save

        save(self, path)

    def __repr__(self) -> str:
        return (
            f"<{self.method} calibration of {self.tar_count} target and {self.non_count} "
            f"non-target scores: {self.report.reason}>"
        )
