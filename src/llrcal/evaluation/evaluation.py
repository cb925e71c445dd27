"""The quality of log-likelihood-ratios: overall, and as functions of a threshold or a prior."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

import numpy as np

from llrcal.arrays import Array, ArrayLike, Counts, Floats, check_level, check_whole
from llrcal.errors import OptionError
from llrcal.evaluation.bands import Bands
from llrcal.evaluation.bootstrap import (
    REPLICATES,
    Bootstrap,
    Progress,
    Replicates,
    check_draws,
    speaker_pairs,
    unheard,
)
from llrcal.evaluation.costs import (
    RuleCost,
    WeightedLLRs,
    costs_of,
    cross_entropy,
    in_bits,
    min_cost,
)
from llrcal.evaluation.error_rates import eer, least_error, normalised, rule_of_30
from llrcal.evaluation.forensic import Forensic
from llrcal.evaluation.intervals import Intervals, interval_notes
from llrcal.evaluation.line_check import held_between, line_notes
from llrcal.evaluation.llrs import LLRs, WholeLLRs
from llrcal.evaluation.measures import MEASURES, STRENGTHS, Asked, Number, numbers_of, place_in
from llrcal.evaluation.operating_points import (
    DEFAULT_POINTS,
    OperatingPoint,
    as_numbers,
    as_prior_log_odds,
    effective_prior_log_odds,
)
from llrcal.evaluation.score_threshold import RATES, ScoreThreshold, SortedScores, by_groups
from llrcal.evaluation.speakers import speaker_table
from llrcal.evaluation.statistics import Sides, Statistic
from llrcal.evaluation.worst import worst_trials
from llrcal.messages import SPEAKER_COLUMNS, Setting
from llrcal.notebook import html_table
from llrcal.notes import Note
from llrcal.onepass.chunks import CHUNK
from llrcal.onepass.hull import Hull
from llrcal.onepass.rank_scale import WRONG_WAY, runs_backwards
from llrcal.onepass.ranks import Groups
from llrcal.onepass.sums import SumFold
from llrcal.scoring_rule import Rule, as_rule

if TYPE_CHECKING:
    import polars as pl

_TOO_FAR_APART = 1e100  # LLRs that no line can be drawn through: their squares are no doubles
_WRONG_WAY = Note.warning(
    WRONG_WAY,
    "targets score lower than non-targets. If these are distances, evaluate their negatives; "
    "otherwise check whether the labels are swapped",
)


class _OfNumbers(Protocol):
    """A function of a number, or of each number of an array."""

    @overload
    def __call__(self, x: float, /) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, /) -> Floats: ...


class _OfPoints(Protocol):
    """A function of operating points, which is a number for one of them."""

    @overload
    def __call__(
        self, p_target: float, c_miss: float = 1, c_fa: float = 1, *, normalised: bool = True
    ) -> float: ...
    @overload
    def __call__(
        self,
        p_target: ArrayLike,
        c_miss: ArrayLike = 1,
        c_fa: ArrayLike = 1,
        *,
        normalised: bool = True,
    ) -> Floats: ...


class _MethodOfNumbers(Protocol):
    def __get__(self, instance: object, owner: type, /) -> _OfNumbers: ...


class _MethodOfPoints(Protocol):
    def __get__(self, instance: object, owner: type, /) -> _OfPoints: ...


def _of_numbers(method: Callable[..., Floats]) -> _MethodOfNumbers:
    """Let a method of arrays give a float for one number."""

    @wraps(method)
    def of_any(*args: Any, **options: Any) -> Floats | float:
        values = method(*args, **options)
        return values if np.ndim(values) else float(values)

    return of_any  # type: ignore[return-value]


def _of_points(method: Callable[..., Floats]) -> _MethodOfPoints:
    """The same, of a method of operating points."""
    return _of_numbers(method)  # type: ignore[return-value]


class Evaluation:
    """Error-rates and costs of LLRs, actual and at the best thresholds."""

    def __init__(self, llrs: LLRs) -> None:
        self._llrs = llrs
        self.tar_count, self.non_count = llrs.tar_count, llrs.non_count

    @property
    def levels(self) -> tuple[Counts, Counts]:
        """How many targets and non-targets there are in groups of rising LLRs."""
        return self.groups.tar, self.groups.non

    @property
    def mean_llrs(self) -> tuple[float, float]:
        """Of the targets and of the non-targets, in nats."""
        expected = self.forensic.expected_lrs
        return expected.llr_tar, expected.llr_non

    @property
    def dev_pav(self) -> float:
        """How far LLRs are from those of PAV: see :attr:`forensic`."""
        return self.forensic.dev_pav

    def mean_cost(self, rule: Rule) -> float:
        """The cost by a scoring rule, in bits; by ``"log"`` it is Cllr."""
        if rule not in self._mean_costs:  # in pieces, each costs a pass
            self._mean_costs[rule] = in_bits(*self._llrs.costs_by(rule))
        return self._mean_costs[rule]

    @cached_property
    def _mean_costs(self) -> dict[Rule, float]:
        return {}

    def least_cost(self, rule: Rule) -> float:
        """The same after the best rising transformation; by ``"log"`` it is minCllr."""
        return self.min_cllr if rule == "log" else min_cost(self.hull, rule)

    @property
    def groups(self) -> Groups:
        """Both classes in rising order, with ties pooled."""
        return self._llrs.groups

    @cached_property
    def hull(self) -> Hull:
        """The ROC convex hull."""
        return Hull.of(self.groups)

    @_of_numbers
    def pmiss(self, threshold: ArrayLike) -> Floats:
        """Share of targets below a threshold."""
        return self._llrs.below(_thresholds(threshold), of_tar=True) / self.tar_count

    @_of_numbers
    def pfa(self, threshold: ArrayLike) -> Floats:
        """Share of non-targets at or above a threshold."""
        accepted = self.non_count - self._llrs.below(_thresholds(threshold), of_tar=False)
        return accepted / self.non_count

    def roc(self) -> tuple[Floats, Floats]:
        """Every corner of the ROC as (pfa, pmiss), from accepting all to rejecting all."""
        misses = np.concatenate([[0], np.cumsum(self.groups.tar)])
        rejected = np.concatenate([[0], np.cumsum(self.groups.non)])
        return 1 - rejected / self.non_count, misses / self.tar_count

    def roc_thresholds(self) -> Floats:
        """The lowest threshold at each corner of :meth:`roc`, from the least score to infinity."""
        return np.append(self.groups.edges, np.inf)

    def threshold(
        self, *, pfa: float | None = None, pmiss: float | None = None, level: float = 0.95
    ) -> ScoreThreshold:
        """The threshold for a false-alarm rate (FMR), a miss rate (FNMR), or equal error-rates.

        It applies to whatever was evaluated: raw scores will do as well as LLRs. Its interval, and
        those of both rates, are by speaker if the evaluation is of :class:`~llrcal.Trials` that
        know them, by a jackknife if it is of :class:`~llrcal.Counts` with groups of speakers left
        out, and otherwise take trials to be independent.

        Parameters
        ----------
        pfa
            The lowest threshold with no more false alarms than this share of the non-targets.
        pmiss
            The highest threshold with no more misses than this share of the targets. Without either
            rate, the threshold of equal error-rates.
        level
            Of the intervals.

        Raises
        ------
        OptionError
            If both rates are given, one is out of range, or the LLRs are not in memory.

        Examples
        --------
        >>> import llrcal
        >>> ev = llrcal.evaluate([2.0, 3.0, 0.1], [-2.0, -3.0, 0.5, -1.5])
        >>> at = ev.threshold(pfa=0.25)
        >>> at.value, at.false_alarms, at.misses
        (0.1, 1, 0)
        >>> [round(end, 3) for end in at.pmiss_interval]
        [0.0, 1.0]
        """
        check_level(level)
        given: Literal["pfa", "pmiss"] | None = None
        find = partial(SortedScores.at_eer, level=level)
        if pfa is not None:
            given, find = "pfa", partial(SortedScores.at_pfa, rate=pfa, level=level)
        if pmiss is not None:
            if given:
                raise OptionError("a threshold is for one rate: give either pfa or pmiss")
            given, find = "pmiss", partial(SortedScores.at_pmiss, rate=pmiss, level=level)
        at, groups = find(self._sorted), self._sorted.scores.without
        return by_groups(at, groups, find, given=given) if groups else at

    @property
    def error_rates(self) -> list[ScoreThreshold]:
        """Thresholds at false-alarm rates of 10^-2 to 10^-6, as far down as there are trials."""
        rates = [rate for rate in RATES if rate * self.non_count >= 1]
        return [self.threshold(pfa=rate) for rate in rates]

    @cached_property
    def _sorted(self) -> SortedScores:
        return SortedScores(self._llrs.checked("thresholds need all scores").in_order)

    @_of_numbers
    def bayes_error(self, prior_log_odds: ArrayLike) -> Floats:
        """Normalised error-rate of Bayes decisions at the given prior log-odds."""
        x = as_prior_log_odds(prior_log_odds)
        return normalised(self.pmiss(-x), self.pfa(-x), x)

    @_of_numbers
    def min_bayes_error(self, prior_log_odds: ArrayLike) -> Floats:
        """Normalised error-rate at the best threshold for the given prior log-odds."""
        x = as_prior_log_odds(prior_log_odds)
        return least_error(self.hull, x)

    @_of_numbers
    def cross_entropy(self, prior_log_odds: ArrayLike) -> Floats:
        """Empirical cross-entropy at the given prior log-odds, in bits; Cllr at zero."""
        x = as_prior_log_odds(prior_log_odds)
        return cross_entropy(*self._llrs.weighted, x)

    @_of_numbers
    def min_cross_entropy(self, prior_log_odds: ArrayLike) -> Floats:
        """Empirical cross-entropy after the best rising transformation; minCllr at zero."""
        x = as_prior_log_odds(prior_log_odds)
        return cross_entropy(*WeightedLLRs.optimal(self.hull), x)

    @_of_points
    def act_dcf(
        self,
        p_target: ArrayLike,
        c_miss: ArrayLike = 1,
        c_fa: ArrayLike = 1,
        *,
        normalised: bool = True,
    ) -> Floats:
        """Actual detection cost at a prior and costs.

        In units of the cost of deciding by the prior alone, min(p c_miss, (1 - p) c_fa); with
        ``normalised=False``, the plain expected cost.
        """
        return _cost(self.bayes_error, p_target, c_miss, c_fa, normalised=normalised)

    @_of_points
    def min_dcf(
        self,
        p_target: ArrayLike,
        c_miss: ArrayLike = 1,
        c_fa: ArrayLike = 1,
        *,
        normalised: bool = True,
    ) -> Floats:
        """Detection cost at the best threshold; see :meth:`act_dcf`."""
        return _cost(self.min_bayes_error, p_target, c_miss, c_fa, normalised=normalised)

    @cached_property
    def cllr(self) -> float:
        """Cost over all operating points, in bits."""
        return self.mean_cost("log")

    def cllr_multiplied(self, factor: float) -> float:
        """The Cllr of the LLRs if all were multiplied by a factor, to about six digits."""
        tar, non = (replace(one, values=one.values * factor) for one in self._llrs.weighted)
        return float(cross_entropy(tar, non, np.zeros(())))

    @property
    def tar_range(self) -> tuple[float, float]:
        """Least and greatest finite LLR of the targets; NaN if none is finite."""
        return self._llrs.ranges[0]

    @property
    def non_range(self) -> tuple[float, float]:
        """Least and greatest finite LLR of the non-targets; NaN if none is finite."""
        return self._llrs.ranges[1]

    def bulk(self, tail: float) -> tuple[float, float]:
        """From where to where finite LLRs lie, but for a share of each class at either end.

        To about three digits; NaN if none is finite.
        """
        ends = []
        for one in self._llrs.weighted:
            if len(one.values):
                order = np.argsort(one.values, kind="stable")
                below = np.cumsum(one.shares[order]) / one.shares.sum()
                ends.append(one.values[order][np.searchsorted(below, [tail, 1 - tail])])
        low, high = np.transpose(ends) if ends else (np.array([np.nan]),) * 2
        return float(low.min()), float(high.max())

    @property
    def held_between(self) -> tuple[float, float]:
        """The ends at which many LLRs are held, as few speakers support; or infinite ones."""
        return held_between(*self._llrs.weighted)

    @property
    def direction_notes(self) -> tuple[Note, ...]:
        """Whether the LLRs, or scores of any kind, run the wrong way."""
        return (_WRONG_WAY,) if runs_backwards(self._llrs.mann_whitney_z) else ()

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What is odd about the LLRs.

        They run the wrong way, look like raw scores, or like LLRs of other trials than these.
        """
        ends = np.abs([self.tar_range, self.non_range])
        if (ends > _TOO_FAR_APART).any():
            return self.direction_notes
        return self.direction_notes or line_notes(
            self._llrs.weighted,
            (self.tar_count, self.non_count),
            cllr=self.cllr,
            min_cllr=lambda: self.min_cllr,
            whole=self._llrs.whole,
        )

    @cached_property
    def min_cllr(self) -> float:
        """Cllr after the best rising transformation, in bits."""
        return min_cost(self.hull)

    @property
    def calibration_loss(self) -> float:
        """Cllr - minCllr, in bits: what better calibration could gain."""
        return self.cllr - self.min_cllr

    def cost(self, rule: str) -> RuleCost:
        """The cost by a proper scoring rule, and its minimum; by ``"log"`` it is Cllr.

        LLRs of zero cost one by either rule. For trials that are not in memory, ``"brier"`` costs
        another pass.

        Parameters
        ----------
        rule
            ``"log"`` or ``"brier"``: see docs/scoring-rules.md.

        Raises
        ------
        OptionError
            If there is no such rule.

        Examples
        --------
        >>> import llrcal
        >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
        >>> brier = ev.cost("brier")
        >>> round(brier.actual, 4), round(brier.minimum, 4), ev.cost("log").actual == ev.cllr
        (0.5859, 0.2857, True)
        """
        chosen = as_rule(rule)
        return RuleCost(chosen, self.mean_cost(chosen), self.least_cost(chosen))

    @cached_property
    def forensic(self) -> Forensic:
        """Figures of merit for forensic validation: devPAV, ELUB, misleading evidence."""
        return Forensic(self._llrs, self.hull)

    @property
    def knows_speakers(self) -> bool:
        """Whether the LLRs are in memory, and their speakers known."""
        return self._llrs.whole is not None and self._llrs.whole.speakers is not None

    def speakers(self) -> pl.DataFrame:
        """What each speaker does to the LLRs, the one who costs most first.

        Returns
        -------
        polars.DataFrame
            The columns are ``speaker``, by name where speakers have names; the numbers of target
            and of non-target trials, ``tar_count`` and ``non_count``; their mean LLRs,
            ``llr_tar`` and ``llr_non``; and the ``share`` of Cllr, for which a trial counts half
            for each of its two speakers, so that shares add up to one. :func:`llrcal.figures.zoo`
            draws them.

        Raises
        ------
        OptionError
            If the LLRs are not in memory, or speakers are not known.

        Examples
        --------
        >>> import llrcal
        >>> trials = llrcal.simulate(targets=100, nontargets=2000)
        >>> table = llrcal.evaluate(trials.mapped(llrcal.fit(trials))).speakers()
        >>> table.height, round(table["share"].sum(), 9)
        (100, 1.0)
        """
        whole = self._llrs.checked("tables of speakers need all LLRs")
        if whole.speakers is None:
            raise OptionError(
                "speakers are not known: evaluate trials that name them, in columns or in ids, "
                "or say where they are: ",
                SPEAKER_COLUMNS,
                " or ",
                Setting("speakers_from"),
            )
        return speaker_table(whole)

    def worst(self, count: int = 10) -> pl.DataFrame:
        """The most misleading trials: targets with low LLRs, and non-targets with high ones.

        Parameters
        ----------
        count
            How many trials to give, if there are as many.

        Returns
        -------
        polars.DataFrame
            The columns are ``label`` (``target`` or ``non-target``), ``llr``, and ``index``, the
            place among the trials of this class; where they are known, the ids of the trial
            (``enrol``, ``test``) and its speakers (``enrol_speaker``, ``test_speaker``).

        Raises
        ------
        OptionError
            If the LLRs are not in memory, or were counted, or the count is not a whole number above
            zero.

        Examples
        --------
        >>> import llrcal
        >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
        >>> ev.worst(2).rows()
        [('target', -1.0, 2), ('non-target', 0.5, 2)]
        """
        check_whole("count", count, least=1)
        whole = self._llrs.in_memory("the worst trials are known where all LLRs are")
        if whole.counts is not None:
            raise OptionError("scores that were counted have no single trials, and none is worst")
        return worst_trials(whole, count)

    @cached_property
    def eer(self) -> float:
        """Equal error-rate of the ROC convex hull, as a fraction."""
        return eer(self.hull)

    @cached_property
    def rule_of_30(self) -> tuple[float, float]:
        """Lowest and highest prior log-odds with at least 30 errors of each kind."""
        return rule_of_30(self.hull)

    def intervals(
        self,
        points: Sequence[OperatingPoint] = DEFAULT_POINTS,
        *,
        rules: Sequence[str] = (),
        forensic: bool = False,
        level: float = 0.95,
        replicates: int = REPLICATES,
        seed: int = 0,
        progress: Progress = unheard,
    ) -> Intervals:
        """Intervals of the numbers: how much they could vary with the choice of the test set.

        The test set is drawn again many times with replacement: by speaker, if the evaluation is
        of trials that know them, and by trial otherwise. See docs/evaluating.md. If it is of
        :class:`~llrcal.Counts` with groups of speakers left out, intervals are those of a
        jackknife over the groups, and nothing is drawn.

        Parameters
        ----------
        points
            Operating points for detection costs.
        rules
            Scoring rules whose costs are wanted as well, as for :meth:`cost`.
        forensic
            Whether those of forensic figures of merit are wanted as well: rates of misleading
            evidence at the usual strengths, devPAV and mean LLRs.
        level
            Share of drawn sets that an interval covers.
        replicates
            How many sets to draw.
        seed
            The same seed gives the same intervals.
        progress
            Called with how many drawn sets are done, and how many there are.

        Raises
        ------
        OptionError
            If an option is out of range.

        Examples
        --------
        >>> import llrcal
        >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
        >>> intervals = ev.intervals(replicates=99)
        >>> low, high = intervals["cllr"]
        >>> intervals.by, low < ev.cllr < high
        ('trial', True)
        """
        bands = self.bands(level=level, replicates=replicates, seed=seed, progress=progress)
        asked = _asked(points, rules, forensic=forensic)
        x = asked.prior_log_odds
        notes = interval_notes(bands.llrs, points, (self.pmiss(-x), self.pfa(-x)))
        return replace(bands.intervals(asked), notes=tuple(notes))

    def bands(
        self,
        *,
        level: float = 0.95,
        replicates: int = REPLICATES,
        seed: int = 0,
        progress: Progress = unheard,
    ) -> Bands:
        """Bands of the curves, as :meth:`intervals` of the numbers; one interval at each place.

        ``ev.bands().bayes_error(x)`` is the lower and the upper end of ``ev.bayes_error(x)``.
        """
        check_draws(level=level, replicates=replicates, seed=seed)
        return Bands(*self._llrs.resampled(replicates, seed), level, progress)

    def mean_dcf(
        self, points: Sequence[OperatingPoint], *, normalised: bool = True
    ) -> tuple[float, float]:
        """Actual and minimum detection cost, averaged over operating points as NIST does."""
        costs = np.array([astuple(point) for point in points]).T
        asked = (ask(*costs, normalised=normalised) for ask in (self.act_dcf, self.min_dcf))
        actual, least = (float(found.mean()) for found in asked)
        return actual, least

    def numbers(
        self,
        points: Sequence[OperatingPoint] = DEFAULT_POINTS,
        *,
        rules: Sequence[str] = (),
        forensic: bool = False,
        intervals: Intervals | None = None,
    ) -> list[Number]:
        """All measures with their names and, where they are given, their intervals.

        Parameters
        ----------
        points, rules, forensic
            What else is wanted, as for :meth:`intervals`.
        intervals
            What :meth:`intervals` gives for the same.

        Examples
        --------
        >>> import llrcal
        >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
        >>> for number in ev.numbers(points=[]):
        ...     print(number.words, number.written(number.value))
        Cllr 0.6016
        minCllr 0.2874
        calibration loss 0.3143
        EER 14.2857 %
        """
        return self.taken(_asked(points, rules, forensic=forensic), intervals)

    def taken(self, asked: Asked, intervals: Intervals | None = None) -> list[Number]:
        """The same of all that is asked for."""
        return numbers_of(self, asked, {} if intervals is None else intervals.numbers)

    def to_dict(
        self,
        points: Sequence[OperatingPoint] = DEFAULT_POINTS,
        *,
        rules: Sequence[str] = (),
        forensic: bool = False,
        error_rates: bool = False,
        worst: int = 0,
        intervals: Intervals | None = None,
    ) -> dict[str, Any]:
        """The numbers of the evaluation as plain values; lists run over operating points.

        With ``rules``, also the costs by these scoring rules; with ``forensic``, also the numbers
        of :attr:`forensic`; with ``error_rates``, also thresholds and miss rates at false-alarm
        rates of 10^-2 to 10^-6; with ``worst``, also so many of the :meth:`worst` trials and, where
        speakers are known, of those who cost most; with what :meth:`intervals` gives, also that.
        """
        asked = _asked(points, rules, forensic=forensic)
        answer: dict[str, Any] = {"tar_count": self.tar_count, "non_count": self.non_count}
        numbers = {number.name: number.value for number in self.taken(asked)}
        for measure in MEASURES:
            place_in(answer, measure, numbers, asked)
        answer["rule_of_30"] = list(self.rule_of_30)
        for name in ("p_target", "c_miss", "c_fa", "prior_log_odds"):
            answer[name] = [getattr(point, name) for point in points]
        costs = answer["p_target"], answer["c_miss"], answer["c_fa"]
        thresholds = -asked.prior_log_odds
        arrays = {
            "act_dcf_unnormalised": self.act_dcf(*costs, normalised=False),
            "min_dcf_unnormalised": self.min_dcf(*costs, normalised=False),
            "pmiss": self.pmiss(thresholds),
            "pfa": self.pfa(thresholds),
        }
        answer |= {name: values.tolist() for name, values in arrays.items()}
        if forensic:
            self.forensic.add_to(answer["forensic"])
        if error_rates:
            answer["error_rates"] = [at.to_dict() for at in self.error_rates]
        if worst:
            answer["worst"] = self.worst(worst).to_dicts()
            if self.knows_speakers:
                answer["speakers"] = self.speakers().head(worst).to_dicts()
        if intervals:
            answer["intervals"] = intervals.to_dict()
        return answer

    def _repr_html_(self) -> str:
        numbers = self.numbers()
        rows: dict[str, object] = {"targets": self.tar_count, "non-targets": self.non_count}
        rows |= {number.words: number.written(number.value) for number in numbers}
        rows["rule of 30, prior log-odds"] = self.rule_of_30
        return html_table("Evaluation of LLRs", rows, map(str, self.notes))

    def __repr__(self) -> str:
        return (
            f"<evaluation of {self.tar_count} target and {self.non_count} non-target LLRs: "
            f"Cllr {self.cllr:.4f}, minCllr {self.min_cllr:.4f}, EER {100 * self.eer:.3f} %>"
        )


