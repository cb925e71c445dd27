"""What may have happened since training: hypotheses, each fitted, and weighed by their evidence.

One prior cannot suit both a field where nothing has changed and one where everything has. So its
deviations are multiplied by one factor for what both classes do together (shift and scale), and by
others for everything else, and every choice of factors is a hypothesis. Its evidence is Laplace's:
prior times likelihood at the best moves, times the volume around them. Where nothing has moved, the
hypotheses that say so win, for the others waste their prior on moves that did not happen.

Scores may also be other than the user says. A lie is a hypothesis beside the others, with a small
prior: another share of targets, one class alone, other scores altogether, scores that run the other
way. Where that is more likely than a shift, the classes are taken to be as they were.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from scipy.special import ndtr

from llrcal.adaptation.objective import Evidence, Objective
from llrcal.adaptation.source import APART, DEVIATIONS, NAMES, TOGETHER
from llrcal.arrays import Floats
from llrcal.fitting.optimizer import Solution, minimise
from llrcal.onepass.cells import Cells, even_ranks

Lie = Literal["wrong share", "only targets", "only non-targets", "other scores", "reversed"]
LIES: tuple[Lie, ...] = get_args(Lie)

NOTHING = 1e-3
_TOGETHER = (1.0, 0.3, 0.1, NOTHING)
# Factors for distance and target scale, for shapes, and the log of the prior of the hypothesis.
_Rows = tuple[tuple[float, float, float], ...]
_APART: _Rows = (
    (1.0, 1.0, 0.0),
    (0.5, 0.5, 0.0),
    (0.25, 0.25, 0.0),
    (0.1, 0.1, 0.0),
    (1.0, NOTHING, -3.0),
    (NOTHING, NOTHING, 0.0),
)
# The same where one class is missing: it moves along with the other.
_ALONE: _Rows = tuple(
    (NOTHING, shapes, prior) for apart, shapes, prior in _APART if apart == shapes
)
_ALL = 40.0  # log odds where all scores are of one class
# Chosen on pairs of conditions of NIST SRE 2008 and on halves of sets that had not moved. The log
# of the prior of "nothing has moved", against that of any other hypothesis; and of what the errors
# of the portrait cost it, how many times that is given back, up to a limit in nats.
_UNMOVED, _GIVEN_BACK, _MOST_GIVEN_BACK = 4.0, 1.5, 20.0
# Training and field have different people, of whom there may be few: then classes differ although
# nothing has moved, and this part of what speaks against it is forgiven. Where targets are so rare
# that scores weigh more than usual, they are too many to be of a few people: no more is forgiven.
# Chosen on halves of VoxCeleb of twenty speakers each, while looking at pairs of SRE 2008, at
# ASVspoof and at families of known truth: with less, halves seem to have moved; with more, watch
# misses pairs.
_OTHER_PEOPLE, _USUAL_TRUST = 0.5, 3000.0
# That the share is as told: its deviation, as a part of what the user said; the log of the prior
# without labelled scores and with very many; and how many of each class bring it halfway.
_AS_TOLD, _RARELY, _OFTEN, _HALFWAY = 0.15, -1.0, 2.0, 15.0
# Log priors of lies. Targets alone are rarer in practice than non-targets alone, but a strong shift
# of both classes is rarer still, while targets that sink into the non-targets do occur. Targets
# alone are less likely the fewer the user has told, by the square root of that.
_PRIORS: dict[Lie, float] = {
    "wrong share": math.log(0.15),
    "only targets": math.log(0.1),
    "only non-targets": math.log(1e-4),
    "other scores": math.log(5e-2),
    "reversed": math.log(5e-2),
}
_ONE_CLASS_IF_UNKNOWN = math.log(1e-2)  # a share that nobody has told may well be zero or one
_WRONG_BY = math.log(12)  # a wrong share: one deviation
# Bins of scores of which nothing is known, narrower in the tails: noise needs few of them, and
# many would cost it more than it gains.
_HISTOGRAMS = (4, 9, 20)
_ANYWHERE, _ANY_SPREAD = 50.0, 3.0  # deviations of shift and scale, of another recognizer's scores

_TOLERANCE = 1e-6
UNLIKELY = 1e-4  # a hypothesis less probable than this is not looked at further
_CLOSER = -0.7  # log distance of one of the starts
_HOPELESS = 20.0  # nats below the freest: both classes have moved together further than that
_QUARTILE = 0.6745  # of the Gaussian


@dataclass(frozen=True)
class Hypothesis:
    """Best moves under one prior."""

    data: Evidence
    solution: Solution
    deviations: Floats
    log_prior: float
    favour: float = 0.0
    """What is added to the log prior where it decides, but not where intervals are worked out."""
    together: float = NOTHING
    apart: float = NOTHING
    lie: Lie | None = None

    @property
    def unmoved(self) -> bool:
        """Whether it says that nothing has moved."""
        return self.together == NOTHING and self.apart == NOTHING

    @cached_property
    def log_evidence(self) -> float:
        """The prior of the hypothesis times Laplace's integral of prior times likelihood.

        Of labelled scores beside unlabelled ones, the integral has only a part; the rest is taken
        at the mean.
        """
        volume = np.log(np.maximum(np.linalg.eigvalsh(self._scaled), 1e-6)).sum()
        prior = self.log_prior + self.favour
        integral = float(prior - self.solution.value - 0.5 * volume)
        return integral + self.data.rest_of_labelled(self.mean)

    @cached_property
    def pool_loglik(self) -> float:
        """The log-likelihood of the unlabelled scores at the best moves, as much as they weigh."""
        pool, *_ = self.data.alone or (self.data,)
        prior = 0.5 * float(np.sum((self.solution.point / self.deviations) ** 2))
        return prior - Objective(pool, self.deviations)(self.solution.point).value

    @property
    def _scaled(self) -> Floats:
        """The Hessian in units of the prior deviations, in which that of the prior alone is one."""
        return np.asarray(self.solution.hessian * np.outer(self.deviations, self.deviations))

    @cached_property
    def covariance(self) -> Floats:
        """Of the moves, by the curvature at the best ones.

        The same densities explain unlabelled and labelled scores, which err together where these
        are wrong. So both together are no surer than the surer of them alone.
        """
        units = np.outer(self.deviations, self.deviations)
        apart = [Objective(one, self.deviations) for one in self.data.alone]
        each = [one(self.solution.point).hessian * units for one in apart] or [self._scaled]
        found = map(np.linalg.eigh, each)
        values, vectors = max(found, key=lambda one: float(np.log(np.maximum(one[0], 1.0)).sum()))
        return np.asarray((vectors / np.maximum(values, 1.0)) @ vectors.T * units)  # the prior: 1

    @cached_property
    def mean(self) -> Floats:
        """The mean of the moves, between bounds."""
        return mean_between(*self.data.source.bounds, self.solution.point, self.covariance)

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Moves drawn from their posterior, one row each."""
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0))
        standard = rng.standard_normal((count, len(values)))
        moves = self.solution.point + standard @ root.T
        return np.asarray(np.clip(moves, *self.data.source.bounds))


