"""Writing a calibration as code that needs neither llrcal nor Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from llrcal.calibrations.calibration import Calibration
from llrcal.errors import OptionError
from llrcal.exports.onnx_model import onnx_model
from llrcal.exports.sources import FORMS, source
from llrcal.files.atomic import write_atomically
from llrcal.messages import Setting
from llrcal.version import __version__

LANGUAGES = (*FORMS, "onnx")
_ENDINGS = {".c": "c", ".h": "c", ".cpp": "c", ".js": "js", ".onnx": "onnx"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Exported:
    """What was written."""

    to: str
    pieces: int
    largest_error: float
    """The largest difference from the formula of the method that was seen over the training range,
    in nats, relative above one. The function gives the bits that the calibration gives."""


def export(
    calibration: Calibration, path: str | PathLike[str], *, to: str | None = None, name: str = "llr"
) -> Exported:
    """Write a calibration as a function of the score for another language.

    The function needs no library, and gives natural-log likelihood-ratios: the bits that the
    calibration itself gives. See docs/export.md.

    Parameters
    ----------
    calibration
        Of any method.
    path
        The file to write.
    to
        ``"c"`` (which C++ compiles, too), ``"js"`` or ``"onnx"``; by default what the ending of
        the file says.
    name
        Of the function; for ONNX, of the graph.

    Raises
    ------
    OptionError
        If the language is unknown or does not follow from the ending, or the name is no identifier.

    Examples
    --------
    >>> import llrcal, tempfile
    >>> cal = llrcal.fit([2.1, 3.0, 1.7, 0.4], [-1.2, 0.1, -2.2, 0.9])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     exported = llrcal.export(cal, f"{folder}/llr.c")
    >>> exported.to, exported.largest_error < 1e-9
    ('c', True)
    """
    language = to or _ENDINGS.get(Path(fspath(path)).suffix.lower())
    if language is None:
        raise OptionError(
            f"the ending of {fspath(path)} does not say what to write; choose ",
            Setting("to", "c"),
            f" or another of {', '.join(LANGUAGES)}",
        )
    if language not in LANGUAGES:
        raise OptionError(f"to is {language!r}; choose one of {', '.join(LANGUAGES)}")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise OptionError(
            f"name is {name!r}; give letters, digits and underscores that do not start with a digit"
        )
    curve, words = calibration.curve, _description(calibration)
    made = (
        source(language, curve, name, words)
        if language in FORMS
        else onnx_model(curve, name, words)
    )
    write_atomically(path, made)
    return Exported(language, len(curve.rows), curve.error)


def _description(calibration: Calibration) -> list[str]:
    """What a reader of the file should know, in lines."""
    low, high = calibration.training_range
    better = "lower" if calibration.lower_is_better else "higher"
    return [
        "Log-likelihood-ratio (natural logarithm) of a score.",
        f"Method {calibration.method}, bounds {calibration.bounds.policy}; {better} is better.",
        f"Trained on {calibration.tar_count:,} target and {calibration.non_count:,} non-target "
        f"scores from {low:.6g} to {high:.6g}.",
        f"Within {calibration.curve.error:.1e} of the formula over these scores.",
        f"Written by llrcal {__version__}.",
    ]
