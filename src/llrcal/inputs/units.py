"""LLRs in other units than nats, which are those of natural logarithms."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import OptionError
from llrcal.messages import Setting

Unit = Literal["nats", "log10", "bits", "ratio"]
UNITS = {"nats": 1.0, "log10": math.log(10), "bits": math.log(2)}
"""The number of nats in one unit of each logarithm."""


def nats(values: Array, unit: str) -> Array:
    """LLRs in some unit, or plain likelihood-ratios, as natural logarithms."""
    if unit in UNITS:
        return np.asarray(values) * UNITS[unit]
    if unit != "ratio":
        raise OptionError(Setting("units", unit), f": choose one of {', '.join(get_args(Unit))}")
    if (values < 0).any():
        raise OptionError("a likelihood-ratio cannot be negative; are these logarithms?")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))
