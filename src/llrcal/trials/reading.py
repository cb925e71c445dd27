"""Reading trials from the files people have.

So far: ``.npz`` with ``tar`` and ``non`` (or ``scores`` and ``labels``), a pair of ``.npy`` files,
and text with two columns, score and label in either order.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import TrialFileError
from llrcal.scores import LABELS, split
from llrcal.trials.trials import Trials


def read_trials(path: str | Path) -> Trials:
    """Read trials from a file, or from two ``.npy`` files named as ``TAR.npy,NON.npy``.

    Raises
    ------
    TrialFileError
        If the file cannot be read, or does not hold scores and labels.
    ScoreError
        If a class is empty, or a score is not finite.
    """
    name = str(path)
    if name.endswith(".npy"):
        return _pair(name)
    if name.endswith(".npz"):
        return _archive(name)
    return _text(name)


def _pair(name: str) -> Trials:
    parts = name.split(",")
    if len(parts) != 2:
        raise TrialFileError(f"{name}: name two .npy files, targets first: TAR.npy,NON.npy")
    tar, non = (_loaded(part) for part in parts)
    return Trials(tar, non, source=name)


def _loaded(name: str) -> Array:
    try:
        return np.asarray(np.load(name, allow_pickle=False, mmap_mode="r"))
    except (OSError, ValueError, EOFError) as problem:
        raise TrialFileError(f"{name}: cannot be read as an array: {_reason(problem)}") from problem


def _archive(name: str) -> Trials:
    try:
        with Path(name).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as problem:
        raise TrialFileError(f"{name}: cannot be read: {_reason(problem)}") from problem
    if {"tar", "non"} <= arrays.keys():
        return Trials(
            arrays["tar"],
            arrays["non"],
            name,
            arrays.get("tar_speakers"),
            arrays.get("non_speakers"),
        )
    if {"scores", "labels"} <= arrays.keys():
        return Trials(*split(arrays["scores"], arrays["labels"]), source=name)
    found = ", ".join(sorted(arrays)) or "nothing"
    raise TrialFileError(f"{name}: holds {found}; expected tar and non, or scores and labels")


def _text(name: str) -> Trials:
    try:
        lines = Path(name).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise TrialFileError(f"{name}: cannot be read: {_reason(problem)}") from problem
    rows = [
        (i, line.split()) for i, line in enumerate(lines, 1) if line.strip()[:1] not in {"", "#"}
    ]
    for number, row in rows:
        if len(row) != 2:
            raise TrialFileError(
                f"{name}, line {number}: has {len(row)} columns; expected score and label"
            )
    if not rows:
        raise TrialFileError(f"{name}: holds no trials")
    table = np.array([row for _, row in rows])
    is_label = [bool(np.isin(table[:, i], LABELS).all()) for i in (0, 1)]
    if is_label == [True, True]:
        raise TrialFileError(f"{name}: both columns read as labels; which is the score?")
    if not any(is_label):
        raise TrialFileError(
            f"{name}: neither column holds labels only; use target and nontarget, or 1 and 0"
        )
    label = 0 if is_label[0] else 1
    try:
        scores = table[:, 1 - label].astype(np.float64)
    except ValueError as problem:
        raise TrialFileError(f"{name}: a score is not a number: {problem}") from problem
    return Trials(*split(scores, table[:, label]), source=name)


def _reason(problem: Exception) -> str:
    return getattr(problem, "strerror", None) or str(problem)
