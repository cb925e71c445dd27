"""Options for reading trials, and opening them: in memory, in pieces, or on a cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from llrcal.cli.options import KEY, File, option
from llrcal.cli.terminal import print_notes, print_warnings, progress_bar
from llrcal.errors import LlrcalError, OptionError
from llrcal.messages import Setting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llrcal.arrays import Array, Floats
    from llrcal.calibrations import Calibration
    from llrcal.messages import Part
    from llrcal.notes import Note
    from llrcal.onepass.summary import Summary
    from llrcal.scale.engine import Engine
    from llrcal.trials.request import ReadOptions
    from llrcal.trials.trials import TrialSet


@dataclass(frozen=True)
class Form:
    """The form of a score file, for files in which it is ambiguous; and NaN scores."""

    heading = "How files are read"

    columns: str | None = option(
        "The columns in order (enrol,test,score,label, with - for any other), or roles and names "
        "of columns (score=plda).",
        metavar="ROLES",
    )
    convention: str | None = option(
        "The format of the file: kaldi, wespeaker, speechbrain, voxceleb, nist, asvspoof2019, "
        "asvspoof2021, bob4, bob5, ...",
        metavar="NAME",
    )
    separator: Literal["tab", "comma", "semicolon", "space"] | None = option(
        "What separates the columns; space means any run of blanks."
    )
    header: bool | None = option("Whether the first line names the columns.")
    decimal: Literal["point", "comma"] = option(
        "The decimal separator of numbers in text files.", "point"
    )
    on_nan: Literal["error", "drop"] = option(
        "Trials whose score is NaN: refuse the file, or drop them and print how many.", "error"
    )

    def options(self, **more: Any) -> ReadOptions:
        """How to read trials, with more than options of the command line say."""
        from llrcal.trials.request import ReadOptions

        given = {**vars(self), **more}
        given.pop("key", None)  # a file, and not how to read it
        return ReadOptions(**given)


@dataclass(frozen=True)
class LabelledForm(Form):
    """The form of score files and keys; unusual labels and unusual trials."""

    key_columns: str | None = option("The columns of the key, as for --columns.", metavar="ROLES")
    key_convention: str | None = option("The format of the key, as for --format.", metavar="NAME")
    labels: str | None = option(
        "The two labels, if they are unusual: Yes,No.", metavar="TARGET,NONTARGET"
    )
    missing: Annotated[str, click.Choice(["error", "skip"])] = option(
        "Trials of the key that have no score.", "error"
    )
    unknown: Literal["error", "skip"] = option("Scores of trials that are not in the key.", "error")
    duplicates: Literal["error", "first", "all"] = option(
        "Trials that occur more than once.", "error"
    )
    spoof: Literal["error", "omit", "nontarget", "only"] = option(
        "Spoof trials: omit them, count them as non-targets like the others, or use them as the "
        "only non-targets.",
        "error",
    )
    speakers_from: str | None = option(
        "Where speakers are named, if not in columns or in ids such as speaker/recording: a "
        "pattern for ids, '{speaker}_{rest}'; a regular expression with a group (?P<speaker>...); "
        "or a file with a recording and its speaker on each line (utt2spk). 'none' looks for none.",
        metavar="RULE",
    )


@dataclass(frozen=True)
class OtherFiles:
    """Where labels are, if not in the score file."""

    key: File | None = KEY
    nontargets: File | None = option(
        "The non-targets, if the score file holds targets alone.",
        metavar="FILE",
        heading="Options",
    )


@dataclass(frozen=True)
class Reading(LabelledForm, OtherFiles):
    """How to read a set of trials; its other files come first in the help."""

    @property
    def files(self) -> tuple[str | None, str | None]:
        """The other files."""
        return self.key, self.nontargets


@dataclass(frozen=True)
class Direction:
    """The direction of the scores."""

    lower_is_better: bool = option("Scores are distances: lower means more similar.")
    inverted: bool = option("Continue even if targets score lower than non-targets.")

    def check(self, notes: Iterable[Note], source: str) -> None:
        """Refuse scores if a note says that they run the wrong way, unless that is expected."""
        from llrcal.onepass.rank_scale import refuse_wrong_way

        if not self.inverted:
            refuse_wrong_way(notes, source, distance=self.lower_is_better)


@dataclass(frozen=True)
class Scale:
    """Whether to read in pieces, and by which processes."""

    heading = "How files are read"

    in_pieces: bool | None = option(
        "Read in pieces, to save memory, or a file of any size whole. In pieces is the default for "
        "folders, patterns, and files over 1 GB that contain their labels, unless an option needs "
        "all trials in memory."
    )
    workers: Annotated[int, click.IntRange(min=1)] | None = option(
        "Read in pieces, with this many processes on this machine (Dask)."
    )
    scheduler: str | None = option(
        "Read in pieces, on a Dask cluster: tcp://host:8786.", metavar="ADDRESS"
    )


@dataclass(frozen=True)
class Opener:
    """Opens sets of trials, as the options say."""

    in_pieces: bool | None
    """Whether they must be read in pieces, or must not be; None if that depends on them."""
    quiet: bool
    engine: Engine

    def __call__(
        self, source: str, reading: Reading, *, whole: Part | None = None, **more: Any
    ) -> TrialSet:
        """A set of trials; notes on how it was read are printed on standard error.

        ``whole`` is an option that needs all trials in memory, if one does.
        """
        from llrcal.scale.opening import open_set

        trials = open_set(
            source,
            reading.key,
            reading.options(**more),
            in_pieces=self.in_pieces,
            engine=self.engine,
            whole=whole,
        )
        print_notes(trials.notes, quiet=self.quiet)
        return trials


@contextmanager
def opener(scale: Scale, *, quiet: bool) -> Iterator[Opener]:
    """An opener of sets of trials, which are available for as long as the context lasts."""
    from llrcal.scale.engine import Threads

    with print_warnings(), progress_bar(quiet=quiet) as show, _client(scale) as client:

        def progress(what: str, done: int, total: int) -> None:
            show(what, completed=done, total=total)

        if client is None:
            yield Opener(scale.in_pieces, quiet, Threads(progress))
        else:
            from llrcal.scale.dask_engine import DaskEngine

            yield Opener(True, quiet, DaskEngine(client, progress))


@contextmanager
def _client(scale: Scale) -> Iterator[Any]:
    """A connection to the cluster that reads in pieces, if there is one."""
    on_cluster = scale.workers or scale.scheduler
    if on_cluster and scale.in_pieces is False:
        raise OptionError("--workers and --scheduler read in pieces: leave out --no-in-pieces")
    with cluster_client(scale.workers, scale.scheduler) as client:
        yield client


@contextmanager
def cluster_client(workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """A connection to the given cluster, or to a new local one; None if neither is asked for."""
    if workers and scheduler:
        raise OptionError("give either --workers or --scheduler, not both")
    if not (workers or scheduler):
        yield None
        return
    try:
        from distributed import Client
    except ImportError as problem:
        raise OptionError(
            "--workers and --scheduler need Dask, which is not installed: "
            "pip install 'llrcal[dask]'"
        ) from problem
    from llrcal.scale.dask_engine import check_answers, local_cluster

    if workers is not None:
        with local_cluster(workers) as cluster, Client(cluster) as client:
            yield client
    elif scheduler is not None:
        check_answers(scheduler)
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised here
        with Client(scheduler) as client:
            yield client


def unlabelled(
    source: str,
    model: Calibration,
    reading: Form,
    scale: Scale,
    speakers: str | None,
    *,
    quiet: bool,
) -> tuple[Floats | Summary, float | Array | None]:
    """The scores of files, whatever their labels; a summary if they are read in pieces.

    With the number of speakers, or the two of each score, if ``speakers`` says how to find them.
    """
    from llrcal.adaptation.given import number_of_speakers
    from llrcal.scale.opening import is_in_pieces, opened_scores
    from llrcal.trials.count_files import counts_of
    from llrcal.trials.leaving_out import without_nan
    from llrcal.trials.speakers import with_speakers
    from llrcal.trials.table_reading import read_table

    options = reading.options(duplicates="all", nontargets=None)
    number = None
    with suppress(TypeError, ValueError):
        number = float(speakers)  # type: ignore[arg-type]
    number_of_speakers(None, number)  # or refused, before any scores are read
    with opener(scale, quiet=quiet) as opened:
        trials: Any
        if is_in_pieces(source, None, options, asked=opened.in_pieces):
            trials = opened_scores(source, opened.engine, options)
        else:
            trials, request = (
                None,
                options.request("scores", joins=number is None and bool(speakers)),
            )
            table = read_table(source, request, counted=True)
            if table.is_counted:
                trials = counts_of([table], None, options)
        if trials is not None:
            print_notes(trials.notes, quiet=quiet)
            if speakers is not None and number is None:
                raise OptionError(
                    Setting("speakers"),
                    ": give the number of speakers; who speaks is not looked "
                    "up in pieces, nor in counts",
                )
            return (trials.negated() if model.lower_is_better else trials).pooled(), number
    if options.on_nan == "drop":
        table, _ = without_nan(table, None)
    if speakers is not None and number is None:
        try:
            table = with_speakers(table, speakers, trusted=True)
        except LlrcalError as error:
            raise error.naming(speakers_from="speakers") from None
    print_notes(table.notes, quiet=quiet)
    scores: Floats = table.frame["score"].to_numpy()
    return scores, table.speakers[0] if number is None and speakers and table.speakers else number
