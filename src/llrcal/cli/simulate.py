"""``llrcal simulate``: scores of a simulated recognizer, for experiments."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import click

from llrcal.cli.options import FORCE, JSON, NewFolder, command, option, refuse
from llrcal.cli.terminal import print_json, progress_bar
from llrcal.messages import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from llrcal.trials import Trials

Condition = Literal["train", "test"]
CONDITIONS: tuple[Condition, ...] = ("train", "test")
FULL = option("The paper's size: 42 million and 9 million trials.")
Seed = Annotated[int, click.IntRange(min=0)]
SEED = option("Seed of the simulation.", 0)
_OF_A_FILE = 10_000_000  # trials


@command()
def simulate(
    *,
    out: NewFolder = option("Folder for the trials.", metavar="DIR", required=True),
    full: bool = FULL,
    trials: Annotated[int, click.IntRange(min=2)] | None = option(
        "Write this many training and test trials, in folders train and test, as Parquet files of "
        "ten million."
    ),
    seed: Seed = SEED,
    force: bool = FORCE,
    json: bool = JSON,
    quiet: bool = option("Print no progress bars."),
) -> None:
    """Simulate a recognizer and write its trials.

    The scores have heavy tails, skew, rare targets, and a mild shift from training to test.

    \b
    llrcal simulate --out scores
    llrcal compare --train scores/train.npz --test scores/test.npz --out results
    llrcal simulate --trials 500000000 --out night
    """
    from llrcal.files.atomic import atomic_folder

    refuse({"give either --full or --trials, not both": full and trials is not None})
    sizes = {}
    with atomic_folder(out, force=force) as folder:
        for condition in CONDITIONS:
            if trials is None:
                made = simulated(condition, full, seed, quiet=quiet)
                _write(folder / f"{condition}.npz", made)
                sizes[f"{out}/{condition}.npz"] = len(made.tar) + len(made.non)
            else:
                with _progress(condition, quiet=quiet) as progress:
                    place = folder / condition
                    write_parts(place, trials, seed=seed, condition=condition, progress=progress)
                sizes[f"{out}/{condition}"] = trials
    if json:
        print_json({"seed": seed, "trials": sizes})
    else:
        click.echo(printable(f"Simulated trials: {' and '.join(sizes)}"))


def simulated(condition: Condition, full: bool, seed: int, *, quiet: bool) -> Trials:
    """Trials of one condition, in the size of the demo or of the paper."""
    from llrcal import simulation

    sizes = {
        "train": simulation.PAPER_TRAIN if full else simulation.DEMO_TRAIN,
        "test": simulation.PAPER_TEST if full else simulation.DEMO_TEST,
    }
    targets, nontargets = sizes[condition]
    with _progress(condition, quiet=quiet) as progress:
        return simulation.simulate(
            targets=targets,
            nontargets=nontargets,
            seed=seed,
            condition=condition,
            progress=progress,
        )


@contextmanager
def _progress(condition: Condition, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A progress bar, called with the number done and the total."""
    with progress_bar(quiet=quiet) as show:
        name = f"simulating {condition} trials"
        yield lambda done, total: show(name, completed=done, total=total)


def write_parts(
    folder: Path,
    trials: int,
    *,
    seed: int = 0,
    condition: Condition = "train",
    compression: Literal["zstd", "uncompressed"] = "zstd",
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> None:
    """Write trials to files ``part-00000.parquet`` and so on, with columns score and label.

    Each file has other speakers, and its trials are in random order.
    """
    import numpy as np
    import polars as pl

    from llrcal import simulation
    from llrcal.files.atomic import atomic_file

    folder.mkdir(parents=True, exist_ok=True)
    starts = range(0, trials, _OF_A_FILE)
    seeds = np.random.SeedSequence(seed).generate_state(len(starts)).tolist()
    share = simulation.PAPER_TRAIN[0] / sum(simulation.PAPER_TRAIN)
    for number, (start, own) in enumerate(zip(starts, seeds, strict=True)):
        count = min(_OF_A_FILE, trials - start)
        targets = max(round(count * share), 1)
        made = simulation.simulate(
            targets=targets, nontargets=max(count - targets, 1), seed=own, condition=condition
        )
        scores = np.concatenate([made.tar, made.non]).astype(np.float64)
        order = np.random.default_rng(own).permutation(len(scores))
        frame = pl.DataFrame({"score": scores[order], "label": order < len(made.tar)})
        with atomic_file(folder / f"part-{number:05}.parquet") as file:
            frame.write_parquet(file, compression=compression)
        progress(start + count, trials)


def _write(path: Path, trials: Trials) -> None:
    import numpy as np

    from llrcal.files.atomic import atomic_file

    with atomic_file(path) as file:
        names = ("tar", "non", "tar_speakers", "non_speakers")
        np.savez(file, **{name: getattr(trials, name) for name in names})
