"""How often a maximum-likelihood fit fails: llrcal, the fitters of scipy.stats, and plain BFGS.

    python -m studies.robustness [--problems 1000]

Random problems for each family. A fit fails if it raises, if its answer is not finite,
if it says that it did not converge, if it takes longer than a minute, or if it claims success and
lies below the best likelihood that anybody found. llrcal also fails if its report does not mention
an active bound, or mentions one that is not active, or misstates the likelihood.
"""

from __future__ import annotations

import argparse
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType

import numpy as np
from threadpoolctl import threadpool_limits

from llrcal.arrays import Floats
from llrcal.errors import LlrcalError
from llrcal.fitting.likelihood import maximum_likelihood
from llrcal.onepass.summary import Summary
from studies.contenders import (
    NIG_FAMILY,
    STUDENT_T_FAMILY,
    End,
    Family,
    plain_bfgs,
    scipy_stats,
)
from studies.problems import STUDY, Problem, problems
from studies.references import best_elsewhere
from studies.verdicts import CLOSE, REACHED, faults, has_maximum, least_dof, unbounded_dof

FAMILIES = {family.name: family for family in (STUDENT_T_FAMILY, NIG_FAMILY)}
OURS, JUDGE = "llrcal", "judge"
SECONDS = 60  # that a fit may take
WAYS = (
    "raised",
    "not finite",
    "not converged",
    "too low",
    "no answer in time",
    "no maximum, but an answer",
    "wrong report",
)


@dataclass(frozen=True)
class Answer:
    """What one contender made of one problem."""

    family: str
    number: int
    contender: str
    loglik: float | None = None
    """Mean log-likelihood per standardised score, in nats."""
    dof: float | None = None
    says_success: bool = False
    error: str | None = None
    refused: bool = False
    """Whether the error is llrcal's own, made for the user."""
    faults: tuple[str, ...] = ()
    seconds: float = 0.0


def by_llrcal(family: Family, scores: Floats) -> Answer:
    """What users get, from the scores as they are."""
    density, report = maximum_likelihood(family.density, Summary.of(scores))
    return Answer(
        family.name,
        0,
        OURS,
        loglik=float(density.logpdf(scores).mean() + np.log(scores.std())),
        dof=density.params.get("dof"),
        says_success=report.converged,
        error=None if report.converged else report.reason,
        faults=tuple(faults(density, report, scores)),
    )


def by_rival(contender: Callable[[Family, Floats], End]) -> Callable[[Family, Floats], Answer]:
    """What a contender gets from standardised scores, which it would rather have."""

    def answer(family: Family, scores: Floats) -> Answer:
        end = contender(family, _standardised(scores))
        dof = None if end.params is None or family.name == "NIG" else float(end.params[2])
        return Answer(family.name, 0, "", loglik=end.loglik, dof=dof, says_success=end.says_success)

    return answer


def by_judge(family: Family, scores: Floats) -> Answer:
    """The best that many other searches find."""
    if not has_maximum(family, scores):
        return Answer(family.name, 0, JUDGE)
    loglik = best_elsewhere(
        family,
        _standardised(scores),
        least_dof=least_dof(scores),
        rng=np.random.default_rng(scores.size),
    )
    return Answer(family.name, 0, JUDGE, loglik=loglik, says_success=True)


CONTENDERS: dict[str, Callable[[Family, Floats], Answer]] = {
    OURS: by_llrcal,
    "scipy.stats": by_rival(scipy_stats),
    "plain BFGS": by_rival(plain_bfgs),
    JUDGE: by_judge,
}


def _standardised(scores: Floats) -> Floats:
    return np.asarray((scores - scores.mean()) / scores.std())


def answer(family: Family, number: int, scores: Floats, contender: str) -> Answer:
    """A contender's answer, or what kept it from giving one."""
    began = time.process_time()
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(), _limited(SECONDS):
            warnings.simplefilter("ignore")
            with threadpool_limits(1):  # threads of the BLAS only get into each other's way
                found = CONTENDERS[contender](family, scores)
    except _TooLong:
        found = Answer(family.name, number, contender, error="no answer in time")
    except Exception as error:  # whatever it is, it is an answer that the user does not get
        refused = isinstance(error, LlrcalError)
        found = Answer(family.name, number, contender, error=repr(error), refused=refused)
    seconds = time.process_time() - began
    return replace(found, number=number, contender=contender, seconds=seconds)


