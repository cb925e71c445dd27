"""``llrcal pairs``: from embeddings to the counts of all their pairs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from llrcal.cli.options import (
    FORCE,
    JSON,
    QUIET,
    File,
    NewFile,
    argument,
    command,
    option,
    output,
    refuse,
)
from llrcal.cli.reading import cluster_client
from llrcal.cli.terminal import echo_err, print_json, print_notes, progress_bar

if TYPE_CHECKING:
    from llrcal.trials.counts import Counts


@command()
def pairs(
    *,
    embeddings: File = argument("EMBEDDINGS"),
    out: NewFile = output(
        "The counts (.parquet, .csv or .npz); with --by, a folder of such files.", "COUNTS"
    ),
    speakers: str | None = option(
        "Who speaks: a column or array of EMBEDDINGS; a text file of ids and speakers (utt2spk), "
        "or of speakers; or id:REGEX, for what it finds in an id.  [default: speakers, speaker or "
        "spk]",
        metavar="LABELS",
    ),
    test: File | None = option(
        "A second set: count pairs of one embedding from each, the first for enrolment.",
        metavar="FILE",
    ),
    models: str | None = option(
        "Replace embeddings of EMBEDDINGS that share one of these labels by their mean.",
        metavar="LABELS",
    ),
    exclude: Sequence[str] = option(
        "Labels that no trial shares, such as sessions or videos. Repeatable.", metavar="LABELS"
    ),
    within: Sequence[str] = option(
        "Labels that all trials share, such as the sex. Repeatable.", metavar="LABELS"
    ),
    by: str | None = option(
        "Count each combination of these labels, such as channels, by itself.", metavar="LABELS"
    ),
    similarity: Literal["cosine", "dot"] = option("Cosine, or dot product.", "cosine"),
    groups: Annotated[int, click.IntRange(0, 1000)] | None = option(
        "Groups of speakers, for intervals; 0 for none.  [default: 10]"
    ),
    device: str = option("Where to count: cpu, or a device of torch such as cuda.", "cpu"),
    workers: Annotated[int, click.IntRange(min=1)] | None = option(
        "Count with this many processes on this machine (Dask)."
    ),
    scheduler: str | None = option("Count on a Dask cluster: tcp://host:8786.", metavar="ADDRESS"),
    force: bool = FORCE,
    json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Count the scores of all pairs of embeddings.

    EMBEDDINGS is .npy, .npz, Parquet, HDF5, or Kaldi's .ark or .scp (see docs/pairs.md). A pair of
    one speaker is a target, and of two speakers a non-target. No score is written: COUNTS has each
    distinct score with its number of targets and non-targets, and every verb reads it.

    \b
    llrcal pairs xvectors.npz -o counts.parquet
    llrcal pairs xvector.scp --speakers utt2spk -o counts.parquet
    llrcal pairs vox.parquet --speakers 'id:^[^/]+' --exclude 'id:^[^/]+/[^/]+' -o counts.parquet
    llrcal pairs enrol.npz --models model --test calls.npz --within sex -o counts.csv
    llrcal pairs million.npz --device cuda -o counts.parquet
    llrcal fit counts.parquet -o model.json
    """
    from llrcal.files.compression import check_place
    from llrcal.pairing.pairs import GROUPS
    from llrcal.pairing.pairs import pairs as counted

    if by is None:
        check_place(out, by_name=True)
    refuse(
        {"--device is for this machine: leave it out": device != "cpu" and (workers or scheduler)}
    )
    with progress_bar(quiet=quiet) as show, cluster_client(workers, scheduler) as client:
        found: Any = counted(
            embeddings,
            speakers,
            test=test,
            models=models,
            exclude=_several(exclude),
            within=_several(within),
            by=by,
            similarity=similarity,
            groups=GROUPS if groups is None else groups,
            device=device,
            client=client,
            progress=_with_rate(show),
        )
    sets: dict[str, Counts] = {"": found} if by is None else found
    places = _written(sets, out, force=force)
    notes = next(iter(sets.values())).notes
    if json:
        trials = {place: _sizes(counts) for place, counts in places.items()}
        print_json({"counts": trials}, notes)
    print_notes(notes, quiet=quiet, lead="note: ")
    for place, counts in {} if quiet else places.items():
        tar, non = counts.counts
        echo_err(f"Counts: {place}: {tar:,} targets, {non:,} non-targets")


def _several(labels: Sequence[str]) -> dict[str, str] | None:
    return dict(zip(labels, labels, strict=True)) or None


def _with_rate(show: Callable[..., None]) -> Callable[[str, int, int], None]:
    """Progress with the number of pairs in a second."""
    start = time.monotonic()

    def progress(what: str, done: int, total: int) -> None:
        rate = done / max(time.monotonic() - start, 1e-9)
        show(what, completed=done, total=total, description=f"{what}, {rate / 1e6:,.0f} M/s")

    return progress


def _written(sets: dict[str, Counts], out: str, *, force: bool) -> dict[str, Counts]:
    """Write counts to a file, or those of each condition to a folder; the names of the files."""
    from llrcal.files.atomic import atomic_folder

    if "" in sets:
        sets[""].save(out)
        return {out: sets[""]}
    names = {name: re.sub(r"[^\w.]+", "-", name) + ".parquet" for name in sets}
    refuse({"two conditions would have the same file": len({*names.values()}) < len(names)})
    with atomic_folder(out, force=force) as folder:
        for name, counts in sets.items():
            counts.save(folder / names[name])
    return {f"{out}/{names[name]}": counts for name, counts in sets.items()}


def _sizes(counts: Counts) -> dict[str, int]:
    tar, non = counts.counts
    return {"targets": tar, "nontargets": non, "distinct": len(counts.scores)}
