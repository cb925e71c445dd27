"""How often the intervals of calibrations hold the true LLR, where that is known.

    python -m studies.interval_coverage [--repetitions 160] [--sizes 20 100 1000] [--speakers]

Every method is trained on scores of its own family, ten times as many non-targets as targets; in
turn of two pairs of densities. Asked are new trials, as many of either class, whose true LLR lies
within what the counts support. Densities other than Gaussians of equal variance have LLRs that fall
somewhere, so that these methods are trained with ``rising=False``. With ``--speakers`` there are 50
speakers, with four target trials each and one non-target trial for each pair of them, and speakers
make up 30 % of the variance.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

import llrcal
from llrcal.arrays import Array, Floats
from llrcal.calibrations.bounds import supported_llrs
from llrcal.method_table import MethodName

SIZES = (20, 100, 1_000)  # targets
DISTANCES = (2.0, 4.0)  # between the means of Gaussians, in standard deviations
NON_PER_TAR = 10
_ASKED = 200  # new trials of either class
_PLAIN = {"rising": False}
_BAYES = {"bayes": True}


@dataclass(frozen=True)
class Truth:
    """Scores of both classes, and new ones of which the LLR is known."""

    tar: Floats
    non: Floats
    asked: Floats
    llrs: Floats

    @classmethod
    def drawn(
        cls, pair: tuple[Any, Any], bent: Callable[[Floats], Floats], size: int, rng: Generator
    ) -> Truth:
        tar, non = (
            density.rvs(count, random_state=rng)
            for density, count in zip(pair, (size, NON_PER_TAR * size), strict=True)
        )
        new = np.concatenate([density.rvs(_ASKED, random_state=rng) for density in pair])
        llrs = pair[0].logpdf(new) - pair[1].logpdf(new)
        supported = within_support(llrs, size, NON_PER_TAR * size)
        return cls(bent(tar), bent(non), bent(new[supported]), llrs[supported])


def within_support(llrs: Floats, tar_count: int, non_count: int) -> Array:
    """Which LLRs the counts support."""
    least, greatest = supported_llrs(tar_count, non_count)
    return np.asarray((least <= llrs) & (llrs <= greatest))


def gaussians(distance: float) -> tuple[Any, Any]:
    """Of equal variance, so that the LLR is the score times the distance."""
    return stats.norm(distance / 2), stats.norm(-distance / 2)


def _same(scores: Floats) -> Floats:
    return scores


_EQUAL = tuple(map(gaussians, DISTANCES))
_NIG = stats.norminvgauss
FAMILIES: dict[str, tuple[tuple[tuple[Any, Any], ...], Callable[[Floats], Floats]]] = {
    "Gaussian": (_EQUAL, _same),
    "Gaussian, sinh": (_EQUAL, np.sinh),
    "Gaussian, atan": (_EQUAL, np.arctan),
    "two variances": (
        ((stats.norm(1, 1.3), stats.norm(-1, 1)), (stats.norm(2, 0.8), stats.norm(-2, 1))),
        _same,
    ),
    "student-t": (
        ((stats.t(5, 1), stats.t(5, -1)), (stats.t(4, 2, 1.2), stats.t(8, -2))),
        _same,
    ),
    "nig": (
        (
            (_NIG(1.5, 0.4, 1, 1.3), _NIG(1.5, 0.4, -1.5, 1.3)),
            (_NIG(2, -0.6, 2, 1.5), _NIG(1.2, 0.3, -2, 1.2)),
        ),
        _same,
    ),
}
CASES: tuple[tuple[MethodName, dict[str, Any], str], ...] = (
    ("linear-gaussian", {}, "Gaussian"),
    ("logistic", {}, "Gaussian"),
    ("logistic", {"alpha": "empirical"}, "Gaussian"),
    ("logistic", {"alpha": 0.9}, "Gaussian"),
    ("logistic", {"rule": "brier"}, "Gaussian"),
    ("gaussian", _PLAIN, "two variances"),
    ("gaussian", _PLAIN | _BAYES, "two variances"),
    ("student-t", _PLAIN, "student-t"),
    ("student-t", _PLAIN | _BAYES, "student-t"),
    ("student-t", {}, "Gaussian"),
    ("student-t", _BAYES, "Gaussian"),
    ("nig", _PLAIN, "nig"),
    ("nig", _PLAIN | _BAYES, "nig"),
    ("nig", {}, "Gaussian"),
    ("nig", _BAYES, "Gaussian"),
    ("pav", {}, "Gaussian"),
    ("smooth", {}, "Gaussian"),
    ("smooth", {}, "Gaussian, sinh"),
    ("smooth", {}, "Gaussian, atan"),
)


def truths(family: str, size: int, repetitions: int) -> Iterator[Truth]:
    """Draws of a family, in turn for each pair of densities; always the same ones."""
    pairs, bent = FAMILIES[family]
    for repetition in range(repetitions):
        rng = np.random.default_rng([sorted(FAMILIES).index(family), size, repetition])
        yield Truth.drawn(pairs[repetition % len(pairs)], bent, size, rng)


def coverage(
    family: str,
    size: int,
    repetitions: int,
    *,
    method: MethodName = "smooth",
    level: float = 0.95,
    **options: Any,
) -> tuple[float, float]:
    """Mean share of new trials whose interval holds the true LLR, and the mean half width."""
    found = []
    for truth in truths(family, size, repetitions):
        calibration = llrcal.fit(truth.tar, truth.non, method=method, **options)
        found.append(_held(calibration, truth.asked, truth.llrs, level))
    share, width = np.mean(found, axis=0).tolist()
    return share, width


def _held(
    calibration: llrcal.Calibration, asked: Floats, llrs: Floats, level: float
) -> tuple[float, float]:
    low, high = calibration.interval(asked, level=level)
    return float(np.mean((low <= llrs) & (llrs <= high))), float(np.mean(high - low)) / 2


def with_speakers(
    method: MethodName, repetitions: int, *, count: int = 50, targets: int = 4, **options: Any
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Shares and half widths if the speakers are given, and if they are not."""
    given: list[tuple[float, float]] = []
    not_given: list[tuple[float, float]] = []
    for repetition in range(repetitions):
        rng = np.random.default_rng(repetition)
        distance = DISTANCES[repetition % len(DISTANCES)]
        one, two = np.triu_indices(count, 1)
        same = np.repeat(np.arange(count), targets)
        louder, clearer = rng.normal(size=(2, count))
        noise = [np.sqrt(0.7) * rng.normal(size=len(side)) for side in (same, one)]
        tar = (
            distance / 2 + np.sqrt(0.3) * (0.5 * louder + np.sqrt(0.75) * clearer)[same] + noise[0]
        )
        non = -distance / 2 + np.sqrt(0.15) * (louder[one] + louder[two]) + noise[1]
        asked = rng.normal([[distance / 2], [-distance / 2]], 1, (2, _ASKED)).ravel()
        asked = asked[within_support(distance * asked, len(tar), len(non))]
        speakers = np.column_stack([same, same]), np.column_stack([one, two])
        for found, known in ((given, speakers), (not_given, None)):
            calibration = llrcal.fit(tar, non, method=method, speakers=known, **options)
            found.append(_held(calibration, asked, distance * asked, 0.95))
    first, second = (tuple(np.mean(found, axis=0).tolist()) for found in (given, not_given))
    return first, second


def _name(method: MethodName, options: dict[str, Any]) -> str:
    shown = (name if value is True else str(value) for name, value in options.items() if value)
    return ", ".join([method, *shown])


def _fewer(repetitions: int, method: MethodName) -> int:
    """Fits that take long are repeated less often."""
    return max(repetitions // 3, 2) if method in ("student-t", "nig") else repetitions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=160)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--methods", nargs="+")
    parser.add_argument("--speakers", action="store_true")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    columns = (
        ["given", "not given"] if settings.speakers else [f"T = {n:,}" for n in settings.sizes]
    )
    print(f"| method | scores | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}")
    for method, options, family in CASES:
        repetitions = _fewer(settings.repetitions, method)
        if settings.methods and method not in settings.methods:
            continue
        if settings.speakers:
            if family != "Gaussian" and method != "gaussian":
                continue
            found = [*with_speakers(method, repetitions, **options)]
        else:
            found = [
                coverage(family, size, repetitions, method=method, **options)
                for size in settings.sizes
            ]
        cells = " | ".join(f"{share:.3f} ± {width:.2f}" for share, width in found)
        scores = "Gaussian" if settings.speakers else family
        print(f"| {_name(method, options)} | {scores} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
