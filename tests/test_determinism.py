"""The same trials give the same bits: on any number of threads, in chunks of any size, in any
process, from arrays of any layout, in any order.

Sums are exact before they are rounded once, and bins follow from a sample that is the same in any
order. Only the Cllr of a bootstrap adds up doubles: with the order of the trials its last bits may
change (``DRAWN_CLLR``).
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal import LlrcalWarning
from llrcal.arrays import Array, Floats
from llrcal.method_table import MethodName
from llrcal.onepass import chunks, ranks, two_classes
from llrcal.onepass.grid import Grid
from llrcal.onepass.summary import EXACT_UP_TO
from tests.notes import FAR_SCORES
from tests.scale import sets
from tests.scale.sets import EVERY
from tests.trial_sets import normal

DRAWN_CLLR = 1e-13  # relative

ROOT = Path(__file__).resolve().parents[1]
PRIORS = [-4.6, -1.0, 0.0, 0.7, 3.0]
POINTS = [llrcal.OperatingPoint(1 / (1 + math.exp(-x))) for x in PRIORS]
SCORES = np.linspace(-9, 9, 4001)
SETS = {name: sets.SETS[name] for name in ("few", "many", "ties")}
EVERY_SET = pytest.mark.parametrize("name", SETS)


@cache
def known(name: str) -> Mapping[str, Any]:
    return answers(*SETS[name])


def answers(tar: Array, non: Array) -> dict[str, Any]:
    """Everything that comes of trials: models, LLRs and numbers, to the last bit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LlrcalWarning)
        fitted = llrcal.fit_all(tar, non, methods=EVERY)
    out: dict[str, Any] = {"": numbers(tar, non)}
    for label, calibration in fitted.items():
        out[label] = {
            "model": model(calibration),
            "llrs": bits(calibration(SCORES)),
            "back": bits(calibration(SCORES[::-1])[::-1]),
            **numbers(calibration(tar), calibration(non)),
        }
    return out


def model(calibration: llrcal.Calibration) -> str:
    """The model file."""
    with TemporaryDirectory() as folder:
        calibration.save(Path(folder) / "model.json")
        return (Path(folder) / "model.json").read_text("utf-8")


def bits(values: Floats) -> str:
    return sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


def numbers(tar: Array, non: Array) -> dict[str, Any]:
    """What an evaluation says; repr tells every bit."""
    ev = llrcal.evaluate(tar, non)
    x = np.array(PRIORS)
    exact = (
        ev.min_cllr, ev.eer, ev.rule_of_30, ev.tar_range, ev.non_range,
        *(f(x).tolist() for f in (ev.bayes_error, ev.min_bayes_error, ev.min_cross_entropy)),
        ev.pmiss(x).tolist(), ev.pfa(x).tolist(), [bits(side) for side in ev.roc()],
    )  # fmt: skip
    drawn = ev.intervals(POINTS, replicates=3, level=0.5)
    ranked = [name for name in drawn.numbers if name not in ("cllr", "calibration_loss")]
    return {
        "exact": repr(exact),
        "cllr": repr(ev.cllr),
        "cross_entropy": repr(ev.cross_entropy(x).tolist()),
        "drawn": repr([drawn[name] for name in ranked]),
        "drawn_cllr": drawn["cllr"],
    }


def assert_same(found: Mapping[str, Any], expected: Mapping[str, Any], *close: str) -> None:
    """The same bits, but for what is named and need only be close."""
    found, expected = json.loads(json.dumps([found, expected]))
    assert list(found) == list(expected)
    for label, values in expected.items():
        for what, value in values.items():
            if what in close:
                assert found[label][what] == pytest.approx(value, rel=DRAWN_CLLR, abs=0)
            else:
                assert found[label][what] == value, f"{what} of {label or 'the scores'}"


# ------------------------------------------------------------------------ threads, processes

# Threads are not worth it for so few trials; here they work all the same.
PROGRAM = """
import json, sys
from llrcal.onepass import chunks, ranks
from tests.test_determinism import SETS, answers
chunks._WORTH_A_THREAD = chunks.CHUNK = ranks.RUN = 2**11
print(json.dumps({name: answers(*SETS[name]) for name in sys.argv[1:]}))
"""


@pytest.mark.parametrize("threads", ["1", "2", "8"])
def test_threads_and_processes(threads: str) -> None:
    environment = {
        **os.environ,
        "LLRCAL_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "PYTHONHASHSEED": threads,
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "many"],
        capture_output=True, text=True, check=True, cwd=ROOT, env=environment,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert list(found) == ["many"]
    assert_same(found["many"], known("many"))


