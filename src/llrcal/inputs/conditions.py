"""The conditions of trials: one text for each, or several in columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import ScoreError


def condition_texts(conditions: Any, count: int, what: str) -> Array:
    """Conditions as trials x columns of text; those that are missing (None, NaN) are empty.

    Raises
    ------
    ScoreError
        If there is not one row for each trial.
    """
    array = np.asarray(conditions, dtype=object)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or len(array) != count:
        raise ScoreError(
            f"{what} conditions have shape {np.shape(conditions)}; pass one for each of {count} "
            "trials"
        )
    return np.asarray(np.frompyfunc(_text, 1, 1)(array))


def _text(value: object) -> str:
    missing = value is None or (isinstance(value, float) and np.isnan(value))
    return "" if missing else str(value)
