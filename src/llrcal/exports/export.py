"""Writing a calibration as code that needs neither llrcal nor Python."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from llrcal.calibrations.calibration import Calibration
from llrcal.errors import OptionError
from llrcal.exports.accuracy import largest_difference
from llrcal.exports.names import what_is_wrong_with
from llrcal.exports.onnx_model import onnx_model
from llrcal.exports.sources import FORMS, source
from llrcal.files.atomic import write_atomically
from llrcal.files.marks import EXPORT
from llrcal.messages import Setting
from llrcal.version import __version__

LANGUAGES = (*FORMS, "onnx")
_ENDINGS = {".c": "c", ".h": "c", ".cpp": "c", ".js": "js", ".onnx": "onnx"}
_TOLERANCE = 1e-6
# What is claimed beyond the largest difference that was seen, since not all scores are looked at:
# a quarter of it, and what formulas themselves round.
_MORE, _ROUNDING = 1.25, 1e-13


@dataclass(frozen=True)
class Exported:
    """What was written."""

    to: str
    pieces: int
    largest_error: float
    """How far LLRs are from the formula of the method at most, in nats, relative above one: at the
    scores of training, and beyond them. It is the largest difference that was seen at thousands of
    scores, and a quarter more. The function gives the bits that the calibration gives."""


def export(
    calibration: Calibration, path: str | PathLike[str], *, to: str | None = None, name: str = "llr"
) -> Exported:
    """Write a calibration as a function of the score for another language.

    The function needs no library, and gives natural-log likelihood-ratios: the bits that the
    calibration itself gives. See docs/export.md.

    Parameters
    ----------
    calibration
        Of any method; no fusion, and none by condition.
    path
        The file to write.
    to
        ``"c"`` (which C++ compiles, too), ``"js"`` or ``"onnx"``; by default what the ending of
        the file says.
    name
        Of the function; for ONNX, of the graph. It is a name in C, C++ and JavaScript alike.

    Raises
    ------
    OptionError
        If the language is unknown or does not follow from the ending, the name means something
        else in one of the languages, what is given is no calibration of one score, or LLRs would be
        more than 1e-6 from its formula.

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
    if problem := what_is_wrong_with(name):
        raise OptionError(f"name is {name!r}; {problem}")
    if not isinstance(calibration, Calibration):
        raise OptionError(
            "fusions and calibrations by condition are not exported; give a calibration of the "
            "scores of one system that is the same for all trials"
        )
    error = _largest_error(calibration)
    curve, words = calibration.curve, _description(calibration, error)
    made = (
        source(language, curve, name, words)
        if language in FORMS
        else onnx_model(curve, name, words)
    )
    write_atomically(path, made, EXPORT)
    return Exported(language, len(curve.rows), error)


def _largest_error(calibration: Calibration) -> float:
    """How far LLRs are from the formula at most, which is not far."""
    seen = largest_difference(calibration)
    error = _MORE * seen.size + _ROUNDING
    if not error <= _TOLERANCE:
        raise OptionError(
            f"the calibration cannot be exported: at a score of {seen.score:.6g}, LLRs would be "
            f"{seen.size:.1e} nats from its formula (relative above one), more than {_TOLERANCE:g}."
            " Train it again without scores that are far from all others"
        )
    return error


def _description(calibration: Calibration, error: float) -> list[str]:
    """What a reader of the file should know, in lines."""
    low, high = calibration.training_range
    better = "lower" if calibration.lower_is_better else "higher"
    return [
        "Log-likelihood-ratio (natural logarithm) of a score.",
        f"Method {calibration.method}, bounds {calibration.bounds.policy}; {better} is better.",
        f"Trained on {calibration.tar_count:,} target and {calibration.non_count:,} non-target "
        f"scores from {low:.6g} to {high:.6g}.",
        f"Within {error:.1e} nats of the formula at any score, relative above one.",
        f"Written by llrcal {__version__}.",
    ]
