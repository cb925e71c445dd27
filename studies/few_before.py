"""Few targets: Cllr of ``smooth``, and against what another version gave on the same draws.

    python -m studies.few_before before.json                      # with the old version on the path
    python -m studies.few_before after.json --against before.json

T targets and 10 or 100 times as many non-targets are drawn from families of known truth and from
halves of real sets. Up to 4,000 other trials of each class test the calibration. The table has the
mean difference over sets in thousandths of a bit, its standard error, and the worst set.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.fit import fit_methods
from studies.field_sets import EVERY_FAMILY, REAL, SYSTEMS, Classes, place, random

CHOOSING = ("gaussian", "gamma", "student-t", "bimodal targets", "tied", "nig 1", *SYSTEMS)
OTHERS = (
    *("skew-normal", "lognormal", "laplace", "bimodal non-targets", "bounded", "nig 1.5", "nig 2"),
    *("II", "IP", "PI", "PM", "PP", "asvspoof dev", "asvspoof eval", "bssr1 face", "bssr1 finger"),
    *("listeners", "vggface"),
)
SIZES = (5, 10, 20, 50, 200)
_FILES = {
    **{name: f"voxceleb1_three_systems/{name}_" for name in SYSTEMS},
    "vggface": "deepface_pairs/vggface_cosine_",
}
_FULL, _TESTED = (5_000, 50_000), 4_000
Found = dict[str, dict[str, list[float]]]
"""Cllr of each draw by number of targets (0 stands for all of them) and set."""


def halves(name: str) -> tuple[Classes, Classes]:
    """A half to draw from, and the other to test on."""
    if name in _FILES:
        sides = (np.load(REAL / f"{_FILES[name]}{side}.npy") for side in ("tar", "non"))
        every = Classes(*(side.astype(float) for side in sides))
        if every.tar.mean() < every.non.mean():  # distances
            every = Classes(-every.tar, -every.non)
    else:
        every = place(REAL, name)
    rng = random("halves", name)
    tar, non = (rng.permutation(side) for side in every)
    return Classes(tar[::2], non[::2]), Classes(tar[1::2][:_TESTED], non[1::2][:_TESTED])


def draws(name: str, size: int, count: int) -> Iterator[tuple[Classes, Classes]]:
    """Training and test scores."""
    family = EVERY_FAMILY.get(name)
    if family is not None:
        test = family.drawn(random("test", name), _TESTED, _TESTED)
        if not size:
            yield family.drawn(random("full", name), *_FULL), test
    else:
        half, test = halves(name)
        if not size:
            yield half, test
        elif size > len(half.tar):
            return
    for ratio in (10, 100) if size else ():
        for k in range(count):
            rng = random("draw", name, size, ratio, k)
            if family is not None:
                yield family.drawn(rng, size, ratio * size), test
            else:
                yield half.drawn(rng, size, min(ratio * size, len(half.non))), test


def cllr(train: Classes, test: Classes) -> float:
    (calibration,) = fit_methods(*train, methods=["smooth"], with_margins=False).values()
    tar, non = (calibration.without_warnings(side) for side in test)
    return float(np.logaddexp(0, -tar).mean() + np.logaddexp(0, non).mean()) / float(np.log(4))


def line(before: Found, after: Found, size: str, names: tuple[str, ...]) -> str:
    """Mean difference, standard error and the worst set."""
    known = [name for name in names if after[size].get(name)]
    differences: Floats = np.array(
        [1e3 * np.mean(np.subtract(after[size][name], before[size][name])) for name in known]
    )
    error = differences.std(ddof=1) / len(known) ** 0.5
    worst = int(differences.argmax())
    return f"{differences.mean():.1f} ± {error:.1f} | {differences[worst]:.1f} {known[worst]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--draws", type=int, default=8, help="half as many from 50 targets on")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    every = [*CHOOSING, *OTHERS]
    if not REAL.exists():
        every = [name for name in every if name in EVERY_FAMILY]
    after: Found = {}
    for size in (*SIZES, 0):
        count = settings.draws if size < 50 else max(settings.draws // 2, 1)
        after[str(size)] = {
            name: [cllr(*draw) for draw in draws(name, size, count)] for name in every
        }
    settings.out.write_text(json.dumps(after) + "\n")
    if settings.against:
        before: Found = json.loads(settings.against.read_text())
        for key in after:
            cells = " | ".join(line(before, after, key, names) for names in (CHOOSING, OTHERS))
            print(f"| {key if int(key) else 'all'} | {cells} |")


if __name__ == "__main__":
    main()
