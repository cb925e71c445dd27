"""Score arrays whose values are hostile."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import llrcal
from llrcal.calibrations.bounds import POLICIES, Policy
from llrcal.calibrations.methods.pav import PAV
from llrcal.errors import DegenerateError, ScoreError
from llrcal.method_table import MethodName
from tests import oracles
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.scores import (
    GENERATIVE,
    GRID,
    LINES,
    NON,
    PARAMETRIC,
    TAR,
    by_every,
    is_exact,
    llrs,
    same,
)
from tests.notes import codes

LARGEST = float(np.finfo(float).max)


def many_nans() -> Any:
    non = NON.copy()
    non[[7, 70, 700]] = math.nan
    by_every(llrcal.METHODS, lambda method: llrcal.fit(TAR, non, method=method))


def check_right_infinities(pav: PAV) -> None:
    # As if they were scores far beyond all others.
    far = llrcal.fit(np.append(TAR, 99.0), np.append(NON, -99.0), method="pav")
    same(pav(GRID), far(GRID))
    same(pav([-math.inf, math.inf]), [min(pav.llrs), max(pav.llrs)])
    assert np.isfinite(pav.llrs).all()


def infinity_beside_the_largest_double() -> Any:
    tar, non = [math.inf, math.inf, 2.0, 3.0], [LARGEST, 0.0, 1.0, -LARGEST, -math.inf]
    llrcal.fit(tar, non, method="pav").save("pav.json")
    return llrcal.load("pav.json")


def check_pooled_with_the_largest(pav: PAV) -> None:
    whole = llrcal.fit(
        [LARGEST, LARGEST, 2.0, 3.0], [LARGEST, 0.0, 1.0, -LARGEST, -LARGEST], method="pav"
    )
    assert pav.params == whole.params
    assert list(pav.scores) == sorted(set(pav.scores))


EDGES = (-math.inf, -LARGEST, -1e308, -5e-324, 0.0, 5e-324, 1e308, LARGEST, math.inf)


def knots_at_the_edges() -> Any:
    """Both classes at every edge of the doubles, with ever more targets."""
    tar = np.repeat(EDGES, range(1, 10))
    non = np.repeat(EDGES, range(9, 0, -1))
    llrcal.fit(tar, non, method="pav", bounds="none").save("pav.json")
    return llrcal.load("pav.json")(np.array(EDGES))


def check_knots_at_the_edges(answer: Any) -> None:
    """Pooled by hand: shares rise, so that all but the dummies' blocks are single edges."""
    tar, non = [3, 3, 4, 5, 6, 7, 17], [17, 7, 6, 5, 4, 3, 3]
    tar[0] += 1  # the dummy target below all
    non[-1] += 1  # and the dummy non-target above
    steps = [math.log(t / n) - math.log(sum(tar) / sum(non)) for t, n in zip(tar, non, strict=True)]
    same(answer, [steps[0], *steps, steps[-1]], within=1e-15)


def nothing_but_infinity() -> Any:
    llrcal.fit([math.inf, math.inf], [math.inf], method="pav").save("pav.json")
    return llrcal.load("pav.json")(np.array([-math.inf, 0.0, math.inf]))


def check_nothing_but_infinity(answer: Any) -> None:
    """Two targets and one non-target at one place, and a dummy of each: log of 3/2 over 3/2."""
    same(answer, np.zeros(3))


def wrong_infinity() -> Any:
    ev = llrcal.evaluate(np.append(TAR, -math.inf), NON)
    return ev.cllr, ev.min_cllr, ev.eer, ev.act_dcf(0.5)


def check_wrong_infinity(answer: Any) -> None:
    cllr, min_cllr, eer, dcf = answer
    assert cllr == math.inf
    # Ranks do not know how far away it is.
    near = llrcal.evaluate(np.append(TAR, -99.0), NON)
    same([min_cllr, eer, dcf], [near.min_cllr, near.eer, near.act_dcf(0.5)])