def replicates_of(
    evaluations: Sequence[Evaluation], ask: Callable[[Sides], Statistic], replicates: int
) -> list[Replicates]:
    """A statistic of several sets of LLRs of the same trials, in the same drawn sets.

    None without replicates, and where trials are not in memory.
    """
    every = [one._llrs.whole for one in evaluations]
    first, *_ = every
    if first is None or not replicates:
        return []
    # In rising order of the first, with which the others mostly rise.
    order = first.order
    speakers = None
    if first.speakers is not None:
        pairs = speaker_pairs(first.speakers, len(first.tar), len(first.non))
        speakers = pairs[0][order[0]], pairs[1][order[1]]
    statistics = [ask(one.ordered(order).sides) for one in every if one]
    return Bootstrap(replicates, speakers=speakers).replicates(statistics)


def whole_llrs(evaluation: Evaluation) -> WholeLLRs:
    """All LLRs of an evaluation, in the order in which they came."""
    return evaluation._llrs.in_memory("LLRs of single trials need all of them")


def costs_apart(one: Evaluation, other: Evaluation) -> tuple[float, float]:
    """How differently two sets of LLRs of the same trials cost, by Cllr: a target, a non-target.

    Root mean squares over all trials, as if each were of that class; targets and non-targets weigh
    the same. Zero where both are infinite.
    """
    sets = [ev._llrs.in_memory("costs of single trials need all LLRs") for ev in (one, other)]
    tar_counts, non_counts = sets[0].counts or (None, None)
    found = []
    for sign in (-1.0, 1.0):
        means = [
            _mean_square_apart([every.tar for every in sets], tar_counts, sign),
            _mean_square_apart([every.non for every in sets], non_counts, sign),
        ]
        found.append(math.sqrt(sum(means) / 2) / (2 * math.log(2)))
    target, non_target = found
    return target, non_target