@dataclass(frozen=True)
class _Elsewhere(Hypothesis):
    """That scores are not of this recognizer at all: classes are as they were."""

    evidence: float = 0.0

    @property
    def log_evidence(self) -> float:
        """As it was worked out."""
        return self.evidence


def hypotheses(data: Evidence, odds_deviation: float, *, told: bool) -> list[Hypothesis]:
    """All that may have happened; ``told`` says whether the user has told the share of targets."""
    honest = _honest(data, odds_deviation)
    if told and data.pool.count:
        honest += list(_with_the_share_as_told(honest))
    return honest + list(_lies(data, odds_deviation, told=told))


def weights_of(hypotheses: Sequence[Hypothesis], *, favoured: bool = True) -> Floats:
    """Their posterior probabilities, with or without favour."""
    logs = np.array([one.log_evidence - (not favoured) * one.favour for one in hypotheses])
    if favoured and hypotheses[0].data.pool.count:
        logs += _forgiven(hypotheses, logs)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _forgiven(hypotheses: Sequence[Hypothesis], logs: Floats) -> Floats:
    """What other people may do to classes that have not moved, in nats.

    All of it is taken from moves of both classes. Other lies are as likely as before, none more,
    or far moves would look like one class alone, and none less, or nobody would be warned of them.
    """
    both = np.array([one.lie in {None, "wrong share"} for one in hypotheses])
    fits = np.array(
        [one.pool_loglik if here else -np.inf for one, here in zip(hypotheses, both, strict=True)]
    )
    still = both & [one.unmoved for one in hypotheses]
    part = _OTHER_PEOPLE * min(_USUAL_TRUST / hypotheses[0].data.trust, 1.0)
    more = np.where(still, part * (fits.max() - fits), 0.0)
    before, after = (np.logaddexp.reduce(each[both]) for each in (logs, logs + more))
    return np.where(both, more + before - after, 0.0)


