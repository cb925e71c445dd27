"""Units of LLRs: which logarithm a file contains, and conversion to natural logarithms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llrcal.cli.options import UNITS
from llrcal.cli.terminal import tell
from llrcal.errors import OptionError

if TYPE_CHECKING:
    from llrcal.arrays import Array
    from llrcal.evaluation import Evaluation
    from llrcal.notes import Note
    from llrcal.trials.trial_set import TrialSet

RATIO = "ratio"


@dataclass(frozen=True)
class InNats:
    """The transform of LLRs in some unit to natural logarithms."""

    unit: str
    sign: float = 1.0

    def __call__(self, values: Array) -> Array:
        import numpy as np

        if self.unit != RATIO:
            return np.asarray(values) * (self.sign * UNITS[self.unit])
        if (values < 0).any():
            raise OptionError("a likelihood-ratio cannot be negative; are these logarithms?")
        with np.errstate(divide="ignore"):
            return self.sign * np.log(values)


def unit_of(trials: TrialSet) -> str:
    """The unit that a file suggests; natural logarithms by default."""
    from llrcal.trials.conventions import is_log10, is_plain_ratio

    source, name = trials.source, trials.score_name
    if name is not None and is_log10(name):
        tell(f"{source}: column {name!r} contains common logarithms (log10)")
        return "log10"
    if name is not None and is_plain_ratio(name):
        raise OptionError(
            f"{source}: column {name!r} may contain likelihood-ratios or their logarithms; "
            "specify which: --units ratio, nats, log10 or bits"
        )
    if trials.forensic:
        raise OptionError(
            f"{source}: its labels are hypotheses, and tools that write these often write "
            "common logarithms; specify which: --units log10 or --units nats"
        )
    return "nats"


def doubts(evaluation: Evaluation) -> list[Note]:
    """A warning if the LLRs would be far better when read as common logarithms."""
    from llrcal.messages import Setting
    from llrcal.notes import Note

    loss = evaluation.calibration_loss
    # Classes that do not overlap look better the larger the LLRs.
    if evaluation.min_cllr == 0 or loss < 0.01:
        return []
    as_log10 = evaluation.cllr_multiplied(UNITS["log10"])
    if as_log10 == math.inf or as_log10 - evaluation.min_cllr > loss / 2:
        return []
    text = (
        f"read as common logarithms, these LLRs would have a Cllr of {as_log10:.4f} rather than "
        f"{evaluation.cllr:.4f}; if that is what they are, give "
    )
    return [Note.warning("log10", text, Setting("units", "log10"))]
