"""A calibration whose densities have moved, of any kind that has densities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from llrcal.adaptation.move import Place, coordinates
from llrcal.arrays import Floats
from llrcal.calibrations.bayes.sampled import KeptDraws, SampledBayes
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.generative import Generative
from llrcal.densities.density import Density
from llrcal.errors import OptionError

_METHODS = ("gaussian", "student-t", "nig")


def has_densities(calibration: Calibration) -> bool:
    """Whether a calibration can be moved to another place."""
    return getattr(calibration, "method", "") in _METHODS and isinstance(
        calibration, Generative | SampledBayes
    )


def densities_of(calibration: Calibration) -> tuple[Density, Density]:
    """The densities of targets and non-targets; of draws, the one in their middle.

    Raises
    ------
    OptionError
        If the calibration has none; the message says what to do.
    """
    if has_densities(calibration) and isinstance(calibration, Generative):
        return calibration.tar, calibration.non
    if has_densities(calibration) and isinstance(calibration, SampledBayes):
        return _middle(calibration.tar), _middle(calibration.non)
    name = getattr(calibration, "method", type(calibration).__name__)
    raise OptionError(
        f"a {name} calibration has no densities that could be moved to another place; train "
        "gaussian, student-t or nig (the best of them with many trials) on the labelled scores, "
        "and adapt that"
    )


def moved_calibration(calibration: Calibration, place: Place, moves: Floats) -> Calibration:
    """The calibration with its densities moved, and everything else as it is."""
    tar, non = (side.theta for side in place.moved(moves))
    if isinstance(calibration, Generative):
        return replace(
            calibration,
            tar=_density(place, tar, calibration.tar.loglik),
            non=_density(place, non, calibration.non.loglik),
        )
    if not isinstance(calibration, SampledBayes):
        raise TypeError(type(calibration))
    return replace(
        calibration,
        tar=_moved_draws(calibration.tar, place, tar - place.tar),
        non=_moved_draws(calibration.non, place, non - place.non),
    )


def _density(place: Place, theta: Floats, loglik: float) -> Density:
    density = place.family.from_coordinates(theta, origin=place.origin, unit=place.unit)
    return replace(density, loglik=loglik)


def _middle(draws: KeptDraws) -> Density:
    """The density at the mean of the coordinates of draws."""
    row = np.array(draws.coordinates) @ np.array(draws.weights)
    free = draws.shapes.free(row[None, :])[0]
    density = draws.shapes.family.from_coordinates(free, origin=draws.origin, unit=draws.spread)
    return replace(density, location=density.location + draws.middle, loglik=0.0)


def _moved_draws(draws: KeptDraws, place: Place, change: Floats) -> KeptDraws:
    """Draws around the density in their middle, moved with it in the free coordinates."""
    middle = coordinates(_middle(draws), draws.origin + draws.middle, draws.spread)
    rows = draws.shapes.free(np.array(draws.coordinates).T)
    rows[:, 2:] += change[2:]
    columns = draws.shapes.from_free(rows).T
    wider = float(np.exp(change[1]))
    # Where the middle of the draws, which is zero in their units, goes.
    away = middle[0] * (1 - wider) * draws.spread + change[0] * place.unit
    moved = replace(draws, middle=draws.middle + away, spread=draws.spread * wider)
    return moved.with_coordinates(columns)
