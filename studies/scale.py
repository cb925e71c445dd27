"""Fifty million scores in Parquet files, beside merely reading them; and on a cluster.

    python -m studies.scale [--trials 500000000]

Every contender runs in a process of its own, which tells its peak memory, and they take turns. The
files are made once, under studies/results.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

import llrcal
from llrcal.cli.simulate import write_parts
from studies.exactness import SortedOracle
from studies.measure import peak
from studies.paper_scores import Scores

_HOME = Path(__file__).parent / "results" / "scale"
_BATCH = 2**20


def polars_read(folder: Path) -> Any:
    """All of it in memory, as `pl.read_parquet` does."""
    return pl.read_parquet(folder / "*.parquet").height


def polars_read_text(folder: Path) -> Any:
    """The same for text."""
    return pl.read_csv(folder / "*.csv").height


def polars_touch(folder: Path) -> Any:
    """One batch after the other, dropped once added up: the least that reading can take.

    Without the sums, files that are not compressed would only be mapped.
    """
    scan = pl.scan_parquet(folder / "*.parquet")
    batches = scan.collect_batches(chunk_size=_BATCH, maintain_order=False)
    return sum(float(b["score"].sum()) + int(b["label"].sum()) for b in batches)


def pyarrow_stream(folder: Path) -> Any:
    """The same by pyarrow, on its threads."""
    import pyarrow.dataset as ds

    return sum(batch.num_rows for batch in ds.dataset(folder).to_batches(batch_size=_BATCH))


def _opened(folder: Path) -> Any:
    return llrcal.open_trials(str(folder))


def fit_all(folder: Path) -> Any:
    """The paper's ten calibrations."""
    return _models(llrcal.fit_all(_opened(folder)))


def fit_nig(folder: Path) -> Any:
    """One pass, and one parametric method."""
    return _models({"nig": llrcal.fit(_opened(folder), method="nig")})


def evaluate(folder: Path) -> Any:
    """Cllr, minCllr and EER of the scores as they are."""
    found = llrcal.evaluate(_opened(folder), prior_log_odds=[0.0])
    return [found.cllr, found.min_cllr, found.eer, found.bayes_error(0.0)]


def on_cluster(workers: int) -> Callable[[Path], Any]:
    """The paper's ten by so many workers of one thread each."""

    def run(folder: Path) -> Any:
        import dask
        from distributed import Client, LocalCluster

        from llrcal.scale.dask_engine import KEEP_MEMORY

        with (
            dask.config.set(KEEP_MEMORY),
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
            ) as cluster,
            Client(cluster) as client,
        ):
            client.wait_for_workers(workers)
            first = str(sorted(folder.iterdir())[0])
            llrcal.fit_all(llrcal.open_trials(first, client=client))  # imports, before the clock
            start = time.perf_counter()
            models = _models(llrcal.fit_all(llrcal.open_trials(str(folder), client=client)))
            return {"models": models, "seconds": time.perf_counter() - start}

    return run


def _models(every: dict[str, llrcal.Calibration]) -> dict[str, str]:
    return {label: repr(calibration.to_model()) for label, calibration in every.items()}


CONTENDERS: dict[str, Callable[[Path], Any]] = {
    "polars: read into memory": polars_read,
    "polars: read in batches, added up": polars_touch,
    "pyarrow: read in batches": pyarrow_stream,
    "`fit`, nig": fit_nig,
    "`fit_all`, the paper's ten": fit_all,
    "`evaluate`": evaluate,
    "Dask, `fit_all`, 1 worker of one thread": on_cluster(1),
    "Dask, `fit_all`, 2 workers": on_cluster(2),
}
# The first of each is what the others are compared with: what anybody would write.
TEXT: dict[str, Callable[[Path], Any]] = {
    "polars: read into memory": polars_read_text,
    **{name: work for name, work in CONTENDERS.items() if work in {fit_nig, fit_all, evaluate}},
}


