"""How often animals are found where there are none, and where there are some.

    python -m studies.zoo [--repetitions 150]

Simulated speakers with 400 target and about 3,000 non-target trials. Without animals, speakers make
no difference; but some may have far more trials than others, LLRs may have heavy tails, pairs of
speakers may sound alike, and recordings may be better or worse, with cosines of vectors for LLRs.
With animals, an eighth of the speakers differ from the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator

from llrcal.arrays import Array, Floats
from llrcal.evaluation.llrs import Names, WholeLLRs
from llrcal.evaluation.zoo import Zoo

SEED = 11


@dataclass(frozen=True)
class Setting:
    """Test sets of one kind."""

    speakers: int = 40
    uneven: float = 0.0
    """Deviation of the logarithms of how many trials speakers have."""
    dof: float = np.inf
    pairs: float = 0.0
    goats: float = 0.0
    lambs: float = 0.0
    wolves: float = 0.0
    independent: float = 0.0
    """Deviation of means of both classes between speakers, which have nothing in common."""

    def __call__(self, rng: Generator) -> WholeLLRs:
        weights = rng.lognormal(0, self.uneven, self.speakers)
        weights /= weights.sum()
        same = rng.choice(self.speakers, 400, p=weights)
        both = rng.choice(self.speakers, (3_200, 2), p=weights)
        both = both[both[:, 0] != both[:, 1]]
        odd = np.arange(self.speakers) < self.speakers / 8
        between = self.pairs * rng.standard_normal((self.speakers, self.speakers))
        first, second = self.independent * rng.standard_normal((2, self.speakers))
        tar = 3 + self._noise(rng, len(same)) + first[same] - self.goats * odd[same]
        non = self._noise(rng, len(both)) - 3 + second[both].sum(axis=1)
        non += between[both.min(axis=1), both.max(axis=1)]
        non += self.lambs * odd[both[:, 0]] + self.wolves * odd[both[:, 1]]
        return WholeLLRs(tar, non, (np.column_stack([same, same]), both))

    def _noise(self, rng: Generator, count: int) -> Floats:
        return rng.standard_normal(count) if self.dof == np.inf else rng.standard_t(self.dof, count)


@dataclass(frozen=True)
class Cosines:
    """All pairs of recordings, each a direction near that of its speaker."""

    speakers: int = 40
    recordings: int = 5
    spread: float = 0.0
    """Deviation of the logarithm of how noisy recordings are."""

    def __call__(self, rng: Generator) -> WholeLLRs:
        who = np.repeat(np.arange(self.speakers), self.recordings)
        noise = 0.15 * np.exp(self.spread * rng.standard_normal((len(who), 1)))
        vectors = _directions(rng.standard_normal((self.speakers, 30)))[who]
        vectors = _directions(vectors + noise * rng.standard_normal(vectors.shape))
        a, b = np.triu_indices(len(who), 1)
        cosines, is_target = (vectors[a] * vectors[b]).sum(axis=1), who[a] == who[b]
        ids = pl.DataFrame({"enrol": a.astype(str), "test": b.astype(str)})
        pairs = np.column_stack([who[a], who[b]])
        sides = pairs[is_target], pairs[~is_target]
        names = Names(ids=ids, is_target=is_target)
        return WholeLLRs(cosines[is_target], cosines[~is_target], sides, names=names)


def _directions(vectors: Array) -> Floats:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


WITHOUT: dict[str, Callable[[Generator], WholeLLRs]] = {
    "independent trials": Setting(),
    "uneven": Setting(uneven=1.2),
    "heavy tails (2.5 dof)": Setting(dof=2.5),
    "uneven, heavy tails": Setting(uneven=1.2, dof=2.5),
    "pairs alike": Setting(pairs=1.0),
    "uneven, pairs alike": Setting(uneven=1.2, pairs=1.0),
    "uneven, heavy tails, pairs alike": Setting(uneven=1.2, dof=2.5, pairs=1.0),
    "120 speakers, uneven, heavy tails": Setting(120, uneven=1.2, dof=2.5),
    "recordings": Cosines(),
    "recordings of unlike quality": Cosines(spread=0.3),
}
OTHERS: dict[str, Callable[[Generator], WholeLLRs]] = {
    "means vary, independently": Setting(independent=0.7),
    "means vary, independently, uneven": Setting(uneven=1.2, independent=0.7),
    "goats (one deviation)": Setting(goats=1.0),
    "goats (two deviations)": Setting(goats=2.0),
    "goats, who are lambs and wolves": Setting(goats=2.0, lambs=1.0, wolves=1.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=150)
    options = parser.parse_args()
    for settings in (WITHOUT, OTHERS):
        print("| simulated sets | any animal | goats, lambs, wolves | corners |\n|---|---|---|---|")
        for name, setting in settings.items():
            rng = np.random.default_rng(SEED)
            zoos = [Zoo.of(setting(rng)) for _ in range(options.repetitions)]
            parts = [zoo.animals for zoo in zoos], [zoo.animals[:3] for zoo in zoos]
            shares = [
                np.mean([any(one.found for one in some) for some in part])
                for part in (*parts, [zoo.animals[3:] for zoo in zoos])
            ]
            cells = " | ".join(f"{share:.3f}" for share in shares)
            print(f"| {name} | {cells} |", flush=True)
        print()


if __name__ == "__main__":
    main()
