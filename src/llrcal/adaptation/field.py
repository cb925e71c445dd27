"""What is known of the field: densities of both classes, drawn from their posterior.

The calibration of least expected cost follows from that without another choice. Over all functions
of the score, the expected Cllr is least for the log-ratio of the posterior mean densities. Where
nothing has moved, that is the calibration as it was; where everything has, the moved one; where
neither is sure, it lies in between; and where nothing is known, it is zero.

However well moves explain unlabelled scores, these may still be something else: of another
recognizer, say, whose scores look like moved ones. Nothing in the scores can tell, so some doubt
remains, and the classes as they were always have a part in the mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from llrcal.adaptation.given import Given
from llrcal.adaptation.hypotheses import NOTHING, UNLIKELY, Hypothesis, hypotheses, weights_of
from llrcal.adaptation.objective import Evidence
from llrcal.adaptation.source import SourceModel, dithered
from llrcal.arrays import Bools, Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.densities.nig import NIG
from llrcal.errors import DegenerateError
from llrcal.onepass.cells import Cells, even_ranks

_DRAWS = 256
# A share that nobody has told: around this, with this factor as one deviation.
_UNKNOWN_SHARE, _UNKNOWN_FACTOR = 0.1, 8.0
_LEAST_DEVIATION = 0.01  # of log odds
# All unlabelled scores weigh as much as so many independent ones; as more, up to a limit, if one
# class is rarer than a tenth of them, by the square root of that; each as at most a third of one.
_TRUST, _MOST_TRUST, _RARE, _AT_MOST = 3000.0, 10_000.0, 0.1, 1 / 3
# Labelled scores weigh a half where each class has as many as this part of the unlabelled scores
# of the rarer class, as these weigh: the more these say, the less may a few labelled ones.
_OUTVOTED = 1 / 3
# The probability that unlabelled scores do not tell where the classes lie, however well moves
# explain them. Chosen on pairs of conditions of NIST SRE 2008 and on ten families of densities.
_DOUBT = 0.1
# What remains of it however well labelled scores agree: they are too few to vouch for the tails.
_LEAST_DOUBT = 0.03
_AROUND = np.sinh(np.linspace(-10, 10, 601))  # places around a class, in its scale
_NODES, _FURTHEST_RANK = 400, 1e-9
_TINY = 1e-300
_FURTHEST = 1e50  # deviations of the non-targets; the squares of more would overflow
_STEPS = 200  # towards the share of targets that fits best

Masses = tuple[Floats, Floats]
"""Of targets and of non-targets."""
LLRsAt = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Field:
    """Draws of both classes in the field, at nodes along the scores in units of the source."""

    source: SourceModel
    data: Evidence
    hypotheses: tuple[Hypothesis, ...]
    weights: Floats
    draws: Floats
    """Moves, one row each."""
    which: tuple[Hypothesis, ...]
    """The hypothesis of each draw."""
    importance: Floats
    """Weights of the draws, which add up to one."""
    neutral: Floats
    """The same where nothing is favoured, for intervals: favour makes better decisions, but what
    it makes less likely than it is must not be left out of an interval."""
    nodes: Floats
    old_llrs: Floats
    """Of the calibration as it was, at the nodes."""
    tar: Floats
    non: Floats
    """Masses at the nodes, one row a draw."""
    known: Masses
    """The posterior mean masses, in which classes that have not moved against each other have the
    LLRs of the calibration as it was: it knows more than its portrait."""
    still: Masses
    """The masses of the classes as they were, with the LLRs of the calibration as it was."""
    doubt: float
    """The probability that unlabelled scores do not tell where the classes lie."""

    @classmethod
    def of(
        cls,
        cal: Calibration,
        source: SourceModel,
        given: Given,
        p_target: float | None,
        factor: float,
        *,
        boldly: bool = False,
    ) -> Field:
        """What scores from the field say; a share of targets of None is unknown.

        Where it is unknown, the scores weigh as if neither class were rare, unless ``boldly``.
        """
        told, share = p_target is not None, _UNKNOWN_SHARE if p_target is None else p_target
        data = evidence_of(source, given, share, told=told, boldly=boldly)
        deviation = max(math.log(factor if told else _UNKNOWN_FACTOR), _LEAST_DEVIATION)
        found = tuple(hypotheses(data, deviation, told=told))
        weights, neutral = weights_of(found), weights_of(found, favoured=False)
        mixed = 0.5 * weights + 0.5 * neutral
        draws, which = _drawn(found, mixed)
        importance, neutral = (
            _of_draws(found, which, some / np.maximum(mixed, _TINY)) for some in (weights, neutral)
        )
        nodes = _nodes(source, weights @ np.array([one.mean for one in found]))

        def llrs(at: Floats) -> Floats:
            scores = source.origin + at * source.unit
            return cal.without_warnings(-scores if cal.lower_is_better else scores)

        old = llrs(nodes)
        tar, non = _masses(source, draws, _plain(source, which), nodes)
        known = _mean(source, draws, which, importance, nodes, (tar, non), llrs)
        as_it_was = _masses(source, source.still[None, :], np.array([False]), nodes)
        still = _split(as_it_was[0][0] + as_it_was[1][0], old)
        return cls(
            source,
            data,
            found,
            weights,
            draws,
            which,
            importance,
            neutral,
            nodes,
            old,
            tar,
            non,
            known,
            still,
            _doubt(found[int(weights.argmax())]),
        )

    @cached_property
    def mean(self) -> Masses:
        """Mean masses, with all doubt."""
        tar, non = (
            (1 - self.doubt) * known + self.doubt * still
            for known, still in zip(self.known, self.still, strict=True)
        )
        return tar, non

    @property
    def harm(self) -> float:
        """Bits of Cllr that the LLRs of least expected cost lose if nothing has moved after all."""
        return expected_cllr(self.still, self.llrs) - expected_cllr(self.still, self.old_llrs)

    def probability(self, lie: str) -> float:
        """Of a lie."""
        return float(self.weights[[one.lie == lie for one in self.hypotheses]].sum())

    @property
    def unmoved(self) -> float:
        """The probability that nothing has moved, whatever the share of targets."""
        lies = ("other scores", "reversed")
        still = [one.unmoved and one.lie not in lies for one in self.hypotheses]
        return float(self.weights[still].sum())

    @property
    def best(self) -> Hypothesis:
        """The most probable hypothesis."""
        return self.hypotheses[int(self.weights.argmax())]

    @cached_property
    def scores(self) -> Floats:
        """The nodes in units of the scores."""
        return self.source.origin + self.nodes * self.source.unit

    @cached_property
    def eer_node(self) -> int:
        """Where as many targets lie below as non-targets above."""
        tar, non = (np.cumsum(side) / side.sum() for side in self.mean)
        return int(np.searchsorted(tar + non, 1.0))

    @cached_property
    def llrs(self) -> Floats:
        """LLRs of least expected cost at the nodes; they rise, outward from where classes meet."""
        tar, non = self.mean
        out = np.log(np.maximum(tar, _TINY)) - np.log(np.maximum(non, _TINY))
        middle = self.eer_node
        out[middle:] = np.maximum.accumulate(out[middle:])
        out[: middle + 1] = np.minimum.accumulate(out[middle::-1])[::-1]
        return np.asarray(out)

    @cached_property
    def shares(self) -> Floats:
        """The share of targets among the unlabelled scores, of each draw."""
        told = np.array([one.data.log_odds for one in self.which])
        return np.asarray(expit(told + self.draws[:, -1]))

    @cached_property
    def training_mixture(self) -> Floats:
        """Masses at the nodes of the mixture of the training classes that fits the scores best."""
        share = fitted_share(self.source, self.data.pool)
        still = self.source.moved(self.source.still)
        sides = zip((self.source.tar, self.source.non), still, strict=True)
        tar, non = (side.densities(at.theta[None, :], self.nodes)[0] for side, at in sides)
        return np.asarray((share * tar + (1 - share) * non) * np.gradient(self.nodes))

    @cached_property
    def uses_plain_densities(self) -> Bools:
        """Of each draw, whether it does without the corrections of the portrait."""
        return _plain(self.source, self.which)


def evidence_of(
    source: SourceModel, given: Given, p_target: float, *, told: bool, boldly: bool = False
) -> Evidence:
    """The scores from the field in units of the source, and how much they weigh."""
    pool, tar, non = (
        Cells.empty() if side is None else side.seen_from(source.origin, source.unit)
        for side in (given.pool, given.tar, given.non)
    )
    pool = dithered(pool)
    furthest = max(float(np.abs(side.values).max(initial=0.0)) for side in (pool, tar, non))
    if not furthest < _FURTHEST:
        raise DegenerateError(
            f"a score lies {furthest:.3g} deviations of the training scores from these: are they "
            "in the same units?"
        )
    # No surer than the portrait, which is of so many scores.
    known = p_target / source.tar.count + (1 - p_target) / source.non.count
    share = p_target if told else _RARE
    if boldly and not told and pool.count:
        share = fitted_share(source, pool)
    rarer = max(min(share, 1 - share), 1 / max(pool.count, 1.0))
    wanted = min(_TRUST * math.sqrt(_RARE / min(rarer, _RARE)), _MOST_TRUST)
    trust = 1 / (1 / min(wanted, _AT_MOST * pool.count) + known) if pool.count else 0.0
    few = min(tar.count, non.count)
    weight = few / (few + _OUTVOTED * trust * min(p_target, 1 - p_target)) if few else 1.0
    log_odds = math.log(p_target) - math.log1p(-p_target)
    return Evidence(source, pool, tar, non, trust, weight, log_odds)


def fitted_share(source: SourceModel, pool: Cells) -> float:
    """The share of targets at which a mixture of the training classes fits scores best."""
    still = source.moved(source.still)
    sides = zip((source.tar, source.non), still, strict=True)
    tar, non = (side.densities(at.theta[None, :], pool.values)[0] for side, at in sides)
    share = _UNKNOWN_SHARE
    for _ in range(_STEPS):  # of expectation-maximisation
        joint = share * tar
        share = float(pool.counts @ (joint / (joint + (1 - share) * non + _TINY))) / pool.count
    return share


def _drawn(found: tuple[Hypothesis, ...], weights: Floats) -> tuple[Floats, tuple[Hypothesis, ...]]:
    """Moves drawn from their posterior, and the hypothesis of each; the same every time."""
    rng = np.random.default_rng(0)
    shares = np.where(weights > UNLIKELY, weights, 0.0)
    up_to = np.floor(np.cumsum(shares) / shares.sum() * _DRAWS + 0.5).astype(int)
    counts = np.diff(up_to, prepend=0).tolist()
    rows = [one.draws(count, rng) for one, count in zip(found, counts, strict=True)]
    which = [one for one, count in zip(found, counts, strict=True) for _ in range(count)]
    return np.concatenate(rows), tuple(which)


def _of_draws(
    found: tuple[Hypothesis, ...], which: tuple[Hypothesis, ...], ratios: Floats
) -> Floats:
    """Weights of draws, by those of their hypotheses."""
    by_hypothesis = dict(zip(map(id, found), ratios, strict=True))
    out = np.array([by_hypothesis[id(one)] for one in which])
    return np.asarray(out / out.sum())


def _nodes(source: SourceModel, moves: Floats) -> Floats:
    """Even in the ranks, and in their log odds, of both classes as they were and after moves."""
    sides = [*source.moved(source.still), *source.moved(moves)]
    around = [side.theta[0] + np.exp(side.theta[1]) * _AROUND for side in sides]
    fine = np.unique(np.concatenate(around))
    classes = (source.tar, source.non, source.plain.tar, source.plain.non)
    densities = [
        density.densities(side.theta[None, :], fine)[0]
        for density, side in zip(classes, sides, strict=True)
    ]
    below = np.cumsum(np.sum(densities, axis=0) * np.gradient(fine))
    below /= below[-1]
    at = np.interp(even_ranks(_FURTHEST_RANK, 1 - _FURTHEST_RANK, _NODES), below, fine)
    return np.unique(at)


def _masses(
    source: SourceModel,
    draws: Floats,
    plain: Bools,
    nodes: Floats,
) -> Masses:
    """Masses of both classes at the nodes, one row a draw, some without corrections."""
    widths = np.gradient(nodes)
    sides = [source.moved(moves) for moves in draws]
    both = []
    for number, name in enumerate(("tar", "non")):
        thetas = np.array([side[number].theta for side in sides])
        out = np.empty((len(draws), len(nodes)))
        for some, model in ((plain, source.plain), (~plain, source)):
            out[some] = getattr(model, name).densities(thetas[some], nodes) * widths
        every = out.sum(axis=1)
        for row in np.flatnonzero(~(every > 0)):  # beyond all nodes
            out[row] = 0.0
            out[row, min(np.searchsorted(nodes, thetas[row, 0]), len(nodes) - 1)] = every[row] = 1.0
        both.append(out / every[:, None])
    return both[0], both[1]


def _mean(
    source: SourceModel,
    draws: Floats,
    which: tuple[Hypothesis, ...],
    importance: Floats,
    nodes: Floats,
    masses: Masses,
    llrs: LLRsAt,
) -> Masses:
    """Mean masses; where both classes have moved together, so have the LLRs as they were."""
    tar, non = (importance @ side for side in masses)
    middle = source.non.theta[0]
    for row, (one, moves) in enumerate(zip(which, draws, strict=True)):
        if one.apart == NOTHING:
            back = (nodes - middle - moves[0]) * math.exp(-moves[1]) + middle
            like_old = _split(masses[0][row] + masses[1][row], llrs(back))
            tar += importance[row] * (like_old[0] - masses[0][row])
            non += importance[row] * (like_old[1] - masses[1][row])
    return np.maximum(tar, 0), np.maximum(non, 0)


def _split(every: Floats, llrs: Floats) -> Masses:
    """Masses of both classes together, split as LLRs say."""
    return np.asarray(every * expit(llrs)), np.asarray(every * expit(-llrs))


def _doubt(best: Hypothesis) -> float:
    """The probability that unlabelled scores do not tell where the classes lie.

    Labelled scores do. The likelier they are after the moves, the less doubt remains, but some
    does, for few scores say nothing of the tails, which cost most where they are wrong.
    """
    data = best.data
    if not data.pool.count:
        return 0.0
    if not data.few:
        return _DOUBT
    gained = data.labelled_loglik(best.mean) - data.labelled_loglik(data.source.still)
    left = _DOUBT / (_DOUBT + (1 - _DOUBT) * math.exp(min(max(gained, 0.0), 700.0)))
    return max(left, _LEAST_DOUBT)


def expected_cllr(masses: Masses, llrs: Floats) -> float:
    """Of LLRs at nodes where both classes have masses, in bits."""
    tar, non = (side / side.sum() for side in masses)
    nats = np.logaddexp(0, -llrs) @ tar + np.logaddexp(0, llrs) @ non
    return float(nats / 2 / math.log(2))


def _plain(source: SourceModel, which: tuple[Hypothesis, ...]) -> Bools:
    return np.array([one.data.source is source.plain for one in which])


def places_of(source: SourceModel, draws: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Locations and log scales of targets and of non-targets in score units, one of each draw."""
    sides = [source.moved(moves) for moves in draws]
    out = []
    for number in range(2):
        location, log_scale, *_ = NIG.kept(*np.array([side[number].theta for side in sides]).T)
        out += [location * source.unit, log_scale]
    return out[0], out[1], out[2], out[3]
