"""The door: trials as one set, wherever they are: in memory, in pieces, or on a cluster."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from llrcal.errors import OptionError, TrialFileError
from llrcal.files.names import Paths, files_of, is_many
from llrcal.messages import Message, Part, Setting
from llrcal.notes import Note, warn
from llrcal.scale.engine import Engine, Progress, Threads, silent
from llrcal.scale.files import pieces_of, table_pieces
from llrcal.scale.joining import join_pieces
from llrcal.scale.piece import Piece
from llrcal.trials.conventions import unit_in
from llrcal.trials.count_files import counts_of
from llrcal.trials.counts import Counts
from llrcal.trials.joining import OTHER_UNITS
from llrcal.trials.reading import trials_from
from llrcal.trials.request import ReadKeywords, ReadOptions
from llrcal.trials.table_reading import read_table
from llrcal.trials.trials import TrialSet

if TYPE_CHECKING:
    from llrcal.scale.trials_in_pieces import TrialsInPieces

_LARGE = 2**30  # bytes; larger files are read in pieces even if not asked for


def open_trials(
    source: Any,
    key: Any | None = None,
    *,
    in_pieces: bool | None = None,
    client: Any | None = None,
    progress: Progress = silent,
    **options: Unpack[ReadKeywords],
) -> TrialSet:
    """Open trials as one set, in memory, in pieces or on a cluster.

    Files of counted trials (columns ``score``, ``targets`` and ``nontargets``) give
    :class:`llrcal.Counts`; several of them add up.

    What it returns can be given to :func:`llrcal.fit`, :func:`llrcal.fit_all`,
    :func:`llrcal.evaluate`, :func:`llrcal.adapt` and :func:`llrcal.compare`, with the same
    answers to the last bit, wherever the trials are.

    Parameters
    ----------
    source
        A file or frame, as in :func:`llrcal.read_trials`; a folder, a pattern such as
        ``"night/*.parquet"`` or a list of these; or, with Dask, a frame of Dask or URLs of Parquet
        files (``s3://...``).
    key
        The labels, if they are not with the scores. In pieces they are joined on the ids of the
        trials, which takes a pass over both, and temporary files of some 34 bytes per trial.
    in_pieces
        Whether to read files in pieces, whenever they are needed, to save memory. By default
        folders, patterns, lists, and files over 1 GB that contain their labels are; ``False`` reads
        a file of any size whole, which error-rates and conditions need.
    client
        A client of Dask: its workers read the pieces.
    progress
        Called with what is being done, the number of trials done, and the total, in pieces.
    **options
        As in :func:`llrcal.read_trials`. In pieces, ``duplicates`` is ``"error"`` or ``"all"``, and
        no columns are kept.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file.

    Examples
    --------
    >>> import llrcal
    >>> trials = llrcal.open_trials("night/*.parquet")  # doctest: +SKIP
    >>> cal = llrcal.fit(trials, method="nig")  # doctest: +SKIP
    """
    reading = ReadOptions(**options)
    if client is not None or is_on_cluster(source):
        if in_pieces is False:
            raise OptionError("a cluster reads in pieces; leave out ", Setting("in_pieces", False))
        in_pieces = True
    engine = engine_for(source, client, progress)
    return open_set(source, key, reading, in_pieces=in_pieces, engine=engine)


def open_scores(
    source: Any,
    *,
    client: Any | None = None,
    progress: Progress = silent,
    **options: Unpack[ReadKeywords],
) -> TrialSet:
    """Open scores without labels, to be read in pieces by :func:`llrcal.adapt` and its like.

    Parameters
    ----------
    source, client, progress, **options
        As in :func:`open_trials`; labels are neither needed nor used.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file.

    Examples
    --------
    >>> import llrcal
    >>> scores = llrcal.open_scores("field/*.parquet")  # doctest: +SKIP
    >>> new = llrcal.adapt(cal, scores, p_target=0.02)  # doctest: +SKIP
    """
    return opened_scores(source, engine_for(source, client, progress), ReadOptions(**options))


def open_set(
    source: Any,
    key: Any | None,
    options: ReadOptions,
    *,
    in_pieces: bool | None,
    engine: Engine,
    whole: Part | None = None,
) -> TrialSet:
    """The trials of files or of a frame; in pieces, the engine processes them.

    ``whole`` is what needs all trials in memory, if anything does.
    """
    if is_in_pieces(source, key, options, asked=in_pieces, whole=whole):
        return opened(source, key, engine, options)
    return trials_from(source, key, options)


def is_in_pieces(
    source: Any,
    key: Any | None,
    options: ReadOptions,
    *,
    asked: bool | None = None,
    whole: Part | None = None,
) -> bool:
    """Whether to read this in pieces; raises an OptionError if that is impossible.

    ``whole`` is what needs all trials in memory, if anything does.
    """
    given = (source, key, options.nontargets)
    named = [one for one in given if isinstance(one, str | PathLike | list | tuple)]
    several = any(one != "-" and is_many(one) for one in named)
    in_the_way = whole
    if options.keep:
        in_the_way = "columns of conditions"
    elif options.speakers_from not in (None, "none") and key is not None:
        in_the_way = Setting("speakers_from")  # joined trials have no ids
    elif options.duplicates not in ("error", "all"):
        in_the_way = Setting("duplicates", options.duplicates)
    if several and asked is False:
        raise OptionError(
            "several files, folders and patterns are read in pieces; give one file, or leave out ",
            Setting("in_pieces", False),
        )
    if not (asked or several):
        size = sum(map(_size, given)) if asked is None and key is None else 0
        if in_the_way and size > max(_LARGE, _memory()):
            raise OptionError(
                f"{source}: ",
                in_the_way,
                f" needs all trials in memory, and this file of {size / 2**30:,.0f} GB is larger "
                "than that; leave it out, or try nevertheless: ",
                Setting("in_pieces", False),
            )
        return size > _LARGE and not in_the_way
    if in_the_way:
        hint = "; leave that out, or give one file to be read whole"
        raise OptionError("trials cannot be read in pieces with ", in_the_way, hint)
    if "-" in named:
        raise OptionError("standard input cannot be read in pieces; name a file")
    return True


def _memory() -> float:
    """Bytes of memory of this machine; infinitely many if the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return math.inf


def _size(source: Any) -> int:
    """Bytes of a file; zero if there is no such file."""
    is_file = isinstance(source, str | PathLike) and Path(source).is_file()
    return Path(source).stat().st_size if is_file else 0


def opened(source: Any, key: Any | None, engine: Engine, options: ReadOptions) -> TrialSet:
    """A set of trials in pieces, which are read whenever it is used; counts are read at once.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file.
    """
    is_in_pieces(source, key, options, asked=True)  # or refused
    if is_on_cluster(source):
        if key is not None:
            raise OptionError("a key is for files; join the frame with it yourself")
        if options.speakers_from not in (None, "none"):
            raise OptionError(
                "speakers of frames of Dask and of URLs are not looked for; leave out ",
                Setting("speakers_from"),
            )
        return opened_frame(source, engine, options)
    if key is None:
        pieces = pieces_of(source, options.request("trials"), options.nontargets)
    else:
        options.refuse_key_and_nontargets(key)
        pieces = table_pieces(source, options.request("scores"))
    if counted := _counts(source, key, options, pieces):
        return counted
    trials = _labelled if key is None else partial(_joined, key)
    return _compared(trials(source, pieces, engine, options), pieces)


def _labelled(
    source: Any, pieces: Sequence[Piece], engine: Engine, options: ReadOptions
) -> TrialsInPieces:
    """Trials with labels, and with their speakers where these are known."""
    from llrcal.scale.speakers import Who
    from llrcal.scale.trials_in_pieces import TrialsInPieces

    names = ", ".join(_name_of(one) for one in (source, options.nontargets) if one is not None)
    check_repeated = options.duplicates == "error"
    trials = TrialsInPieces.of(pieces, engine, names, check_repeated=check_repeated)
    who = Who.of(pieces, options)
    notes = [note.about(names) for note in (who.notes if who else ())]
    return replace(trials, notes=(*trials.notes, *options.unused(None), *notes), who=who)


def _joined(
    key: Any, source: Any, pieces: Sequence[Piece], engine: Engine, options: ReadOptions
) -> TrialsInPieces:
    """Scores with labels from a key."""
    from llrcal.scale.speakers import Who
    from llrcal.scale.trials_in_pieces import TrialsInPieces

    sources = _name_of(source), _name_of(key)
    labels = table_pieces(key, options.request("key"))
    joined, notes = join_pieces(pieces, labels, engine, options=options, sources=sources)
    trials = TrialsInPieces(joined, engine, sources[0], notes)
    if options.missing == "error" and options.on_nan == "error":  # else some may be left out
        trials = replace(trials, key=(Who.of(labels, options), tuple(labels)))
    return trials


def _counts(
    source: Any, key: Any | None, options: ReadOptions, pieces: Sequence[Piece]
) -> Counts | None:
    """The counted trials of files; None if they hold trials one by one."""
    if not any(piece.is_counted for piece in pieces):
        return None
    if others := [piece.file for piece in pieces if not piece.is_counted]:
        raise TrialFileError(
            f"{others[0]}: holds no counted trials, but another of the files does: give files of "
            "one kind"
        )
    request = options.request("scores", joins=False)
    tables = [read_table(name, request, counted=True) for name in files_of(source)]
    return counts_of(tables, key, options)


def opened_scores(source: Any, engine: Engine, options: ReadOptions) -> TrialSet:
    """Scores without labels as a set of trials, all of which count as non-targets.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file.
    """
    from llrcal.scale.trials_in_pieces import TrialsInPieces

    if is_on_cluster(source):
        return opened_frame(source, engine, options, labelled=False)
    pieces = pieces_of(source, options.request("scores", joins=False))
    if counted := _counts(source, None, options, pieces):
        return counted
    trials = TrialsInPieces.of(pieces, engine, _name_of(source), check_repeated=False)
    return _compared(trials, pieces)


def _compared(trials: TrialsInPieces, pieces: Sequence[Piece]) -> TrialsInPieces:
    """The same trials, with a warning if the columns of their files are not the same."""
    names = {one.score_name: one.file for one in reversed(pieces)}
    places = " and ".join(f"{name or '-'!r} in {file}" for name, file in reversed(names.items()))
    if len({*map(unit_in, names)}) > 1:
        raise TrialFileError(f"{places}: {OTHER_UNITS}")
    mixed: list[Message] = []
    if len({*names} - {None}) > 1:
        hint = "; if these are not the same scores, name one: "
        text = f"scores are in columns of different names: {places}"
        mixed.append((text, hint, Setting("columns", "score=NAME")))
    columns = {
        "ids": [one.has_ids for one in pieces],
        "speakers": [one.names_speakers for one in pieces],
        "hypotheses as labels (such as Hp and Hd)": [one.forensic for one in pieces],
    }
    for what, has in columns.items():
        if any(has) and not all(has):
            one, other = pieces[has.index(True)].file, pieces[has.index(False)].file
            mixed.append((f"{one} has {what}, and {other} has none",))
    notes = [Note.warning("mixed columns", *text).about(trials.source) for text in mixed]
    warn(notes)
    return replace(trials, notes=(*trials.notes, *notes))


def is_on_cluster(source: Any) -> bool:
    """Whether these are a frame of Dask, or URLs that fsspec knows, rather than files."""
    if type(source).__module__.partition(".")[0] == "dask":
        return True
    first = source[0] if isinstance(source, list | tuple) and source else source
    return isinstance(first, str | PathLike) and "://" in fspath(first)


def opened_frame(
    source: Any,
    engine: Engine,
    options: ReadOptions,
    *,
    labelled: bool = True,
    others: Sequence[str] = (),
) -> TrialsInPieces:
    """A frame of Dask; with other columns of scores beside the first, if there are any."""
    from llrcal.scale.dask_engine import frame_pieces, names_hypotheses
    from llrcal.scale.trials_in_pieces import TrialsInPieces

    request = options.request("trials") if labelled else options.request("scores", joins=False)
    if request.columns:
        raise OptionError(
            request.given_columns, " are in order, and columns of a frame of Dask go by their names"
        )
    names = dict(request.named)
    scores = [names.get("score", "score"), *others]
    label = names.get("label", "label") if labelled else None
    pieces = frame_pieces(source, scores, label, request)
    if labelled and engine.reduce(pieces[:1], names_hypotheses, "looking at labels"):
        pieces = [replace(piece, forensic=True) for piece in pieces]
    return TrialsInPieces.of(pieces, engine, "the frame")


def engine_for(source: Any, client: Any | None, progress: Progress) -> Engine:
    """Who reads this: the cluster of a client, or threads of this process.

    Frames of Dask and URLs are read by the most recently connected cluster, unless one is given.
    """
    if client is None and not is_on_cluster(source):
        return Threads(progress)
    try:
        from distributed import default_client
    except ImportError as problem:
        raise OptionError(
            'clusters and URLs need Dask, which is not installed: pip install "llrcal[dask]"'
        ) from problem
    from llrcal.scale.dask_engine import DaskEngine

    try:
        return DaskEngine(client or default_client(), progress)
    except ValueError:  # none is connected
        return Threads(progress)


def _name_of(paths: Paths) -> str:
    return fspath(paths) if isinstance(paths, str | PathLike) else f"{len(paths)} files"
