"""Options that are hostile."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import llrcal
from llrcal.comparison import OperatingPoint, compare
from llrcal.errors import OptionError, ScoreError
from llrcal.evaluation.evaluate import evaluate_quietly as evaluated_quietly
from llrcal.evaluation.intervals import Intervals
from tests import beyond_memory
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.scores import NON, TAR, same
from tests.notes import codes


def fit(**options: Any) -> Any:
    return lambda: llrcal.fit(TAR, NON, **options)


def evaluated(ask: Any) -> Any:
    return lambda: ask(llrcal.evaluate(2 * TAR - 1, 2 * NON - 1))  # near enough to LLRs


def single_alpha() -> Any:
    calibration = llrcal.fit(TAR, NON, method="logistic", alpha=np.float32(0.92))  # type: ignore[call-overload]
    calibration.save("model.json")
    return llrcal.load("model.json")


def check_single_alpha(calibration: llrcal.Calibration) -> None:
    assert calibration == llrcal.fit(TAR, NON, method="logistic", alpha=float(np.float32(0.92)))


def resampled(tar: Any, non: Any, **options: Any) -> Any:
    return lambda: evaluated_quietly(tar, non).intervals(**options)


def resampled_in_pieces() -> Any:
    np.savez("llrs.npz", tar=[2.0, 3.0, -1.0], non=[-2.0, -3.0, 0.5])
    return llrcal.evaluate(beyond_memory.open_trials("llrs.npz")).intervals(replicates=39)


def check_as_in_memory(found: Any) -> None:
    assert found == evaluated_quietly([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5]).intervals(replicates=39)


def check_all_trials(found: Any) -> None:
    assert found.height == len(TAR) + len(NON)


def one_speaker() -> llrcal.Trials:
    tar, non = np.array([2.0, 3.0, -1.0]), np.array([-2.0, -3.0, 0.5, -1.5])
    return llrcal.Trials(tar, non, "one", np.zeros((3, 2), int), np.zeros((4, 2), int))


def check_one_speaker(found: Any) -> None:
    (row,) = found.to_dicts()
    assert (row["share"], row["tar_count"], row["non_count"]) == (1, 3, 4)


def check_one_speaker_threshold(found: Any) -> None:
    assert found.by == "speaker"
    same([*found.pmiss_interval, *found.pfa_interval], [0, 1, 0, 1], within=0.05)


def check_one_trial_each(found: Intervals) -> None:
    same(found["eer"], [0, 0.5])
    cllr = (math.log2(1 + math.exp(-2)) + math.log2(1 + math.exp(-1))) / 2
    least = (math.log2(1.975) + 0.975 * math.log2(1 + 1 / 0.975)) / 2  # where it does
    same(found["cllr"], [cllr, least], within=1e-14)
    same(found["act_dcf_p0.5"], [0, 0.975])  # a rate of 97.5 % goes unseen once in 40 times
    assert codes(found.notes) == ["by trial", "few drawn", "few drawn", "few errors"]


def check_all_equal(found: Intervals) -> None:
    same([*found["cllr"], *found["min_cllr"], *found["eer"]], [1, 1, 1, 1, 0.5, 0.5], within=1e-15)


def check_infinitely_wrong(found: Intervals) -> None:
    assert found["cllr"][0] < found["cllr"][1] == math.inf
    assert 0 < found["eer"][0] < found["eer"][1] < 0.5


def in_folds(folds: Any, **sets: Any) -> Any:
    trials = llrcal.Trials(TAR, NON)
    return lambda: compare(trials, folds=folds, methods=["pav"], replicates=0, **sets)


def in_pieces() -> Any:
    np.savez("all.npz", tar=TAR, non=NON)
    return compare(beyond_memory.open_trials("all.npz"), folds=5)


def two_speakers() -> Any:
    same, two = np.repeat([[0, 0], [1, 1]], 150, axis=0), np.tile([0, 1], (3000, 1))
    return compare(llrcal.Trials(TAR, NON, "two speakers", same, two), folds=2)


def eighty_speakers() -> Any:
    same, two = np.arange(300) % 80, np.column_stack(np.triu_indices(80, 1))[:3000]
    return compare(
        llrcal.Trials(TAR, NON, "eighty", np.column_stack([same, same]), two), folds="all"
    )


def named_speakers() -> Any:
    same, two = np.full((300, 2), "ann"), np.tile(["ann", "bob"], (3000, 1))
    return compare(llrcal.Trials(TAR, NON, "names", same, two), folds=2)


SAME = np.repeat(np.arange(300), 2).reshape(-1, 2)
OTHERS = np.arange(6000).reshape(-1, 2)


def of_speakers(tar: Any, non: Any) -> Any:
    return fit(method="gaussian", speakers=(tar, non))


def check_as_if_independent(calibration: llrcal.Calibration) -> None:
    assert calibration.margins == llrcal.fit(TAR, NON, method="gaussian").margins


def compared(**options: Any) -> Any:
    return lambda: compare(llrcal.Trials(TAR, NON), llrcal.Trials(TAR, NON), **options)


def check_far_priors(errors: Any) -> None:
    same(errors, [1.0, 1.0])


BETWEEN = "strictly between 0 and 1"
CASES = (
    Case(
        "an unknown method",
        fit(method="platt"),
        Refused(OptionError, "there is no method 'platt'", "method", "choose one of"),
        "Refused, with the names that there are.",
    ),
    Case(
        "a list for a method",
        fit(method=["pav"]),
        Refused(OptionError, "['pav']", "method", "choose one of"),
        "Refused.",
    ),
    Case(
        "methods that are one text",
        lambda: llrcal.fit_all(TAR, NON, methods="pav"),
        Refused(OptionError, "'pav'", "methods", "give a list"),
        "Refused, not taken letter by letter.",
    ),
    Case(
        "no methods to compare",
        lambda: compare(llrcal.Trials(TAR, NON), llrcal.Trials(TAR, NON), methods=[]),
        Refused(OptionError, "no methods", "methods", "name at least one"),
        "Refused.",
    ),
    *(
        Case(
            f"cross-validation in {name}",
            in_folds(folds),
            Refused(OptionError, what, "folds", "give"),
            "Refused.",
        )
        for name, folds, what in (
            ("one fold", 1, "folds is 1"),
            ("two and a half folds", 2.5, "folds is 2.5"),
            ("a million folds", 10**6, "folds is 1000000"),
            ("more folds than targets", 301, "has no target trial to test on"),
        )
    ),
    Case(
        "folds, and a set to test on",
        in_folds(5, test=llrcal.Trials(TAR, NON)),
        Refused(OptionError, "one set of trials", "folds", "leave one of them out"),
        "Refused, not ignored.",
    ),
    Case(
        "neither folds nor a set to test on",
        in_folds(None),
        Refused(OptionError, "no trials to test on", "test", "or folds"),
        "Refused: a calibration looks better than it is on its own training trials.",
    ),
    Case(
        "folds of trials in pieces",
        in_pieces,
        Refused(OptionError, "needs all trials in memory", "all.npz", "leave it out"),
        "Refused.",
    ),
    Case(
        "folds of two speakers",
        two_speakers,
        Refused(OptionError, "no target trial to train on", "two speakers", "give more trials"),
        "Refused: without the speakers of a non-target trial, there is nobody left.",
    ),
    Case(
        "two of eighty speakers left out at a time",
        eighty_speakers,
        Refused(OptionError, "would train each calibration", "eighty", "give folds=10, which"),
        "Refused: that is thousands of calibrations.",
    ),
    Case(
        "two speakers left out at a time, if none is known",
        in_folds("all"),
        Refused(OptionError, "speakers are not known", "folds", "give folds=5"),
        "Refused.",
    ),
    Case(
        "folds of speakers that are names",
        named_speakers,
        Refused(ScoreError, "pass integers", "target speakers"),
        "Refused.",
    ),
    Case(
        "a learning curve without draws",
        lambda: llrcal.learning_curve(*[llrcal.Trials(TAR, NON)] * 2, draws=0),
        Refused(OptionError, "draws is 0", "draws", "give 1 or more"),
        "Refused.",
    ),
    *(
        Case(
            f"alpha = {name}",
            fit(method="logistic", alpha=alpha),
            Refused(OptionError, "alpha is", "alpha", f"give a number {BETWEEN}"),
            "Refused.",
        )
        for name, alpha in (
            ("0", 0),
            ("1", 1),
            ("NaN", math.nan),
            ("True", True),
            ("a text with a number", "0.5"),
            ("an array of two", np.array([0.5, 0.6])),
            ("5e-324", 5e-324),
            ("10 to the 400", 10**400),
        )
    ),
    *(
        Case(
            f"a scoring rule of {name}",
            fit(method="logistic", rule=rule),
            Refused(OptionError, "rule is", "rule", "give one of log, brier"),
            "Refused.",
        )
        for name, rule in (
            ("an unknown name", "spherical"),
            ("one number", 0.5),
            ("two numbers", (0, 0)),
            ("a list of names", ["log"]),
        )
    ),
    Case(
        "a scoring rule for a method without one",
        fit(method="nig", rule="brier"),
        Refused(OptionError, "has no option 'rule'", "method nig", "takes bayes"),
        "Refused, not ignored.",
    ),
    Case(
        "an evaluation by an unknown scoring rule",
        evaluated(lambda ev: ev.cost("accuracy")),
        Refused(OptionError, "rule is 'accuracy'", "rule", "give one of log"),
        "Refused: the error-rate is no proper scoring rule.",
    ),
    Case(
        "alpha in single precision",
        single_alpha,
        Answered(check_single_alpha),
        "Taken for the double that it is, and saved.",
        "`json.dumps` of it: TypeError",
    ),
    Case(
        "unknown bounds",
        fit(bounds="Range"),
        Refused(OptionError, "'Range'", "bounds", "choose one of counts, elub, range, none"),
        "Refused.",
    ),
    Case(
        "`rising` that is neither true nor false",
        fit(rising="yes"),
        Refused(OptionError, "'yes'", "rising", "give True or False"),
        "Refused.",
    ),
    Case(
        "`lower_is_better` that is neither true nor false",
        fit(lower_is_better="no"),
        Refused(OptionError, "'no'", "lower_is_better", "give True or False"),
        "Refused: any text would be taken for true.",
    ),
    *(
        Case(
            f"a prior of {p}",
            evaluated(lambda ev, p=p: ev.act_dcf(p)),
            Refused(OptionError, "must lie" if p != "half" else "must be a number", "p_target"),
            "Refused.",
        )
        for p in (0, 1, -0.5, math.nan, "half")
    ),
    Case(
        "several priors for one operating point",
        lambda: OperatingPoint([0.1, 0.2]),  # type: ignore[arg-type]
        Refused(OptionError, "one prior and two costs", "operating point", "make several"),
        "Refused.",
    ),
    Case(
        "prior log-odds of infinity",
        evaluated(lambda ev: ev.bayes_error(math.inf)),
        Refused(OptionError, "must be finite numbers", "prior log-odds"),
        "Refused: nothing is left to decide.",
    ),
    Case(
        "prior log-odds of a billion",
        evaluated(lambda ev: ev.bayes_error([-1e9, 1e9])),
        Answered(check_far_priors),
        "One, the error of deciding by the prior: no weight overflows.",
    ),
    Case(
        "no worst trials at all",
        evaluated(lambda ev: ev.worst(0)),
        Refused(OptionError, "0", "count", "give 1 or more"),
        "Refused.",
    ),
    Case(
        "more worst trials than there are",
        evaluated(lambda ev: ev.worst(10**9)),
        Answered(check_all_trials),
        "All trials, the most misleading first.",
    ),
    Case(
        "speakers of trials that know none",
        evaluated(lambda ev: ev.speakers()),
        Refused(
            OptionError, "speakers are not known", "speakers_from", "evaluate trials that name"
        ),
        "Refused: nobody knows whose errors they are.",
    ),
    Case(
        "a table of a single speaker",
        lambda: evaluated_quietly(one_speaker()).speakers(),
        Answered(check_one_speaker),
        "A row.",
    ),
    Case(
        "FNMR by speaker, of a single one",
        lambda: evaluated_quietly(one_speaker()).threshold(pfa=0.25),
        Answered(check_one_speaker_threshold),
        "Intervals from 0 to 1: one speaker says nothing of others.",
    ),
    Case(
        "misleading evidence of a strength below one",
        evaluated(lambda ev: ev.forensic.misleading(0.1)),
        Refused(OptionError, "0.1", "strength", "give an LR of at least one"),
        "Refused: evidence of that strength supports the other hypothesis.",
    ),
    Case(
        "a text for a strength of evidence",
        evaluated(lambda ev: ev.forensic.misleading("10")),
        Refused(OptionError, "'10'", "strength", "give an LR of at least one"),
        "Refused.",
    ),
    Case(
        "several scores to be weighed as one",
        lambda: llrcal.fit(TAR, NON).weigh([0.5, 1.0]),  # type: ignore[arg-type]
        Refused(OptionError, "not 2", "weigh takes one score", "weigh them one by one"),
        "Refused: each has a weight of its own.",
    ),
    Case(
        "an interval of 100 % of a weight",
        lambda: llrcal.fit(TAR, NON, method="pav").weigh(0.5, level=1.0),
        Refused(OptionError, "level is 1.0", "level", BETWEEN),
        "Refused.",
    ),
    Case(
        "an LLR of NaN to be reached",
        lambda: llrcal.fit(TAR, NON).regions(math.nan),
        Refused(OptionError, "nan", "the LLR to be reached", "give a number"),
        "Refused.",
    ),
    Case(
        "an interval of 100 %",
        resampled(TAR, NON, level=1.0),
        Refused(OptionError, "level is 1.0", "level", BETWEEN),
        "Refused.",
    ),
    Case(
        "speakers of one class only",
        fit(speakers=(np.zeros((300, 2), int),)),
        Refused(OptionError, "must be a pair", "speakers", "those of the non-targets"),
        "Refused.",
    ),
    Case(
        "an interval of 99.9 % from a hundred drawn test sets",
        resampled(TAR, NON, level=0.999, replicates=100),
        Refused(OptionError, "100 replicates cannot show", "level", "replicates=1999"),
        "Refused: no drawn set lies outside.",
    ),
    Case(
        "intervals of LLRs in pieces",
        resampled_in_pieces,
        Answered(check_as_in_memory),
        "Those of LLRs in memory.",
    ),
    Case(
        "intervals with one trial of each class",
        resampled([2.0], [-1.0], replicates=39),
        Answered(check_one_trial_each),
        "Intervals of Cllr and EER without width, since there is nothing to draw, and a note that "
        "says so; but DCFs that reach as far as errors that nobody made.",
        "a rate of zero with an interval from zero to zero",
    ),
    Case(
        "intervals of LLRs that are all zero",
        resampled(np.zeros(50), np.zeros(70), replicates=39),
        Answered(check_all_equal),
        "One bit, and an EER of one half.",
    ),
    Case(
        "intervals where one of 50 targets is infinitely wrong",
        resampled(np.append(TAR[:49], -math.inf), NON, replicates=39),
        Answered(check_infinitely_wrong),
        "Cllr is infinite in most drawn sets, and so is its upper end; ranks do not mind.",
    ),
    Case(
        "speakers of fewer trials than there are",
        of_speakers(SAME[1:], OTHERS),
        Refused(ScoreError, "have shape (299, 2)", "target speakers", "300 trials need shape"),
        "Refused, not cut to the shorter.",
    ),
    Case(
        "a speaker that is None",
        of_speakers(SAME, [[None, 1], *OTHERS[1:]]),
        Refused(ScoreError, "have type object", "non-target speakers", "pass integers"),
        "Refused: nobody knows whether two unknown speakers are one.",
    ),
    Case(
        "all trials of one speaker",
        of_speakers(0 * SAME, 0 * OTHERS),
        Answered(check_as_if_independent, "all trials are of one speaker"),
        "Intervals of independent trials, and a warning that they are too narrow.",
        "intervals of independent trials, without a word",
    ),
)

SECTION = Section("O", "Options", "Arguments that are out of range, or are no numbers.", CASES)