class _TooLong(BaseException):
    """Not an Exception, so that no contender catches it."""


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
    def stop(_: int, __: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def failure(given: Answer, best: float | None, unbounded: float) -> str | None:
    """In which of the ways a fit failed; None if it did not.

    ``best`` is the highest likelihood known, None where ties leave it without a maximum. Below the
    dof ``unbounded``, a T's likelihood has no bound.
    """
    if given.error == "no answer in time":
        return given.error
    if best is None:
        right = given.refused if given.contender == OURS else not given.says_success
        return None if right else "no maximum, but an answer"
    height = np.nan if given.loglik is None else given.loglik
    ways = {
        "raised": given.loglik is None,
        "not finite": not np.isfinite(height),
        "not converged": not given.says_success,
        "too low": height < best - REACHED,
        "no maximum, but an answer": _below(given, unbounded),
        "wrong report": bool(given.faults),
    }
    return next((way for way, failed in ways.items() if failed), None)


def _below(given: Answer, dof: float) -> bool:
    return given.dof is not None and given.dof < dof * (1 - 1e-6)


def best_known(answers: Iterable[Answer], floor: float) -> float:
    """Highest finite likelihood of a density that the problem allows."""
    return max(
        given.loglik
        for given in answers
        if given.loglik is not None and np.isfinite(given.loglik) and not _below(given, floor)
    )


@dataclass(frozen=True)
class Judged:
    """An answer, and the verdict on it."""

    given: Answer
    failed: str | None
    gap: float
    """Nats per score below the best likelihood that is known; infinite without an answer."""


def judged(answers: list[Answer], problem: Problem, family: Family) -> dict[str, Judged]:
    """The verdicts on all contenders at one problem."""
    scores = problem.scores
    best = best_known(answers, least_dof(scores)) if has_maximum(family, scores) else None
    unbounded = unbounded_dof(scores)
    return {
        given.contender: Judged(given, failure(given, best, unbounded), _gap(given, best))
        for given in answers
        if given.contender != JUDGE
    }


def _gap(given: Answer, best: float | None) -> float:
    return np.inf if best is None or given.loglik is None else best - given.loglik


def markdown(rows: dict[tuple[str, str], list[Judged]]) -> str:
    """A line for every family and contender, with the ways to fail that occur."""
    used = [way for way in WAYS if any(one.failed == way for row in rows.values() for one in row)]
    heads = ["density", "contender", "problems", "failures", "share", *used, "CPU ms"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for (family, who), row in rows.items():
        failed = [one for one in row if one.failed]
        counts = [_count([one for one in failed if one.failed == way]) for way in used]
        median = float(np.median([one.given.seconds for one in row]))
        cells = [
            family,
            who,
            str(len(row)),
            str(len(failed)),
            f"{len(failed) / len(row):.1%}",
            *counts,
        ]
        lines.append("| " + " | ".join([*cells, f"{1e3 * median:.0f}"]) + " |")
    return "\n".join(lines)


def _count(failed: list[Judged]) -> str:
    """So many, and how many of them are more than 1e-4 nats off, where that is the question."""
    ways = {one.failed for one in failed}
    far = sum(not one.gap <= CLOSE for one in failed)
    return f"{len(failed)} ({far})" if ways & {"too low", "not converged"} else str(len(failed))


def verdicts(chosen: list[Problem]) -> dict[tuple[str, str], list[Judged]]:
    """The verdicts on all answers, by family and contender."""
    rows: dict[tuple[str, str], list[Judged]] = {}
    for name, family in FAMILIES.items():
        for number, problem in enumerate(chosen):
            given = [answer(family, number, problem.scores, who) for who in CONTENDERS]
            for who, one in judged(given, problem, family).items():
                rows.setdefault((name, who), []).append(one)
    return rows


def listing(rows: dict[tuple[str, str], list[Judged]]) -> str:
    """Every failure of llrcal, by the number of its problem."""
    failed = [one for (_, who), row in rows.items() if who == OURS for one in row if one.failed]
    return "\n".join(
        f"{one.given.family} {one.given.number}: {one.failed} {one.given.error or ''} "
        f"{'; '.join(one.given.faults)}"
        for one in failed
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=1_000)
    rows = verdicts(list(problems(parser.parse_args().problems, STUDY)))
    print(markdown(rows), listing(rows), sep="\n")


if __name__ == "__main__":
    main()
