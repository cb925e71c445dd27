"""Fusion on real scores: several systems, missing scores, conditions; and intervals of weights.

    python -m studies.fusion [--splits 5] [--draws 25] [--repeats 200]

Splits are random halves, each used both ways, with no subject or speaker, model or segment in
common; of deepface's pairs, four times as many random halves.
"""

from __future__ import annotations

import argparse
import gzip
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression

import llrcal
from llrcal.arrays import Array, Bools, Floats
from studies.evidence import REAL

Trials = tuple[Floats, Floats]
Split = tuple[Trials, Trials]
VOXCELEB = ("lda_cosine", "plda", "lda_plda")
Method = Callable[[Trials], Callable[[Floats], Floats]]


def bssr1(splits: int) -> Iterator[Split]:
    """Face matcher C and the right index finger; a failure to acquire (-1) is a missing score."""
    tar, non = (_columns("nist_bssr1", ("face_C", "finger_right"), kind) for kind in ("tar", "non"))
    for side in (tar, non):
        side[side == -1] = np.nan
    subjects = len(tar)
    row, column = np.divmod(np.arange(subjects**2), subjects)
    row, column = row[row != column], column[row != column]
    for half in _halves(subjects, splits):
        train, test = ((tar[one], non[one[row] & one[column]]) for one in (half, ~half))
        yield train, test


def voxceleb(splits: int) -> Iterator[Split]:
    """Three systems, by speaker."""
    path = REAL / "voxceleb1_three_systems" / "speaker.txt.gz"
    frame = pl.read_csv(gzip.decompress(path.read_bytes()), separator=" ")
    scores, labels = frame.select(VOXCELEB).to_numpy(), (frame["label"] == "target").to_numpy()
    sides = [frame[side].str.split("/").list.first().to_numpy() for side in ("enroll", "test")]
    people, who = np.unique(np.stack(sides, axis=1).astype(str), return_inverse=True)
    who = who.reshape(-1, 2)
    for half in _halves(len(people), splits):
        train, test = (
            (scores[one & labels], scores[one & ~labels])
            for one in (half[who].all(axis=1), (~half)[who].all(axis=1))
        )
        yield train, test


def deepface(splits: int) -> Iterator[Split]:
    """Eleven distances between faces, 140 pairs of each class."""
    frame = pl.read_csv(REAL / "deepface_pairs" / "face-recognition-pivot.csv")
    scores = frame.drop("file_x", "file_y", "decision").to_numpy().astype(float)
    sides = [scores[(frame["decision"] == word).to_numpy()] for word in ("Yes", "No")]
    rng = np.random.default_rng(0)
    for _ in range(4 * splits):
        orders = [rng.permutation(len(side)) for side in sides]
        mixed = [side[order] for side, order in zip(sides, orders, strict=True)]
        yield (mixed[0][:70], mixed[1][:70]), (mixed[0][70:], mixed[1][70:])


def _halves(count: int, splits: int) -> Iterator[Bools]:
    rng = np.random.default_rng(0)
    for _ in range(splits):
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


def standardised_mean(train: Trials) -> Callable[[Floats], Floats]:
    """What many scripts do: the mean of standardised scores, calibrated by a line."""
    both = np.nan_to_num(np.concatenate(train), nan=-1.0)
    mean, deviation = both.mean(axis=0), both.std(axis=0)
    sign = np.sign(np.nanmean(train[0], axis=0) - np.nanmean(train[1], axis=0))

    def mixed(scores: Floats) -> Floats:
        return np.asarray(
            (sign * (np.nan_to_num(scores, nan=-1.0) - mean) / deviation).mean(axis=1)
        )

    line = llrcal.fit(mixed(train[0]), mixed(train[1]), method="logistic", bounds="none")
    return lambda scores: line.without_warnings(mixed(scores))


