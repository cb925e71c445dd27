"""Scores as they come, from any stream or engine: gathered, merged, saved, trained on."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args

import numpy as np

from llrcal import calibrations
from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.training import Training, check_spread
from llrcal.errors import OptionError, ScoreError, TrialFileError
from llrcal.evaluation.llrs import LLRs
from llrcal.files.atomic import atomic_file
from llrcal.inputs.scores import as_floats, as_scores
from llrcal.method_table import DEFAULT
from llrcal.notes import Note, Severity, warn
from llrcal.onepass.elub import Ranked
from llrcal.onepass.ranks import Groups
from llrcal.onepass.summary import Summary
from llrcal.scale.engines.threads import Threads
from llrcal.scale.gathered import Known, Scores, Summarised
from llrcal.scale.trials_in_pieces import TrialsInPieces
from llrcal.trials.npy import read_npz

Keep = Literal["scores", "summaries"]
_FORMAT = "llrcal-accumulator"
_NAMES = {"tar": "target", "non": "non-target"}


class Accumulator:
    """Target and non-target scores that come in batches, in any order.

    Parameters
    ----------
    keep
        ``"scores"`` keeps every score, the first million of a class in memory and the others in a
        temporary file (8 bytes per score). Whatever is computed from them has the same bits as from
        arrays of all scores. ``"summaries"`` keeps counts in some ten thousand bins and a sample,
        about a megabyte for any number of scores; these suffice for all methods but ``pav`` and for
        all bounds but ``"elub"``. The bins follow from the first batch of each class, which should
        therefore be like the others. If all scores together suggest the same bins, which is usual,
        the models have the same bits, too; otherwise a warning says so, and the last digits differ.
        Only summaries can be sent to another process as they are; scores can be saved and loaded.

    Examples
    --------
    >>> import llrcal
    >>> first = llrcal.Accumulator()
    >>> first.update(tar=[2.1, 3.0], non=[-1.2, 0.1, -2.2])
    >>> other = first.emptied()
    >>> other.update(tar=[1.7, 0.4], non=[0.9])
    >>> first.merge(other)
    >>> first.tar_count, first.non_count
    (4, 4)
    >>> cal = first.fit("logistic")
    """

    def __init__(self, *, keep: Keep = "scores") -> None:
        if keep not in get_args(Keep):
            raise OptionError(f"keep cannot be {keep!r}; choose {' or '.join(get_args(Keep))}")
        self.keep = keep
        kind: Callable[[], Scores | Summarised] = Scores if keep == "scores" else Summarised
        self._sides: dict[str, Any] = {name: kind() for name in _NAMES}

    def __repr__(self) -> str:
        counts = f"{self.tar_count:,} targets, {self.non_count:,} non-targets"
        return f"<Accumulator of {self.keep}: {counts}>"

    @property
    def tar_count(self) -> int:
        """The number of target scores so far."""
        return int(self._sides["tar"].count)

    @property
    def non_count(self) -> int:
        """The number of non-target scores so far."""
        return int(self._sides["non"].count)

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
            self._sides[name].add(scores)

    def merge(self, other: Accumulator) -> None:
        """Add all scores of another accumulator, which stays as it is.

        Raises
        ------
        OptionError
            If it keeps something else, or has other bins.
        """
        if not isinstance(other, Accumulator) or other.keep != self.keep:
            raise OptionError(f"only accumulators of {self.keep} can be merged into this one")
        for name, side in self._sides.items():
            side.merge(other._sides[name])

    def emptied(self) -> Accumulator:
        """An accumulator without scores that can be merged into this one: it has the same bins."""
        new = Accumulator(keep=self.keep)
        if self.keep == "summaries":
            new._sides = {name: Summarised(side.grid) for name, side in self._sides.items()}
        return new

    @property
    def trials(self) -> Any:
        """What is known of the scores so far, for :func:`llrcal.fit` and its like.

        If it keeps scores, also for :func:`llrcal.evaluate` and :func:`llrcal.compare`.

        Raises
        ------
        ScoreError
            If there are no scores of a class yet.
        """
        for name, side in self._sides.items():
            if not side.count:
                raise ScoreError(f"there are no {_NAMES[name]} scores yet")
        tar, non = self._sides.values()
        if self.keep == "summaries":
            return _SummarisedTrials(tar.known[0], non.known[0])
        pieces = [*tar.pieces(is_tar=True), *non.pieces(is_tar=False)]
        return TrialsInPieces.of(pieces, Threads(), "the accumulator", check_repeated=False)

    def fit(self, method: str = DEFAULT, **settings: Any) -> Calibration:
        """Train a calibration on the scores so far, see :func:`llrcal.fit`."""
        found: Calibration = calibrations.fit(self.trials, method=method, **settings)
        return found

    def fit_all(self, **settings: Any) -> dict[str, Calibration]:
        """Train several calibrations on the scores so far, see :func:`llrcal.fit_all`.

        By default, all of the paper, but without PAV if only summaries are kept.
        """
        if self.keep == "summaries":
            settings.setdefault("methods", [m for m in calibrations.PAPER if m != "pav"])
        return calibrations.fit_all(self.trials, **settings)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the scores as arrays ``tar`` and ``non`` (.npz), or the summaries as JSON.

        An archive of scores is also a file of trials, for :func:`llrcal.read_trials` and the verbs.
        """
        if self.keep == "summaries":
            classes = {n: k.to_json() for n, side in self._sides.items() for k in side.known}
            document = {"format": _FORMAT, "version": 1, "classes": classes}
            with atomic_file(path) as file:
                file.write(json.dumps(document, allow_nan=False).encode())
            return
        with atomic_file(path) as file, zipfile.ZipFile(file, "w") as archive:
            for name, side in self._sides.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as out:
                    header = {"descr": "<f8", "fortran_order": False, "shape": (side.count,)}
                    np.lib.format.write_array_header_1_0(out, header)
                    for scores in side.arrays():
                        out.write(scores.astype("<f8").tobytes())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Accumulator:
        """An accumulator that was saved.

        Raises
        ------
        TrialFileError
            If the file is something else, or damaged.
        """
        try:
            content = Path(path).read_bytes() if not zipfile.is_zipfile(path) else b""
        except OSError as problem:
            raise TrialFileError(f"{path}: cannot be read: {problem.strerror}") from problem
        if not content:
            found = read_npz(str(path))
            made = cls()
            made.update(tar=found.get("tar", ()), non=found.get("non", ()))
            return made
        made = cls(keep="summaries")
        try:
            document = json.loads(content)
            if (document["format"], document["version"]) != (_FORMAT, 1):
                raise ValueError("it has another format or version")  # noqa: TRY301
            for name, side in document["classes"].items():
                if name not in _NAMES:
                    raise ValueError(f"there is no class {name!r}")  # noqa: TRY301
                known = Known.from_json(side)
                made._sides[name] = Summarised(known.summary.grid)
                made._sides[name].known.append(known)
        except (ValueError, KeyError, TypeError, OverflowError) as problem:
            reason = f"{type(problem).__name__}: {problem}"
            raise TrialFileError(f"{path}: is not a saved accumulator: {reason:.200}") from problem
        return made