def test_threads_do_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or else the test above could not fail."""
    for name in ("_WORTH_A_THREAD", "CHUNK"):
        monkeypatch.setattr(chunks, name, 2**11)
    for threads in (1, 2, 3, 8):
        monkeypatch.setenv("LLRCAL_THREADS", str(threads))
        assert len(chunks.on_threads(slice, len(SETS["many"][0]))) >= threads


# --------------------------------------------------------------------------------- the order


@EVERY_SET
@pytest.mark.parametrize("order", ["sorted", "turned", "shuffled"])
def test_order_of_the_trials(name: str, order: str) -> None:
    rng = np.random.default_rng(7)
    orders: dict[str, Callable[[Floats], Floats]] = {
        "sorted": np.sort,
        "turned": lambda scores: scores[::-1],
        "shuffled": rng.permutation,
    }
    tar, non = (orders[order](scores) for scores in SETS[name])
    assert_same(answers(tar, non), known(name), "drawn_cllr")


def test_order_of_many_trials_where_a_sample_settles_the_bins() -> None:
    """The spread is a power of two, and the middle lies half way between two origins.

    The first scores, which are another sample in any order, would lead to other bins.
    """
    tar, non = normal(40_000, 0.0, 1.0), normal(60_000, 0.0, 1.0)
    tar, non = (
        scores * (1.349 / float(np.subtract(*np.quantile(scores, [0.75, 0.25])))) + middle
        for scores, middle in ((tar, 2.5), (non**3 / 3, 0.5))
    )
    first_would_do, found = set(), set()
    for seed in range(6):
        rng = np.random.default_rng(seed)
        mixed = rng.permutation(tar), rng.permutation(non)
        first_would_do.add(tuple(Grid.of(scores[:EXACT_UP_TO]) for scores in mixed))
        grids = tuple(Grid.of(scores) for scores in mixed)
        models = tuple(model(c) for c in llrcal.fit_all(*mixed, methods=EVERY).values())
        found.add((grids, models))
    assert len(first_would_do) > 1  # or else nothing was tried
    assert len(found) == 1


# ---------------------------------------------------------------------------------- the chunks


@pytest.mark.parametrize("size", [997, 2**12, 2**20])
def test_size_of_the_chunks(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks.chunks, "__defaults__", (size,))
    for module in (ranks, two_classes):
        monkeypatch.setattr(module, "RUN", size)
    assert len(list(chunks.chunks(np.empty(2 * size)))) == 2
    assert_same(answers(*SETS["many"]), known("many"))


# ----------------------------------------------------------------------------------- the arrays


def spread(scores: Floats) -> Floats:
    wide = np.full((len(scores), 3), np.nan)
    wide[:, 1] = scores
    return wide[:, 1]


def column(scores: Floats) -> Floats:
    return np.asfortranarray(np.stack([scores, scores + 1], axis=1))[:, 0]


def backwards(scores: Floats) -> Floats:
    return scores[::-1].copy()[::-1]


def foreign(scores: Floats) -> Array:
    return scores.astype(scores.dtype.newbyteorder())


def unaligned(scores: Floats) -> Floats:
    room = np.empty(scores.nbytes + 1, np.uint8)[1:].view(scores.dtype)
    room[:] = scores
    return room


def read_only(scores: Floats) -> Floats:
    copy = scores.copy()
    copy.flags.writeable = False
    return copy


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        *(("few", layout) for layout in (spread, column, backwards, foreign, unaligned, read_only)),
        *(("many", layout) for layout in (backwards, foreign)),
    ],
)
def test_layout_of_the_arrays(name: str, layout: Callable[[Floats], Array]) -> None:
    tar, non = (layout(scores) for scores in SETS[name])
    for one, other in zip((tar, non), SETS[name], strict=True):
        np.testing.assert_array_equal(one, other)
    assert_same(answers(tar, non), known(name))


@pytest.mark.parametrize("name", ["few", "many"])
def test_single_precision(name: str) -> None:
    tar, non = (scores.astype(np.float32) for scores in SETS[name])
    assert_same(answers(tar, non), answers(tar.astype(np.float64), non.astype(np.float64)))


@pytest.mark.parametrize("method", llrcal.METHODS)
def test_layout_of_scores_to_be_calibrated(method: MethodName) -> None:
    calibration = llrcal.fit(*SETS["few"], method=method)
    table = SCORES[:4000].reshape(50, 80)
    expected = calibration(table)
    np.testing.assert_array_equal(calibration(np.asfortranarray(table)), expected)
    np.testing.assert_array_equal(calibration(table.T).T, expected)
    np.testing.assert_array_equal(calibration(table[::-1, ::3])[::-1], expected[:, ::3])
    np.testing.assert_array_equal(calibration(foreign(table)), expected)


pytestmark = [pytest.mark.slow, FAR_SCORES]
