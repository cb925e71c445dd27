"""Files as one set of trials in pieces, with their labels or with a key."""

from __future__ import annotations

from os import PathLike, fspath

from llrcal.scale.engines.engine import Engine
from llrcal.scale.joining import joined_pieces
from llrcal.scale.pieces.file_names import Paths
from llrcal.scale.pieces.opening import pieces_of, table_pieces
from llrcal.scale.trials_in_pieces import TrialsInPieces, check_duplicates
from llrcal.trials.request import ReadOptions


def opened(paths: Paths, key: Paths | None, engine: Engine, options: ReadOptions) -> TrialsInPieces:
    """A set of trials, as :func:`llrcal.out_of_core.open_trials` describes it.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file.
    """
    check_duplicates(options.duplicates)
    if key is not None:
        return joined_pieces(
            table_pieces(paths, options.request("scores")),
            table_pieces(key, options.request("key")),
            engine,
            options=options,
            sources=(_called(paths), _called(key)),
        )
    pieces = pieces_of(paths, options.request("trials"))
    check_repeated = options.duplicates == "error"
    return TrialsInPieces.of(pieces, engine, _called(paths), check_repeated=check_repeated)


def opened_scores(paths: Paths, engine: Engine, options: ReadOptions) -> TrialsInPieces:
    """Scores without labels as a set of trials, all of which count as non-targets.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file.
    """
    pieces = pieces_of(paths, options.request("scores", joins=False))
    return TrialsInPieces.of(pieces, engine, _called(paths), check_repeated=False)


def _called(paths: Paths) -> str:
    return fspath(paths) if isinstance(paths, str | PathLike) else f"{len(paths)} files"