def run_alone(name: str, folder: Path) -> dict[str, Any]:
    """One contender in a process of its own: seconds, peak memory, answer."""
    command = [sys.executable, "-m", "studies.scale", "--one", name, "--folder", str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _one(name: str, folder: Path) -> None:
    warnings.simplefilter("ignore")
    llrcal.fit  # noqa: B018  loaded before the clock starts, as polars is
    work = (TEXT if folder.name.endswith("csv") else CONTENDERS)[name]
    start = time.perf_counter()
    answer = work(folder)
    seconds = time.perf_counter() - start
    if isinstance(answer, dict) and "seconds" in answer:
        seconds, answer = answer["seconds"], answer["models"]
    print(json.dumps({"seconds": seconds, "megabytes": peak(), "answer": answer}))


def write_balanced(folder: Path, trials: int, part: int = 10_000_000) -> None:
    """As many targets as non-targets, with tails of their own."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for number, start in enumerate(range(0, trials, part)):
        is_tar = rng.random(min(part, trials - start)) < 0.5
        scores = rng.standard_normal(len(is_tar)) * np.where(is_tar, 1.3, 1.0) + 2 * is_tar
        frame = pl.DataFrame({"score": scores, "label": is_tar})
        frame.write_parquet(folder / f"part-{number:05}.parquet", compression="uncompressed")


def write_text(parts: Path, folder: Path) -> None:
    """The same trials as text."""
    folder.mkdir(parents=True)
    label = pl.when("label").then(pl.lit("target")).otherwise(pl.lit("nontarget"))
    for part in sorted(parts.iterdir()):
        frame = pl.read_parquet(part).with_columns(label.alias("label"))
        frame.write_csv(folder / f"{part.stem}.csv", float_precision=6)


def balanced(folder: Path) -> str:
    """PAV where both classes are large, against one sort of everything in memory."""
    start = time.perf_counter()
    streamed = llrcal.fit(_opened(folder), method="pav")
    seconds = time.perf_counter() - start
    every = pl.read_parquet(folder / "*.parquet")
    scores, is_tar = every["score"].to_numpy(), every["label"].to_numpy()
    oracle = SortedOracle(Scores(scores[is_tar], scores[~is_tar]))
    raw = llrcal.evaluate(_opened(folder))
    non, tar = oracle.hull()
    same_hull = np.array_equal(raw.hull.misses, tar) and np.array_equal(
        raw.hull.false_alarms, non[-1] - non
    )
    in_memory = llrcal.fit(scores[is_tar], scores[~is_tar], method="pav")
    same_model = repr(in_memory.to_model()) == repr(streamed.to_model())
    return (
        f"| {streamed.tar_count:,} | {streamed.non_count:,} | {seconds:.1f} "
        f"| {'the same' if same_hull else 'OTHER'} | {'the same' if same_model else 'OTHER'} |"
    )


def answers(names: Iterable[str], folder: Path) -> dict[str, dict[str, Any]]:
    """What contenders say and take, in turn."""
    found = {}
    for name in names:
        found[name] = run_alone(name, folder)
        seconds, megabytes = found[name]["seconds"], found[name]["megabytes"]
        print(f"{folder.name}: {name}: {seconds:.1f} s, {megabytes:,.0f} MB", flush=True)
    return found


def cells(found: dict[str, dict[str, Any]], name: str) -> str:
    """Seconds, speed beside the first, megabytes."""
    one, first = found[name], next(iter(found.values()))
    speed = first["seconds"] / one["seconds"]
    return f" {one['seconds']:.1f} | {speed:.2f} | {one['megabytes']:,.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=50_000_000)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        _one(given.one, given.folder)
        return
    trials, fewer = given.trials, given.trials * 2 // 5
    compressions: tuple[Literal["zstd", "uncompressed"], ...] = ("zstd", "uncompressed")
    folders = [_HOME / f"{trials}-{compression}" for compression in compressions]
    for folder, compression in zip(folders, compressions, strict=True):
        made(folder, partial(write_parts, trials=trials, compression=compression))
    both = [answers(CONTENDERS, folder) for folder in folders]
    units = ("s", "of reading", "peak MB")
    heads = [f"{compression}, {units[0]} | {units[1]} | {units[2]}" for compression in compressions]
    print(f"\n| | {' | '.join(heads)} |\n|{'---|' * 7}")
    for name in CONTENDERS:
        print(f"| {name} |" + "".join(cells(one, name) for one in both))
    models = {repr(one["answer"]) for found in both for one in by_fit_all(found)}
    sizes = [sum(f.stat().st_size for f in folder.iterdir()) / 1e9 for folder in folders]
    print("\n| trials | zstd, GB | uncompressed, GB | models of all |\n|---|---|---|---|")
    same = "the same bits" if len(models) == 1 else "OTHER BITS"
    print(f"| {trials:,} | {sizes[0]:.2f} | {sizes[1]:.2f} | {same} |")
    folder = _HOME / f"balanced-{fewer}"
    made(folder, partial(write_balanced, trials=fewer))
    print("\n| targets | non-targets | PAV, s | hull | model |\n|---|---|---|---|---|")
    print(balanced(folder))
    folder = _HOME / f"{fewer}-csv"
    parts = _HOME / f"{fewer}-uncompressed"
    made(parts, partial(write_parts, trials=fewer, compression="uncompressed"))
    made(folder, partial(write_text, parts))
    text = answers(TEXT, folder)
    print(f"\n| {fewer:,} lines of CSV | s | of reading | peak MB |\n|---|---|---|---|")
    for name in TEXT:
        print(f"| {name} |{cells(text, name)}")


def made(folder: Path, write: Callable[[Path], None]) -> None:
    """Write files into a folder, once: another one has the name until all of them are there."""
    if not folder.exists():
        beside = folder.with_name(f"{folder.name}-unfinished")
        shutil.rmtree(beside, ignore_errors=True)
        write(beside)
        beside.rename(folder)


def by_fit_all(found: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What all ten were fitted by, here and on clusters."""
    return (one for name, one in found.items() if "`fit_all`" in name)


if __name__ == "__main__":
    main()
