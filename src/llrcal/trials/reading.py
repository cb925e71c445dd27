"""Reading trials from the files people have."""

from __future__ import annotations

import os
from os import PathLike, fspath
from typing import Any, Unpack, cast

import numpy as np

from llrcal.files.overwriting import opened_input
from llrcal.trials.count_files import counts_of
from llrcal.trials.counts import Counts
from llrcal.trials.joining import both_classes, joined, without_duplicates
from llrcal.trials.leaving_out import without_nan, without_spoof
from llrcal.trials.request import ReadKeywords, ReadOptions, Request
from llrcal.trials.speakers import with_speakers
from llrcal.trials.table import Table
from llrcal.trials.table_reading import read_table
from llrcal.trials.trials import Trials


def read_trials(
    source: str | PathLike[str] | Any,
    key: str | PathLike[str] | Any | None = None,
    **options: Unpack[ReadKeywords],
) -> Trials:
    """Read scores and labels, from one file or from a score file and its key.

    Parameters
    ----------
    source
        A score file of any kind that docs/formats.md lists, plain or compressed with gzip or
        zstd; ``"-"`` for standard input; or a frame of polars, pandas or any library that
        exchanges tables the same way.
    key
        The labels, if they are in another file or frame. It is joined with the scores on the ids of
        the trials, in any order.
    columns, key_columns
        Which column is which, if that is not clear from the file. Either the roles in the order of
        the file, ``("enrol", "test", "score", "label")`` with ``"-"`` for any other column; or
        the names of some columns, ``{"score": "plda", "label": "key"}``. Strings do as well:
        ``"enrol,test,score,label"``, ``"score=plda,label=key"``.
    convention, key_convention
        The name of a format, such as ``"kaldi"``.
    labels
        The words for target and non-target if they are unusual: ``("Yes", "No")`` or ``"Yes,No"``.
        A third word stands for spoof.
    separator
        ``"tab"``, ``"comma"``, ``"semicolon"``, ``"space"`` (any run of blanks), or the character.
    header
        Whether the first line names the columns.
    decimal
        ``"point"``, or ``"comma"`` if the file has numbers such as 1,5.
    missing, unknown
        Trials of the key without a score, and scores without a trial in the key: ``"error"``
        or ``"skip"``.
    duplicates
        Trials that occur more than once: ``"error"``, ``"first"`` or ``"all"``.
    spoof
        Spoof trials: ``"error"``, ``"omit"``, ``"nontarget"`` (count them with the other
        non-targets), or ``"only"`` (instead of the other non-targets).
    allow_infinite
        Whether scores may be infinite, as LLRs may.
    on_nan
        Trials whose score is NaN (in a frame, also null): ``"error"``, or ``"drop"`` to leave them
        out of both the scores and the key.
    keep
        Names of further columns to keep as text, of the scores or of the key: conditions and side
        information. They are the columns of ``trials.kept``.
    nontargets
        The non-targets, if they are in another file or frame than the targets: ``source`` then
        holds the scores of the targets alone, and there is no key.
    speakers_from
        Where the speakers of trials are named. By default, in columns with one of the usual names,
        or in ids such as ``id10270/x6uYqmx31kE/00001.wav``, if that agrees with the labels.
        Otherwise a pattern for ids, ``"{speaker}_{rest}"``; a regular expression with a group
        ``(?P<speaker>...)``; a file with a recording and its speaker on each line (utt2spk); or
        ``"none"``.

    Returns
    -------
    Trials
        Target and non-target scores, labels and ids; its ``notes`` say how the files were read
        and what was left out. Files and frames with columns ``score``, ``targets`` and
        ``nontargets`` hold counted trials, and give :class:`llrcal.Counts` instead.

    Raises
    ------
    TrialFileError
        If a file cannot be read without guessing; the message says which argument settles it.
    ScoreError
        If a class is empty, or a score is not finite.
    OptionError
        If an argument has the wrong type, or is not one of the words above.

    Examples
    --------
    >>> import llrcal, polars
    >>> frame = polars.DataFrame({"plda": [1.5, -0.5, 2.0], "cosine": [0.3, 0.1, 0.2],
    ...                           "verdict": ["Y", "N", "Y"]})
    >>> trials = llrcal.read_trials(frame, columns={"score": "plda"}, labels=("Y", "N"))
    >>> trials.tar, trials.non
    (array([1.5, 2. ]), array([-0.5]))
    >>> print(trials.notes[0])
    the frame: 3 trials; columns by name (score=plda,label=verdict)
    """
    # Type checkers are told of Trials alone: whoever reads counts knows it.
    return cast("Trials", trials_from(source, key, ReadOptions(**options)))


def trials_from(source: Any, key: Any | None, options: ReadOptions) -> Trials | Counts:
    """The trials that :func:`read_trials` describes."""
    given = (source, key, options.nontargets, options.speakers_from)
    named = [fspath(one) for one in given if isinstance(one, str | PathLike)]
    # Path.is_file would raise for names that are too long for any file.
    files = tuple(opened_input(name) for name in named if os.path.isfile(name))  # noqa: PTH113
    if options.nontargets is None:
        source = read_table(source, _request(key, options), counted=True)
        if source.is_counted:
            return counts_of([source], key, options)
    table = with_who(read_and_join(source, key, options), options)
    table = without_spoof(table, options.spoof)
    where = f"{table.source}, {key}" if isinstance(key, str) else table.source
    scores, labels = table.frame["score"], table.is_target
    speakers, names = table.speakers or (None, None)
    count = int(np.count_nonzero(labels))
    if labels[:count].all():  # nothing to copy
        tar, non = scores[:count].to_numpy(), scores[count:].to_numpy()
    else:
        tar, non = scores.to_numpy()[labels], scores.to_numpy()[~labels]
    return Trials(
        tar,
        non,
        table.source,
        None if speakers is None else speakers[labels],
        None if speakers is None else speakers[~labels],
        is_target=labels,
        ids=table.all_ids,
        notes=table.notes,
        score_name=table.score_name,
        forensic=table.forensic,
        allow_infinite=options.allow_infinite,
        kept=table.kept(options.keep, where) if options.keep else None,
        files=files,
        speaker_names=names,
    )


def _request(key: Any | None, options: ReadOptions) -> Request:
    """What to look for in a file of scores."""
    return options.request("trials" if key is None else "scores")


def with_who(table: Table, options: ReadOptions) -> Table:
    """The table with speakers, where these are known."""
    return with_speakers(table, options.speakers_from, trusted=options.names_speakers)


def read_and_join(
    source: Any, key: Any | None, options: ReadOptions, request: Request | None = None
) -> Table:
    """Scores, with labels from the key if there is one.

    ``request`` is what to look for in the scores, unless that follows from whether there is a key.
    """
    request = request or _request(key, options)
    if options.nontargets is None:
        scores = read_table(source, request)
    else:
        options.refuse_key_and_nontargets(key)
        one_class = options.request("class")
        classes = (read_table(one, one_class) for one in (source, options.nontargets))
        scores = both_classes(*classes)
    labels = None if key is None else read_table(key, options.request("key"))
    if request.on_nan == "drop":
        scores, labels = without_nan(scores, labels)
    if labels is None:
        scores = scores.changed(scores.frame, *options.unused(key))
        return without_duplicates(scores, options)
    return joined(scores, labels, options)
