"""Opening trials for a verb: in memory, in pieces, or on a cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import together
from llrcal.cli.terminal import print_notes, print_warnings, progress_bar

if TYPE_CHECKING:
    from llrcal.arrays import Floats
    from llrcal.scale.engines.engine import Engine
    from llrcal.trials.request import ReadOptions
    from llrcal.trials.trial_set import TrialSet

_LARGE = 2**30  # bytes; larger files are read in pieces even if not asked for


def _keep(ctx: click.Context, option: click.Parameter, value: Any) -> None:
    """Keep the value of an option for :func:`opener`, so that verbs need not pass it on."""
    ctx.ensure_object(dict)[option.name] = value


_option = partial(click.option, expose_value=False, callback=_keep)

scale_options = together(
    _option(
        "--in-pieces",
        is_flag=True,
        help="Read in pieces, to save memory. This is the default for folders, patterns, and "
        "files over 1 GB that contain their labels.",
    ),
    _option(
        "--workers",
        type=click.IntRange(min=1),
        help="Read in pieces, with this many processes on this machine (Dask).",
    ),
    _option(
        "--scheduler",
        metavar="ADDRESS",
        help="Read in pieces, on a Dask cluster: tcp://host:8786.",
    ),
)
"""Whether to read in pieces, and by which processes: the options of :func:`opener`."""


@contextmanager
def opener(*, quiet: bool) -> Iterator[Opener]:
    """An opener of sets of trials, which are available for as long as the context lasts."""
    from llrcal.errors import OptionError

    where = click.get_current_context().obj
    if where["workers"] and where["scheduler"]:
        raise OptionError("give either --workers or --scheduler, not both")
    with print_warnings(), ExitStack() as stack:
        yield Opener(**where, quiet=quiet, stack=stack)


@dataclass
class Opener:
    """Opens sets of trials, as the options say."""

    in_pieces: bool
    workers: int | None
    scheduler: str | None
    quiet: bool
    stack: ExitStack
    """Closed with the context: a progress bar, and a connection to a cluster."""
    engines: list[Engine] = field(default_factory=list)
    """Empty until a set is read in pieces; then one engine for all sets."""

    def __call__(self, source: str, *, key: str | None, **reading: Any) -> TrialSet:
        """A set of trials; notes on how it was read are printed on standard error."""
        from llrcal.trials.request import ReadOptions

        options = ReadOptions(**reading)
        if self.is_in_pieces(source, key, options):
            from llrcal.scale.opening import opened

            trials: TrialSet = opened(source, key, self.engine(), options)
        else:
            from llrcal.trials.reading import trials_from

            trials = trials_from(source, key, options)
        print_notes(trials.notes, quiet=self.quiet)
        return trials

    def scores(self, source: str, **form: Any) -> TrialSet | Floats:
        """Scores without labels: an array, or a set in pieces, all of whose labels are the same."""
        from llrcal.trials.request import ReadOptions

        options = ReadOptions(**form)
        if self.is_in_pieces(source, None, options):
            from llrcal.scale.opening import opened_scores

            trials = opened_scores(source, self.engine(), options)
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
        from llrcal.errors import OptionError
        from llrcal.scale.pieces.file_names import is_many

        asked = self.in_pieces or self.workers is not None or self.scheduler is not None
        many = any(name not in ("-", None) and is_many(name) for name in (source, key))
        in_the_way = {
            "columns of conditions": bool(options.keep),
            f"--duplicates {options.duplicates}": options.duplicates not in ("error", "all"),
        }
        given = [words for words, is_given in in_the_way.items() if is_given]
        if (asked or many) and given:
            raise OptionError(f"trials cannot be read in pieces with {given[0]}")
        if (asked or many) and "-" in (source, key):
            raise OptionError("standard input cannot be read in pieces; name a file")
        is_large = key is None and _size(source) > _LARGE
        return asked or many or (is_large and not given)

    def engine(self) -> Engine:
        """The engine that processes the pieces, with a progress bar."""
        if not self.engines:
            from llrcal.scale.engines.threads import Threads

            show = self.stack.enter_context(progress_bar("scores", quiet=self.quiet))

            def progress(what: str, done: int, total: int) -> None:
                show(what, completed=done, total=total)

            if self.workers is None and self.scheduler is None:
                self.engines.append(Threads(progress))
            else:
                client = self.stack.enter_context(_client(self.workers, self.scheduler))
                from llrcal.scale.engines.dask import DaskEngine

                self.engines.append(DaskEngine(client, progress=progress))
        return self.engines[0]


def _size(source: str) -> int:
    """Bytes of a file, or of two joined by a comma; zero if there is no such file."""
    names = source.split(",") if "," in source and not Path(source).exists() else [source]
    return sum(Path(name).stat().st_size for name in names if Path(name).is_file())


@contextmanager
def _client(workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """A connection to the given cluster, or to a new local one."""
    from llrcal.errors import OptionError

    try:
        from distributed import Client, LocalCluster
    except ImportError as problem:
        raise OptionError(
            "--workers and --scheduler need Dask, which is not installed: "
            "pip install 'llrcal[dask]'"
        ) from problem
    if scheduler is not None:
        from llrcal.scale.engines.cluster import check_answers

        check_answers(scheduler)
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised here
        with Client(scheduler) as client:
            yield client
        return
    import dask

    from llrcal.scale.engines.dask import KEEP_MEMORY

    with (
        dask.config.set(KEEP_MEMORY),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,  # errors are raised here; do not log them as well
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
