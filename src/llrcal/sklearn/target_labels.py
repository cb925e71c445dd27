"""Which of two labels means target."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from llrcal.arrays import Array
from llrcal.errors import LlrcalWarning, OptionError, ScoreError
from llrcal.inputs.labels import LABEL_OF_WORD, Label


def two_classes(y: Array) -> Array:
    """Both labels, sorted."""
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise ScoreError(  # the first sentence is what scikit-learn's checks look for
            f"Only binary classification is supported. The type of the target is {kind}: "
            "give one label to targets and one to non-targets"
        )
    classes = np.unique(y)
    if len(classes) == 1:
        raise ScoreError(
            f"y has one class only, {shown(classes)}: calibration needs targets and non-targets"
        )
    return classes


def target_index(classes: Array, request: Any) -> int:
    """Which of two sorted labels means target."""
    labels = classes.tolist()
    if request is not None:
        if request not in labels:
            raise OptionError(f"target_label is {request!r}, but y holds {shown(classes)}")
        return int(labels.index(request))
    if classes.dtype.kind in "biuf":
        return 1
    meanings = [LABEL_OF_WORD.get(label) for label in labels]
    if set(meanings) == {Label.TARGET, Label.NONTARGET}:
        return meanings.index(Label.TARGET)
    which = f"target_label={labels[0]!r} or target_label={labels[1]!r}"
    if any(meaning is not None for meaning in meanings):
        raise ScoreError(
            f"y holds {shown(classes)}, which does not show which are the targets: give {which}"
        )
    warnings.warn(
        f"y holds {shown(classes)}, which does not show which are the targets: "
        f"{labels[1]!r} was taken, the last in alphabetical order, as everywhere in scikit-learn. "
        f"To be sure, give {which}",
        LlrcalWarning,
        stacklevel=3,
    )
    return 1


def shown(labels: Any) -> str:
    """Labels as a message names them."""
    return " and ".join(repr(label) for label in np.asarray(labels).tolist())
