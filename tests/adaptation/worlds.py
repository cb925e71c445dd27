"""Recognizers of known truth, in training and in the field."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.adapted import Adapted, Estimate

Draw = Callable[[np.random.Generator, int], Floats]
Both = tuple[Floats, Floats]
"""Scores of targets and of non-targets."""

# Targets and non-targets of each family; the non-targets have a deviation of about one.
FAMILIES: dict[str, tuple[Draw, Draw]] = {
    "Gaussian": (lambda r, n: r.normal(3, 1, n), lambda r, n: r.normal(0, 1, n)),
    "heavy tails": (
        lambda r, n: 3.5 + 0.8 * r.standard_t(4, n),
        lambda r, n: 0.8 * r.standard_t(4, n),
    ),
    "skewed": (lambda r, n: 5 - r.gamma(3, 0.6, n), lambda r, n: r.gamma(3, 0.6, n) - 1.8),
    "bimodal": (
        lambda r, n: r.normal(3.2, 0.7, n) + r.choice([-0.8, 0.8], n),
        lambda r, n: r.normal(0, 0.7, n) + r.choice([-0.8, 0.8], n),
    ),
    "bounded": (lambda r, n: 6 * r.beta(7, 2, n), lambda r, n: 6 * r.beta(3, 6, n)),
}
SHARE, COUNT = 0.1, 2000  # of targets in the field; of unlabelled scores


def _both(change: Callable[[np.random.Generator, Floats], Floats], share: float = SHARE) -> Any:
    return change, change, share


# What happens to targets and to non-targets between training and the field; and the share there.
CHANGES: dict[str, Any] = {
    "none": _both(lambda _, x: x),
    "shift": _both(lambda _, x: x + 2),
    "scale": _both(lambda _, x: 1.7 * x),
    "noise": _both(lambda r, x: x + r.normal(0, 1, len(x))),
    "distance": (lambda _, x: x, lambda _, x: x + 1, SHARE),
    "sink": (lambda _, x: x - 1.5, lambda _, x: x, SHARE),
    "clip": _both(lambda _, x: np.clip(x, -0.5, 3.0)),
    "share": _both(lambda _, x: x, share=0.4),
}


class World:
    """Scores of training, and of a field where they have changed."""

    def __init__(self, family: str, change: str = "none", count: int = 300, seed: int = 0) -> None:
        tar, non = FAMILIES[family]
        by_tar, by_non, share = CHANGES[change]
        rng = np.random.default_rng([seed, count])
        self.training: Both = tar(rng, count), non(rng, 10 * count)

        def there(of_tar: int, of_non: int) -> Both:
            return by_tar(rng, tar(rng, of_tar)), by_non(rng, non(rng, of_non))

        targets = round(share * COUNT)
        self.field = np.concatenate(there(targets, COUNT - targets))
        self.labelled = there(100, 100)
        self.test = there(5000, 5000)

    @cached_property
    def cal(self) -> llrcal.Calibration:
        return llrcal.fit(*self.training)

    def truth(self, cal: llrcal.Calibration) -> llrcal.Evaluation:
        """The true quality of a calibration in the field."""
        return truth_of(cal, self.test)


def truth_of(cal: llrcal.Calibration, test: Both) -> llrcal.Evaluation:
    return llrcal.evaluate(*map(cal.without_warnings, test))


def found(cal: llrcal.Calibration) -> Adapted:
    """What an adaptation has found."""
    assert cal.adapted is not None
    return cal.adapted


def holds(estimate: Estimate, truth: float) -> bool:
    """Whether the truth is in the interval, but for what a large test leaves open."""
    return estimate.low - 0.005 <= truth <= estimate.high + 0.005