def check_infinite_llrs(cllr: float) -> None:
    tar = math.log2(1 + math.exp(-1)) / 2
    non = (math.log2(1 + math.exp(-2)) + math.log2(1 + math.exp(0.5))) / 3
    same(cllr, (tar + non) / 2, within=1e-15)


def check_one_target(calibration: llrcal.Calibration) -> None:
    is_exact(calibration, [0.5], NON[:200])
    assert "one score" in codes(calibration.report.notes)


def check_it_rises(calibration: llrcal.Calibration) -> None:
    assert calibration.params["slope"] > 0
    below, above = calibration([float(NON.mean()), 9.0])
    # PAV, with the same dummy trials, goes as far and no further.
    assert abs(below - math.log(1 / 2)) < 0.1
    assert 0 < above < math.log(3001 / 2)


def check_laplace_of_one(steps: list[float]) -> None:
    same(steps, [math.log(1 / 2 / (3000 / 3001)), math.log(1 / 2 / (1 / 3001))], within=1e-14)


def few_scores(method: MethodName, count: int) -> Any:
    return lambda: llrcal.fit(np.arange(float(count)), NON, method=method)


def check_two_targets(calibration: llrcal.Calibration) -> None:
    same(list(calibration.params["tar"].values()), [0.5, 0.25])


def constant(method: MethodName) -> Any:
    return lambda: llrcal.fit([1.0] * 10, [1.0] * 20, method=method)


def check_zero(calibration: llrcal.Calibration) -> None:
    same(calibration.without_warnings([-math.inf, -5, 1, 7, math.inf]), np.zeros(5))


def check_constant_targets(params: dict[str, float]) -> None:
    variance = NON.var() / 2
    slope = (1 - NON.mean()) / variance
    same(params["slope"], slope, within=1e-12)
    same(params["offset"], -slope * (1 + NON.mean()) / 2, within=1e-12)


def separable(method: MethodName) -> Any:
    return lambda: llrcal.fit(TAR + 10, NON, method=method)


def check_separable_line(calibration: llrcal.Calibration) -> None:
    assert 0 < calibration.params["slope"] < math.inf
    assert calibration((TAR + 10).min()) > 0 > calibration(NON.max())
    # Where each class has one value, its LLR is that of PAV.
    lone = [llrcal.fit([7.0] * 3, [2.0] * 50, method="pav")(x) for x in (2.0, 7.0)]
    with warnings.catch_warnings(action="ignore"):
        line = llrcal.fit([7.0] * 3, [2.0] * 50, method="logistic")
    same(line([2.0, 7.0]), lone, within=1e-9)


def check_separable_steps(pav: PAV) -> None:
    below = math.log(1 / 301 / (3000 / 3001))
    above = math.log(300 / 301 / (1 / 3001))
    same(pav.llrs, [below, above], within=1e-13)


def check_raw_infinities(answer: Any) -> None:
    same(answer[0], [math.inf] * 2)
    same(answer[1], [-math.inf] * 2)
    assert llrcal.evaluate(*answer).cllr == 0


def check_touching(calibration: llrcal.Calibration) -> None:
    assert calibration.report.converged
    # Targets and non-targets are mirror images about 2, with no trial preferred.
    same(calibration([1.0, 2.0, 3.0]) + calibration([3.0, 2.0, 1.0]), np.zeros(3), within=1e-9)


def inverted(method: MethodName, **options: Any) -> Any:
    return lambda: llrcal.fit(-TAR, -NON, method=method, **options)


def check_inverted_line(calibration: llrcal.Calibration) -> None:
    upright = llrcal.fit(TAR, NON, method="logistic").params
    same(calibration.params["slope"], -upright["slope"], within=1e-11)
    same(calibration.params["offset"], upright["offset"], within=1e-11)


def check_inverted_steps(pav: PAV) -> None:
    same(pav.llrs, [0.0])


