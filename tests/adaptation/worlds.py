"""Recognizers in training and in the field, and densities straight from the textbook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
from scipy import stats

import llrcal
from llrcal.adaptation.given import Given
from llrcal.adaptation.source import Correction, SourceClass, SourceModel
from llrcal.arrays import Floats
from llrcal.calibrations.adapted import Adapted
from llrcal.calibrations.portrait import ClassPortrait, Portrait
from llrcal.onepass.cells import Cells
from llrcal.onepass.summary import Summary
from tests.trial_sets import normal

Number = Any  # of mpmath

# A recognizer whose classes are Gaussian, in training.
TAR, NON = normal(2000, 3.0, 1.4), normal(20_000, -1.0, 1.0)
# One whose classes no NIG fits.
BIMODAL = np.concatenate([normal(900, -1.0, 0.4), normal(600, 2.0, 0.5)])
SKEWED = np.exp(0.7 * normal(1500, 0.0, 1.0))


def field_scores(
    share: float, *, shift: float = 0.0, wider: float = 1.0, apart: float = 1.0, count: int = 6000
) -> Floats:
    """Evenly drawn scores from a field where both classes have moved, and against each other."""
    targets = round(count * share)
    tar, non = normal(targets, 4.0 * apart - 1.0, 1.4), normal(count - targets, -1.0, 1.0)
    return shift + wider * np.concatenate([tar, non])


def portrait_of_class(scores: Floats) -> ClassPortrait:
    """The portrait of the scores of one class."""
    return ClassPortrait.of(Summary.of(scores))


def source_of(tar: Floats, non: Floats) -> SourceModel:
    """Both classes in training."""
    return SourceModel.of(Portrait(portrait_of_class(tar), portrait_of_class(non)))


def known(
    theta: Sequence[float] | Floats, *, count: float = 1e15, misfit: float = 0.0
) -> SourceClass:
    """A class of which everything is known."""
    one = SourceClass(np.array(theta, float), Cells.empty(), None, misfit, 4.0)
    at = one.theta[0] + np.exp(one.theta[1]) * np.linspace(-6, 6, 121)
    shares = one.densities(one.theta[None, :], at)[0]
    return replace(one, points=Cells(at, count * shares / shares.sum()))


def given(
    scores: Floats | None = None, tar: Floats | None = None, non: Floats | None = None
) -> Given:
    """Scores from the field, of a calibration whose higher scores are better."""
    return Given.of(llrcal.fit(TAR[:50], NON[:50], method="gaussian"), scores, tar, non)


def found(cal: llrcal.Calibration) -> Adapted:
    """What an adaptation has found."""
    assert cal.adapted is not None
    return cal.adapted


def as_cells(values: Sequence[float], counts: Sequence[float] | None = None) -> Cells:
    """Points, which stand for one score each unless more is said."""
    return Cells(np.array(values, float), np.array(counts or [1.0] * len(values), float))


def textbook_nig(theta: Sequence[float] | Floats) -> Any:
    """SciPy's NIG at free coordinates (l, log omega, v, log(1 + c)), by mean and deviation."""
    location, log_omega, v, log1p_c = map(float, theta)
    omega, square = np.exp(log_omega), np.cosh(v) ** 2
    kappa = np.expm1(log1p_c) / square
    mean = location + omega * square * np.tanh(v)
    deviation = omega * square * np.sqrt(1 + kappa) * np.cosh(v)
    eta = np.sqrt(1 + kappa) * np.sinh(v)
    alpha = np.sqrt(kappa + eta**2) / kappa / deviation
    beta = eta / kappa / deviation
    delta = deviation * np.sqrt(kappa) / (kappa + eta**2)
    mu = mean - delta * beta / np.sqrt(alpha**2 - beta**2)
    return stats.norminvgauss(alpha * delta, beta * delta, loc=mu, scale=delta)


def exact_log_nig(theta: Sequence[Number], x: Number) -> Number:
    """The same log density with as many digits as mpmath works with."""
    location, omega, v, c = theta[0], mpmath.exp(theta[1]), theta[2], mpmath.expm1(theta[3])
    square = mpmath.cosh(v) ** 2
    kappa = c / square
    deviation = omega * square * mpmath.sqrt(1 + kappa) * mpmath.cosh(v)
    eta = mpmath.sqrt(1 + kappa) * mpmath.sinh(v)
    y = (x - location - omega * square * mpmath.tanh(v)) / deviation
    u = 1 + eta * y
    q = mpmath.sqrt(u * u + kappa * y * y)
    log_bessel = mpmath.log(mpmath.besselk(1, q / kappa)) + u / kappa
    return log_bessel - mpmath.log(mpmath.pi * deviation * mpmath.sqrt(kappa) * q)


def exact_correction(correction: Correction, z: Number) -> Number:
    """A correction from the coefficients of its spline, constant beyond both ends."""
    held = min(max(z, mpmath.mpf(correction.low)), mpmath.mpf(correction.high))
    spline: Any = correction.spline
    piece = int(np.clip(np.searchsorted(spline.x, float(held), "right") - 1, 0, len(spline.x) - 2))
    rest = held - mpmath.mpf(float(spline.x[piece]))
    value = mpmath.mpf(0)
    for coefficient in spline.c[:, piece].tolist():
        value = value * rest + mpmath.mpf(coefficient)
    return value - mpmath.mpf(correction.log_mass)
