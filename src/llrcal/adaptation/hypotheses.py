"""What may have happened since training: three kinds of hypotheses, weighed by their evidence.

*Unmoved*: both classes are as in training. *Moved*: they have moved, together, against each other,
or both; or the targets alone; by much or by little. One prior cannot suit all of that, so
deviations are multiplied by factors, and each row of factors is a hypothesis; its evidence is
Laplace's, prior times likelihood at the best moves times the volume around them.
*Unknown*: no move explains the scores. They may
have any density; their order is taken to say what it did, but not how strongly, so LLRs are the old
ones times a factor, plus what makes the share of targets right.

The share of targets may be as the user said, or wrong, or one class may be alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from llrcal.adaptation.classes import MISFIT, MOVES
from llrcal.adaptation.evidence import Evidence
from llrcal.arrays import Floats

Kind = Literal["unmoved", "moved", "unknown"]
Share = Literal["as told", "wrong", "only targets", "only non-targets"]

# Prior deviations of the moves, but for the odds. Chosen on SRE 2008, as all here that does not say
# otherwise; the twenty pairs of its five conditions.
_DEVIATIONS = np.array([2.0, 0.6, 0.3, 0.3, 0.6, 0.3, 0.3, 1.0, 0.1, 0.3])
# Factors of shift and scale, of widening, of noise, of the targets against the others, and of the
# shape of the non-targets. Noise stands in for widening, or each would hide in the other. Targets
# that move alone have a row: in a file with few of them, the scores say so little of them that
# moves of the non-targets beside would make that row improbable by itself.
_GROUPS = np.array([0, 0, 1, 2, 3, 3, 3, 4, 3, 4])
_FACTORS = np.array(
    [
        [0, 0, 0, 0, 0],
        [1, 1, 0, 1, 1],
        [1, 1, 0, 0.3, 0.3],
        [1, 1, 0, 0, 0],
        [1, 0, 1, 0.3, 0.3],
        [0, 0, 1, 0.3, 0.3],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0.3, 0.3],
    ]
)
_MOVED = 0.25  # the prior of each row but the first, against that
# What is added to the log of the prior of "nothing has moved"; and the part that is
# forgiven of what speaks against it, since training and field have other people. Chosen also on
# halves of VoxCeleb of twenty speakers each.
_UNMOVED, _FORGIVEN = 4.6, 0.5
# The probability that a told share is wrong, and its deviation then; that one class is alone.
_WRONG, _WRONG_BY, _ALONE = 0.15, math.log(4), 0.01
# The log odds of a share that nobody has told: one deviation, around evidence.UNKNOWN_SHARE.
_UNTOLD = math.log(8)
# The probability that no move explains the scores; how many numbers their density then costs; and
# what old LLRs are still worth. The numbers were chosen on two of the four sets in shared/shifts.
_UNKNOWN, _NUMBERS, _WORTH = 0.05, 8, (0.25, 0.75)

_RANKS = np.linspace(0.005, 0.995, 200)
_ALL = 40.0  # log odds where all scores are of one class
_LEAST_DEVIATION = 0.01  # of log odds
_FURTHEST, _MOST_STEPS, _PROMISE = 8.0, 60, 1e-3  # of a search: deviations, steps, nats
_TINY = 1e-300


@dataclass(frozen=True)
class Hypothesis:
    """What may have happened, with the moves that fit best."""

    kind: Kind
    share: Share
    log_prior: float
    log_odds: float
    deviations: Floats
    best: Floats
    """The best moves, in their deviations."""
    information: Floats = field(default_factory=lambda: np.eye(len(MOVES)))
    value: float = 0.0
    """Minus the log of prior times likelihood there."""
    converged: bool = True
    favour: float = 0.0
    """What is added to the log prior where it decides, but not where intervals are worked out."""
    worth: float = 0.0
    """By what old LLRs are multiplied, where no move explains the scores."""

    @cached_property
    def moves(self) -> Floats:
        """The best moves."""
        return self.deviations * self.best

    @cached_property
    def fit(self) -> float:
        """The log-likelihood at the best moves."""
        return 0.5 * float(self.best @ self.best) - self.value

    @cached_property
    def log_evidence(self) -> float:
        """Without favour."""
        return self.log_prior - self.value - 0.5 * float(np.linalg.slogdet(self.information)[1])

    @property
    def p_target(self) -> float:
        """The share of targets at the best moves."""
        return float(expit(self.log_odds + self.moves[-1]))

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Moves drawn from their posterior, one row each; with the log odds themselves."""
        root = np.linalg.inv(np.linalg.cholesky(self.information))
        out = self.deviations * (self.best + rng.standard_normal((count, len(MOVES))) @ root)
        out[:, -1] = np.clip(self.log_odds + out[:, -1], -_ALL, _ALL)
        return np.asarray(out)