def inverted_evaluation() -> Any:
    ev = llrcal.evaluate([-3.0, -2.0], [1.0, 4.0])
    return ev.min_cllr, ev.eer, ev.min_dcf(0.3)


def inverted_comparison() -> Any:
    from llrcal.comparison import compare

    both = [llrcal.Trials(-TAR[i::2], -NON[i::2]) for i in (0, 1)]
    return compare(*both, methods=["logistic", "pav"], replicates=0).verdict.text


def cosines_for_llrs() -> Any:
    ev = llrcal.evaluate(TAR / 10, NON / 10)
    return ev.min_cllr, ev.eer


def check_cosines(answer: Any) -> None:
    from llrcal.evaluation.evaluate import evaluate_quietly

    upright = evaluate_quietly(TAR, NON)
    same(answer, [upright.min_cllr, upright.eer])


def another_channel() -> Any:
    from llrcal.comparison import compare

    train, test = llrcal.Trials(TAR, NON), llrcal.Trials(TAR - 2.5, NON - 0.05)
    return compare(train, test, methods=["logistic", "pav"], replicates=0).verdict


def check_another_channel(verdict: Any) -> None:
    assert not verdict.fit
    assert "Target scores differ between training and test" in verdict.text


def check_inverted_verdict(verdict: str) -> None:
    assert "These scores run the wrong way" in verdict
    assert verdict.startswith("No calibration here is reliable")


BITS8_TAR = np.clip(np.round(20 * TAR) + 100, 0, 255)
BITS8_NON = np.clip(np.round(20 * NON) + 100, 0, 255)


def check_ties_in_pav(pav: PAV) -> None:
    exact = oracles.pav_llrs_with_dummies(BITS8_TAR.tolist(), BITS8_NON.tolist())
    scores = sorted(exact)
    same(pav(scores), [exact[score] for score in scores], within=1e-12)


def check_ties_in_a_line(calibration: llrcal.Calibration) -> None:
    is_exact(calibration, BITS8_TAR, BITS8_NON)


def check_signed_zeros(pav: PAV) -> None:
    assert float(pav(0.0)) == float(pav(-0.0))
    same(pav.llrs, llrcal.fit([0.0, 1.0, 0.0], [0.0, -1.0, 0.0], method="pav").params["llrs"])


def check_steps(steps: list[float]) -> None:
    same(steps, llrcal.fit(TAR, NON, method="pav").params["llrs"])


def scaled(unit: float) -> Any:
    def run() -> Any:
        every = llrcal.fit_all(unit * TAR, unit * NON, bounds="counts")
        return {
            label: calibration.without_warnings(unit * GRID) for label, calibration in every.items()
        }

    return run


def check_scaled(answers: dict[str, Any]) -> None:
    for label, calibration in llrcal.fit_all(TAR, NON, bounds="counts").items():
        same(answers[label], calibration.without_warnings(GRID), within=1e-9)


def doubled() -> Any:
    unit = 2.0**300
    return {m: llrs(unit * TAR, unit * NON, unit * GRID, method=m) for m in LINES}


def check_doubled(answers: dict[str, Any]) -> None:
    for method, answer in answers.items():
        same(answer, llrs(TAR, NON, method=method), within=1e-14)


def offset() -> Any:
    every = llrcal.fit_all(TAR + 1e9, NON + 1e9)
    return {label: calibration.without_warnings(GRID + 1e9) for label, calibration in every.items()}


def check_offset(answers: dict[str, Any]) -> None:
    # The sum is rounded, and what is left of the scores after it is compared.
    tar, non, grid = ((scores + 1e9) - 1e9 for scores in (TAR, NON, GRID))
    for label, calibration in llrcal.fit_all(tar, non).items():
        same(answers[label], calibration.without_warnings(grid), within=1e-8)


def check_outlier_in_pav(steps: list[float]) -> None:
    same(steps, llrcal.fit(np.append(TAR, 99.0), NON, method="pav").params["llrs"])


