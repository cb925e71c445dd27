"""Models of every kind, and their files."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, Protocol

from llrcal.calibrations.loading import calibration_in
from llrcal.calibrations.model_file import FUSION, document_in
from llrcal.fitting.report import Report


class Model(Protocol):
    """A calibration, or a fusion of systems."""

    @property
    def method(self) -> str:
        """The name of its method."""

    @property
    def description(self) -> str:
        """What it is, in words."""

    @property
    def parameters(self) -> float:
        """How many numbers it learned; infinity if that depends on the scores."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems that it fuses; none of a calibration, which is for any scores."""

    @property
    def report(self) -> Report:
        """How the fit went."""

    def __call__(self, scores: Any, /) -> Any:
        """Log-likelihood-ratios of scores, in nats."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a JSON file; a file is never left half written."""


def load(path: str | PathLike[str], *, edited: bool = False) -> Any:
    """Read a model: a calibration, one by condition, or a fusion, whichever the file says it is.

    Parameters
    ----------
    path
        The file.
    edited
        Whether to read it although its content was changed since it was saved. Save it again to
        sign it, as ``llrcal sign`` does.

    Returns
    -------
    Calibration, Conditioned or Fused
        Equal to the one that was saved.

    Raises
    ------
    ModelFileError
        If this is not a model file, it was changed since it was saved, or anything in it is
        missing, unknown or out of range.

    Examples
    --------
    >>> import llrcal
    >>> cal = llrcal.fit([2.1, 3.0, 1.7, 0.4], [-1.2, 0.1, -2.2, 0.9])
    >>> cal.save("model.json")
    >>> llrcal.load("model.json") == cal
    True
    """
    name = fspath(path)
    document = document_in(name, edited=edited)
    if isinstance(document, dict) and document.get("format") == FUSION:
        from llrcal.fusion.fused import fusion_in  # most models do without

        return fusion_in(document, name)
    return calibration_in(document, name)
