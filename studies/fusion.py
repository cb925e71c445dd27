"""Fusion on real scores: several systems, missing scores, conditions; and intervals of weights.

    python -m studies.fusion [systems] [missing] [few] [conditions] [coverage] [scale]

Splits are 10 halves (5 random ones, each used both ways) with no
subject or speaker, model or segment in common; of deepface's pairs, 20 random halves.
"""

from __future__ import annotations

import gzip
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression

import llrcal
from llrcal.arrays import Array, Bools, Floats
from llrcal.fusion import passes
from studies.evidence import REAL

Trials = tuple[Floats, Floats]
Split = tuple[Trials, Trials]
Method = Callable[[Trials], Callable[[Floats], Floats]]


def bssr1() -> Iterator[Split]:
    """Face matcher C and the right index finger; a failure to acquire (-1) is a missing score."""
    tar, non = (_columns("nist_bssr1", ("face_C", "finger_right"), kind) for kind in ("tar", "non"))
    for side in (tar, non):
        side[side == -1] = np.nan
    subjects = len(tar)
    row, column = np.divmod(np.arange(subjects**2), subjects)
    row, column = row[row != column], column[row != column]
    for half in _halves(subjects):
        train, test = ((tar[one], non[one[row] & one[column]]) for one in (half, ~half))
        yield train, test


def voxceleb(names: tuple[str, ...] = ("lda_cosine", "plda", "lda_plda")) -> Iterator[Split]:
    """Three systems, by speaker."""
    path = REAL / "voxceleb1_three_systems" / "speaker.txt.gz"
    frame = pl.read_csv(gzip.decompress(path.read_bytes()), separator=" ")
    scores, labels = frame.select(names).to_numpy(), (frame["label"] == "target").to_numpy()
    sides = [frame[side].str.split("/").list.first().to_numpy() for side in ("enroll", "test")]
    people, who = np.unique(np.stack(sides, axis=1).astype(str), return_inverse=True)
    who = who.reshape(-1, 2)
    for half in _halves(len(people)):
        train, test = (
            (scores[one & labels], scores[one & ~labels])
            for one in (half[who].all(axis=1), (~half)[who].all(axis=1))
        )
        yield train, test


def deepface() -> Iterator[Split]:
    """Eleven distances between faces, 140 pairs of each class."""
    frame = pl.read_csv(REAL / "deepface_pairs" / "face-recognition-pivot.csv")
    scores = frame.drop("file_x", "file_y", "decision").to_numpy().astype(float)
    sides = [scores[(frame["decision"] == word).to_numpy()] for word in ("Yes", "No")]
    rng = np.random.default_rng(0)
    for _ in range(20):
        orders = [rng.permutation(len(side)) for side in sides]
        mixed = [side[order] for side, order in zip(sides, orders, strict=True)]
        yield (mixed[0][:70], mixed[1][:70]), (mixed[0][70:], mixed[1][70:])


def _halves(count: int) -> Iterator[Bools]:
    rng = np.random.default_rng(0)
    for _ in range(5):
        half = rng.permutation(count) < count // 2
        yield half
        yield ~half


def _columns(folder: str, names: tuple[str, ...], kind: str) -> Floats:
    columns = [np.load(REAL / folder / f"{name}_{kind}.npy") for name in names]
    return np.column_stack(columns).astype(float)


def fused(**options: Any) -> Method:
    return lambda train: llrcal.fuse(*train, missing="patterns", **options)


def single(place: int, **options: Any) -> Method:
    """A line through the scores of one system."""
    return lambda train: _on_column(
        place, fused(**options)((train[0][:, [place]], train[1][:, [place]]))
    )


