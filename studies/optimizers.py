"""The paper's remarks on optimizers (sections 5.3 and 5.4), put to the test.

EM, BFGS and trust-region Newton in the textbook parameters, and llrcal's own search, look for the
maximum-likelihood T and NIG of score sets of many shapes. Run it with
``python -m studies.optimizers``; docs/studies/optimizers.md discusses what comes out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from tests.reference import certified
from tests.score_sets import KINDS, score_set

from llrcal.arrays import Floats
from llrcal.errors import DegenerateError
from studies import textbook_check
from studies.contenders import CONTENDERS, NIG_FAMILY, STUDENT_T_FAMILY, End, Family, tie_share
from studies.measure import machine
from studies.textbook import SQUARED, Free
from studies.verdicts import CLOSE, PLACES, Verdict, verdicts

SIZES = (30, 100, 300, 1_000, 5_000)
OURS = "llrcal"
_EDGE = 1e-8  # a fit at the edge is lifted off it by less, see llrcal.densities.nig
_HURRIED_EVERY = 4  # one in so many sets is also given to the hurried user; 15 kinds, so all occur


@dataclass(frozen=True)
class Setting:
    """How scores and start points are prepared."""

    name: str
    hurried: bool

    def scores(self, raw: Floats) -> Floats:
        """Standardised scores, or scores of the size at which recognizers deliver them."""
        standard: Floats = (raw - raw.mean()) / raw.std()
        return 20 + 10 * standard if self.hurried else standard

    def family(self, family: Family) -> Family:
        """The family with its start point: by moments, or zeros and ones."""
        if not self.hurried:
            return family
        ones = np.array([float(i in family.cost.positive) for i in range(len(family.cost.names))])
        return replace(family, start=lambda _: ones)


CAREFUL = Setting("careful: standardised scores, start by moments", hurried=False)
HURRIED = Setting(
    "hurried: scores of mean 20 and deviation 10, start at zeros and ones", hurried=True
)


@dataclass(frozen=True)
class Trial:
    """All contenders on one set of scores."""

    scores: str
    at_edge: bool
    """Whether the optimum lies where some textbook parameter is infinite."""
    start_indefinite: bool
    """Whether the Hessian at the start, in squared parameters, has a negative eigenvalue."""
    verdicts: Mapping[str, Verdict]


def score_sets(count: int) -> Iterator[tuple[str, Floats]]:
    """Sets by name: so many generated ones of all kinds and sizes, and the certified ones."""
    kinds = sorted(KINDS)
    for i in range(count):
        seed, at = divmod(i, len(kinds))
        size = SIZES[(seed + at) % len(SIZES)]
        yield f"{kinds[at]}-{size}-{seed}", score_set(kinds[at], size, seed)
    for name in certified.NAMES:
        yield name, certified.values(name)


def trial(name: str, raw: Floats, family: Family, setting: Setting) -> Trial | None:
    """Let every contender search; None where there is no maximum to be found."""
    scores, family = setting.scores(raw), setting.family(family)
    try:
        ends = {who: _timed(who, family, scores) for who in CONTENDERS}
    except DegenerateError:
        return None
    ours, _ = ends[OURS]
    lower, upper = family.density.bounds(tie_share(scores))
    if ours is None or (ours.theta >= upper).any():
        return None
    squared = Free(family.cost, scores, SQUARED)
    start = squared(squared.coordinates(family.start(scores)))
    return Trial(
        scores=name,
        at_edge=bool(ours.theta[-1] < lower[-1] + _EDGE),
        start_indefinite=bool(np.linalg.eigvalsh(start.hessian)[0] < 0),
        verdicts=verdicts(family, scores, ends),
    )


def _timed(contender: str, family: Family, scores: Floats) -> tuple[End | None, float]:
    """Where a contender ends, None if in an error of numerics; and its seconds."""
    began = time.perf_counter()
    end: End | None
    try:
        with np.errstate(all="ignore"):
            end = CONTENDERS[contender](family, scores)
    except DegenerateError:
        raise
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        end = None
    if end is not None and not np.isfinite(end.loglik):
        end = None
    return end, time.perf_counter() - began


def summary(trials: list[Trial]) -> list[dict[str, Any]]:
    """One row a contender."""
    rows = []
    for who in CONTENDERS:
        found = [(t, t.verdicts[who]) for t in trials]
        missed = [v for _, v in found if v.place not in {"optimum", "error"}]
        answers = [v for _, v in found if v.place != "error"]
        rows.append(
            {
                "contender": who,
                "reached_inside": sum(v.place == "optimum" for t, v in found if not t.at_edge),
                "reached_at_edge": sum(v.place == "optimum" for t, v in found if t.at_edge),
                "close": sum(v.gap is not None and v.gap <= CLOSE for _, v in found),
                "missed_says_success": sum(v.says_success for v in missed),
                "missed_says_failure": sum(not v.says_success for v in missed),
                "error": len(found) - len(answers),
                **{place: sum(v.place == place for v in missed) for place in PLACES},
                "worst_gap": max((v.gap or 0.0 for v in missed), default=0.0),
                "missed_with_negative_curvature": sum(
                    v.least_curvature is not None and v.least_curvature < 0 for v in missed
                ),
                "sets_with_saddles": sum(v.saddles > 0 for v in answers),
                "iterations": float(np.median([v.iterations for v in answers])),
                "evaluations": float(np.median([v.evaluations for v in answers])),
                "time": float(np.median([v.seconds / t.verdicts[OURS].seconds for t, v in found])),
            }
        )
    return rows


def misses(trials: list[Trial]) -> list[dict[str, Any]]:
    """Every search that missed the optimum by far, or without noticing."""
    return [
        {"scores": t.scores, "contender": who, "at_edge": t.at_edge, **_rounded(asdict(verdict))}
        for t in trials
        for who, verdict in t.verdicts.items()
        if verdict.gap is None
        or verdict.gap > CLOSE
        or (verdict.says_success and verdict.place != "optimum")
    ]


def _rounded(record: dict[str, Any]) -> dict[str, Any]:
    return {k: float(f"{v:.3g}") if isinstance(v, float) else v for k, v in record.items()}


def markdown(trials: list[Trial]) -> str:
    """A table of all contenders."""
    edge = sum(t.at_edge for t in trials)
    lines = [
        f"| contender | inside ({len(trials) - edge}) | edge ({edge}) | within 1e-4 "
        "| says success | says failure | error | where | worst gap "
        "| iterations | evaluations | time |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in summary(trials):
        where = ", ".join(f"{row[place]} {place}" for place in PLACES if row[place])
        lines.append(
            f"| {row['contender']} | {row['reached_inside']} | {row['reached_at_edge']} "
            f"| {row['close']} "
            f"| {row['missed_says_success']} | {row['missed_says_failure']} | {row['error']} "
            f"| {where or '-'} | {row['worst_gap']:.0e} | {row['iterations']:.0f} "
            f"| {row['evaluations']:.0f} | {row['time']:.2f} |"
        )
    return "\n".join(lines)


def run(sets: int) -> dict[str, Any]:
    """Everything, with the tables printed as they are ready."""
    result: dict[str, Any] = {"machine": machine(), "sizes": SIZES, "results": []}
    for setting in (CAREFUL, HURRIED):
        chosen = list(score_sets(sets))[:: _HURRIED_EVERY if setting.hurried else 1]
        for family in (STUDENT_T_FAMILY, NIG_FAMILY):
            tried = [trial(name, raw, family, setting) for name, raw in chosen]
            trials = [t for t in tried if t is not None]
            indefinite = sum(t.start_indefinite for t in trials)
            print(
                f"\n{family.name}, {setting.name}. {len(trials)} sets; "
                f"{len(tried) - len(trials)} without a maximum left out; "
                f"negative curvature at the start of {indefinite}.\n\n{markdown(trials)}",
                flush=True,
            )
            result["results"].append(
                {
                    "family": family.name,
                    "setting": setting.name,
                    "sets": len(trials),
                    "at_edge": sum(t.at_edge for t in trials),
                    "left_out": len(tried) - len(trials),
                    "start_indefinite": indefinite,
                    "contenders": summary(trials),
                    "misses": misses(trials),
                }
            )
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=150, help="generated sets of scores")
    parser.add_argument("--output", type=Path, default=Path("studies/results/optimizers.json"))
    options = parser.parse_args()
    textbook_check.run()
    began = time.perf_counter()
    result = run(options.sets)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    seconds = time.perf_counter() - began
    print(f"\n{seconds:.0f} s, written to {options.output}")


if __name__ == "__main__":
    main()