def _honest(
    data: Evidence,
    odds_deviation: float,
    lie: Lie | None = None,
    log_prior: float = 0.0,
    rows: _Rows = _APART,
) -> list[Hypothesis]:
    """Every pair of factors, fitted."""
    plain = replace(data, source=data.source.plain)
    freest = _deviations(1.0, *rows[0][:2], odds_deviation)
    row = _best_end(plain, freest, starts(plain)).point
    given_back = _errors_of_portrait(data, alone=rows is _ALONE)
    found = list[Hypothesis]()
    for together in _TOGETHER:
        start, hopeless = row, False
        for number, (apart, shapes, prior) in enumerate(rows):
            if hopeless and shapes != NOTHING:
                continue
            deviations = _deviations(together, apart, shapes, odds_deviation)
            near = np.where(deviations < 2 * NOTHING, 0.0, row if shapes < apart else start)
            if shapes == NOTHING:  # corrections are for the same shape
                seen, end = data, _best_end(data, deviations, [near, *starts(data)])
            else:
                seen, end = plain, _solved(Objective(plain, deviations), near)
                start = end.point
            freedom = max(apart, shapes)
            still = freedom == together == NOTHING
            # A class alone that may be anywhere needs no help: any pool would look like it.
            favour = given_back if still or (freedom == NOTHING and rows is _APART) else 0.0
            favour += _UNMOVED if still else 0.0
            own = log_prior + prior
            one = Hypothesis(seen, end, deviations, own, favour, together, freedom, lie)
            found.append(one)
            if number == 0:
                row = end.point
                hopeless = found[0].log_evidence - one.log_evidence > _HOPELESS
    return found


def _errors_of_portrait(data: Evidence, *, alone: bool = False) -> float:
    """What a portrait of few training scores costs the hypothesis that it still holds, in nats.

    Each number that was estimated from n scores costs 1 / (2 n) nats a score. Moves can mend that
    as well, so it is given back to hypotheses that have none. Where one class is alone, the other
    one may have moved to its place and fit as well, with a portrait of more scores: then there is
    no limit to what is given back.
    """
    share = 1 / (1 + math.exp(-data.log_odds))
    sides = (share, data.source.tar), (1 - share, data.source.non)
    a_score = sum(part * side.parameters / (2 * side.count) for part, side in sides)
    errors = _GIVEN_BACK * data.trust * a_score
    return errors if alone else min(errors, _MOST_GIVEN_BACK)


def _with_the_share_as_told(found: Sequence[Hypothesis]) -> Iterator[Hypothesis]:
    """Those of some weight once more, with a share of targets that is just as the user said."""
    few = found[0].data.few
    believed = _RARELY + (_OFTEN - _RARELY) * few / (few + _HALFWAY)
    for one, weight in zip(found, weights_of(found), strict=True):
        if weight > UNLIKELY:
            deviations = np.append(one.deviations[:-1], _AS_TOLD * one.deviations[-1])
            end = _solved(Objective(one.data, deviations), one.solution.point)
            log_prior = one.log_prior + believed
            yield replace(one, solution=end, deviations=deviations, log_prior=log_prior)