def hypotheses(
    data: Evidence, old_llrs: Floats, factor: float, *, told: bool
) -> tuple[Hypothesis, ...]:
    """All that may have happened, given the LLRs of the calibration as it was, of each bin.

    ``told`` says whether the user has told the share of targets.
    """
    found = _favoured(data, _solved(data, list(_to_search(data, factor, told=told))))
    return (*found, *(_unknown(data, old_llrs, found[0]) if data.pool.count else ()))


def weights_of(some: Sequence[Hypothesis], *, favoured: bool = True) -> Floats:
    """Their posterior probabilities, with or without favour."""
    logs = np.array([each.log_evidence + favoured * each.favour for each in some])
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _to_search(data: Evidence, factor: float, *, told: bool) -> Iterator[Hypothesis]:
    """Hypotheses whose best moves are to be found, with a start other than no move."""
    deviation = max(math.log(factor), _LEAST_DEVIATION) if told else _UNTOLD
    shares: list[tuple[Share, float, float, float]] = [("as told", 1.0, data.log_odds, deviation)]
    if told and data.pool.count:
        shares.append(("wrong", _WRONG, data.log_odds, _WRONG_BY))
    if data.pool.count:
        alone = expit(data.log_odds) * _ALONE  # the rarer a class, the less likely it is alone
        shares += [
            ("only targets", alone, _ALL, 0.0),
            ("only non-targets", _ALONE - alone, -_ALL, 0.0),
        ]
    for share, prior, log_odds, odds in shares:
        start = _bulk_in_place(data, log_odds) if data.pool.count else np.zeros(len(MOVES))
        for factors in _FACTORS:
            deviations = np.append(factors[_GROUPS] * _DEVIATIONS, odds)
            if not odds:  # where one class is missing, it moves along with the other
                deviations[4:6] = 0
            scaled = np.divide(start, deviations, out=0 * start, where=deviations > 0)
            yield Hypothesis(
                kind="moved" if factors.any() else "unmoved",
                share=share,
                log_prior=math.log(prior * (_MOVED if factors.any() else 1)),
                log_odds=log_odds,
                deviations=deviations,
                best=np.clip(scaled, -_FURTHEST, _FURTHEST),
            )


def _bulk_in_place(data: Evidence, log_odds: float) -> Floats:
    """A shift and a scale after which the classes lie where the unlabelled scores are."""
    levels, classes, share = (0.16, 0.5, 0.84), data.classes, float(expit(log_odds))
    at = np.unique([side.quantiles(_RANKS) for side in (classes.tar, classes.non)])
    tar, non = np.cumsum(classes.masses(at, classes.unmoved)[:, 0, :-1], axis=1)
    trained = np.interp(levels, share * tar + (1 - share) * non, at)
    seen = [data.pool.quantile(level) for level in levels]
    scale = float(np.clip((seen[2] - seen[0]) / (trained[2] - trained[0]), 0.05, 20.0))
    out, location = np.zeros(len(MOVES)), classes.non.location
    out[:2] = seen[1] + scale * (location - trained[1]) - location, math.log(scale)
    return out


def _solved(data: Evidence, some: list[Hypothesis]) -> list[Hypothesis]:
    """The best moves of all hypotheses, found together, from the better of two starts."""
    start, number = np.array([each.best for each in some]), len(some)
    deviations = np.array(2 * [each.deviations for each in some])
    log_odds = np.array(2 * [each.log_odds for each in some])
    at = np.concatenate([0 * start, start])
    best, value, _, information, converged = _minimised(data, at, deviations, log_odds)
    rows = np.arange(number) + number * (value[number:] < value[:number])
    return [
        replace(
            each,
            best=best[row],
            information=information[row],
            value=float(value[row]),
            converged=bool(converged[row]),
        )
        for each, row in zip(some, rows, strict=True)
    ]


