"""Comparisons to report on: a small one, and one in which everything that can be is hostile."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np

from llrcal.comparison import Candidate, Comparison, compare
from llrcal.evaluation import evaluate
from llrcal.notes import Note
from llrcal.trials import Trials
from tests.comparison.test_systems import systems

SCRIPT = "</script><script>window.broken = true</script>"
IMAGE = '"><img src="https://example.org/x.png" onerror="window.broken = true">'
MATHS = r"$\foo$ ${verdict} $title {{data}}"
TURNED = "abc\u202egpj.exe\u2028\x1b[31m"
LINK = '<a href="javascript:window.broken = true">nig</a>'
HOSTILE = (SCRIPT, IMAGE, MATHS, TURNED, LINK)


def trials(targets: int, non_targets: int, *, seed: int, source: str) -> Trials:
    rng = np.random.default_rng(seed)
    tar = rng.normal(2.2, 1.2, targets) + 0.3 * rng.standard_t(4, targets)
    non = rng.normal(-1.0, 1.0, non_targets) + 0.4 * rng.exponential(size=non_targets)
    return Trials(tar, non, source)


@cache
def small() -> Comparison:
    """The paper's ten calibrations on a few thousand trials."""
    return compare(
        trials(300, 5000, seed=1, source="dev.npz"),
        trials(300, 5000, seed=2, source="eval.npz"),
        replicates=10,
    )


@cache
def shifted() -> Comparison:
    """Test targets that score far lower than those of training."""
    test = trials(900, 5000, seed=2, source="noisy.npz")
    return compare(
        trials(900, 5000, seed=1, source="dev.npz"),
        replace(test, tar=test.tar - 1.5),
        methods=["logistic", "pav"],
        replicates=40,
    )


@cache
def systems_compared() -> Comparison:
    """Two systems and their fusion."""
    return compare(systems(1), systems(2), replicates=10)


@cache
def hostile() -> Comparison:
    """Names that are markup, numbers that are infinite, and a warning of an unknown kind."""
    comparison = small()
    llrs = [-math.inf, 2.0, 3.0], [-2.0, 1.0, math.inf]
    candidates = [
        replace(candidate, label=name, replicates=None, intervals=None)
        for name, candidate in zip(HOSTILE, comparison.candidates.values(), strict=False)
    ]
    candidates[-1] = Candidate(LINK, candidates[-1].calibration, evaluate(*llrs), None)
    return replace(
        comparison,
        train=replace(comparison.train, source=SCRIPT + "/" + TURNED),
        test=replace(comparison.test, source=IMAGE + "x" * 10_000 + "end"),
        candidates={candidate.label: candidate for candidate in candidates},
        notes=tuple(Note.of(code, text) for code in HOSTILE for text in HOSTILE),
    )