SETS: dict[str, tuple[Callable[[int], Iterator[Split]], int]] = {
    "bssr1": (bssr1, 2),
    "voxceleb": (voxceleb, 3),
    "deepface": (deepface, 11),
}
"""Splits, and how many systems there are."""
MOST_WITH_HOLES = 3  # systems: each pattern of those that are there has a fusion of its own


def systems(splits: int) -> None:
    """Fusions beside single systems and other ways."""
    found = {name: _errors(halves(splits), count) for name, (halves, count) in SETS.items()}
    print(f"| Cllr, mean Bayes error | {' | '.join(SETS)} |\n|---|{'---|' * len(SETS)}")
    for way in next(iter(found.values())):
        print(f"| {way} | {' | '.join(one.get(way, '') for one in found.values())} |")


def _errors(splits: Iterator[Split], count: int) -> dict[str, str]:
    """Means over splits of Cllr and of the Bayes error, of every way; systems by the best one."""
    fusions: dict[str, Method] = {
        "**fused**": fused(),
        'fused, `alpha="empirical"`': fused(alpha="empirical"),
        'fused, `bounds="range"`': fused(bounds="range"),
        "scikit-learn": with_sklearn,
        "mean of standardised": standardised_mean,
    }
    rows: dict[str, list[Floats]] = {}
    holes = np.random.default_rng(0)
    for train, test in splits:
        priors = _priors(test)
        for way, method in fusions.items():
            rows.setdefault(way, []).append(_numbers(method(train), test, priors))
        alone = [_numbers(single(i)(train), test, priors) for i in range(count)]
        rows.setdefault("alone", []).append(np.array(alone))
        if count > MOST_WITH_HOLES:
            continue
        less = _with_holes(holes, (train, test))
        model = fused()(less[0])
        rows.setdefault("fused, 20 % of the scores missing", []).append(
            _numbers(model, less[1], priors)
        )
    means = {way: np.mean(values, axis=0) for way, values in rows.items()}
    best = means.pop("alone").min(axis=0)
    return {
        way: f"{cllr:.4f}, {error:.4f}"
        for way, (cllr, error) in {"best single system": best, **means}.items()
    }


def _priors(test: Trials) -> Floats:
    """The range of priors with 30 errors of each kind, of the first system alone."""
    first = [side[:, 0][~np.isnan(side[:, 0])] for side in test]
    low, high = llrcal.evaluate(*first).rule_of_30
    return np.linspace(low, high, 101) if low < high else np.array([0.0])


def _numbers(model: Callable[[Floats], Floats], test: Trials, priors: Floats) -> Floats:
    ev = llrcal.evaluate(model(test[0]), model(test[1]))
    return np.array([ev.cllr, ev.bayes_error(priors).mean()])


def _with_holes(rng: np.random.Generator, split: Split) -> Split:
    sides = []
    for side in (*split[0], *split[1]):
        left = np.where(rng.random(side.shape) < 0.2, np.nan, side)
        sides.append(left[~np.isnan(left).all(axis=1)])  # every trial has a score
    return (sides[0], sides[1]), (sides[2], sides[3])


FEW = (5, 10, 20)
HARD = {
    "as they are": (0, 0.0),
    "and a system of noise": (1, 0.0),
    "30 % missing": (0, 0.3),
    "noise, and 30 % missing": (1, 0.3),
}
"""How many systems of noise are added, and which share of the scores is missing."""


def few(draws: int) -> None:
    """Few targets and 20 times as many non-targets, with noise, and with missing scores."""
    print(f"| set | scores | {' | '.join(f'T = {count}' for count in FEW)} | above 1 |")
    print(f"|---|---|{'---|' * len(FEW)}---|")
    for name, sides in {"bssr1": _whole(bssr1), "voxceleb": _whole(voxceleb)}.items():
        for words, (noise, holes) in HARD.items():
            found = np.array(
                [
                    [
                        _few_once(np.random.default_rng(seed), sides, count, noise, holes)
                        for seed in range(draws)
                    ]
                    for count in FEW
                ]
            )
            cells = " | ".join(f"{one.mean():.3f} ({one.max():.3f})" for one in found)
            above = f"{(found > 1).sum()} of {found.size}"
            print(f"| {name} | {words} | {cells} | {above} |", flush=True)


