"""Arrays of NumPy on disk: ``.npy`` and ``.npz``. Nothing pickled is ever loaded."""

from __future__ import annotations

import io
import threading
import zipfile
from pathlib import Path

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import LlrcalError, ScoreError, TrialFileError
from llrcal.inputs.labels import LABEL_OF_WORD, Label
from llrcal.inputs.scores import as_floats, is_target, split
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.trials.leaving_out import usable_arrays
from llrcal.trials.request import Request
from llrcal.trials.source import refuse_swelling
from llrcal.trials.trials import Trials

# NumPy parses headers as Python. In Python 3.11, threads that do so at once can disturb each other.
_PARSING = threading.Lock()
_LARGEST_RATIO = 1000  # of content to file, in bytes: arrays of zeros shrink by as much


def read_npy(name: str) -> Array:
    """One array, left on disk until it is used."""
    try:
        with _PARSING:
            return _with_room(np.asarray(np.load(name, allow_pickle=False, mmap_mode="r")))
    except Exception as problem:  # its header is parsed as Python, which fails in many ways
        raise TrialFileError(f"{name}: cannot be read as an array: {_reason(problem)}") from problem


def read_npz(name: str) -> dict[str, Array]:
    """Every array of an archive, by name; damaged archives and bombs are refused."""
    try:
        with zipfile.ZipFile(name) as archive:
            check_archive(archive, name)
            return {
                entry.filename.removesuffix(".npy"): _array(archive.read(entry))
                for entry in archive.infolist()
            }
    except TrialFileError:
        raise
    except Exception as problem:  # zipfile and numpy raise a dozen kinds on damaged archives
        raise TrialFileError(f"{name}: cannot be read: {_reason(problem)}") from problem


def names_in_npz(name: str) -> list[str]:
    """The names of the arrays of an archive; none if it is damaged, as reading it will tell."""
    try:
        with zipfile.ZipFile(name) as archive:
            return [entry.removesuffix(".npy") for entry in archive.namelist()]
    except Exception:
        return []


def check_archive(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse an archive that claims to be far larger than it is, or that repeats a name."""
    names = archive.namelist()
    if len(set(names)) < len(names):
        raise TrialFileError(f"{name}: two of its arrays have the same name")
    total = sum(entry.file_size for entry in archive.infolist())
    hint = "this is not an archive of scores"
    refuse_swelling(name, Path(name).stat().st_size, total, _LARGEST_RATIO, hint)


def _array(content: bytes) -> Array:
    with _PARSING:
        array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    return _with_room(np.asarray(array))


def _with_room(array: Array) -> Array:
    """The same array; refused if values take no bytes, since it could claim any number."""
    if not array.dtype.itemsize:
        raise ValueError(f"its values have the type {array.dtype}, which holds nothing")
    return array


def archive_trials(name: str, request: Request) -> Trials:
    """The trials of an archive that holds ``tar`` and ``non``, or ``scores`` and ``labels``."""
    arrays, dropped = usable_arrays(read_npz(name), name, request)
    if {"tar", "non"} <= arrays.keys():
        return Trials(
            arrays["tar"],
            arrays["non"],
            name,
            arrays.get("tar_speakers"),
            arrays.get("non_speakers"),
            notes=(Note.of("read", "arrays tar and non").about(name), *dropped),
            allow_infinite=request.allow_infinite,
        )
    if {"scores", "labels"} <= arrays.keys():
        labels = labels_of(arrays["labels"], name, request)
        tar, non = split(arrays["scores"], labels)
        return Trials(
            tar,
            non,
            name,
            is_target=labels,
            notes=(Note.of("read", "arrays scores and labels").about(name), *dropped),
            allow_infinite=request.allow_infinite,
        )
    found = ", ".join(sorted(arrays)) or "nothing"
    raise TrialFileError(f"{name}: holds {found}; expected tar and non, or scores and labels")


def labels_of(array: Array, name: str, request: Request) -> Array:
    """Which trials are targets, by the user's own words for them if there are some."""
    meaning = dict(request.label_of_word)
    try:
        return is_target(array) if meaning == LABEL_OF_WORD else _is_meant(array, meaning)
    except LlrcalError as problem:
        raise TrialFileError(*problem.args).within(name) from problem
    except (ValueError, SystemError) as problem:  # from characters beyond Unicode
        raise TrialFileError(
            f"{name}: its labels are not valid text ({problem}); write the file again"
        ) from problem


def _is_meant(array: Array, meaning: dict[str, Label]) -> Array:
    words = array.astype(str)
    known = np.isin(words, [word for word, label in meaning.items() if label != Label.SPOOF])
    if not known.all():
        first = str(words.ravel()[int(np.argmin(known))])
        raise ScoreError(f"the label {first!r} is not among ", Setting("labels", ",".join(meaning)))
    return np.isin(words, [word for word, label in meaning.items() if label == Label.TARGET])


def scores_of(arrays: dict[str, Array], name: str) -> Array:
    """The scores of an archive whose labels are not needed."""
    if "scores" not in arrays:
        raise TrialFileError(
            f"{name}: holds no array 'scores'; it has {', '.join(sorted(arrays))}. Labels are not "
            "needed here: save all scores as one array of that name"
        )
    return floats_of(arrays["scores"], name)


def floats_of(array: Array, name: str) -> Array:
    """The scores in an array as floats; an error names the file."""
    try:
        return as_floats(array, "the")
    except ScoreError as problem:
        raise problem.within(name) from None


def _reason(problem: Exception) -> str:
    return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