def turning_outlier(method: MethodName) -> Any:
    return lambda: llrcal.fit(np.append(TAR, -1e6), NON, method=method)


def check_turned(calibration: llrcal.Calibration) -> None:
    assert calibration.params["slope"] < 0
    if calibration.method == "logistic":
        is_exact(calibration, np.append(TAR, -1e6), NON, within=1e-9)


def check_heavy_outlier(calibration: llrcal.Calibration) -> None:
    from scipy.stats import t as student

    scores = np.append(TAR, 1e6)
    params = calibration.params["tar"]

    def loglik(dof: float, location: float, scale: float) -> float:
        return float(student.logpdf(scores, dof, location, scale).mean())

    here = loglik(params["dof"], params["location"], params["scale"])
    assert calibration.report.converged
    assert abs(params["location"] - np.median(TAR)) < 0.2
    for move in np.geomspace(1e-4, 1, 9):
        for sign in (-1, 1):
            near = params["dof"] * math.exp(sign * move), params["scale"] * math.exp(sign * move)
            assert loglik(near[0], params["location"], params["scale"]) < here
            assert loglik(params["dof"], params["location"] + sign * move, params["scale"]) < here
            assert loglik(params["dof"], params["location"], near[1]) < here


RARE = np.random.default_rng(21).normal(2, 1.2, 20)


def rare_targets() -> Any:
    non = np.random.default_rng(22).normal(-1, 1, 2_000_000)
    calibration = llrcal.fit(RARE, non, method="logistic", alpha="empirical")
    # How hard each class pulls at the line: in balance at the optimum.
    x = calibration.params["slope"] * non + calibration.params["offset"] + math.log(1e-5)
    y = calibration.params["slope"] * RARE + calibration.params["offset"] + math.log(1e-5)
    tar_pull, non_pull = 1 / (1 + np.exp(y)), 1 / (1 + np.exp(-x))
    return tar_pull.sum(), non_pull.sum(), tar_pull @ RARE, non_pull @ non


def check_balance(pulls: Any) -> None:
    tar, non, tar_moment, non_moment = pulls
    assert abs(tar / non - 1) < 1e-9
    assert abs(tar_moment / non_moment - 1) < 1e-9


def accuracy(alpha: Any) -> Any:
    return lambda: llrcal.fit(TAR, NON, method="logistic", alpha=alpha)


def check_exact(calibration: llrcal.Calibration) -> None:
    is_exact(calibration, TAR, NON)


def both_ends() -> Any:
    tar, non = np.append(TAR * 1e307, [1.7e308]), np.append(NON * 1e307, [-1.7e308])
    by_every(PARAMETRIC, lambda method: llrcal.fit(tar, non, method=method))


def beyond_the_training() -> Any:
    out = {}
    for method in llrcal.METHODS:
        for policy in POLICIES:
            calibration = llrcal.fit(TAR, NON, method=method, bounds=policy)
            out[method, policy] = calibration([-math.inf, -1e308, 1e308, math.inf])
    return out


def check_beyond(answers: dict[tuple[MethodName, Policy], Any]) -> None:
    for (method, policy), answer in answers.items():
        calibration = llrcal.fit(TAR, NON, method=method, bounds=policy)
        low, high = calibration.training_range
        if policy != "none":
            same(answer, calibration([low, low, high, high]))
        else:
            assert not np.isnan(answer).any()


def tied_to_the_last_bit() -> Any:
    tar, non = np.array([1.0, np.nextafter(1.0, 2)]), np.array([1.0, np.nextafter(1.0, 0)])
    return llrcal.fit(tar, non, method="pav").params


def check_tied_to_the_last_bit(params: dict[str, list[float]]) -> None:
    exact = oracles.pav_llrs_with_dummies(
        [1.0, float(np.nextafter(1.0, 2))], [1.0, float(np.nextafter(1.0, 0))]
    )
    same(params["llrs"], [exact[score] for score in params["scores"]], within=1e-14)


