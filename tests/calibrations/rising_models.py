"""Calibrations with densities of any shape, which no scores need to have led to."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from llrcal.calibrations import Bounds
from llrcal.calibrations.bounds import POLICIES
from llrcal.calibrations.methods.densities import Generative, NIGCalibration, StudentTCalibration
from llrcal.calibrations.methods.gaussian import GaussianCalibration
from llrcal.densities.density import Density
from llrcal.fitting.report import Report

CLASSES: tuple[type[Generative], ...] = (GaussianCalibration, StudentTCalibration, NIGCalibration)
_REPORT = Report(True, "made by hand", 0, 0.0, 0.0, 0, True)


def model(kind: type[Generative], rng: Generator) -> Generative:
    """Two densities, training scores around them, and a meeting point anywhere among these."""
    origin = float(rng.choice([0, 0, 1, 1e6]))
    tar, non = (_density(kind, rng, origin) for _ in range(2))
    wide = max(abs(tar.location - non.location), tar.scale, non.scale) * rng.choice([1, 3, 10, 100])
    middle = origin + rng.choice([tar.location, non.location, (tar.location + non.location) / 2])
    low, high = float(middle - wide * rng.random()), float(middle + wide * rng.random())
    meeting = rng.choice([low, high, rng.uniform(low, high)])
    policy = str(rng.choice(POLICIES))
    return kind(
        tar=tar,
        non=non,
        bounds=Bounds.of(policy, low, high, eer_score=float(meeting)),
        tar_count=int(10 ** rng.uniform(1, 5)),
        non_count=int(10 ** rng.uniform(1, 5)),
        lower_is_better=bool(rng.random() < 0.5),
        report=_REPORT,
    )


def _density(kind: type[Generative], rng: Generator, origin: float) -> Density:
    """Round numbers among others, so that both densities often share some."""
    location = rng.choice([0, 1, -1, rng.integers(-4, 5) / 4, rng.normal(), 1e3 * rng.normal()])
    log_scale = rng.choice([0, math.log(2), 1e-9 * rng.normal(), rng.normal(), 5 * rng.normal()])
    small, some = np.exp(-15 * rng.random()), rng.random()
    more = {
        "gaussian": (),
        "student-t": (rng.choice([0, 0.1, 1, 10, small, some, 10 * some]),),
        "nig": (rng.choice([0, 1, 3]) * rng.normal(), rng.choice([1, small, some, 3 * some])),
    }[kind.method]
    values = (location, math.exp(log_scale), *more)
    return kind.family(origin, math.nan, *(float(value) for value in values))