def _whole(halves: Callable[[int], Iterator[Split]]) -> Trials:
    """Trials of both halves of the first split that have every score."""
    train, test = next(halves(1))
    sides = (np.concatenate(both) for both in zip(train, test, strict=True))
    tar, non = (side[~np.isnan(side).any(axis=1)] for side in sides)
    return tar, non


def _few_once(
    rng: np.random.Generator, sides: Trials, count: int, noise: int, holes: float
) -> float:
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
    model = llrcal.fuse(tar, non, missing="patterns" if holes else "error")
    return llrcal.evaluate(model(new_tar), model(new_non)).cllr


def conditions(splits: int) -> None:
    """Gender, channel and language of sre08, by model and segment."""
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
    for _ in range(splits):
        of_model, of_segment = (rng.random(one.max() + 1) < 0.5 for one in (model, segment))
        here = of_model[model] & of_segment[segment]
        there = ~of_model[model] & ~of_segment[segment]
        for train, test in ((here, there), (there, here)):
            _conditions_once(scores, target, where, train, test, rows)
    print("| | all trials | mean over conditions | better than separate lines in |")
    print("|---|---|---|---|")
    lines = np.array(rows[SEPARATE])[:, 1]
    for name, numbers in rows.items():
        values = np.array(numbers)
        whole, mean = values.mean(axis=0)
        wins = f"{(values[:, 1] < lines).sum()} of {len(lines)}" if name != SEPARATE else ""
        print(f"| {name} | {whole:.4f} | {mean:.4f} | {wins} |")


SEPARATE = "a line for each condition with 5 trials of each class, else the one for all"


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
    nig = llrcal.fit(scores[tar], scores[non], method="nig")
    where_of = where[tar], where[non]
    on_top = {
        f"`fit` with `condition`, `{method}`": llrcal.fit(
            scores[tar], scores[non], method=method, condition=where_of
        )
        for method in ("logistic", "smooth", "nig")
    }
    separate = np.empty(len(scores))
    for name in np.unique(where[test]):
        a, b = scores[tar & (where == name)], scores[non & (where == name)]
        line: Any = llrcal.fit(a, b, method="logistic") if min(len(a), len(b)) >= 5 else pooled
        separate[where == name] = line(scores[where == name])
    llrs = {
        "one line for all": pooled(scores),
        "`nig` for all": nig.without_warnings(scores),
        SEPARATE: separate,
        "`fuse` with `condition`": by(scores, condition=where),
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


def coverage(repeats: int) -> None:
    """How often 95 % intervals of weights hold the weights of endless trials."""
    print("| trials | `alpha` | first weight | second weight |\n|---|---|---|---|")
    for name, draw, truth in (
        ("independent", _independent, (1.0, 0.6)),
        ("all pairs of 40 speakers", _dependent, None),
    ):
        for alpha in (0.5, 0.1):
            aim = truth if truth is not None else _aim(draw, alpha)
            held = []
            for seed in range(repeats):
                tar, non, speakers = draw(np.random.default_rng(seed), 40)
                weights = llrcal.fuse(tar, non, alpha=alpha, speakers=speakers).weights.values()
                held.append([w.low < a < w.high for w, a in zip(weights, aim, strict=True)])
            shares = " | ".join(f"{share:.3f}" for share in np.mean(held, axis=0))
            print(f"| {name} | {alpha} | {shares} |")


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--draws", type=int, default=25)
    parser.add_argument("--repeats", type=int, default=200)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for part, count in (
        (systems, options.splits),
        (few, options.draws),
        (conditions, options.splits),
        (coverage, options.repeats),
    ):
        part(count)
        print()


if __name__ == "__main__":
    main()
