"""Calibrators of other packages beside smooth and the paper's ten: Cllr on other trials.

    python -m studies.peers_accuracy

Draws of T targets and 20 T non-targets, and then up to 1,000 and 10,000, train every calibrator;
they are tested on other trials of the same set. What a calibrator costs is its Cllr less minCllr,
in thousandths of a bit. It is compared with smooth on the same draws, and standard errors are over
sets, of which each counts once. A Cllr that is infinite is counted; beside it stands the same
calibrator with LLRs kept to -log(T + 1) to log(N + 1).
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.metadata import version
from io import StringIO
from typing import NamedTuple

import numpy as np

import llrcal
from llrcal.arrays import Floats
from studies.evidence import REAL
from studies.field_sets import FAMILIES, Classes, random
from studies.peer_calibrators import PEERS, Trainer, bounded
from studies.unshifted import HALVED, given, halves

SIZES: Mapping[str, tuple[int, int, int]] = {
    "T = 20": (20, 400, 3),
    "T = 50": (50, 1_000, 3),
    "T = 200": (200, 4_000, 2),
    "full": (1_000, 10_000, 1),
}
"""Most targets and non-targets of a draw, and how many draws."""
TESTED = (4_000, 20_000)
"""Most targets and non-targets of a test."""
BASE = "smooth"
_BITS = 1_000 / math.log(2)  # thousandths of a bit
_WORST = 12
_BOUNDED = ", bounded"

Costs = Mapping[str, Sequence[float]]
"""Excess of each draw by calibrator."""
Found = dict[str, dict[str, dict[str, list[float]]]]
"""By size and set."""


def cllr(llrs: Classes) -> float:
    """Cllr in thousandths of a bit; infinite if one trial is sure of the wrong answer."""
    tar, non = (np.logaddexp(0, side).mean() for side in (-llrs.tar, llrs.non))
    return float(_BITS * (tar + non) / 2)


@dataclass(frozen=True)
class Judge:
    """Trials to test on, and what they cost at least."""

    test: Classes
    minimum: float

    @classmethod
    def of(cls, test: Classes) -> Judge:
        return cls(test, 1_000 * llrcal.evaluate(*test).min_cllr)

    def excess(self, llrs: Classes) -> float:
        """Cllr less minCllr, in thousandths of a bit; infinite if some are not numbers."""
        cost = cllr(llrs) - self.minimum
        return math.inf if math.isnan(cost) else cost


def sets() -> Iterator[tuple[str, Classes, Classes]]:
    """Real sets, whose trials are cut into training and test, and simulated ones."""
    rng = random("peers")
    for name, train, test in given():
        yield name, _part(rng, *train), _part(rng, *test)
    if REAL.exists():
        for name in HALVED:
            _, train, test = halves(name, seed=0)
            yield name, _part(rng, *train), _part(rng, *test)
    for name, family in FAMILIES.items():
        yield f"simulated {name}", family.drawn(rng, *TESTED), family.drawn(rng, *TESTED)


def _part(rng: np.random.Generator, tar: Floats, non: Floats) -> Classes:
    """No more than so many of each class."""
    sides = zip((tar, non), TESTED, strict=True)
    return Classes(*(rng.permutation(side)[:most].astype(float) for side, most in sides))


def costs_of(trainers: Mapping[str, Trainer], train: Classes, judge: Judge) -> dict[str, float]:
    """What each calibrator costs, ours and theirs; and theirs once more, with bounds."""
    ours = llrcal.fit_all(*train, methods=(*llrcal.PAPER, BASE))
    found = {name: judge.excess(Classes(*map(one, judge.test))) for name, one in ours.items()}
    labels = np.repeat([1.0, 0.0], [len(side) for side in train])
    silent = StringIO()  # some packages print as they fit
    with np.errstate(all="ignore"), redirect_stdout(silent), redirect_stderr(silent):
        for name, trainer in trainers.items():
            llrs = Classes(*map(trainer(train.pool, labels), judge.test))
            found[name] = judge.excess(llrs)
            found[name + _BOUNDED] = judge.excess(Classes(*(bounded(x, labels) for x in llrs)))
    return found


def found_by(sizes: Mapping[str, tuple[int, int, int]]) -> Found:
    """Costs of every calibrator on every draw of every set."""
    trainers = {name: make() for name, make in PEERS.items()}
    found: Found = {size: {} for size in sizes}
    for name, train, test in sets():
        judge = Judge.of(test)
        for size, (tar, non, draws) in sizes.items():
            counts = min(tar, len(train.tar)), min(non, len(train.non))
            rows = found[size][name] = {}
            for draw in range(draws):
                part = train.drawn(random(name, size, draw), *counts)
                for label, cost in costs_of(trainers, part, judge).items():
                    rows.setdefault(label, []).append(cost)
        print(f"{name}: {len(train.tar):,} and {len(train.non):,} to draw from", flush=True)
    return found


class Difference(NamedTuple):
    """How much more than smooth a calibrator costs, over sets."""

    mean: float
    error: float
    """Standard error of the mean."""
    won: int
    """Sets on which it costs less."""
    infinite: int
    """Sets with a draw on which it costs infinitely much."""

    def __str__(self) -> str:
        if self.infinite:
            return f"infinite on {self.infinite}"
        return f"{self.mean:+.1f} ± {self.error:.1f} ({self.won})"


def difference(rows: Mapping[str, Costs], label: str) -> Difference:
    """Paired over draws and sets; each set counts once."""
    each = np.array([np.mean(costs[label]) - np.mean(costs[BASE]) for costs in rows.values()])
    infinite = int(np.isinf(each).sum())
    if infinite:
        return Difference(math.inf, math.nan, int((each < 0).sum()), infinite)
    error = float(each.std(ddof=1) / math.sqrt(len(each)))
    return Difference(float(each.mean()), error, int((each < 0).sum()), 0)


def table(found: Found) -> str:
    """Every calibrator by size, the one that costs least in the mean over sizes first."""
    every = list(next(iter(next(iter(found.values())).values())))
    rows = {
        label: [difference(by_set, label) for by_set in found.values()]
        for label in every
        if label != BASE
    }
    for label in [name for name in rows if name.endswith(_BOUNDED)]:
        plain = rows[label.removesuffix(_BOUNDED)]
        if not any(one.infinite for one in plain):
            del rows[label]
    heads = [f"{size} ({len(by_set)} sets)" for size, by_set in found.items()]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    means = [[np.mean(costs[BASE]) for costs in by_set.values()] for by_set in found.values()]
    own = " | ".join(f"{np.mean(each):.1f}" for each in means)
    lines.append(f"| {_shown(BASE)}, excess | {own} |")
    order = sorted(rows, key=lambda name: sum(one.mean for one in rows[name]))
    lines += [f"| {_shown(label)} | " + " | ".join(map(str, rows[label])) + " |" for label in order]
    return "\n".join(lines)


def worst_table(found: Found) -> str:
    """Where the best of the other packages, chosen with hindsight, costs least beside smooth."""
    rows = []
    for size, by_set in found.items():
        for name, costs in by_set.items():
            ours = np.array(costs[BASE])
            best = min(
                (label for label in costs if label.removesuffix(_BOUNDED) in PEERS),
                key=lambda label: np.mean(costs[label]),
            )
            each = np.array(costs[best]) - ours
            doubt = f" ± {each.std(ddof=1) / math.sqrt(len(each)):.1f}" if len(each) > 1 else ""
            cells = (name, size, f"{ours.mean():.1f}", best, f"{each.mean():+.1f}{doubt}")
            rows.append((each.mean(), "| " + " | ".join(cells) + " |"))
    head = "| set | size | smooth, excess | best of the others | difference to smooth |"
    worst = [line for _, line in sorted(rows)[:_WORST]]
    return "\n".join([head, "|---" * 5 + "|", *worst])


def versions() -> str:
    """What was compared."""
    names = sorted({*map(_package, PEERS)})
    lines = (f"| {name} | {version(name)} |" for name in names)
    return "\n".join(["| package | version |", "|---|---|", *lines])


def _package(label: str) -> str:
    return label.split(",", maxsplit=1)[0].split(maxsplit=1)[0]


def _shown(label: str) -> str:
    """Calibrations of ours have our name before theirs."""
    return label if label.removesuffix(_BOUNDED) in PEERS else f"llrcal {label}"


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    warnings.simplefilter("ignore")
    found = found_by(SIZES)
    real = {
        size: {name: costs for name, costs in by_set.items() if not name.startswith("simulated")}
        for size, by_set in found.items()
    }
    print(table(found) + "\n")
    print(table(real) + "\n")
    print(worst_table(found) + "\n")
    print(versions())


if __name__ == "__main__":
    main()
