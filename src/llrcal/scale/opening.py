"""Files as one set of trials in pieces, with their labels or with a key."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from llrcal.scale.engines.engine import Engine
from llrcal.scale.joining import joined_pieces
from llrcal.scale.pieces.file_names import Paths
from llrcal.scale.pieces.opening import pieces_of, table_pieces
from llrcal.scale.trials_in_pieces import TrialsInPieces, check_duplicates
from llrcal.trials.joining import OnDuplicates, OnMissing, Policy
from llrcal.trials.reading import requests
from llrcal.trials.request import Request
from llrcal.trials.spoofs import Spoof, check_spoof

_FORM = {"columns": None, "convention": None, "key_columns": None, "key_convention": None}


def opened(
    paths: Paths,
    key: Paths | None,
    engine: Engine,
    *,
    missing: OnMissing = "error",
    unknown: OnMissing = "error",
    duplicates: OnDuplicates = "error",
    spoof: Spoof = "error",
    **form: Any,
) -> TrialsInPieces:
    """A set of trials, as :func:`llrcal.out_of_core.open_trials` describes it.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file.
    """
    check_duplicates(duplicates)
    check_spoof(spoof)
    policy = Policy(missing, unknown, duplicates)
    request, key_request = requests(has_key=key is not None, **{**_FORM, **form})
    if key is not None:
        return joined_pieces(
            table_pieces(paths, request),
            table_pieces(key, key_request),
            engine,
            request=request,
            spoof=spoof,
            policy=policy,
            sources=(_called(paths), _called(key)),
        )
    pieces = pieces_of(paths, request, spoof)
    return TrialsInPieces.of(pieces, engine, _called(paths), check_repeated=duplicates == "error")


def opened_scores(paths: Paths, engine: Engine, **form: Any) -> TrialsInPieces:
    """Scores without labels as a set of trials, all of which count as non-targets.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file.
    """
    pieces = pieces_of(paths, Request.of("scores", joins=False, **form))
    return TrialsInPieces.of(pieces, engine, _called(paths), check_repeated=False)


def _called(paths: Paths) -> str:
    return fspath(paths) if isinstance(paths, str | PathLike) else f"{len(paths)} files"