ONLY_ONE = "the likelihood has no maximum there"
CASES = (
    Case(
        "NaN among the target scores",
        lambda: llrcal.fit(np.append(TAR, math.nan), NON),
        Refused(ScoreError, "1 of 301 target scores are NaN", "at index 300", "Remove or repair"),
        "Refused before any work, with the count and the first index.",
        "sklearn Platt: a = 0; PYLLR: NaN sorts as the largest score; PyBOSARIS: its start point",
    ),
    Case(
        "NaN among the non-target scores, any method",
        many_nans,
        Refused(ScoreError, "3 of 3000 non-target scores are NaN", "at index 7", "Remove"),
        "Refused by all six methods in the same words.",
        "lir and GeneralizedHyperbolic drop them in silence",
    ),
    Case(
        "NaN among scores to be calibrated",
        lambda: llrcal.fit(TAR, NON)([0.5, math.nan]),
        Refused(ScoreError, "1 of 2 scores are NaN", "at index 1", "Remove or repair"),
        "Refused: an LLR of NaN would be taken for an answer.",
    ),
    Case(
        "infinite scores on the right side, `pav`",
        lambda: llrcal.fit(np.append(TAR, math.inf), np.append(NON, -math.inf), method="pav"),
        Answered(check_right_infinities),
        "Taken for the largest doubles there are; every LLR stays finite.",
        "sklearn: error; lir: dropped",
    ),
    Case(
        "an infinite score, any other method",
        lambda: by_every(PARAMETRIC, lambda m: llrcal.fit(np.append(TAR, math.inf), NON, method=m)),
        Refused(
            ScoreError, "1 of 301 target scores are not finite", "the first is inf at index 300"
        ),
        "Refused: no line and no density goes through infinity.",
        "ghyp: log-likelihood Inf",
    ),
    Case(
        "infinite scores beside the largest double",
        infinity_beside_the_largest_double,
        Answered(check_pooled_with_the_largest),
        "Pooled with the largest double; the model can be saved and loaded again.",
    ),
    Case(
        "a step of `pav` at each edge of the doubles",
        knots_at_the_edges,
        Answered(check_knots_at_the_edges),
        "The steps of counting by hand, after saving and loading; infinity is the largest double.",
    ),
    Case(
        "nothing but infinity in both classes, `pav`",
        nothing_but_infinity,
        Answered(check_nothing_but_infinity),
        "One step, an LLR of zero, also after saving and loading.",
    ),
    Case(
        "an infinite LLR on the wrong side",
        wrong_infinity,
        Answered(check_wrong_infinity),
        "Cllr is infinite and said to be; minCllr, EER and costs at a prior are finite and right.",
        "lir: error",
    ),
    Case(
        "infinite LLRs on the right side",
        lambda: llrcal.evaluate([math.inf, 1.0], [-math.inf, -2.0, 0.5]).cllr,
        Answered(check_infinite_llrs),
        "They cost nothing, and Cllr is that of the others.",
    ),
    Case(
        "no target scores",
        lambda: llrcal.fit([], NON),
        Refused(ScoreError, "no target scores", "target", "the array is empty"),
        "Refused before any work.",
        "sklearn Platt: a = 0, b = 8; statsmodels: converged; PYLLR: AssertionError without a word",
    ),
    Case(
        "no non-target scores",
        lambda: llrcal.evaluate(TAR, np.empty(0)),
        Refused(ScoreError, "no non-target scores", "non-target", "the array is empty"),
        "Refused by `evaluate` as by `fit`.",
    ),
    Case(
        "one target score among the non-targets, `logistic`",
        lambda: llrcal.fit([0.5], NON[:200], method="logistic"),
        Answered(check_one_target),
        "The exact optimum, with a note that one score may be due to chance.",
        "sklearn: 26 % off",
    ),
    Case(
        "one target score above all non-targets, `logistic`",
        lambda: llrcal.fit([9.0], NON, method="logistic"),
        Answered(check_it_rises, warns="the classes are separable"),
        "The line rises, claims no more than PAV would, and is warned of.",
    ),
    Case(
        "one target score, `pav`",
        lambda: llrcal.fit([9.0], NON, method="pav").params["llrs"],
        Answered(check_laplace_of_one),
        "Two steps, bounded by one dummy trial of either class.",
    ),
    Case(
        "one score of a class, a density",
        lambda: by_every(GENERATIVE, lambda m: llrcal.fit([2.0], NON, method=m)),
        Refused(DegenerateError, "equal 2", "target scores"),
        f"Refused: {ONLY_ONE}.",
        "scipy: Gaussian of width 0, T of width 4e-17, NIG of width 1e-24",
    ),
    Case(
        "two target scores, `gaussian`",
        few_scores("gaussian", 2),
        Answered(check_two_targets),
        "The closed form: two distinct scores have a mean and a variance.",
    ),
    Case(
        "three target scores, `student-t`",
        few_scores("student-t", 3),
        Refused(DegenerateError, "3 distinct scores are too few", "target scores", "at least 4"),
        f"Refused below four distinct scores: {ONLY_ONE}.",
    ),
    Case(
        "four target scores, `nig`",
        few_scores("nig", 4),
        Refused(DegenerateError, "4 distinct scores are too few", "target scores", "at least 5"),
        f"Refused below five distinct scores: {ONLY_ONE}.",
    ),
    Case(
        "all scores identical, `logistic`",
        constant("logistic"),
        Answered(check_zero, warns="all scores are equal"),
        "Every LLR is zero, with a warning.",
        "sklearn: slope -1.06, arbitrary",
    ),
    Case(
        "all scores identical, `pav`",
        constant("pav"),
        Answered(check_zero),
        "One step at zero.",
    ),
    Case(
        "all scores identical, `linear-gaussian`",
        constant("linear-gaussian"),
        Refused(DegenerateError, "no variance can be estimated", "each class", "use pav"),
        "Refused: there is no variance to divide by.",
    ),
    Case(
        "all target scores identical, a density",
        lambda: by_every(GENERATIVE, lambda method: llrcal.fit([1.0] * 10, NON, method=method)),
        Refused(DegenerateError, "all 10 scores equal 1", "target scores", "that differ"),
        f"Refused: {ONLY_ONE}.",
        "scipy: T of width 5e-19, NIG of width 2e-25; lir KDE: log10 LR 185",
    ),
    Case(
        "all target scores identical, `linear-gaussian`",
        lambda: llrcal.fit([1.0] * 10, NON, method="linear-gaussian").params,
        Answered(check_constant_targets),
        "The closed form, with the variance of the other class.",
    ),
    Case(
        "perfectly separable classes, `logistic`",
        separable("logistic"),
        Answered(check_separable_line, warns="the classes are separable"),
        "Finite by one dummy trial of each class, as PAV is; a note and a warning say so.",
        "sklearn: slope 2.07 after 10 iterations, in silence; R: converged = TRUE and a warning",
    ),
    Case(
        "perfectly separable classes, `pav`",
        separable("pav"),
        Answered(check_separable_steps),
        "Two finite steps, by Laplace's rule of succession.",
        "PYLLR, lir: infinite LLRs",
    ),
    Case(
        "perfectly separable classes, infinities asked for",
        lambda: llrcal.optimal_llrs([3.0, 4.0], [1.0, 2.0]),
        Answered(check_raw_infinities),
        "`optimal_llrs` keeps them, and their Cllr is zero.",
    ),
    Case(
        "classes that share their outermost score",
        lambda: llrcal.fit([2.0, 3.0], [1.0, 2.0], method="logistic"),
        Answered(check_touching, warns="the classes are separable"),
        "Separable as well, and treated so.",
    ),
    Case(
        "inverted scores, `logistic`",
        inverted("logistic"),
        Answered(check_inverted_line, warns="targets score lower than non-targets"),
        "The exact slope, held at one LLR for all scores, and a warning; the command line refuses "
        "unless told otherwise.",
        "a negative slope in silence, everywhere",
    ),
    Case(
        "inverted scores, a density, `rising=False`",
        inverted("gaussian", rising=False),
        Answered(
            lambda cal: same(
                cal(-GRID), llrs(TAR, NON, method="gaussian", rising=False), within=1e-11
            ),
            warns="If these are distances, give lower_is_better=True",
        ),
        "The mirror image, and a warning.",
    ),
    Case(
        "inverted scores, a density",
        inverted("gaussian"),
        Answered(
            lambda cal: same(cal(TAR), np.full(len(TAR), cal(cal.bounds.eer_score))),
            warns="If these are distances, give lower_is_better=True",
        ),
        "One LLR for all scores, for LLRs never fall, and a warning.",
    ),
    Case(
        "inverted scores, `pav`",
        inverted("pav"),
        Answered(check_inverted_steps, warns="targets score lower than non-targets"),
        "One flat step at zero, and a warning that says why.",
        "one flat step in silence",
    ),
    Case(
        "inverted scores, evaluated",
        inverted_evaluation,
        Answered(lambda answer: same(answer, [1.0, 0.5, 1.0])),
        "minCllr 1, EER 50 %, minimum cost 1: no better than a coin.",
    ),
    Case(
        "inverted scores, compared",
        inverted_comparison,
        Answered(check_inverted_verdict),
        "The verdict says that these scores run the wrong way.",
    ),
    Case(
        "8-bit scores, `pav`",
        lambda: llrcal.fit(BITS8_TAR, BITS8_NON, method="pav"),
        Answered(check_ties_in_pav),
        "Equal scores are pooled first: the exact steps, as by fractions.",
    ),
    Case(
        "8-bit scores, `logistic`",
        lambda: llrcal.fit(BITS8_TAR, BITS8_NON, method="logistic"),
        Answered(check_ties_in_a_line),
        "The exact optimum.",
    ),
    Case(
        "0.0 and -0.0",
        lambda: llrcal.fit([0.0, 1.0, -0.0], [-0.0, -1.0, 0.0], method="pav"),
        Answered(check_signed_zeros),
        "One and the same score.",
    ),
    Case(
        "scores one bit apart",
        tied_to_the_last_bit,
        Answered(check_tied_to_the_last_bit),
        "Different scores, with steps of their own.",
    ),
    Case(
        "subnormal scores, near 1e-310",
        lambda: by_every(PARAMETRIC, lambda m: llrcal.fit(1e-310 * TAR, 1e-310 * NON, method=m)),
        Refused(
            DegenerateError,
            "is out of range",
            "the target scores",
            "multiply all scores by a constant",
        ),
        "Refused by lines and densities, which would lose their digits.",
        "sklearn isotonic: one knot; scipy T: location -9e-22",
    ),
    Case(
        "subnormal scores, `pav`",
        lambda: llrcal.fit(1e-310 * TAR, 1e-310 * NON, method="pav").params["llrs"],
        Answered(check_steps),
        "The same steps as for ordinary scores.",
    ),
    *(
        Case(
            f"scores of the order of {unit:g}",
            scaled(unit),
            Answered(check_scaled),
            "All ten calibrations of the paper give the same LLRs as for ordinary scores, to 1e-9.",
            elsewhere,
        )
        for unit, elsewhere in (
            (1e-300, ""),
            (1e-12, "sklearn: slope 1.6e-11 instead of 2.8e12; lir: every LLR 0"),
            (1e12, "sklearn: offset -4e-23 instead of -3.5"),
            (1e300, ""),
        )
    ),
    Case(
        "scores times a power of two",
        doubled,
        Answered(check_doubled),
        "Lines agree to 1e-14.",
    ),
    Case(
        "scores at 1e9, a few units apart",
        offset,
        Answered(check_offset),
        "The LLRs of the same scores near zero, to 1e-8.",
        "sklearn: slope -2.3e-9; scipy T: location -2.4e6, width 1e9; ghyp: log-likelihood 1.5e32",
    ),
    Case(
        "one outlier at 1e300",
        lambda: by_every(PARAMETRIC, lambda m: llrcal.fit(np.append(TAR, 1e300), NON, method=m)),
        Refused(
            DegenerateError,
            "more than 10^12 times their spread",
            "a score lies 1e+300",
            "Remove it, or clip",
        ),
        "Refused by lines and densities: it would decide everything.",
        "sklearn: slope and offset 0; statsmodels: converged, offset NaN; scipy: width inf",
    ),
    Case(
        "one outlier at 1e300, `pav`",
        lambda: llrcal.fit(np.append(TAR, 1e300), NON, method="pav").params["llrs"],
        Answered(check_outlier_in_pav),
        "One target more; PAV goes by ranks.",
    ),
    *(
        Case(
            f"one target at -1e6 that turns the line around, `{method}`",
            turning_outlier(method),
            Answered(check_turned, warns="although most targets score better"),
            "The optimum of the criterion, and a warning that one score decides the slope.",
            "slope -9.4e-6 in silence, everywhere",
        )
        for method in LINES
    ),
    Case(
        "one target at 1e6, `student-t`",
        lambda: llrcal.fit(np.append(TAR, 1e6), NON, method="student-t"),
        Answered(check_heavy_outlier),
        "A maximum of the likelihood at the bulk of the scores, with no overflow on the way.",
        "scipy: 2.2 degrees of freedom",
    ),
    Case(
        "20 targets and 2,000,000 non-targets",
        rare_targets,
        Answered(check_balance),
        "Both classes pull alike at the line, to 1e-9: the exact optimum.",
        "sklearn: slope 0.98 instead of 2.78; PyBOSARIS: 1.88",
    ),
    Case(
        "logistic regression as such, to ten digits",
        accuracy(0.5),
        Answered(check_exact),
        "Slope and offset agree with fifty-digit arithmetic to ten digits.",
        "sklearn by default: 1.4 to 4.4 digits",
    ),
    Case(
        "another weight of the targets",
        accuracy(0.01),
        Answered(check_exact),
        "Alpha enters the criterion, and the optimum is exact.",
        "PyBOSARIS: the prior changes the start point only",
    ),
    Case(
        "scores at both ends of the doubles",
        both_ends,
        Refused(DegenerateError, "is out of range", "scores", "multiply"),
        "Refused; no difference of two of them is a double.",
    ),
    Case(
        "a class at 1e300, the other between 0 and 1",
        lambda: llrcal.fit([1e300], [0.0, 1.0], method="linear-gaussian"),
        Refused(DegenerateError, "is out of range", "slope", "use pav"),
        "Refused: the line would have an infinite offset.",
    ),
    Case(
        "infinite and huge scores to be calibrated, all methods",
        beyond_the_training,
        Answered(check_beyond, warns="lie beyond the training scores"),
        "They get the LLR of the last training score, or, unbounded, what the formula gives; "
        "never NaN. A warning says that nothing was learned there.",
    ),
    Case(
        "raw scores, evaluated as LLRs",
        cosines_for_llrs,
        Answered(check_cosines, warns="these do not look like LLRs"),
        "The minimum costs, which mean something, and a warning that the others do not.",
        "a Cllr of nearly one in silence",
    ),
    Case(
        "test scores of another channel than those of training, compared",
        another_channel,
        Answered(check_another_channel),
        "The verdict is that no calibration is fit, with the shift of the scores.",
    ),
)

SECTION = Section(
    "A",
    "Scores: values",
    "300 targets around 2, 3000 non-targets around -1, and something wrong with them.",
    CASES,
)
