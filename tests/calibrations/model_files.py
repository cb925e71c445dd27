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


CASES: dict[str, tuple[Any, Any, MethodName, dict[str, Any]]] = {
    **{method: (TAR, NON, method, {}) for method in METHODS},
    "logistic, alpha": (TAR, NON, "logistic", {"alpha": 0.01}),
    "logistic, empirical": (TAR, NON, "logistic", {"alpha": "empirical"}),
    "logistic, brier": (TAR, NON, "logistic", {"rule": "brier"}),
    "logistic, exponents": (TAR, NON, "logistic", {"alpha": 0.1, "rule": (0.5, -0.5)}),
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
    "linear-gaussian": "415dbd61ab30ad77",
    "logistic": "1d16b3e3ee27a741",
    "pav": "723e9ff147629721",
    "gaussian": "6976bd2b31ed4e1d",
    "student-t": "7e5b68afa4b87f60",
    "nig": "b5c70df6a3f10768",
    "nig-distances": "79a4d298d8a3f0b3",
    "gaussian-counts": "32efefbc23b5841d",
    "logistic-unbounded": "c8d3ee92df3e9623",
    # Of version 2: LLRs that are held, and soft ends.
    "gaussian-held": "ce747e9797e00d8f",
    "student-t-held": "84d4e0c4a399c3a2",
    "nig-held": "61f43582e352dd16",
    "logistic-soft": "a1bb2643465c1eca",
    "smooth": "34fcd2bb7f6472b6",
    "smooth-distances": "9c0c06e9412e2121",
    "logistic-elub": "77b7099d5aa89c6e",
    # Of version 3: with a checksum.
    "logistic-signed": "bf02629784601e44",
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
