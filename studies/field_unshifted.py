"""Where nothing has moved: the harm of adaptation, and false alarms of ``watch``.

See :mod:`studies.field`.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.special import ndtr

import llrcal
from studies.field import (
    HELD,
    Cell,
    Judge,
    Row,
    adapted,
    fit,
    held,
    markdown,
    mean,
    pooled,
    program,
    rounded,
    shares_told,
    where,
)
from studies.field_sets import HALVED, REAL, SIMULATED, VOXCELEB, Classes, halves, random
from studies.field_worlds import JUDGED, WORLDS

PEOPLE = (20, 100, 1_000)
TRAINING = (100, 1_000)
POOL = (500, 4_500)
PART = 0.3**0.5  # of the deviation of scores, that is a speaker's
MANY = 1_000  # speakers, said of random halves, which have the same people
REFERENCE = 100_000  # scores of a family, for its quantiles
NON_TARGETS = 1_000_000  # of which a calibration is judged, at most


def cells(draws: int) -> list[Cell]:
    """Real halves, each trained on one way and the other; families with few to many people."""
    found: list[Cell] = [*itertools.product(HALVED, (False, True))]
    return [*found, *itertools.product(WORLDS, TRAINING, PEOPLE, range(draws))]


def rows(name: str, *how: int) -> list[Row]:
    """Harm if the share is told in every way, and verdicts, with and without the people."""
    if name in WORLDS:
        size, people, draw = how
        train, pool, test = families(name, size, people, draw)
        kind = f"families, {people:,} people"
    else:
        train, test = halves(REAL, name, *map(bool, how))
        pool, people = test, 20 if name in VOXCELEB else MANY
        kind = "VoxCeleb, halves of 20 people" if name in VOXCELEB else "other real halves"
    cal, judge, scores = fit(train), Judge(test.thinned(NON_TARGETS)), pooled(pool.pool)
    found = []
    for told, share in shares_told(pool.share).items():
        for speakers in (people, None):
            given = {"p_target": share, "speakers": speakers}
            row = adapted(cal, scores, judge, **given)
            if told in ("right", "not told"):
                row["verdict"] = llrcal.watch(cal, scores, **given).verdict  # type: ignore[arg-type]
            row |= {"set": name, "kind": kind, "told": told}
            found.append(row | {"people": "told" if speakers else "not told"})
    return found


def families(name: str, size: int, people: int, draw: int) -> tuple[Classes, Classes, Classes]:
    """Training scores, scores of so many people, and scores of others like them."""
    rng, drawn = random("people", name, size, people, draw), SIMULATED[name].drawn
    sides = []
    for side, count in zip(drawn(rng, REFERENCE, REFERENCE), POOL, strict=True):
        own = rng.normal(size=people)[rng.integers(people, size=count)]
        ranks = ndtr(PART * own + (1 - PART**2) ** 0.5 * rng.normal(size=count))
        sides.append(np.quantile(side, ranks))
    return drawn(rng, size, 10 * size), Classes(*sides), drawn(rng, JUDGED, JUDGED)


def tables(rows: list[Row]) -> str:
    """Harm in thousandths of a bit, false alarms, and intervals."""
    harms, alarms, intervals = [], [], []
    for people in ("told", "not told"):
        some = where(rows, people=people)
        kinds = ["all", *sorted({row["kind"] for row in some}, key=_number)]
        for kind in kinds:
            those = some if kind == "all" else where(some, kind=kind)
            worst = max(those, key=lambda row: float(row["harm"]))
            at = f"{worst['set']}, {worst['told']}" if worst["harm"] > 0 else ""
            harm = [mean(those, "harm"), worst["harm"]]
            ways = [where(those, told=told) for told in shares_told(0.1)]
            means = [rounded(mean(way, "harm")) for way in ways]
            line = [len(those), *map(rounded, harm), at, *means]
            harms.append([kind, people, *line, sum(not row["converged"] for row in those)])
            looks = [row for row in those if "verdict" in row]
            verdicts = [
                sum(row["verdict"] == verdict for row in looks)
                for verdict in ("as in training", "cannot tell", "moved")
            ]
            false = rounded(100 * verdicts[-1] / len(looks))
            alarms.append([kind, people, len(looks), *verdicts, false])
            intervals.append([kind, people, len(those), *held(those)])
    head = ["scores", "people", "n", "mean harm", "largest", "where", *shares_told(0.1)]
    return "\n".join(
        [
            markdown([*head, "not converged"], harms),
            markdown(
                ["scores", "people", "n", "as in training", "cannot tell", "moved", "moved, %"],
                alarms,
            ),
            markdown(["scores", "people", "n", *HELD], intervals),
        ]
    )


def _number(kind: str) -> tuple[str, int]:
    """By the number of people in a name."""
    digits = "".join(filter(str.isdigit, kind))
    return kind.split(maxsplit=1)[0], int(digits or 0)


if __name__ == "__main__":
    program(__doc__, cells, rows, tables)