class _SummarisedTrials:
    """Trials of which only summaries are known."""

    def __init__(self, tar: Known, non: Known) -> None:
        self._tar, self._non = tar, non

    def training(self, *, summarised: bool, ranked: bool, lower_is_better: bool) -> Training:
        if lower_is_better:
            raise OptionError("summaries cannot be reversed; add the negated distances instead")
        for side, name in ((self._tar, "target"), (self._non, "non-target")):
            if side.best_summary.grid != side.best_grid:
                text = (
                    f"the bins of the {name} scores follow from the first batch, and all scores "
                    "suggest others: the last digits differ from those of a fit to the scores"
                )
                warn([Note.of("bins", text, severity=Severity.WARNING)])
        return _SummaryTraining(self._tar, self._non)

    def llrs(self, thresholds: Floats) -> LLRs:
        _refuse("an evaluation needs")


class _SummaryTraining(Training):
    """What methods ask of training scores, as far as summaries can tell."""

    def __init__(self, tar: Known, non: Known) -> None:
        self._sides = tar, non
        self.tar_count, self.non_count = tar.summary.count, non.summary.count

    @cached_property
    def tar(self) -> Summary:
        return _checked(self._sides[0].best_summary, "target")

    @cached_property
    def non(self) -> Summary:
        return _checked(self._sides[1].best_summary, "non-target")

    @cached_property
    def score_range(self) -> tuple[float, float]:
        sides = [side.summary for side in self._sides]
        return min(s.least for s in sides) + 0.0, max(s.greatest for s in sides) + 0.0

    @cached_property
    def groups(self) -> Groups:
        _refuse("the method pav needs")

    def _next_above(self, values: Floats) -> Floats:
        _refuse("this needs")

    def ranked(self, llrs: Callable[[Array], Floats]) -> tuple[Ranked, Ranked]:
        _refuse("bounds by ELUB need")


def _checked(summary: Summary, name: str) -> Summary:
    check_spread(summary.grid.unit, name)
    return summary


def _refuse(what: str) -> NoReturn:
    raise OptionError(
        f"{what} the scores themselves, and this accumulator keeps summaries only; make one with "
        'Accumulator(keep="scores")'
    )
