"""Every public object, used or not: its copies, in any process, answer with the same bits."""

from __future__ import annotations

import copy
import logging
import multiprocessing
import pickle
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.messages import Position, Setting
from llrcal.sklearn import LLRCalibratedClassifier, LLRCalibrator
from tests import beyond_memory
from tests.copies import Digests, classes_of_results, facts
from tests.trial_sets import normal

joblib = pytest.importorskip("joblib")

TAR, NON = normal(100, 2.0, 1.2), normal(400, -1.0, 1.0)
FIELD = np.concatenate([normal(60, 3.0, 1.2), normal(540, 0.0, 1.0)])
HALVES = ["a", "b"] * 50, ["a", "b"] * 200
METHODS: list[Any] = [
    *llrcal.METHODS,
    ("logistic", {"rule": "brier"}),
    *((name, {"bayes": True}) for name in ("gaussian", "student-t", "nig")),
]
"""One of each class."""


@contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def adapted() -> llrcal.Calibration:
    return llrcal.adapt(llrcal.fit(TAR, NON, method="nig"), FIELD, p_target=0.1)


@cache
def simulated(seed: int) -> llrcal.Trials:
    return llrcal.simulate(targets=60, nontargets=600, seed=seed)


def files(folder: Path) -> Path:
    path = folder / "trials.csv"
    if not path.exists():
        llrcal.write_trials(simulated(1), path)
    return path


def loaded(folder: Path) -> llrcal.Calibration:
    llrcal.fit(TAR, NON).save(folder / "model.json")
    return llrcal.load(folder / "model.json")


def accumulated() -> llrcal.Accumulator:
    made = llrcal.Accumulator()
    made.update(tar=TAR, non=NON)
    return made


def warning() -> Warning:
    with pytest.warns(llrcal.LlrcalWarning) as caught:
        llrcal.fit(NON, TAR, method="logistic")
    return caught[0].message  # type: ignore[return-value]


def error(kind: type[llrcal.LlrcalError]) -> llrcal.LlrcalError:
    """One with everything that an error may have."""
    made = kind("scores.txt, ", Position("line", 3), ": try ", Setting("on_nan", "drop"))
    made.add_note("a note of Python's own")
    return made


def errors(kind: type[llrcal.LlrcalError] = llrcal.LlrcalError) -> list[llrcal.LlrcalError]:
    return [error(kind), *(one for below in kind.__subclasses__() for one in errors(below))]


def systems() -> tuple[list[Any], list[Any]]:
    return [TAR, TAR + normal(100, 0, 1)], [NON, NON + normal(400, 0, 1)]


