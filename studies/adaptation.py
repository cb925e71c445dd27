"""Labels from one place, scores from another: what adaptation is worth on real scores.

    python -m studies.adaptation SCORES [--draws 20] [--speech FOLDER] [--only PART]

SCORES holds the sets that docs/studies/adaptation.md names, as ``*_tar.npy`` and ``*_non.npy``.
Everything is the calibration loss, Cllr less minCllr, in thousandths of a bit. The labels of the
new place serve to judge, and to draw the few labelled trials. The pairs marked * were used to
choose the priors, the trust and the weight of labels.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import llrcal
from llrcal.arrays import Floats
from llrcal.evaluation.costs import cllr
from llrcal.onepass.summary import Summary

CONDITIONS = {
    "II": "interview_mic-interview_mic",
    "IP": "interview_mic-phonecall_phn",
    "PI": "phonecall_phn-interview_mic",
    "PM": "phonecall_phn-phonecall_mic",
    "PP": "phonecall_phn-phonecall_phn",
}
CHOSEN_ON = ["II>PI", "PI>PP", "PP>IP", "IP>II", "PM>II", "PP>PI", "II>PM", "IP>PP", "PM>PI"]
CHOSEN_ON += ["PI>IP", "plda"]
SYSTEMS = ("lda_cosine", "plda", "lda_plda")
COUNTS = (10, 30, 100)
FEW = 5  # draws, at most, where the share is told wrong and where there are no unlabelled ones
HALVINGS = 6
THIN = 0.006


class Classes(NamedTuple):
    """Scores of both classes."""

    tar: Floats
    non: Floats

    @property
    def pool(self) -> Floats:
        return np.concatenate(self)

    @property
    def share(self) -> float:
        return len(self.tar) / (len(self.tar) + len(self.non))


class Pair(NamedTuple):
    """Two places."""

    name: str
    kind: str
    train: Classes
    test: Classes


def pairs(scores: Path, speech: Path | None) -> Iterator[Pair]:
    """Every pair of places, shifted or not."""
    sre = {
        short: _classes(scores / "nist_sre08" / f"cond_{name}")
        for short, name in CONDITIONS.items()
    }
    for a, b in itertools.permutations(sre, 2):
        yield Pair(f"{a}>{b}", "sre08", sre[a], sre[b])
    for system in SYSTEMS:
        both = _classes(scores / "voxceleb1_three_systems" / system)
        rng = np.random.default_rng(6)
        tar, non = (rng.permutation(side) for side in both)
        halves = Classes(tar[::2], non[::2]), Classes(tar[1::2], non[1::2])
        yield Pair(system, "unshifted", *halves)
        yield Pair(f"{system} (swapped)", "unshifted", *halves[::-1])
    for short, both in sre.items():
        rng = np.random.default_rng(5)
        tar, non = (rng.permutation(side) for side in both)
        yield Pair(
            f"{short} halves",
            "unshifted",
            Classes(tar[::2], non[::2]),
            Classes(tar[1::2], non[1::2]),
        )
    asv = [_classes(scores / "asvspoof2019_asv" / part) for part in ("dev", "eval")]
    yield Pair("asvspoof dev>eval", "other", *asv)
    if speech:
        for system in ("cos", "plda"):
            dev = _classes(speech / f"sc_{system}" / "dev")
            for part in ("eval", "evalnoisy"):
                test = _classes(speech / f"sc_{system}" / part)
                yield Pair(f"speech {system} dev>{part}", "other", dev, test)


def _classes(stem: Path) -> Classes:
    return Classes(*(np.load(f"{stem}_{side}.npy").astype(float) for side in ("tar", "non")))


def loss(calibration: object, test: Classes, least: float) -> float:
    """In thousandths of a bit."""
    llrs = (np.asarray(calibration(side)) for side in test)  # type: ignore[operator]
    return 1000 * (cllr(*llrs) - least)


def two_gaussians(pool: Floats, share: float) -> object:
    """The mixture of two Gaussians by expectation-maximisation, from a rough share."""
    x = pool if len(pool) <= 200_000 else pool[:: len(pool) // 200_000]
    cut = np.quantile(x, 1 - share)
    means = np.array([x[x >= cut].mean(), x[x < cut].mean()])
    spreads = np.array([x[x >= cut].std() + 1e-6, x[x < cut].std() + 1e-6])
    for _ in range(500):
        logs = -0.5 * ((x - means[:, None]) / spreads[:, None]) ** 2 - np.log(spreads)[:, None]
        logs += np.log([[share], [1 - share]])
        weights = np.exp(logs - np.logaddexp(*logs))
        total = weights.sum(1)
        before, means = means, weights @ x / total
        spreads = np.sqrt((weights * (x - means[:, None]) ** 2).sum(1) / total + 1e-12)
        share = float(np.clip(total[0] / len(x), 1e-9, 1 - 1e-9))
        if np.abs(means - before).max() < 1e-6 * spreads.max():
            break

    def llrs(scores: Floats) -> Floats:
        z = [(scores - m) / s for m, s in zip(means, spreads, strict=True)]
        return np.asarray(0.5 * (z[1] ** 2 - z[0] ** 2) + np.log(spreads[1] / spreads[0]))

    return llrs


def with_its_own_labels(place: Classes, least: float) -> float:
    """The loss of calibrations that were trained on one half and tested on the other."""
    losses = []
    for seed in range(HALVINGS):
        rng = np.random.default_rng(seed)
        tar, non = (rng.permutation(side) for side in place)
        llrs: list[list[Floats]] = [[], []]
        for there in (0, 1):
            cal = llrcal.fit(tar[1 - there :: 2], non[1 - there :: 2], method="nig")
            for side, scores in zip(llrs, (tar, non), strict=True):
                side.append(cal.without_warnings(scores[there::2]))
        losses.append(1000 * (cllr(*map(np.concatenate, llrs)) - least))
    return float(np.mean(losses))


def few_labelled(
    cal: llrcal.Calibration,
    pool: Summary,
    told: dict[str, float],
    judged: Classes,
    least: float,
    *,
    draws: int,
) -> dict[str, float]:
    """Losses with a few labelled of each class, beside the unlabelled and alone; by logistic."""
    out: dict[str, float] = {}
    for count in COUNTS:
        losses: dict[str, list[float]] = {}
        for draw in range(draws):
            rng = np.random.default_rng(draw)
            tar, non = (rng.choice(side, count, replace=False) for side in judged)
            found = {"logistic": llrcal.fit(tar, non, method="logistic")}
            for name, p in told.items():
                if name == "right" or (draw < FEW and count == COUNTS[1]):
                    found[name] = llrcal.adapt(cal, pool, p_target=p, tar=tar, non=non)
            if draw < FEW:
                found["alone"] = llrcal.adapt(cal, tar=tar, non=non)
            for name, one in found.items():
                losses.setdefault(name, []).append(loss(one.without_warnings, judged, least))
        out |= {f"{count} {name}": float(np.mean(every)) for name, every in losses.items()}
        out[f"{count} worst"] = max(losses["right"])
    return out


def study(pair: Pair, draws: int) -> dict[str, float]:
    """All numbers of a pair."""
    cal = llrcal.fit(*pair.train, method="nig")
    judged = pair.test
    if len(judged.non) > 1_000_000:
        judged = Classes(judged.tar, judged.non[::20])
    least = llrcal.evaluate(*judged).min_cllr
    share = pair.test.share
    told = {"right": share}
    if pair.kind == "unshifted":  # the share itself may be one half: the odds are off
        odds = share / (1 - share)
        told |= {"half": odds / 2 / (1 + odds / 2), "double": 2 * odds / (1 + 2 * odds)}
    else:
        told |= {"half": share / 2, "double": min(2 * share, 0.9)}
    plain = llrcal.fit(*pair.train, method="nig", bounds="none", rising=False)
    out = {"as it is": loss(cal.without_warnings, judged, least)}
    out["plain"] = loss(plain.without_warnings, judged, least)
    for name, p in told.items():
        there = llrcal.adapt(cal, pair.test.pool, p_target=p)
        out[name] = loss(there.without_warnings, judged, least)
        if there.adapted is not None and not there.adapted.applied:
            out[f"{name}: left"] = 1.0
        if name == "right" and there.adapted is not None:
            actual = 1e-3 * out[name] + least
            low, high = there.adapted.cllr.low, there.adapted.cllr.high
            out |= {
                "predicted": there.adapted.cllr.value,
                "actual": actual,
                "inside": float(low <= actual <= high),
                "misfit": there.adapted.misfit,
            }
    out["em"] = loss(two_gaussians(pair.test.pool, share), judged, least)
    if pair.kind == "unshifted":
        thinned = []
        for seed in range(3):
            rng = np.random.default_rng(seed)
            count = max(3, round(THIN * len(pair.test.non) / (1 - THIN)))
            few = Classes(rng.choice(pair.test.tar, count, replace=False), pair.test.non)
            there = llrcal.adapt(cal, few.pool, p_target=few.share)
            thinned.append(loss(there.without_warnings, judged, least))
        out["thinned"] = max(thinned)
        told, draws = {"right": share}, min(draws, FEW)
    elif pair.kind == "sre08":
        out["own labels"] = with_its_own_labels(judged, least)
    if draws:
        pool = Summary.of(pair.test.pool)
        out |= few_labelled(cal, pool, told, judged, least, draws=draws)
    return out


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scores", type=Path)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--speech", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for pair in pairs(options.scores, options.speech):
        if options.only and options.only not in (pair.kind, pair.name):
            continue
        numbers = study(pair, options.draws)
        mark = "*" if pair.name.split(" ")[0] in CHOSEN_ON else ""
        words = "; ".join(f"{name} {value:.4g}" for name, value in numbers.items())
        print(f"{pair.name}{mark} | {pair.kind} | {words}", flush=True)


if __name__ == "__main__":
    main()
