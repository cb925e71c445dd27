"""Model files in tests: every case that is saved, the files that are kept, and places in them."""

from __future__ import annotations

import contextlib
import json
import math
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llrcal import METHODS, Calibration, LlrcalWarning, ModelFileError, fit, load
from llrcal.declaration import signed
from llrcal.method_table import TABLE, MethodName
from tests.trial_sets import normal

TAR = np.append(normal(150, 1.3, 1.1), [6.5, -2.5])
NON = np.append(normal(400, -1.2, 0.9) ** 3 / 4, [5.0, -9.0, -9.0])
DISTANCES = {"lower_is_better": True}
OURS = ("smooth", "linear-gaussian", "logistic", "pav", "gaussian", "student-t", "nig")
"""The methods that come with llrcal, where a test asks more of these than of one that is added."""


CASES: dict[str, tuple[Any, Any, MethodName, dict[str, Any]]] = {
    **{method: (TAR, NON, method, {}) for method in METHODS},
    "logistic, alpha": (TAR, NON, "logistic", {"alpha": 0.01}),
    "logistic, empirical": (TAR, NON, "logistic", {"alpha": "empirical"}),
    "logistic, brier": (TAR, NON, "logistic", {"rule": "brier"}),
    "linear-gaussian, empirical": (TAR, NON, "linear-gaussian", {"alpha": "empirical"}),
    "logistic, separable": ([2.0, 3.0, 5.0], [0.1, 0.7, 1.0, -4.0], "logistic", {}),
    "logistic, inverted": (NON, TAR, "logistic", {}),
    "logistic, constant": ([1.0], [1.0, 1.0], "logistic", {}),
    "student-t, Gaussian limit": (np.linspace(0, 1, 50), np.linspace(-1, 0.5, 60), "student-t", {}),
    "nig at an edge": (np.linspace(0, 1, 50), np.linspace(-1, 0.5, 60), "nig", {}),
    "pav, separable": ([2.0, 3.0, 5.0], [0.1, 0.7, 1.0, -4.0], "pav", {}),
    "pav, one step": ([1.0], [1.0, 1.0], "pav", {}),
    "pav, infinite scores": (
        [math.inf, math.inf, 0.3, 1.0, -2.0],
        [-math.inf, -math.inf, 0.0, 0.5, -3.0, -1.0],
        "pav",
        {},
    ),
    "pav, infinite scores, non-targets rarer": ([0.0, 1.0, 2.0, 3.0], [-math.inf] * 3, "pav", {}),
    **{f"{method}, range": (TAR, NON, method, {"bounds": "range"}) for method in METHODS},
    **{f"{method}, elub": (TAR, NON, method, {"bounds": "elub"}) for method in METHODS},
    **{f"{method}, plain": (TAR, NON, method, {"rising": False}) for method in METHODS},
    **{f"{method}, unbounded": (TAR, NON, method, {"bounds": "none"}) for method in METHODS},
    **{f"{method}, distances": (-TAR, -NON, method, DISTANCES) for method in METHODS},
    **{
        f"{method}, bayes": (TAR, NON, method, {"bayes": True})
        for method in METHODS
        if TABLE[method].bayes
    },
    "far from zero": (1e9 + 1e-3 * TAR, 1e9 + 1e-3 * NON, "nig", {}),
    "float32": (TAR.astype(np.float32), NON.astype(np.float32), "pav", {}),
    "tiny scores": (1e-100 * TAR, 1e-100 * NON, "linear-gaussian", {}),
}


@cache
def calibration(case: str) -> Calibration:
    tar, non, method, options = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LlrcalWarning)  # some of the cases are odd on purpose
        return fit(tar, non, method=method, **options)


EVERY_CASE = pytest.mark.parametrize("case", CASES)
EVERY_METHOD = pytest.mark.parametrize("method", METHODS)

KEPT = Path(__file__).with_name("kept_models")
# The promise of docs/model-files.md: a model that was written once can be loaded for ever. So these
# files are never written anew; if a test fails here, it is the code that is wrong.
DIGESTS = {
    "linear-gaussian": "9012a1a35e5735e5",
    "logistic": "5f102b0614aaf3ee",
    "pav": "15839c6f1595e642",
    "gaussian": "9093785eb586de90",
    "student-t": "d445a206858400ab",
    "nig": "0f39943d9c4d2391",
    "nig-distances": "dbd9114a57496447",
    "gaussian-counts": "226ecb1646daa5ce",
    "logistic-unbounded": "4331e47df114a4b6",
    "gaussian-held": "4d5e287e456809c9",
    "student-t-held": "fda72a2c5d277b52",
    "nig-held": "ad82a7a3c8984202",
    "logistic-soft": "10806d1dfff6e59e",
    "smooth": "86de222d63a7f7ee",
    "smooth-distances": "906f1644c92edc61",
    "logistic-elub": "c56f2723645b2e33",
    "logistic-signed": "10b20fe0aca90bc7",
}
EVERY_KEPT = pytest.mark.parametrize("name", DIGESTS)

Path_ = tuple[str | int, ...]


def places(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Every field of a document and, of each list, the first, a middle and the last item."""
    if isinstance(value, dict):
        for name, inside in value.items():
            yield (*path, name)
            yield from places(inside, (*path, name))
    if isinstance(value, list):
        for i in sorted({0, len(value) // 2, len(value) - 1} if value else set()):
            yield (*path, i)
            yield from places(value[i], (*path, i))


def parent(value: Any, path: Path_) -> Any:
    for step in path[:-1]:
        value = value[step]
    return value


def at(value: Any, path: Path_) -> Any:
    return parent(value, path)[path[-1]]


def field(path: Path_) -> str:
    """The name of the field that a place is in."""
    return next(step for step in reversed(path) if isinstance(step, str))


def resigned(document: Any) -> Any:
    """A document whose checksum, if it has one, is that of what it says."""
    has_one = isinstance(document, dict) and "checksum" in document
    return signed(document) if has_one else document


def refusal(text: str | bytes, folder: Path) -> str | None:
    """What is said about a file with this content, signed again, without the path; None if loaded.

    A document keeps its checksum, if it has one, or none.
    """
    path = folder / "m.json"
    with contextlib.suppress(ValueError, RecursionError):
        document = json.loads(text)
        if resigned(document) is not document:
            text = json.dumps(resigned(document))
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        load(path)
    except ModelFileError as problem:
        message = str(problem)
        assert message.startswith(f"{path}: "), message
        return message.removeprefix(f"{path}: ")
    return None
