"""Numbers of a test set that follow from how many of its trials are in each cell.

A statistic is worked out for the set itself and for every set drawn from it, from counts alone:
see :mod:`llrcal.evaluation.cells`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation.bayes_error import normalised
from llrcal.evaluation.cells import Cells, edges_between, grid, with_ends
from llrcal.evaluation.cllr import min_cost
from llrcal.evaluation.dev_pav import dev_pav
from llrcal.evaluation.eer import eer
from llrcal.onepass.ends import Ends
from llrcal.onepass.hull import Hull
from llrcal.scoring_rule import LOG, ScoringRule

Numbers = Mapping[str, Floats]
"""Numbers by name, of which there may be several: one for each operating point, for example."""

_TINY = np.finfo(np.float64).tiny  # instead of no chance at all, which has no infinite costs


@dataclass(frozen=True)
class Statistic:
    """Trials in cells, and the numbers that follow from the counts of each class in each cell."""

    cells: Cells
    numbers: Callable[[Counts, Counts], Numbers]

    @property
    def actual(self) -> Numbers:
        """The numbers of the set itself."""
        return self.numbers(self.cells.tar.counts, self.cells.non.counts)


def evaluation_statistic(
    tar: Array,
    non: Array,
    prior_log_odds: Floats,
    *,
    curve: Floats | None = None,
    rules: Sequence[ScoringRule] = (),
) -> Statistic:
    """The numbers of an evaluation.

    Cllr, minCllr, calibration loss, EER; at the operating points, the rates of error and the
    actual and minimum normalised costs; where there is a ``curve`` of prior log-odds, the mean of
    either over it; the costs by other rules, their minima, and the losses.
    """
    points, every = len(prior_log_odds), (LOG, *rules)
    x = prior_log_odds if curve is None else np.concatenate([prior_log_odds, curve])

    def cost_by(rule: ScoringRule) -> Callable[[Floats, float], Floats]:
        if rule == LOG:
            return lambda llrs, sign: np.logaddexp(0.0, sign * llrs)
        return lambda llrs, sign: rule.costs(sign * llrs, sign)

    cells = Cells.of(tar, non, edges_between(tar, non, -x), *map(cost_by, every))

    def numbers(tar: Counts, non: Counts) -> Numbers:
        used = (tar + non) > 0
        hull = Hull.pool(tar[used], non[used])
        both = zip(cells.tar.means, cells.non.means, strict=True)
        costs = np.array([_mean(t, tar) + _mean(n, non) for t, n in both]) / (2 * math.log(2))
        least = np.array([min_cost(hull, rule) for rule in every])
        pmiss, pfa = cells.rates(-x, tar, non)
        actual, vertex = normalised(pmiss, pfa, x), hull.best_vertex(x)
        best = normalised(hull.pmiss[vertex], hull.pfa[vertex], x)
        found = {
            "cllr": costs[:1],
            "min_cllr": least[:1],
            "calibration_loss": (costs - least)[:1],
            "eer": np.array([eer(hull)]),
            "pmiss": pmiss[:points],
            "pfa": pfa[:points],
            "act_dcf": actual[:points],
            "min_dcf": best[:points],
            "rule_cost": costs[1:],
            "min_rule_cost": least[1:],
            "rule_loss": (costs - least)[1:],
        }
        if curve is not None:
            found["mean_error"] = actual[points:].mean(keepdims=True)
            found["least_mean_error"] = best[points:].mean(keepdims=True)
        return found

    return Statistic(cells, numbers)


def rates_statistic(tar: Array, non: Array, thresholds: Floats) -> Statistic:
    """Miss and false-alarm rates at thresholds."""
    cells = Cells.of(tar, non, with_ends(thresholds))

    def numbers(tar: Counts, non: Counts) -> Numbers:
        pmiss, pfa = cells.rates(thresholds, tar, non)
        return {"pmiss": pmiss, "pfa": pfa}

    return Statistic(cells, numbers)


def entropy_statistic(tar: Array, non: Array, prior_log_odds: Floats) -> Statistic:
    """Cross-entropies at prior log-odds, in bits.

    Within a cell, costs are taken at the mean LLR of the class, which is about right to 1e-4 bits.
    """
    cells = Cells.of(tar, non, with_ends(grid(tar, non)), _llr)
    # What a trial of each class costs in each cell (row) at each prior (column).
    costs = [
        np.maximum(expit(-sign * prior_log_odds), _TINY)
        * np.logaddexp(0, sign * (side.means[0][:, None] + prior_log_odds))
        / math.log(2)
        for side, sign in ((cells.tar, -1.0), (cells.non, 1.0))
    ]

    def numbers(tar: Counts, non: Counts) -> Numbers:
        of_tar, of_non = (_mean(*both) for both in zip(costs, (tar, non), strict=True))
        return {"cross_entropy": of_tar + of_non}

    return Statistic(cells, numbers)


def forensic_statistic(tar: Array, non: Array) -> Statistic:
    """The devPAV, and mean LLRs of either class.

    In a cell, the LLRs of a class are taken to reach as far as those of the whole set, which is at
    most a tenth of a nat near zero.
    """
    cells = Cells.of(tar, non, edges_between(tar, non), _llr)
    reach = Ends.of(tar, cells.edges), Ends.of(non, cells.edges)

    def numbers(tar: Counts, non: Counts) -> Numbers:
        used = np.flatnonzero(tar + non)
        hull = Hull.pool(tar[used], non[used])
        first = used[hull.first_group]
        last = used[np.append(hull.first_group[1:], len(used)) - 1]
        there = [
            Ends(np.where(n > 0, one.least, np.inf), np.where(n > 0, one.greatest, -np.inf))
            for one, n in zip(reach, (tar, non), strict=True)
        ]
        both = there[0].merge(there[1])
        distance = dev_pav(hull, Ends(both.least[first], both.greatest[last]))
        with np.errstate(invalid="ignore"):  # infinite LLRs on both sides have no mean
            llr_tar, llr_non = _mean(cells.tar.means[0], tar), _mean(cells.non.means[0], non)
        found = np.array([distance, llr_tar, llr_non])
        return {"dev_pav": found[:1], "llr_tar": found[1:2], "llr_non": found[2:]}

    return Statistic(cells, numbers)


def _llr(llrs: Floats, _sign: float) -> Floats:
    return llrs


def _mean(values: Floats, counts: Counts) -> Floats:
    """Mean of values, or of rows of them, by counts; cells without a trial may be infinite.

    A plain sum, since products of matrices would leave its order to the threads of BLAS.
    """
    used = counts > 0
    shares = counts[used] / counts.sum()
    return np.asarray((values[used].T * shares).sum(axis=-1))
