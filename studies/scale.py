"""Half a billion scores in Parquet files, beside merely reading them; and on a cluster.

Every contender runs in a process of its own, which tells its peak memory, and they take turns. The
files are made once, under studies/results. Run it with ``make bench-scale``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import llrcal
from llrcal import out_of_core
from llrcal.simulation.recognizer import write_parts
from studies.exactness import SortedOracle
from studies.measure import machine, peak
from studies.paper_scores import Scores

_HOME = Path(__file__).parent / "results" / "scale"
_BATCH = 2**20


def polars_read(folder: Path) -> Any:
    """All of it in memory, as `pl.read_parquet` does."""
    return pl.read_parquet(folder / "*.parquet").height


def polars_read_text(folder: Path) -> Any:
    """The same for text."""
    return pl.read_csv(folder / "*.csv").height


def polars_stream(folder: Path) -> Any:
    """One batch after the other, each dropped at once: the least that reading can take."""
    scan = pl.scan_parquet(folder / "*.parquet")
    return sum(b.height for b in scan.collect_batches(chunk_size=_BATCH, maintain_order=False))


def polars_touch(folder: Path) -> Any:
    """The same, and every score added up: uncompressed files are otherwise only mapped."""
    scan = pl.scan_parquet(folder / "*.parquet")
    batches = scan.collect_batches(chunk_size=_BATCH, maintain_order=False)
    return sum(float(b["score"].sum()) + int(b["label"].sum()) for b in batches)


def pyarrow_stream(folder: Path) -> Any:
    """The same by pyarrow, on its threads."""
    import pyarrow.dataset as ds

    return sum(batch.num_rows for batch in ds.dataset(folder).to_batches(batch_size=_BATCH))


def fit_all(folder: Path) -> Any:
    """The paper's ten calibrations."""
    return _models(out_of_core.fit_all(str(folder)))


def fit_nig(folder: Path) -> Any:
    """One pass, and one parametric method."""
    return _models({"nig": out_of_core.fit(str(folder), method="nig")})


def evaluate(folder: Path) -> Any:
    """Cllr, minCllr and EER of the scores as they are."""
    found = out_of_core.evaluate(str(folder), prior_log_odds=[0.0])
    return [found.cllr, found.min_cllr, found.eer, found.bayes_error(0.0)]


def on_cluster(workers: int) -> Callable[[Path], Any]:
    """The paper's ten by so many workers of one thread each."""

    def run(folder: Path) -> Any:
        import dask
        from distributed import Client, LocalCluster

        import llrcal.dask

        with (
            dask.config.set(llrcal.dask.KEEP_MEMORY),
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
            llrcal.dask.fit_all(
                str(sorted(folder.iterdir())[0])
            )  # imports, before the clock starts
            start = time.perf_counter()
            models = _models(llrcal.dask.fit_all(str(folder)))
            return {"models": models, "seconds": time.perf_counter() - start}

    return run


def _models(every: dict[str, llrcal.Calibration]) -> dict[str, str]:
    return {label: repr(calibration.to_model()) for label, calibration in every.items()}


CONTENDERS: dict[str, Callable[[Path], Any]] = {
    "polars: read into memory": polars_read,
    "polars: read in batches": polars_stream,
    "polars: read in batches, added up": polars_touch,
    "pyarrow: read in batches": pyarrow_stream,
    "llrcal: fit nig": fit_nig,
    "llrcal: fit_all (paper's ten)": fit_all,
    "llrcal: evaluate": evaluate,
}
# The first is what others are compared with: what anybody would write.
TEXT: dict[str, Callable[[Path], Any]] = {
    "polars: read_csv into memory": polars_read_text,
    "llrcal: fit nig": fit_nig,
    "llrcal: fit_all (paper's ten)": fit_all,
    "llrcal: evaluate": evaluate,
}
CLUSTERS = {f"Dask, fit_all, {n} worker{'s'[: n > 1]}": on_cluster(n) for n in (1, 2)}


def run_alone(name: str, folder: Path) -> dict[str, Any]:
    """One contender in a process of its own: seconds, peak memory, answer."""
    done = subprocess.run(
        [sys.executable, "-m", "studies.scale", "--one", name, "--folder", str(folder)],
        check=True,
        capture_output=True,
        text=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _one(name: str, folder: Path) -> None:
    warnings.simplefilter("ignore")
    work = {**CONTENDERS, **CLUSTERS, **TEXT}[name]
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
    streamed = out_of_core.fit(str(folder), method="pav")
    seconds = time.perf_counter() - start
    every = pl.read_parquet(folder / "*.parquet")
    scores, is_tar = every["score"].to_numpy(), every["label"].to_numpy()
    oracle = SortedOracle(Scores(scores[is_tar], scores[~is_tar]))
    raw = out_of_core.evaluate(str(folder))
    non, tar = oracle.hull()
    same_hull = np.array_equal(raw.hull.misses, tar) and np.array_equal(
        raw.hull.false_alarms, non[-1] - non
    )
    in_memory = llrcal.fit(scores[is_tar], scores[~is_tar], method="pav")
    same_model = repr(in_memory.to_model()) == repr(streamed.to_model())
    return (
        f"Balanced, {streamed.tar_count:,} targets and {streamed.non_count:,} non-targets: PAV in "
        f"{seconds:.0f} s; hull {'identical to' if same_hull else 'DIFFERS from'} that of one sort "
        f"of everything; model {'identical to' if same_model else 'DIFFERS from'} that from memory"
    )


def compared(names: tuple[str, ...], folder: Path, trials: int) -> dict[str, Any]:
    """Run contenders in turn, and print what they took; the first is compared with."""
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"\n{trials:,} trials, {size / 1e9:.2f} GB, {folder.name}\n")
    print("| | seconds | M scores/s | of reading | peak MB |")
    print("|---|---|---|---|---|")
    answers: dict[str, Any] = {}
    for name in names:
        found = answers[name] = run_alone(name, folder)
        seconds, base = found["seconds"], answers[names[0]]["seconds"]
        print(
            f"| {name} | {seconds:.1f} | {trials / seconds / 1e6:.1f} | {base / seconds:.2f} | "
            f"{found['megabytes']:.0f} |",
            flush=True,
        )
    return answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=500_000_000)
    parser.add_argument("--balanced", type=int, default=100_000_000)
    parser.add_argument("--text", type=int, default=20_000_000, help="trials; 0 for none")
    parser.add_argument("--compression", default="uncompressed", choices=["uncompressed", "zstd"])
    parser.add_argument("--one")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if given.one:
        _one(given.one, given.folder)
        return
    folder = _HOME / f"{given.trials}-{given.compression}"
    if not folder.exists():
        write_parts(folder, given.trials, compression=given.compression)
    print(machine())
    answers = compared((*CONTENDERS, *CLUSTERS), folder, given.trials)
    ours = answers["llrcal: fit_all (paper's ten)"]["answer"]
    same = all(answers[name]["answer"] == ours for name in CLUSTERS)
    print(f"\nModels from clusters: {'the same bits' if same else 'OTHER BITS'}")
    if given.balanced:
        folder = _HOME / f"balanced-{given.balanced}"
        if not folder.exists():
            write_balanced(folder, given.balanced)
        print(balanced(folder))
    if given.text:
        folder = _HOME / f"{given.text}-csv"
        if not folder.exists():
            parts = _HOME / f"{given.text}-uncompressed"
            write_parts(parts, given.text, compression="uncompressed")
            write_text(parts, folder)
        compared(tuple(TEXT), folder, given.text)


if __name__ == "__main__":
    main()
