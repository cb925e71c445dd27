"""Calibrations from model files: see :mod:`llrcal.calibrations.model_file`."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.conditioned import Conditioned
from llrcal.calibrations.methods import class_of
from llrcal.calibrations.model_file import CalibrationFile, document_in
from llrcal.declaration import field_error, from_json
from llrcal.errors import ModelFileError
from llrcal.messages import Setting
from llrcal.method_table import TABLE

_SHARED = "lower_is_better", "bounds", "margins", "portrait", "report", "adapted"


def load(path: str | PathLike[str]) -> Calibration:
    """Read a calibration of all trials, whatever their condition.

    Raises
    ------
    ModelFileError
        If this is not one, or anything in the file is missing, unknown or out of range.
    """
    name = fspath(path)
    model = calibration_in(document_in(name), name)
    if isinstance(model, Calibration):
        return model
    raise ModelFileError(
        f"{name}: is a calibration by condition, and this needs one that is the same for "
        "all trials: train it without ",
        Setting("condition"),
    )


def calibration_in(document: Any, name: str) -> Calibration | Conditioned:
    """The calibration in a file, which may be one by condition."""
    whole: CalibrationFile = from_json(CalibrationFile, document, name)
    where, model = f"{name}: model", dict(whole.model)
    bayes = bool(TABLE[whole.method].bayes) and "bayes" in model
    if bayes and model.pop("bayes") is not True:
        raise field_error(where, "bayes", "must be true, or left out")
    calibration: Calibration = from_json(
        class_of(whole.method, bayes=bayes),
        model,
        where,
        tar_count=whole.training.tar,
        non_count=whole.training.non,
        speakers=whole.training.speakers,
        **{name: getattr(whole, name) for name in _SHARED},
    )
    with np.errstate(all="ignore"):
        is_sound = _is_sound(calibration)
        if calibration.adapted and calibration.adapted.scores:
            is_sound &= _is_sound(replace(calibration, adapted=None))
    if not is_sound:
        raise ModelFileError(
            f"{where}: its numbers do not go together: LLRs are not finite, or fall"
        )
    return calibration if whole.conditions is None else Conditioned(calibration, whole.conditions)


def _is_sound(calibration: Calibration) -> bool:
    """Whether LLRs are finite, and rise if they are to; the curves that tell are kept."""
    may_fall = calibration.bounds.eer_score is None
    curves = calibration.unbounded, calibration.curve
    return all(curve.is_finite and (may_fall or curve.rises) for curve in curves)
