"""A file of scores with LLRs in their place, and all else as it was."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import ScoreError, TrialFileError
from llrcal.files.atomic import atomic_file
from llrcal.trials.hdf5.container import filters_of, opened_image, unreadable
from llrcal.trials.hdf5.matrix import in_file_order, piece_of, pieces
from llrcal.trials.hdf5.sheets import Scores, pairs_of, scores_in

_LARGEST_IMAGE = 2**33  # bytes of a file, which is held in memory


def rewrite_hdf5(
    path: str,
    out: str,
    llrs_of: Callable[[Array], Array],
    *,
    transposed: bool | None = None,
    allow_infinite: bool = False,
) -> None:
    """Write a file of scores again with LLRs in their place, and all else as it was.

    ``llrs_of`` is given the scores in the order of :func:`read_hdf5`, all at once. The file
    appears whole or not at all.

    Raises
    ------
    TrialFileError
        If the file cannot be read, or has no place for LLRs.
    """
    image = io.BytesIO(_content(path))
    with opened_image(image, path) as file:
        scores = scores_in(file)
        if scores is None:
            raise file.error(f"has no scores to replace; it holds {file.contents()}")
        _, pairs = pairs_of(file, scores.matrices, transposed=transposed)
        found = scores.cells(pairs, allow_infinite=allow_infinite)
        place = _place(scores)
    llrs = np.asarray(llrs_of(found.values))
    if llrs.shape != found.values.shape:
        raise ScoreError(
            f"{path}: {len(found)} scores became LLRs of shape {llrs.shape}; expected one for each"
        )
    llrs = in_file_order(found, llrs, pairs)
    with opened_image(image, path, writable=place is None) as file:
        scores = Scores.of(file)
        _replace(scores, llrs, scores.scores if place is None else _view(image, place, scores))
    with opened_image(image, path) as file:
        scores = Scores.of(file)
        if not _holds(scores, llrs):
            raise file.error(
                f"its scores are stored as {scores.scores.dtype} in a way that does not hold LLRs; "
                "convert it first"
            )
    with atomic_file(out) as target:
        target.write(image.getbuffer())


def _place(scores: Scores) -> int | None:
    """Where in the file the scores lie, if they lie there in one piece and as they are."""
    matrix = scores.scores
    if matrix.chunks is None:
        place = matrix.id.get_offset()
    elif matrix.chunks == matrix.shape and not filters_of(matrix):  # as BOSARIS writes them
        place = matrix.id.get_chunk_info_by_coord((0,) * matrix.ndim).byte_offset
    else:
        place = None
    return None if place is None else int(place)


def _view(image: io.BytesIO, place: int, scores: Scores) -> Array:
    """The scores in the image of their file, so that HDF5 need not write at all.

    Every other byte stays as it is, and a damaged file cannot be damaged further.
    """
    shape, dtype = scores.scores.shape, scores.scores.dtype
    flat = np.frombuffer(image.getbuffer(), dtype, count=int(np.prod(shape)), offset=place)
    return flat.reshape(shape)


def _replace(scores: Scores, llrs: Array, into: Any) -> None:
    done = 0
    for part in pieces(*scores.matrices):
        mask, block = scores.mask_of(part), piece_of(scores.scores, part)
        count = int(mask.sum())
        with np.errstate(invalid="ignore", over="ignore"):  # what does not fit is found later
            block[mask] = llrs[done : done + count]
        into[part] = block if scores.scores.ndim == 2 else block.ravel()
        done += count


def _holds(scores: Scores, llrs: Array) -> bool:
    """Whether the LLRs are there, to the precision of a float32 at least."""
    done = 0
    for part in pieces(*scores.matrices):
        stored = piece_of(scores.scores, part)[scores.mask_of(part)]
        if not np.allclose(stored, llrs[done : done + len(stored)], rtol=1e-6, atol=1e-30):
            return False
        done += len(stored)
    return done == len(llrs)


def _content(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            size = file.seek(0, 2)
            if size > _LARGEST_IMAGE:
                raise TrialFileError(
                    f"{path}: has {size} bytes, more than can be rewritten; convert it to text"
                )
            file.seek(0)
            return file.read()
    except (OSError, ValueError) as problem:
        raise unreadable(path, problem) from problem
