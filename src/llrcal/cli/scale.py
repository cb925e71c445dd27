"""Options for trials beyond memory or beyond one machine, and who goes through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from llrcal.cli.reading import applied

if TYPE_CHECKING:
    from llrcal.scale.engines.threads import Engine, Progress
    from llrcal.scale.pieces.piece import Piece

_Command = TypeVar("_Command", bound=Callable[..., Any])

PATIENCE = "10s"  # with a scheduler that does not answer
_LARGE = 2**30  # bytes; what is larger is read in pieces without being asked
_NOT_IN_PIECES = {
    "key": "a key (--key)",
    "missing": "--missing",
    "unknown": "--unknown",
    "duplicates": "--duplicates",
}


def scale_options(command: _Command) -> _Command:
    """Whether to read in pieces, and who does it."""
    return applied(
        command,
        click.option(
            "--in-pieces",
            is_flag=True,
            help="Read in pieces, in little memory: always so for folders, patterns and files "
            "beyond 1 GB that hold their labels. Trials that are there twice are not looked for.",
        ),
        click.option(
            "--workers",
            type=click.IntRange(min=1),
            help="Read in pieces, by so many processes of this machine (Dask).",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Read in pieces, by a Dask cluster: tcp://host:8786.",
        ),
    )


@dataclass(frozen=True)
class Scale:
    """What the options say."""

    in_pieces: bool
    workers: int | None
    scheduler: str | None

    def is_meant(self, source: str, reading: dict[str, Any]) -> bool:
        """Whether to read this in pieces.

        Raises
        ------
        OptionError
            If it is to be, and cannot.
        """
        from llrcal.errors import OptionError
        from llrcal.scale.pieces.file_names import is_many

        if self.workers and self.scheduler:
            raise OptionError("give either --workers or --scheduler, not both")
        wished = self.in_pieces or self.workers is not None or self.scheduler is not None
        many = source != "-" and is_many(source)
        given = [
            words
            for name, words in _NOT_IN_PIECES.items()
            if reading.get(name) not in (None, "error")
        ]
        if (wished or many) and given:
            raise OptionError(
                f"trials that are read in pieces take no {given[0].removeprefix('a ')}: scores and "
                "labels must be in the same file"
            )
        if (wished or many) and source == "-":
            raise OptionError("standard input cannot be read in pieces; name a file")
        return wished or many or (not given and _is_large(source))

    @contextmanager
    def engine(self, *, quiet: bool) -> Iterator[Engine]:
        """Who goes through the pieces, with a bar that shows how far they are."""
        from llrcal.cli.terminal import score_bar
        from llrcal.scale.engines.threads import Threads

        with score_bar(quiet=quiet) as progress:
            if self.workers is None and self.scheduler is None:
                yield Threads(progress)
                return
            with _client(self.workers, self.scheduler) as client:
                yield _dask_engine(client, progress)


def _is_large(source: str) -> bool:
    """Whether a file is too large to be read at once, and of a kind that can be read in pieces."""
    if "," in source and not Path(source).exists():
        return sum(map(_size, source.split(","))) > _LARGE
    return _size(source) > _LARGE


def _size(name: str) -> int:
    path = Path(name)
    return path.stat().st_size if path.is_file() else 0


def _dask_engine(client: Any, progress: Progress) -> Engine:
    from llrcal.scale.engines.dask import DaskEngine

    return DaskEngine(client, progress=progress)


@contextmanager
def _client(workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """A connection to a cluster, which may be one of our own."""
    from llrcal.errors import OptionError

    try:
        from distributed import Client, LocalCluster
    except ImportError as problem:
        raise OptionError(
            "Dask is not installed, which --workers and --scheduler need: "
            "pip install 'llrcal[dask]'"
        ) from problem
    if scheduler is not None:
        try:
            client = Client(scheduler, timeout=PATIENCE)
        except (OSError, ValueError, TimeoutError) as problem:
            raise OptionError(f"no Dask scheduler answers at {scheduler}: {problem}") from problem
        with client:
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
            silence_logs=50,  # what goes wrong is raised here, and need not be told twice
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def opened(source: str, reading: dict[str, Any], *, quiet: bool, **request: Any) -> list[Piece]:
    """The pieces of files, said aloud."""
    from llrcal.scale.pieces.opening import pieces_of
    from llrcal.trials.request import Request

    form = ("columns", "convention", "separator", "header", "labels", "on_nan")
    settings = {name: reading[name] for name in form if name in reading}
    pieces = pieces_of(
        source, Request.of("trials", **settings, **request), reading.get("spoof", "error")
    )
    if not quiet:
        rows = sum(piece.rows for piece in pieces)
        click.echo(f"{source}: {len(pieces):,} pieces of about {rows:,} trials in all", err=True)
    return pieces


def name_of_scores(pieces: list[Piece]) -> tuple[str | None, bool]:
    """What files call their scores, where they have names, and whether labels are hypotheses."""
    from llrcal.scale.pieces.parquet import ParquetPiece
    from llrcal.scale.pieces.text import TextPiece

    first = pieces[0] if pieces else None
    if isinstance(first, ParquetPiece):
        return first.columns.score, False
    if isinstance(first, TextPiece):
        return first.layout.score_name, first.layout.forensic
    return None, False