def _minimised(
    data: Evidence, at: Floats, deviations: Floats, log_odds: Floats
) -> tuple[Floats, ...]:
    """Fisher scoring of all rows together, with Levenberg's and Marquardt's damping."""
    found = at, *data(at, deviations, log_odds)
    damping, converged = np.full(len(at), 1e-3), np.zeros(len(at), bool)
    for _ in range(_MOST_STEPS):
        at, value, gradient, information = found
        damped = information * (1 + damping[:, None, None] * np.eye(len(MOVES)))
        step = np.linalg.solve(damped, gradient[..., None])[..., 0]
        tried = np.clip(at - step, -_FURTHEST, _FURTHEST)
        new = tried, *data(tried, deviations, log_odds)
        better = new[1] <= value
        promised = (step * gradient).sum(axis=1)
        converged |= (promised < _PROMISE) & (value - new[1] < _PROMISE)
        for old, changed in zip(found, new, strict=True):
            old[better] = changed[better]
        damping = np.where(better, np.maximum(damping / 8, 1e-7), 5 * damping)
        if (converged | (damping > 1e6)).all():
            break
    return (*found, converged)


def _favoured(data: Evidence, found: list[Hypothesis]) -> list[Hypothesis]:
    """Hypotheses that nothing has moved, with what is forgiven them.

    Each number of a portrait that was estimated from n scores costs 1 / (2 n) nats a score; moves
    can mend that as well. And other people have other scores.
    """
    both = {"as told", "wrong"}
    masses = data.classes.masses(data.edges, np.array([each.moves for each in found]))
    labelled = [data.labelled_loglik(tar, non) for tar, non in zip(*masses, strict=True)]
    fits = [each.fit - few for each, few in zip(found, labelled, strict=True)]
    best = max(fit for each, fit in zip(found, fits, strict=True) if each.share in both)
    out = []
    for each, fit in zip(found, fits, strict=True):
        favour = 0.0
        if each.kind == "unmoved":
            sides = (each.p_target, data.classes.tar), (1 - each.p_target, data.classes.non)
            errors = sum(part * side.parameters / (2 * side.count) for part, side in sides)
            favour = _UNMOVED + data.effective * errors
            if each.share in both and data.pool.count:
                favour += _FORGIVEN * (best - fit)
        out.append(replace(each, favour=favour))
    return out


def _unknown(data: Evidence, old_llrs: Floats, unmoved: Hypothesis) -> Iterator[Hypothesis]:
    """That scores may have any density: their bins, at the cost of a few numbers.

    Bins fit better by chance; and classes in training may be missed by so much, too.
    """
    seen = data.seen[data.seen > 0]
    chance = len(seen) / (2 * data.pool.count) + MISFIT
    fit = data.effective * (float(seen @ np.log(seen)) - chance)
    cost = 0.5 * _NUMBERS * math.log(max(data.effective, 10.0))
    for worth in _WORTH:
        classes = split(data.seen, worth * old_llrs, float(expit(data.log_odds)))
        yield Hypothesis(
            kind="unknown",
            share="as told",
            log_prior=math.log(_UNKNOWN / len(_WORTH)),
            log_odds=data.log_odds,
            deviations=unmoved.deviations,
            best=np.zeros(len(MOVES)),
            value=cost - fit - data.labelled_loglik(*classes),
            worth=worth,
        )


def split(masses: Floats, llrs: Floats, share: float) -> tuple[Floats, Floats]:
    """Masses of both classes together, split so that LLRs and the share of targets are right.

    LLRs are so but for a constant, which follows from the share.
    """
    masses = masses / masses.sum()
    offset = brentq(lambda offset: masses @ expit(llrs + offset) - share, -2e3, 2e3)
    return masses * expit(llrs + offset) / share, masses * expit(-llrs - offset) / (1 - share)