def _lies(data: Evidence, odds_deviation: float, *, told: bool) -> Iterator[Hypothesis]:
    if not data.pool.count:
        return
    if told:
        yield from _honest(data, _WRONG_BY, "wrong share", _PRIORS["wrong share"])
    yield from (_histogram(data, bins) for bins in _HISTOGRAMS)
    if data.few:  # labelled scores show both classes, and which way they run
        return
    sides: tuple[tuple[Lie, float], ...] = (("only targets", _ALL), ("only non-targets", -_ALL))
    for lie, log_odds in sides:
        prior = _ONE_CLASS_IF_UNKNOWN
        if told:
            prior = _PRIORS[lie] - (0.5 * np.logaddexp(0, -data.log_odds) if log_odds > 0 else 0.0)
        yield from _honest(replace(data, log_odds=log_odds), NOTHING, lie, prior, _ALONE)
    yield _another_recognizer(data)
    yield from _reversed(data, odds_deviation)


def _as_they_were(data: Evidence, lie: Lie, evidence: float) -> _Elsewhere:
    deviations = _deviations(NOTHING, NOTHING, NOTHING, NOTHING)
    apart = replace(data, pool=Cells.empty(), tar=Cells.empty(), non=Cells.empty())
    still = _solved(Objective(apart, deviations), data.source.still)
    return _Elsewhere(data, still, deviations, 0.0, lie=lie, evidence=evidence)


def _histogram(data: Evidence, bins: int) -> Hypothesis:
    """Scores of any density at all, as a histogram has it; labelled ones are as in training."""
    shares = (data.log_odds, _ALL, -_ALL)
    missed = max(_missed(data, log_odds, bins) for log_odds in shares)
    logs = _histogram_logs(data.pool, bins) - missed
    volume = (bins - 1) / 2 * math.log(max(data.trust / (2 * math.pi), 1.0))
    evidence = _PRIORS["other scores"] + data.trust * logs - volume
    still = data.source.moved(data.source.still)
    for (density, few), side in zip(data.labelled, still, strict=True):
        if few.count:
            evidence += float(few.counts @ data.labelled_logs(density, few, side.theta)[0])
    return _as_they_were(data, "other scores", evidence)


def _histogram_logs(scores: Cells, bins: int) -> float:
    """The mean log density of scores by their own histogram."""
    least = 0.5 / scores.count
    inner = [scores.quantile(rank) for rank in even_ranks(least, 1 - least, bins)]
    edges = np.concatenate([scores.values[:1], inner, scores.values[-1:]])
    places = np.clip(np.searchsorted(edges, scores.values, "right") - 1, 0, bins - 1)
    masses = np.bincount(places, scores.counts / scores.count, bins)
    used = (masses > 0) & (np.diff(edges) > 0)
    return float(masses[used] @ np.log(masses[used] / np.diff(edges)[used]))


def _missed(data: Evidence, log_odds: float, bins: int) -> float:
    """By how much a histogram fits the training scores better than their densities, in nats.

    Scores that share values have no density, and a portrait need not fit. Then a histogram fits
    scores from the field better as well, although nothing has moved.
    """
    sides = (data.source.tar, data.source.non)
    log_shares = -np.logaddexp(0, [-log_odds, log_odds])
    values = np.concatenate([side.points.values for side in sides])
    counts = [
        side.points.counts * (data.pool.count * math.exp(log_share) / side.count)
        for side, log_share in zip(sides, log_shares, strict=True)
    ]
    order = np.argsort(values, kind="stable")
    both = Cells(values[order], np.concatenate(counts)[order])
    logs = np.logaddexp(
        *(
            log_share + side.at_each(side.theta, both.values)[0]
            for side, log_share in zip(sides, log_shares, strict=True)
        )
    )
    known = float(both.counts @ data.with_wild(logs, both.values)[0]) / both.count
    return max(_histogram_logs(both, bins) - known, 0.0)


def _another_recognizer(data: Evidence) -> Hypothesis:
    """Scores in any place and of any spread, of classes of much the same kind."""
    plain = replace(data, source=data.source.plain)
    deviations = _anywhere(data, _deviations(1.0, 1.0, 1.0, _WRONG_BY))
    end = _best_end(plain, deviations, starts(plain))
    one = Hypothesis(plain, end, deviations, _PRIORS["other scores"])
    return _as_they_were(data, "other scores", one.log_evidence)


