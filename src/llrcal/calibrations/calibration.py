"""What every calibration is: a frozen map from scores to log-likelihood-ratios."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar, Self

from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.calibrations.fields import Fields
from llrcal.chunks import map_into
from llrcal.fit_report import Report
from llrcal.scores import as_floats, check_finite
from llrcal.training import Training


@dataclass(frozen=True, kw_only=True)
class Calibration(ABC):
    """A fitted calibration: call it on scores to get natural-log likelihood-ratios."""

    tar_count: int
    non_count: int
    report: Report

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
        """Log-likelihood-ratios of a one-dimensional chunk of scores."""

    @abstractmethod
    def to_model(self) -> dict[str, Any]:
        """Everything that ``from_model`` needs, as plain JSON values."""

    @classmethod
    @abstractmethod
    def from_model(cls, model: Fields, **common: Any) -> Self:
        """The calibration that ``to_model`` described."""

    def __call__(self, scores: ArrayLike) -> Floats:
        """Log-likelihood-ratios of scores, in nats and in the shape of ``scores``.

        Raises
        ------
        ScoreError
            If a score is NaN or not a real number.
        """
        array = as_floats(scores, "the")
        check_finite(array, "the", allow_infinite=True)
        return map_into(self._llrs, array)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the calibration to a JSON file; the file appears whole or not at all."""
        from llrcal.calibrations.model_file import save

        save(self, path)

    def __repr__(self) -> str:
        return (
            f"<{self.method} calibration of {self.tar_count} target and {self.non_count} "
            f"non-target scores: {self.report.reason}>"
        )
