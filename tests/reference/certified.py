"""Data sets whose maximum-likelihood densities are known to many digits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from llrcal.arrays import Floats

FOLDER = Path(__file__).parent / "densities"
NAMES = sorted(path.stem for path in FOLDER.glob("*.csv"))


def values(name: str) -> Floats:
    return np.loadtxt(FOLDER / f"{name}.csv", skiprows=1)


def optima(name: str) -> dict[str, Any]:
    """The certified parameters and log-likelihoods, by family of densities."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
