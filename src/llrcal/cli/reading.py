"""Options for reading trials, and opening them: in memory, in pieces, or on a cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, cast

import click

from llrcal.cli.options import FILE, Command, flag, refuse, together
from llrcal.cli.terminal import print_notes, print_warnings, progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from llrcal.arrays import Floats
    from llrcal.notes import Note
    from llrcal.scale.engine import Engine
    from llrcal.trials.request import ReadOptions
    from llrcal.trials.trials import TrialSet

_FORM = together(
    click.option(
        "--columns",
        metavar="ROLES",
        help="The columns in order (enrol,test,score,label, with - for any other), or roles "
        "and names of columns (score=plda).",
    ),
    click.option(
        "--format",
        "convention",
        metavar="NAME",
        help="The format of the file: kaldi, wespeaker, speechbrain, voxceleb, "
        "nist, asvspoof2019, asvspoof2021, bob4, bob5, ...",
    ),
    click.option(
        "--separator",
        type=click.Choice(["tab", "comma", "semicolon", "space"]),
        help="What separates the columns; space means any run of blanks.",
    ),
    click.option(
        "--header/--no-header", default=None, help="Whether the first line names the columns."
    ),
    click.option(
        "--decimal",
        type=click.Choice(["point", "comma"]),
        default="point",
        help="The decimal separator of numbers in text files.",
    ),
    click.option(
        "--on-nan",
        type=click.Choice(["error", "drop"]),
        default="error",
        help="Trials whose score is NaN: refuse the file, or drop them and print how many.",
    ),
)
"""The form of a score file, for files in which it is ambiguous; and NaN scores."""

_KEY_FORM = together(
    click.option(
        "--key-columns", metavar="ROLES", help="The columns of the key, as for --columns."
    ),
    click.option(
        "--key-format",
        "key_convention",
        metavar="NAME",
        help="The format of the key, as for --format.",
    ),
)
_MISSING = {
    "error": "refuse the files",
    "skip": "skip them",
    "patterns": "or fuse the systems that are there",
}


def _policies(*, systems: bool) -> Callable[[Command], Command]:
    """How to handle unusual labels and unusual trials."""
    without_score = "Trials of the key that have no score"
    if systems:
        without_score += f" of a system: {', '.join(_MISSING.values())}"
    return together(
        click.option(
            "--labels",
            metavar="TARGET,NONTARGET",
            help="The two labels, if they are unusual: Yes,No.",
        ),
        click.option(
            "--missing",
            type=click.Choice(list(_MISSING)[: 3 if systems else 2]),
            default="error",
            help=f"{without_score}.",
        ),
        click.option(
            "--unknown",
            type=click.Choice(["error", "skip"]),
            default="error",
            help="Scores of trials that are not in the key.",
        ),
        click.option(
            "--duplicates",
            type=click.Choice(["error", "first", "all"]),
            default="error",
            help="Trials that occur more than once.",
        ),
        click.option(
            "--spoof",
            type=click.Choice(["error", "omit", "nontarget", "only"]),
            default="error",
            help="Spoof trials: omit them, count them as non-targets like the others, or use them "
            "as the only non-targets.",
        ),
    )


def reading_options(
    *, key: bool = True, labels: bool = True, systems: bool = False
) -> Callable[[Command], Command]:
    """Options for reading files, which a verb gets as one ``reading``, a ReadOptions.

    ``key`` is whether the verb has the option --key; ``labels``, whether it reads labels at all;
    ``systems``, whether it reads several systems, some of which may lack scores: the verb is then
    also told whether these are to be kept (``partial``).
    """
    groups = [_KEY_FORM, _policies(systems=systems)] if labels else []
    file = click.option(
        "--key", metavar="FILE", type=FILE, help="Labels, if they are not in the score file."
    )
    classes = click.option(
        "--nontargets",
        metavar="FILE",
        type=FILE,
        help="The non-targets, if the score file holds targets alone.",
    )
    files = [file, *([] if systems else [classes])] if key and labels else []
    options = together(*files, *groups, _FORM)

    def decorate(verb: Command) -> Command:
        @wraps(verb)
        def with_reading(**given: Any) -> Any:
            from llrcal.trials.request import ReadKeywords, ReadOptions

            words = {
                name: given.pop(name) for name in ReadKeywords.__annotations__ if name in given
            }
            if systems:
                given["partial"] = words["missing"] == "patterns"
                words["missing"] = "skip" if given["partial"] else words["missing"]
            return verb(reading=ReadOptions(**words), **given)

        return options(cast("Command", with_reading))

    return decorate


direction_options = together(
    flag("--distance", "Scores are distances: lower means more similar."),
    flag("--inverted", "Continue even if targets score lower than non-targets."),
)
"""The direction of the scores."""


def refuse_wrong_way(notes: Iterable[Note], source: str, *, distance: bool) -> None:
    """Refuse scores if a note says that they run the wrong way."""
    from llrcal.onepass import rank_scale

    rank_scale.refuse_wrong_way(notes, source, distance=distance)


@dataclass(frozen=True)
class Scale:
    """Whether to read in pieces, and by which processes."""

    in_pieces: bool
    workers: int | None
    scheduler: str | None

    @property
    def is_asked_for(self) -> bool | None:
        """Whether trials must be read in pieces; None if that depends on them."""
        return self.in_pieces or self.is_cluster or None

    @property
    def is_cluster(self) -> bool:
        return self.workers is not None or self.scheduler is not None


def scale_options(verb: Command) -> Command:
    """Whether to read in pieces, and by which processes: a verb gets them as ``scale``."""

    @wraps(verb)
    def with_scale(
        *, in_pieces: bool, workers: int | None, scheduler: str | None, **given: Any
    ) -> Any:
        return verb(scale=Scale(in_pieces, workers, scheduler), **given)

    options = together(
        flag(
            "--in-pieces",
            "Read in pieces, to save memory. This is the default for folders, patterns, and "
            "files over 1 GB that contain their labels.",
        ),
        click.option(
            "--workers",
            type=click.IntRange(min=1),
            help="Read in pieces, with this many processes on this machine (Dask).",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Read in pieces, on a Dask cluster: tcp://host:8786.",
        ),
    )
    return options(cast("Command", with_scale))


@contextmanager
def opener(scale: Scale, *, quiet: bool) -> Iterator[Opener]:
    """An opener of sets of trials, which are available for as long as the context lasts."""
    refuse({"give either --workers or --scheduler, not both": scale.workers and scale.scheduler})
    with print_warnings(), ExitStack() as stack:
        yield Opener(scale, quiet, stack)


@dataclass
class Opener:
    """Opens sets of trials, as the options say."""

    scale: Scale
    quiet: bool
    stack: ExitStack
    """Closed with the context: a progress bar, and a connection to a cluster."""

    def __call__(self, source: str, key: str | None, options: ReadOptions) -> TrialSet:
        """A set of trials; notes on how it was read are printed on standard error."""
        from llrcal.scale.opening import open_set

        asked = self.scale.is_asked_for
        trials = open_set(source, key, options, in_pieces=asked, engine=lambda: self.engine)
        print_notes(trials.notes, quiet=self.quiet)
        return trials

    def scores(self, source: str, options: ReadOptions) -> TrialSet | Floats:
        """Scores without labels: an array, or a set in pieces, all of whose labels are the same."""
        if self.is_in_pieces(source, None, options):
            from llrcal.scale.opening import opened_scores

            trials = opened_scores(source, self.engine, options)
            print_notes(trials.notes, quiet=self.quiet)
            return trials
        from llrcal.notes import Note
        from llrcal.trials.table_reading import read_table

        table = read_table(source, options.request("scores", joins=False))
        note = Note.of("read", f"{len(table):,} scores; {table.reading}").about(source)
        print_notes([note], quiet=self.quiet)
        column = table.frame["score"]
        scores: Floats = (column.drop_nans() if options.on_nan == "drop" else column).to_numpy()
        return scores

    def is_in_pieces(self, source: str, key: str | None, options: ReadOptions) -> bool:
        """Whether to read this in pieces; raises an OptionError if that is impossible."""
        from llrcal.scale.opening import is_in_pieces

        return is_in_pieces(source, key, options, asked=self.scale.is_asked_for)

    @cached_property
    def engine(self) -> Engine:
        """The engine that processes the pieces of all sets, with a progress bar."""
        show = self.stack.enter_context(progress_bar("scores", quiet=self.quiet))

        def progress(what: str, done: int, total: int) -> None:
            show(what, completed=done, total=total)

        if not self.scale.is_cluster:
            from llrcal.scale.engine import Threads

            return Threads(progress)
        client = self.stack.enter_context(_client(self.scale))
        from llrcal.scale.dask_engine import DaskEngine

        return DaskEngine(client, progress)


@contextmanager
def _client(scale: Scale) -> Iterator[Any]:
    """A connection to the given cluster, or to a new local one."""
    from llrcal.errors import OptionError

    try:
        from distributed import Client, LocalCluster
    except ImportError as problem:
        raise OptionError(
            "--workers and --scheduler need Dask, which is not installed: "
            "pip install 'llrcal[dask]'"
        ) from problem
    if scale.scheduler is not None:
        from llrcal.scale.dask_engine import check_answers

        check_answers(scale.scheduler)
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised here
        with Client(scale.scheduler) as client:
            yield client
        return
    import dask

    from llrcal.scale.dask_engine import KEEP_MEMORY

    with (
        dask.config.set(KEEP_MEMORY),
        LocalCluster(
            n_workers=scale.workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,  # errors are raised here; do not log them as well
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
