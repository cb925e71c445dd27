"""How many trials do I need? Errors of each method against the number of training trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from llrcal.arrays import Floats
from llrcal.notebook import html_table

METRICS = ("mean_error", "cllr", "calibration_loss")
"""Mean normalised Bayes error over the range; Cllr and calibration loss, in bits."""
_AS_GOOD = 0.05  # relative difference to the error with all trials that hardly matters
_FEW = 3  # methods whose bands can all be drawn
# In a picture: so many minima, or times what the worst method with all targets has above.
_ROOM = 2.0


class Band(NamedTuple):
    """What the draws of a size gave: the median, and the ends of what 80 % of them gave."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Floats) -> Band:
        outside = len(values) // 10
        ordered = np.sort(values).tolist()
        return cls(ordered[outside], float(np.median(values)), ordered[-1 - outside])


class Size(NamedTuple):
    """How large the training sets of some draws were."""

    targets: int
    """On average over the draws, as the others."""
    non_targets: int
    speakers: int | None
    """None where speakers are not known."""
    draws: int


@dataclass(frozen=True, repr=False)
class LearningCurve:
    """Errors of each method against the number of training trials."""

    sizes: tuple[Size, ...]
    """From the smallest to all trials."""
    bands: Mapping[str, Mapping[str, tuple[Band, ...]]]
    """By metric and by the label of a method, one for each size."""
    minimum: Mapping[str, float]
    """The least that each metric can be on the test scores, whatever the training."""
    range: tuple[float, float]
    """Prior log-odds over which the Bayes error is averaged."""
    tested: tuple[int, int]
    """How many target and non-target trials were tested."""
    seed: int

    @property
    def by(self) -> str:
        """What was drawn: "speaker" or "trial"."""
        return "trial" if self.sizes[-1].speakers is None else "speaker"

    def best(self, size: int = -1) -> str:
        """Label of the method with the least median error at a size; by default, the last."""
        errors = self.bands["mean_error"]
        return min(errors, key=lambda label: errors[label][size].median)

    @property
    def enough(self) -> dict[str, int]:
        """Targets from which on the median error of each method stays close to its last one.

        Within 5 %. Where that is the number of all targets, more of them would still help.
        """
        return {
            label: self.sizes[_first_close([band.median for band in bands])].targets
            for label, bands in self.bands["mean_error"].items()
        }

    @property
    def verdict(self) -> str:
        """What the curve says of the number of trials, in a sentence or two."""
        best, most = self.best(), self.sizes[-1].targets
        bands = self.bands["mean_error"][best]
        text = (
            f"With {most:,} targets, {best} has the least mean Bayes error over prior log-odds "
            f"{self.range[0]:.1f} to {self.range[1]:.1f}, {bands[-1].median:.4f}"
        )
        if len(self.sizes) == 1:
            return text + "; there are too few trials to draw smaller sets from."
        enough = self.enough[best]
        text += (
            "; more trials would still help it"
            if enough == most
            else f"; from {enough:,} on it stays within {_AS_GOOD:.0%} of that"
        )
        first = self.best(0)
        if first != best:
            error = self.bands["mean_error"][first][0].median
            text += (
                f". With {self.sizes[0].targets:,}, {first} is best with {error:.4f}, and {best} "
                f"has {bands[0].median:.4f}"
            )
        return text + "."

    def table(self) -> list[dict[str, float | str]]:
        """One row a method and size, with the median of each metric and the ends of its band."""
        rows: list[dict[str, float | str]] = []
        for label in self.bands[METRICS[0]]:
            for number, size in enumerate(self.sizes):
                speakers = "" if size.speakers is None else size.speakers
                row = {"calibration": label, **size._asdict(), "speakers": speakers}
                for metric in METRICS:
                    low, median, high = self.bands[metric][label][number]
                    row |= {metric: median, f"{metric}_low": low, f"{metric}_high": high}
                rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The curve as plain values; lists run over sizes."""
        every = zip(Size._fields, zip(*self.sizes, strict=True), strict=True)
        return {
            **{name: list(values) for name, values in every},
            "by": self.by,
            "seed": self.seed,
            "range": list(self.range),
            "tested": list(self.tested),
            "minimum": dict(self.minimum),
            "enough": self.enough,
            "bands": {
                metric: {label: list(map(list, bands)) for label, bands in curves.items()}
                for metric, curves in self.bands.items()
            },
        }

    def __repr__(self) -> str:
        first, last = self.sizes[0].targets, self.sizes[-1].targets
        count = len(self.bands[METRICS[0]])
        return f"<learning curve of {count} calibrations, {first:,} to {last:,} targets>"

    def _repr_html_(self) -> str:
        places = sorted({0, len(self.sizes) // 2, len(self.sizes) - 1})
        rows = {
            label: "; ".join(
                f"{bands[place].median:.4f} with {self.sizes[place].targets:,}" for place in places
            )
            for label, bands in self.bands["mean_error"].items()
        }
        title = "Mean Bayes error with so many training targets"
        return html_table(title, rows, [self.verdict])


def banded(curve: LearningCurve) -> set[str]:
    """The methods whose bands are drawn: few enough to be told apart."""
    labels = set(curve.bands["mean_error"])
    return labels if len(labels) <= _FEW else {curve.best(0), curve.best()}


def error_view(curve: LearningCurve, metric: str) -> tuple[float, float]:
    """Errors worth looking at: what is far above those with all targets leaves the frame."""
    least, bands = curve.minimum[metric], curve.bands[metric].values()
    medians = [band.median for every in bands for band in every]
    last = max(every[-1].median for every in bands)
    far = max(_ROOM * least, least + _ROOM * (last - least))
    top = min(1.05 * max(medians), far)
    if not top > least:
        top = least + 1.0
    return (least - 0.05 * (top - least) if least else 0.0), top


def _first_close(errors: Sequence[float]) -> int:
    """The first place from which on errors stay within the margin of the last."""
    far = [abs(error - errors[-1]) > _AS_GOOD * errors[-1] for error in errors]
    return max((place + 1 for place, is_far in enumerate(far) if is_far), default=0)
