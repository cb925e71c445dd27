"""Sets whose training and test scores are alike, and what a calibration loses there.

The real ones are looked for in a folder ``shared/scores`` beside the repository; without it, the
two simulated ones remain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import llrcal
from llrcal.arrays import Array, Counts, Floats
from llrcal.simulation.recognizer import simulate
from studies.evidence import REAL, Experiment, Pair, asvspoof, speech_commands, stored
from studies.paper_scores import paper_scores

HALVED = {
    "voxceleb1 lda_cosine": ("voxceleb1_three_systems", "lda_cosine_"),
    "voxceleb1 plda": ("voxceleb1_three_systems", "plda_"),
    "voxceleb1 lda_plda": ("voxceleb1_three_systems", "lda_plda_"),
    "sre08 interview-interview": ("nist_sre08", "cond_interview_mic-interview_mic_"),
    "sre08 phone-phone": ("nist_sre08", "cond_phonecall_phn-phonecall_phn_"),
    "sre08 phone-interview": ("nist_sre08", "cond_phonecall_phn-interview_mic_"),
    "sre08 interview-phone": ("nist_sre08", "cond_interview_mic-phonecall_phn_"),
    "sre08 phone-phonemic": ("nist_sre08", "cond_phonecall_phn-phonecall_mic_"),
    "bssr1 face C": ("nist_bssr1", "face_C_"),
    "bssr1 finger": ("nist_bssr1", "finger_right_"),
}
"""Sets that are cut into random halves: folder and prefix of the scores."""

TUNED = frozenset(
    {
        "speech commands cos",
        "voxceleb1 lda_cosine",
        "voxceleb1 plda",
        "sre08 phone-phone",
        "sre08 interview-phone",
        "bssr1 finger",
        "simulated, paper_scores",
    }
)
"""Sets that were looked at when the defaults of ``smooth`` were chosen."""

_WITHOUT_RULE_OF_30 = (-5.0, 3.0)
_POINTS = 301


def given() -> Iterator[Experiment]:
    """Sets that come with a training and a test part."""
    if REAL.exists():
        for name, train, test in (*speech_commands(), *asvspoof()):
            if not name.endswith("noisy"):
                yield name.split(",")[0], train, test
    yield "simulated, alike", _simulated(seed=1), _simulated(seed=7)
    yield "simulated, paper_scores", _paper_scores(5_000, seed=1), _paper_scores(9_000, seed=2)


def _simulated(*, seed: int) -> Pair:
    trials = simulate(targets=5_000, nontargets=2_000_000, condition="train", seed=seed)
    return trials.tar, trials.non


def _paper_scores(targets: int, *, seed: int) -> Pair:
    scores = paper_scores((targets, 2_000_000), seed)
    return scores.tar, scores.non


def halves(name: str, seed: int) -> Experiment:
    """A random half of a set to train on, and the other to test on."""
    rng = np.random.default_rng([seed, 2014])
    mixed = [rng.permutation(side) for side in stored(*HALVED[name])]
    train, test = (tuple(side[part::2] for side in mixed) for part in (0, 1))
    return name, train, test  # type: ignore[return-value]


def unshifted(splits: int) -> Iterator[Experiment]:
    """Every set; those without a test part of their own come once for each of several splits."""
    yield from given()
    if REAL.exists():
        yield from (halves(name, seed) for name in HALVED for seed in range(splits))


@dataclass(frozen=True)
class Judge:
    """Test scores in rising order, and their minimum Bayes error over a range of priors."""

    tar: Floats
    non: Floats
    x: Floats
    minimum: float
    by_rule_of_30: bool

    @classmethod
    def of(cls, test: Pair) -> Judge:
        raw = llrcal.evaluate(*test)
        by_rule = bool(np.isfinite(raw.rule_of_30).all())
        x = np.linspace(*(raw.rule_of_30 if by_rule else _WITHOUT_RULE_OF_30), _POINTS)
        tar, non = (np.sort(side.astype(np.float64)) for side in test)
        return cls(tar, non, x, float(raw.min_bayes_error(x).mean()), by_rule)

    def excess(self, calibration: llrcal.Calibration) -> float:
        """Mean actual over mean minimum normalised Bayes error, less one, in per cent."""
        p = 1 / (1 + np.exp(-self.x))
        misses = self._rejected(calibration, self.tar) / len(self.tar)
        alarms = 1 - self._rejected(calibration, self.non) / len(self.non)
        errors = (p * misses + (1 - p) * alarms) / np.minimum(p, 1 - p)
        return float(100 * (errors.mean() / self.minimum - 1))

    def _rejected(self, calibration: llrcal.Calibration, ordered: Array) -> Counts:
        """How many LLRs lie below each threshold, by bisection: calibrations rise."""
        low = np.zeros(len(self.x), np.int64)
        high = np.full(len(self.x), len(ordered))
        while (low < high).any():
            middle = (low + high) // 2
            at = np.minimum(middle, len(ordered) - 1)
            below = (calibration(ordered[at]) < -self.x) & (low < high)
            low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
        return low