def _mean_square_apart(llrs: Sequence[Array], counts: Counts | None, sign: float) -> float:
    """The mean square by which the costs of two sets of LLRs differ: an exact sum."""
    fold = SumFold()
    for start in range(0, len(llrs[0]), CHUNK):
        part = slice(start, start + CHUNK)
        with np.errstate(invalid="ignore", over="ignore"):
            apart = np.subtract(*(costs_of(side[part], sign) for side in llrs))
            squares = np.square(np.nan_to_num(apart, nan=0.0, posinf=np.inf, neginf=-np.inf))
        fold.add(squares, None if counts is None else counts[part])
    return fold.value.mean


def _cost(
    error: Callable[[Floats], Floats],
    p_target: ArrayLike,
    c_miss: ArrayLike,
    c_fa: ArrayLike,
    *,
    normalised: bool,
) -> Floats:
    """A Bayes error as a detection cost."""
    cost = error(effective_prior_log_odds(p_target, c_miss, c_fa))
    if normalised:
        return cost
    p, miss, fa = (np.asarray(value, np.float64) for value in (p_target, c_miss, c_fa))
    return np.asarray(cost * np.minimum(p * miss, (1 - p) * fa))


def _asked(points: Sequence[OperatingPoint], rules: Sequence[str], *, forensic: bool) -> Asked:
    chosen = tuple(map(as_rule, rules))
    return Asked(tuple(points), chosen, strengths=STRENGTHS if forensic else None)


def _thresholds(threshold: ArrayLike) -> Floats:
    at = as_numbers(threshold, "the threshold")
    if np.isnan(at).any():
        raise OptionError("the threshold must be a number, not NaN")
    return at