def _on_column(place: int, inner: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    return lambda scores: inner(scores[:, [place]])


def with_sklearn(train: Trials) -> Callable[[Floats], Floats]:
    """scikit-learn with its defaults, on columns as they are, less the log-odds of training."""
    tar, non = (np.nan_to_num(side, nan=-1.0) for side in train)
    labels = np.arange(len(tar) + len(non)) < len(tar)
    model = LogisticRegression(max_iter=10_000).fit(np.concatenate([tar, non]), labels)
    odds = np.log(len(tar) / len(non))
    return lambda scores: model.decision_function(np.nan_to_num(scores, nan=-1.0)) - odds


def two_lines(train: Trials) -> Callable[[Floats], Floats]:
    """The script that people use: the mean of standardised scores, calibrated by a line."""
    both = np.nan_to_num(np.concatenate(train), nan=-1.0)
    mean, deviation = both.mean(axis=0), both.std(axis=0)
    sign = np.sign(np.nanmean(train[0], axis=0) - np.nanmean(train[1], axis=0))

    def mixed(scores: Floats) -> Floats:
        return np.asarray(
            (sign * (np.nan_to_num(scores, nan=-1.0) - mean) / deviation).mean(axis=1)
        )

    line = llrcal.fit(mixed(train[0]), mixed(train[1]), method="logistic", bounds="none")
    return lambda scores: line.without_warnings(mixed(scores))


def systems() -> None:
    """Line 1: fusions beside single systems and other ways."""
    for name, splits, count in (
        ("bssr1", bssr1, 2),
        ("voxceleb", voxceleb, 3),
        ("deepface", deepface, 11),
    ):
        methods: dict[str, Method] = {
            "fused": fused(),
            "fused, empirical": fused(alpha="empirical"),
            "fused, bounds range": fused(bounds="range"),
            **{f"system {i + 1} alone": single(i) for i in range(count)},
            **{
                f"system {i + 1} alone, bounds range": single(i, bounds="range")
                for i in range(count)
            },
            "scikit-learn": with_sklearn,
            "two lines": two_lines,
        }
        _show(name, splits, methods)


def missing() -> None:
    """Line 3: a fifth of the scores missing at random, in training and test."""
    sets = {"bssr1": lambda: _with_holes(bssr1()), "voxceleb": lambda: _with_holes(voxceleb())}
    for name, splits in sets.items():
        _show(
            f"{name}, 20 % missing",
            splits,
            {
                "fused": fused(),
                "fused, empirical": fused(alpha="empirical"),
                "fused, bounds range": fused(bounds="range"),
            },
        )


def _with_holes(splits: Iterator[Split]) -> Iterator[Split]:
    rng = np.random.default_rng(0)
    for train, test in splits:
        sides = []
        for side in (*train, *test):
            holes = rng.random(side.shape) < 0.2
            left = np.where(holes, np.nan, side)
            sides.append(left[~np.isnan(left).all(axis=1)])  # every trial has a score
        yield (sides[0], sides[1]), (sides[2], sides[3])


def few(draws: int = 25) -> None:
    """Few targets and 20 times as many non-targets, with noise, and with 30 % of scores missing."""
    print("\nfew targets: mean and largest Cllr, by default and with bounds range; above 1")
    for name, (tar, non) in {"bssr1": _whole(bssr1), "voxceleb": _whole(voxceleb)}.items():
        for count in (5, 10, 20, 50, 200):
            for noise, holes in ((0, 0.0), (1, 0.0), (0, 0.3), (1, 0.3)):
                rows = [
                    _few_once(np.random.default_rng(seed), (tar, non), count, noise, holes)
                    for seed in range(draws)
                ]
                means, worst = np.mean(rows, axis=0), np.max(rows, axis=0)
                print(
                    f"{name:9} {count:4} targets, {noise} noise, {holes:.0%} missing: "
                    f"{means[0]:.4f} {worst[0]:.3f}, {means[1]:.4f} {worst[1]:.3f}; "
                    f"{np.sum(np.array(rows) > 1, axis=0).tolist()}"
                )


def _whole(splits: Callable[[], Iterator[Split]]) -> Trials:
    """Trials of both halves of the first split that have every score."""
    train, test = next(splits())
    sides = (np.concatenate(both) for both in zip(train, test, strict=True))
    tar, non = (side[~np.isnan(side).any(axis=1)] for side in sides)
    return tar, non


def _few_once(
    rng: np.random.Generator, sides: Trials, count: int, noise: int, holes: float
) -> tuple[float, ...]:
    """Cllr on other trials than those of a draw."""
    both = []
    for side, size in zip(sides, (count, 20 * count), strict=True):
        mixed = side[rng.permutation(len(side))]
        mixed = np.c_[mixed, rng.normal(0, 1, (len(mixed), noise))]
        gone = rng.random(mixed.shape) < holes
        gone[gone.all(axis=1)] = False
        mixed = np.where(gone, np.nan, mixed)
        some = min(size, len(mixed) // 2)
        both.append((mixed[:some], mixed[some : some + 10_000]))
    (tar, new_tar), (non, new_non) = both
    out = []
    for bounds in ("counts", "range"):
        model = llrcal.fuse(tar, non, missing="patterns" if holes else "error", bounds=bounds)
        out.append(llrcal.evaluate(*(model(new) for new in (new_tar, new_non))).cllr)
    return tuple(out)


def _show(name: str, splits: Callable[[], Iterator[Split]], methods: dict[str, Method]) -> None:
    found: dict[str, list[tuple[float, ...]]] = {}
    for train, test in splits():
        # The range of priors with 30 errors of each kind, of the first system alone.
        first = [side[:, 0][~np.isnan(side[:, 0])] for side in test]
        low, high = llrcal.evaluate(*first).rule_of_30
        priors = np.linspace(low, high, 101) if low < high else np.array([0.0])
        for label, method in methods.items():
            start = time.perf_counter()
            model = method(train)
            seconds = time.perf_counter() - start
            ev = llrcal.evaluate(model(test[0]), model(test[1]))
            numbers = ev.cllr, float(ev.bayes_error(priors).mean()), ev.min_dcf(0.01), seconds
            found.setdefault(label, []).append(numbers)
    print(
        f"\n{name}: mean over splits of Cllr, mean Bayes error, minDCF(0.01); worst Cllr; seconds"
    )
    for label, rows in found.items():
        cllr, error, dcf, seconds = np.mean(rows, axis=0)
        worst = max(row[0] for row in rows)
        print(f"{label:34} {cllr:.4f} {error:.4f} {dcf:.4f}  {worst:.4f}  {seconds:.2f}")


def conditions() -> None:
    """Line 2: gender, channel and language of sre08, by model and segment."""
    path = REAL / "nist_sre08" / "tno.2008.tsv.gz"
    frame = pl.read_csv(gzip.decompress(path.read_bytes()), separator="\t", infer_schema_length=0)
    target = (frame["target"] == "True").to_numpy()
    scores = frame["score"].cast(float).to_numpy()
    parts = [frame[c] for c in ("gender", "mtype", "mmic", "ttype", "tmic", "mlang", "tlang")]
    where = pl.DataFrame(parts).select(pl.concat_str("*", separator=",")).to_series().to_numpy()
    model = frame["model"].rank("dense").to_numpy() - 1
    segment = (frame["test"] + frame["chan"]).rank("dense").to_numpy() - 1
    rng = np.random.default_rng(0)
    rows: dict[str, list[tuple[float, float]]] = {}
    for _ in range(5):
        of_model, of_segment = (rng.random(one.max() + 1) < 0.5 for one in (model, segment))
        here = of_model[model] & of_segment[segment]
        there = ~of_model[model] & ~of_segment[segment]
        for train, test in ((here, there), (there, here)):
            _conditions_once(scores, target, where, train, test, rows)
    print("\nsre08: Cllr of all trials, mean over conditions with 30 trials of each class")
    for name, numbers in rows.items():
        print(f"{name:24}", *np.mean(numbers, axis=0).round(4))
    for by in ("fused", "logistic", "nig", "smooth"):
        best = np.array(rows[f"{by} by condition"])
        for name in ("pooled line", "pooled nig", "separate lines"):
            better = (best < np.array(rows[name])).sum(axis=0)
            print(f"{by}: better than {name} in {better[0]} and {better[1]} of {len(best)}")


def _conditions_once(
    scores: Floats,
    target: Bools,
    where: Array,
    train: Bools,
    test: Bools,
    rows: dict[str, list[tuple[float, float]]],
) -> None:
    tar, non = train & target, train & ~target
    pooled = llrcal.fuse(scores[tar], scores[non])
    by = llrcal.fuse(scores[tar], scores[non], condition=(where[tar], where[non]))
    wide = llrcal.fuse(scores[tar], scores[non], condition=(where[tar], where[non]), bounds="range")
    nig = llrcal.fit(scores[tar], scores[non], method="nig")
    where_of = where[tar], where[non]
    on_top = {
        f"{method} by condition": llrcal.fit(
            scores[tar], scores[non], method=method, condition=where_of
        )
        for method in ("logistic", "nig", "smooth")
    }
    separate = np.empty(len(scores))
    for name in np.unique(where[test]):
        a, b = scores[tar & (where == name)], scores[non & (where == name)]
        line: Any = llrcal.fit(a, b, method="logistic") if min(len(a), len(b)) >= 5 else pooled
        separate[where == name] = line(scores[where == name])
    llrs = {
        "pooled line": pooled(scores),
        "pooled nig": nig.without_warnings(scores),
        "separate lines": separate,
        "fused by condition": by(scores, condition=where),
        "the same, bounds range": wide(scores, condition=where),
        **{name: one(scores, condition=where) for name, one in on_top.items()},
    }
    judged = [
        name
        for name in np.unique(where[test])
        if min((test & target & (where == name)).sum(), (test & ~target & (where == name)).sum())
        >= 30
    ]
    for label, values in llrs.items():
        every = [
            llrcal.evaluate(
                values[test & target & (where == c)], values[test & ~target & (where == c)]
            ).cllr
            for c in judged
        ]
        whole = llrcal.evaluate(values[test & target], values[test & ~target]).cllr
        rows.setdefault(label, []).append((whole, float(np.mean(every))))


def coverage(repeats: int = 200) -> None:
    """Line 6: how often 95 % intervals of weights hold the weights of endless trials."""
    print("\nshare of intervals that hold the weights: two systems")
    for name, draw, truth in (
        ("independent", _independent, (1.0, 0.6)),
        ("dependent, speakers known", _dependent, None),
    ):
        for alpha in (0.5, 0.1):
            aim = truth if truth is not None else _aim(draw, alpha)
            held = []
            for seed in range(repeats):
                tar, non, speakers = draw(np.random.default_rng(seed), 40)
                weights = llrcal.fuse(tar, non, alpha=alpha, speakers=speakers).weights.values()
                held.append([w.low < a < w.high for w, a in zip(weights, aim, strict=True)])
            print(f"{name:28} alpha {alpha}: {np.mean(held, axis=0)}")


def _independent(rng: np.random.Generator, _: int) -> tuple[Floats, Floats, None]:
    """Gaussian classes of one covariance, so that the LLR is a line with weights (1, 0.6)."""
    covariance = np.array([[1.0, 0.5], [0.5, 1.0]])
    apart = covariance @ np.array([1.0, 0.6])
    tar = rng.multivariate_normal(apart / 2, covariance, 200)
    non = rng.multivariate_normal(-apart / 2, covariance, 1000)
    return tar, non, None


def _dependent(rng: np.random.Generator, people: int) -> tuple[Floats, Floats, Any]:
    """Every pair of recordings of some people; a person shifts all of their scores."""
    shift = rng.normal(0, 0.7, (people, 2))
    pairs = np.array([(i, j) for i in range(people) for j in range(i + 1, people)])
    same = np.repeat(np.arange(people), 5)
    tar = 1.0 + 2 * shift[same] + rng.normal(0, 1, (len(same), 2))
    non = -1.0 + shift[pairs].sum(axis=1) + rng.normal(0, 1, (len(pairs), 2))
    return tar, non, (np.stack([same, same], axis=1), pairs)


def _aim(draw: Callable[..., Any], alpha: float) -> tuple[float, ...]:
    """The best weights for endless trials: the classes are not Gaussians of one covariance."""
    many = [draw(np.random.default_rng(10_000 + seed), 60) for seed in range(100)]
    tar, non = (np.concatenate([one[k] for one in many]) for k in (0, 1))
    return tuple(w.value for w in llrcal.fuse(tar, non, alpha=alpha).weights.values())


def scale(count: int = 42_000_000) -> None:
    """Line 5: 42 million trials of 4 systems in float32; and a tenth of them in pieces and on Dask.

    Seconds are those of the processor. Run it with OPENBLAS_NUM_THREADS=1 and LLRCAL_THREADS=1.
    """
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(4, 4)).astype(np.float32) / 3 + np.eye(4, dtype=np.float32)
    tar = (rng.normal(size=(count // 100, 4)).astype(np.float32) + 1) @ mixed
    non = rng.standard_normal(size=(count - len(tar), 4), dtype=np.float32) @ mixed
    start = time.process_time()
    non.T @ non
    once = time.process_time() - start
    times: list[float] = []
    with _timed_passes(times):
        start = time.process_time()
        model = llrcal.fuse(tar, non)
        seconds = time.process_time() - start
    times = [one for one in times if one > seconds / 50]  # others are over samples
    print(
        f"\n{count:,} x 4: {seconds:.2f} s, {seconds / once:.0f} times one X.T @ X ({once:.3f} s)"
    )
    print(f"{len(times)} passes after a look, of {', '.join(f'{one:.2f}' for one in times)} s")
    print(f"gradient {model.report.gradient_norm:.1e}; {model.report.reason}")
    _in_pieces(tar[::10], non[::10])


@contextmanager
def _timed_passes(seconds: list[float]) -> Iterator[None]:
    plain = passes.sums_in_memory

    def timed(*arguments: Any) -> tuple[passes.Sums, passes.Sums]:
        start = time.process_time()
        found = plain(*arguments)
        seconds.append(time.process_time() - start)
        return found

    passes.sums_in_memory = timed  # type: ignore[assignment]
    try:
        yield
    finally:
        passes.sums_in_memory = plain


def _in_pieces(tar: Floats, non: Floats) -> None:
    """The same trials in files, in another order: read by threads, and by two Dask workers."""
    from distributed import Client, LocalCluster

    import llrcal.dask

    names = ["a", "b", "c", "d"]
    whole = llrcal.fuse(tar, non, names=names)
    labels = np.arange(len(tar) + len(non)) < len(tar)
    order = np.random.default_rng(1).permutation(len(labels))
    frame = pl.DataFrame(np.concatenate([tar, non])[order], schema=names)
    frame = frame.with_columns(label=labels[order])
    with TemporaryDirectory() as folder:
        for number, part in enumerate(frame.iter_slices(1_000_000)):
            part.write_parquet(f"{folder}/{number}.parquet")
        files = f"{folder}/*.parquet"
        same = llrcal.out_of_core.fuse(files, scores=names) == whole
        with (
            LocalCluster(n_workers=2, threads_per_worker=1) as machines,
            Client(machines) as client,
        ):
            on_dask = llrcal.dask.fuse(files, scores=names, client=client) == whole
    print(f"{len(labels):,} in files: same bits in pieces {same}, on two Dask workers {on_dask}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or ("systems", "missing", "few", "conditions", "coverage", "scale"):
        globals()[part]()
