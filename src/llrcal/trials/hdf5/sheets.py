"""The matrices of scores and of keys, and the values that they may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from llrcal.arrays import Array, Bools, Floats
from llrcal.trials.hdf5.container import Container, visible
from llrcal.trials.hdf5.matrix import Cells, cells, piece_of, pieces
from llrcal.trials.hdf5.pairs import Pairs, read_pairs
from llrcal.trials.request import TO_DROP_NAN, Request


@dataclass(frozen=True)
class Scores:
    """The matrix of scores, and the one that says where there are any."""

    file: Container
    scores: Any
    mask: Any

    @property
    def matrices(self) -> tuple[Any, ...]:
        return self.scores, self.mask

    def cells(self, pairs: Pairs, request: Request) -> Cells:
        """Every score, once it is certain that it is a number."""
        found = cells(self.file, pairs, pieces(*self.matrices), self._read)
        bad = request.unusable(found.values)
        if bad.any():
            first = int(np.argmax(bad))
            value, where = found.values[first], pairs.name(found.rows[first], found.columns[first])
            what = "NaN" if request.allow_infinite else "not finite"
            raise self.file.error(
                f"{int(bad.sum()):,} of {len(found):,} scores are {what}; the first is {value}, of "
                f"{where}. Repair them, or set score_mask to 0 there",
                *(TO_DROP_NAN if np.isnan(value) else ()),
            )
        return found

    def _read(self, part: slice) -> tuple[Bools, Floats]:
        mask = _flags(piece_of(self.mask, part), "score_mask", self.file)
        with np.errstate(over="ignore"):  # too large for a double: infinite, and treated as such
            return mask, piece_of(self.scores, part)[mask].astype(np.float64)


@dataclass(frozen=True)
class Key:
    """The matrix of labels, or the two matrices of targets and of non-targets."""

    file: Container
    matrices: tuple[Any, ...]

    def cells(self, pairs: Pairs) -> Cells:
        """Every label, True for targets."""
        parts = pieces(*self.matrices)
        if len(self.matrices) == 2:
            return cells(self.file, pairs, parts, lambda part: self._two_masks(part, pairs))
        found = cells(self.file, pairs, parts, self._marks)
        if found.values.all():
            self._check_that_targets_are_meant()
        return found

    def _marks(self, part: slice) -> tuple[Bools, Bools]:
        marks = piece_of(self.matrices[0], part)
        targets = marks == 1
        mask = targets | (marks == -1)
        _check_values(marks, mask | (marks == 0), "trial_mask", "1, -1 and 0", self.file)
        return mask, targets[mask]

    def _two_masks(self, part: slice, pairs: Pairs) -> tuple[Bools, Bools]:
        targets, nontargets = (
            _flags(piece_of(matrix, part), name, self.file)
            for matrix, name in zip(self.matrices, ("target_mask", "nontarget_mask"), strict=True)
        )
        both = np.argwhere(targets & nontargets)
        if len(both):
            place = both[0] + (part.start, 0)
            raise self.file.error(
                f"{pairs.name(*(place[::-1] if pairs.transposed else place))} is both a target and "
                "a non-target; repair target_mask or nontarget_mask"
            )
        mask = targets | nontargets
        return mask, targets[mask]

    def _check_that_targets_are_meant(self) -> None:
        """An index marks trials as a key marks targets; only BOSARIS's keys name their format."""
        if self.matrices[0].dtype.kind in "ub":
            raise self.file.error(
                "is an index (Ndx): it says which trials there are, not which of them are targets; "
                "give the key instead"
            )
        if not self.file.has("file_format"):
            raise self.file.error(
                "its trial_mask holds 1 and 0 only: it is an index (Ndx) without labels, or a key "
                "without non-targets; give a key that marks them by -1"
            )


def scores_in(file: Container) -> Scores | None:
    """The scores of a file, if it has any."""
    if not file.has("scores"):
        return None
    return Scores(file, _matrix(file, "scores", kinds="fiu"), _matrix(file, "score_mask"))


def key_in(file: Container) -> Key | None:
    """The key, or what looks like one, if the file has any."""
    old = file.has("target_mask") or file.has("nontarget_mask")
    new = file.has("trial_mask")
    if old and new:
        raise file.error("has a trial_mask and a target_mask; remove one of the two keys")
    if new:
        return Key(file, (_matrix(file, "trial_mask"),))
    if old:
        return Key(file, (_matrix(file, "target_mask"), _matrix(file, "nontarget_mask")))
    return None


def pairs_of(file: Container, matrices: tuple[Any, ...]) -> tuple[str, Pairs]:
    """Whose convention the ids of a file follow, and the pairs that they make."""
    bosaris, sidekit = file.has("ID/row_ids"), file.has("modelset")
    if bosaris and sidekit:
        raise file.error(
            "has the ids of BOSARIS (ID/row_ids) and those of SIDEKIT (modelset); remove one"
        )
    if bosaris:
        who, names = "BOSARIS", ("ID/row_ids", "ID/column_ids")
    elif sidekit:  # whose early versions misspelt the second in files of scores
        who, names = "SIDEKIT", ("modelset", "segest" if file.has("segest") else "segset")
    else:
        raise file.error(
            "has no ids: expected ID/row_ids and ID/column_ids (BOSARIS), or modelset and segset "
            f"(SIDEKIT); it holds {file.contents()}"
        )
    return who, read_pairs(file, names, matrices)


def _matrix(file: Container, name: str, *, kinds: str = "iufb") -> Any:
    import h5py

    found = file.dataset(name)
    # Numbers whose bits are laid out in a way of their own can make HDF5 write past its buffers.
    usual = h5py.h5t.py_create(found.dtype)
    if found.dtype.kind not in kinds or not found.id.get_type().equal(usual):
        raise file.error(
            f"{name} has type {visible(str(found.dtype))}; expected a matrix of usual numbers"
        )
    if len(found.shape or ()) not in {1, 2}:
        raise file.error(f"{name} has shape {found.shape}; expected a matrix")
    return found


def _flags(values: Array, name: str, file: Container) -> Bools:
    flags = np.asarray(values == 1)
    _check_values(values, flags | (values == 0), name, "1 and 0", file)
    return flags


def _check_values(values: Array, good: Bools, name: str, expected: str, file: Container) -> None:
    if not good.all():
        raise file.error(f"{name} holds {values[~good][0]}; expected {expected} only")
