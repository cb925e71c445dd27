"""Histograms of both classes, and the densities that generative calibrations fitted to them."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.methods.densities import Generative
from llrcal.onepass.chunks import chunks, map_parts
from llrcal.report.numbers import Numbers, numbers
from llrcal.trials import Trials

BINS = 120
_DIGITS = 6


class Heights(TypedDict):
    """Density of each class at the same places."""

    tar: Numbers
    non: Numbers


class Histogram(Heights):
    """Density in each bin, and how many scores lie beyond the bins."""

    outside: int


def histogram(trials: Trials, view: tuple[float, float]) -> Histogram:
    """Share of each class in each of ``BINS`` equal bins, per unit of score."""
    tar, non = (_counts(scores, view) for scores in (trials.tar, trials.non))
    width = (view[1] - view[0]) / BINS
    outside = len(trials.tar) + len(trials.non) - int(tar.sum() + non.sum())
    return Histogram(
        tar=numbers(tar / (len(trials.tar) * width), digits=_DIGITS),
        non=numbers(non / (len(trials.non) * width), digits=_DIGITS),
        outside=outside,
    )


def densities(calibration: Calibration | None, grid: Floats) -> Heights | None:
    """The two fitted densities of a generative calibration; None for the others."""
    if not isinstance(calibration, Generative):
        return None
    with np.errstate(over="ignore", under="ignore"):
        tar, non = (np.exp(side.logpdf(grid)) for side in (calibration.tar, calibration.non))
    return Heights(tar=numbers(tar, digits=_DIGITS), non=numbers(non, digits=_DIGITS))


def _counts(scores: Array, view: tuple[float, float]) -> Floats:
    def part(piece: Array) -> Floats:
        total = np.zeros(BINS)
        for chunk in chunks(piece):
            total += np.histogram(chunk, bins=BINS, range=view)[0]
        return total

    return np.asarray(sum(map_parts(part, scores)))