def _reversed(data: Evidence, odds_deviation: float) -> Iterator[Hypothesis]:
    """Scores that run the other way, near those of training or anywhere."""
    values, middle = data.pool.values, data.pool.quantile(0.5)
    mirrored = replace(data, pool=Cells(2 * middle - values[::-1], data.pool.counts[::-1]))
    prior = _PRIORS["reversed"] + _errors_of_portrait(data)
    near = _deviations(1.0, NOTHING, NOTHING, odds_deviation)
    for deviations in (near, _anywhere(data, near)):
        end = _best_end(mirrored, deviations, starts(mirrored))
        one = Hypothesis(mirrored, end, deviations, prior)
        yield _as_they_were(data, "reversed", one.log_evidence)


def _anywhere(data: Evidence, deviations: Floats) -> Floats:
    """Deviations under which scores may lie in any place, and have any spread."""
    furthest = float(np.abs(data.pool.values).max())
    return np.append([max(_ANYWHERE, furthest), _ANY_SPREAD], deviations[TOGETHER.stop :])


def _best_end(data: Evidence, deviations: Floats, starts: Iterable[Floats]) -> Solution:
    """The best of searches from several starts, in coordinates that are free."""
    free = deviations > 2 * NOTHING
    points = {tuple(np.where(free, start, 0.0)) for start in starts}
    ends = (_solved(Objective(data, deviations), np.array(start)) for start in sorted(points))
    return min(ends, key=lambda end: end.value)


def starts(data: Evidence) -> list[Floats]:
    """As it is; with the classes closer together; and with the bulk of the scores in its place."""
    out = [data.source.still, data.source.still]
    out[1][APART.start] = _CLOSER
    if data.pool.count:
        tar, non = data.source.tar.theta, data.source.non.theta
        share = 1 / (1 + math.exp(-data.log_odds))
        # The middle of the class that is more frequent, which lies below or above the other.
        levels = np.array([0.25, 0.5, 0.75])
        levels = levels * (1 - share) if share < 0.5 else 1 - share + levels * share
        low, middle, high = map(data.pool.quantile, levels)
        spread = max((high - low) / (2 * _QUARTILE), np.finfo(float).tiny)
        bulk = data.source.still
        if share < 0.5:
            bulk[:2] = middle, np.clip(np.log(spread), -5, 5)
        else:
            bulk[:2] = middle - tar[0] + non[0], np.clip(np.log(spread) - tar[1], -5, 5)
        out.append(bulk)
    return out


def _deviations(together: float, apart: float, shapes: float, odds: float) -> Floats:
    factors = np.full(len(NAMES) - 1, shapes)
    factors[TOGETHER], factors[APART] = together, apart
    return np.append(factors * list(DEVIATIONS.values()), odds)


@np.errstate(all="ignore")
def _solved(objective: Objective, start: Floats) -> Solution:
    lower, upper = objective.evidence.source.bounds
    near = np.clip(start, lower, upper)
    if not all(np.isfinite(part).all() for part in objective(near)):
        # A far start, whose densities are zero everywhere.
        near = np.clip(np.zeros(near.size), lower, upper)
    return minimise(objective, near, lower=lower, upper=upper, tolerance=_TOLERANCE)


def mean_between(lower: Floats, upper: Floats, best: Floats, covariance: Floats) -> Floats:
    """The mean of a bell around the best moves that is cut off at bounds.

    The best moves often lie at one: the shortest tail is that of a Gaussian, and few scores can
    hardly tell it from a longer one. Then a part of the bell is cut off. Bounds are taken one after
    the other: each shifts its move to the mean of what it leaves, and the others along with it.
    """
    mean = best.copy()
    for i, variance in enumerate(np.diag(covariance)):
        low, high = ((end[i] - mean[i]) / np.sqrt(variance) for end in (lower, upper))
        left = max(float(ndtr(high) - ndtr(low)), 1e-9)
        cut = (np.exp(-0.5 * low**2) - np.exp(-0.5 * high**2)) / np.sqrt(2 * np.pi) / left
        mean += covariance[:, i] / np.sqrt(variance) * cut
    return np.asarray(np.clip(mean, lower, upper))
