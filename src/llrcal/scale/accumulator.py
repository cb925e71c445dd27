"""Scores as they come, from any stream or engine: gathered, merged, saved, trained on."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from os import PathLike
from typing import Any

import numpy as np

from llrcal import calibrations
from llrcal.arrays import Array, ArrayLike
from llrcal.calibrations import Calibration
from llrcal.errors import OptionError, ScoreError, TrialFileError
from llrcal.files.atomic import atomic_file
from llrcal.files.marks import ACCUMULATOR
from llrcal.inputs.scores import as_floats, as_scores
from llrcal.method_table import DEFAULT, MethodName
from llrcal.scale.engine import Threads
from llrcal.scale.piece import spans
from llrcal.scale.spill import SpillFile
from llrcal.scale.trials_in_pieces import TrialsInPieces
from llrcal.trials.npy import read_npz

_EXTRA = b"LL\x12\0llrcal-accumulator"  # of an entry of an archive: a type, the length, its content
_NAMES = {"tar": "target", "non": "non-target"}
_SCORE = np.dtype([("score", np.float64)])


class Accumulator:
    """Target and non-target scores that come in batches, in any order.

    The first million scores of a class are kept in memory, and the others in a temporary file
    without a name (8 bytes per score). Whatever is computed from them has the same bits as from
    arrays of all scores.

    Examples
    --------
    >>> import llrcal
    >>> first, other = llrcal.Accumulator(), llrcal.Accumulator()
    >>> first.update(tar=[2.1, 3.0], non=[-1.2, 0.1, -2.2])
    >>> other.update(tar=[1.7, 0.4], non=[0.9])
    >>> first.merge(other)
    >>> first.tar_count, first.non_count
    (4, 4)
    >>> cal = first.fit("logistic")
    """

    def __init__(self) -> None:
        self._files = {name: SpillFile(_SCORE) for name in _NAMES}

    def __repr__(self) -> str:
        return f"<Accumulator: {self.tar_count:,} targets, {self.non_count:,} non-targets>"

    @property
    def tar_count(self) -> int:
        """The number of target scores so far."""
        return self._files["tar"].count

    @property
    def non_count(self) -> int:
        """The number of non-target scores so far."""
        return self._files["non"].count

    def update(self, *, tar: ArrayLike = (), non: ArrayLike = ()) -> None:
        """Add a batch of scores, of one class or of both.

        Raises
        ------
        ScoreError
            If a score is not a finite number; nothing of the batch is added then.
        """
        given = {
            name: as_scores(array, _NAMES[name])
            for name, scores in (("tar", tar), ("non", non))
            if (array := as_floats(scores, _NAMES[name])).size
        }
        for name, scores in given.items():
            self._add(name, scores)

    def _add(self, name: str, scores: Array) -> None:
        self._files[name].put(scores.astype(np.float64).view(_SCORE))  # a copy: arrays may change

    def _arrays(self, name: str) -> Iterator[Array]:
        """The scores of a class as they are now, some at a time."""
        file = self._files[name]
        for start, end in spans(file.count):
            yield file.get(start, end - start)["score"]

    def merge(self, other: Accumulator) -> None:
        """Add all scores of another accumulator, which stays as it is."""
        if not isinstance(other, Accumulator):
            raise OptionError(f"only an Accumulator can be merged, not a {type(other).__name__}")
        for name in _NAMES:
            for scores in other._arrays(name):
                self._add(name, scores)

    @property
    def trials(self) -> TrialsInPieces:
        """The scores so far, for :func:`llrcal.fit`, :func:`llrcal.evaluate` and their like.

        Raises
        ------
        ScoreError
            If there are no scores of a class yet.
        """
        for name, file in self._files.items():
            if not file.count:
                raise ScoreError(f"there are no {_NAMES[name]} scores yet")
        tar, non = self._files.values()
        pieces = [*tar.pieces("the accumulator", 1), *non.pieces("the accumulator", 0)]
        return TrialsInPieces.of(pieces, Threads(), "the accumulator", check_repeated=False)

    def fit(self, method: MethodName = DEFAULT, **settings: Any) -> Calibration:
        """Train a calibration on the scores so far, see :func:`llrcal.fit`."""
        found: Calibration = calibrations.fit(self.trials, method=method, **settings)
        return found

    def fit_all(self, **settings: Any) -> dict[str, Calibration]:
        """Train several calibrations on the scores so far, see :func:`llrcal.fit_all`."""
        return calibrations.fit_all(self.trials, **settings)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the scores as arrays ``tar`` and ``non`` (.npz).

        This is also a file of trials, for :func:`llrcal.read_trials` and the verbs.

        Raises
        ------
        OptionError
            If no file can be written there.
        """
        with atomic_file(path, ACCUMULATOR) as file, zipfile.ZipFile(file, "w") as archive:
            for name in _NAMES:
                entry = zipfile.ZipInfo(f"{name}.npy")
                entry.extra = _EXTRA
                with archive.open(entry, "w", force_zip64=True) as out:
                    shape = (self._files[name].count,)
                    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
                    np.lib.format.write_array_header_1_0(out, header)
                    for scores in self._arrays(name):
                        out.write(scores.astype("<f8").tobytes())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Accumulator:
        """An accumulator that was saved.

        Raises
        ------
        TrialFileError
            If the file is something else, or damaged.
        """
        arrays = read_npz(str(path))
        if not {*_NAMES} <= arrays.keys():
            raise TrialFileError(f"{path}: is not a saved accumulator: it needs tar and non")
        made = cls()
        made.update(tar=arrays["tar"], non=arrays["non"])
        return made