MAKERS: dict[str, Callable[[Path], Any]] = {
    "calibrations": lambda _: llrcal.fit_all(TAR, NON, methods=METHODS),
    "of distances": lambda _: llrcal.fit(-TAR, -NON, lower_is_better=True),
    "with speakers": lambda _: llrcal.fit(simulated(1), method="logistic", bounds="elub"),
    "loaded": loaded,
    "adapted": lambda _: adapted(),
    "by condition": lambda _: llrcal.fit(TAR, NON, condition=HALVES),
    "fused": lambda _: llrcal.fuse(*(np.column_stack(side) for side in systems())),
    "watched": lambda _: llrcal.watch(llrcal.fit(TAR, NON), FIELD),
    "exported": lambda folder: llrcal.export(llrcal.fit(TAR, NON), folder / "llr.c"),
    "evaluation": lambda _: llrcal.evaluate(simulated(1)),
    "evaluation of arrays": lambda _: llrcal.evaluate(TAR, NON, by=HALVES),
    "evaluation in pieces": lambda folder: llrcal.evaluate(
        llrcal.open_trials(files(folder), in_pieces=True)
    ),
    "comparison": lambda _: llrcal.compare(
        simulated(1), folds=3, methods=["logistic", "pav"], replicates=39, learning_curve=True
    ),
    "validation": lambda folder: llrcal.validate(
        llrcal.read_trials(files(folder)),
        simulated(2),
        method="logistic",
        require=["cllr<0.3"],
        replicates=39,
    ),
    "trials": lambda _: simulated(1),
    "trials of a file": lambda folder: llrcal.read_trials(files(folder)),
    "trials in pieces": lambda folder: llrcal.open_trials(
        files(folder), in_pieces=True, progress=lambda *_: None
    ),
    "counts": lambda _: llrcal.pairs(np.eye(40) + 0.1, speakers=np.arange(40) // 2),
    "scores": lambda _: accumulated(),
    "scores as trials": lambda _: accumulated().trials,
    "an operating point": lambda _: llrcal.OperatingPoint(0.01, 10, 1),
    "methods": lambda _: [llrcal.METHODS, llrcal.PAPER, llrcal.figures.looks(["nig"])],
    "errors": lambda _: errors(),
    "a warning": lambda _: warning(),
    "estimators": lambda _: [
        LLRCalibrator("nig").fit(np.append(TAR, NON), np.repeat([1, 0], [100, 400])),
        LLRCalibratedClassifier(cv=2).fit(
            np.append(TAR, NON).reshape(-1, 1), np.repeat([1, 0], [100, 400])
        ),
    ],
}
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickled by protocol 2": lambda value: pickle.loads(pickle.dumps(value, 2)),  # noqa: S301
    "pickled by protocol 5": lambda value: pickle.loads(pickle.dumps(value, 5)),  # noqa: S301
    "copied": copy.copy,
    "deep-copied": copy.deepcopy,
}


def objects(name: str, folder: Path) -> list[Any]:
    """What a maker makes, which nobody has used."""
    with quiet():
        made = MAKERS[name](folder)
    if isinstance(made, dict):
        return list(made.values())
    return made if isinstance(made, list) else [made]


def test_every_class_of_results_is_tried(tmp_path: Path) -> None:
    """A new one needs a maker, or a question in ``tests/copies.py``."""
    digests = Digests()
    with quiet():
        for name in MAKERS:
            for value in objects(name, tmp_path):
                digests.of(value)
    assert sorted(classes_of_results() - digests.classes) == []


@pytest.mark.parametrize("name", MAKERS)
def test_copies_answer_with_the_same_bits(name: str, tmp_path: Path) -> None:
    for value in objects(name, tmp_path):
        unused = {way: copied(value) for way, copied in WAYS.items() if way != "copied"}
        with quiet():
            expected = facts(value)
            used = {way: copied(value) for way, copied in WAYS.items()}
            for copies in (unused, used):
                for way, other in copies.items():
                    assert facts(other) == expected, way


def quiet_facts(value: object) -> dict[str, str]:
    """For other processes, whose warnings are not ours."""
    with quiet():
        return facts(value)


@pytest.mark.slow
def test_other_processes_answer_with_the_same_bits(tmp_path: Path) -> None:
    """Those of a pool, of joblib and of a cluster of Dask."""
    values = [value for name in MAKERS for value in objects(name, tmp_path)]
    unused = [pickle.dumps(value) for value in values]
    expected = list(map(quiet_facts, values))
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(quiet_facts, values)) == expected
        assert list(pool.map(quiet_facts, map(pickle.loads, unused))) == expected
    parallel = joblib.Parallel(n_jobs=2)
    assert parallel(joblib.delayed(quiet_facts)(value) for value in values) == expected
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as machines,
        distributed.Client(machines) as client,
    ):
        assert client.gather(client.map(quiet_facts, values)) == expected
        trials = beyond_memory.open_trials(str(files(tmp_path)), client=client)
        with quiet():
            evaluated = llrcal.evaluate(trials)
        assert llrcal.fit(copy.deepcopy(trials)) == llrcal.fit(trials)
        assert client.submit(getattr, evaluated, "cllr").result() == evaluated.cllr
        assert client.submit(getattr, trials, "source").result() == trials.source
