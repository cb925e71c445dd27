"""``llrcal decide``: thresholds on raw scores, to the last digit, in words and in JSON.

That they are the right ones is shown in tests/calibrations/test_curve.py, and for error-rates in
tests/evaluation/test_score_threshold.py.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from llrcal import Calibration, fit
from llrcal.calibrations import METHODS
from llrcal.calibrations.bounds import Policy
from llrcal.cli.decide import shortest
from llrcal.method_table import MethodName
from tests.cli.running import answer, done, refused
from tests.notes import FAR_SCORES
from tests.trial_sets import normal

pytestmark = [FAR_SCORES, pytest.mark.usefixtures("here")]

TAR, NON = normal(200, 2.0, 2.0), normal(600, -1.0, 1.0)
DECIDE = "decide --model model.json --p-target"


def saved(
    method: MethodName, *, sign: int = 1, bounds: Policy = "range", rising: bool = False
) -> Calibration:
    """A calibration, in model.json; of distances, if the sign is negative."""
    calibration = fit(
        sign * TAR,
        sign * NON,
        method=method,
        bounds=bounds,
        rising=rising,
        lower_is_better=sign < 0,
    )
    calibration.save("model.json")
    return calibration


def assert_inside(said: re.Match[str], ends: list[float], inwards: list[int]) -> None:
    """What is said is short, and within the region that is accepted, by a millionth of all."""
    for text, end, sign in zip(said.groups(), ends, inwards, strict=True):
        assert 0 <= (float(text) - end) * sign < 1e-6 * (max(TAR) - min(NON))
        assert len(text.strip("-")) <= 8


def printed(arguments: str) -> str:
    result = done(DECIDE, arguments)
    assert result.stderr == ""
    return result.stdout


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("method", METHODS)
def test_regions_of_the_threshold_of_least_cost(method: MethodName, sign: int) -> None:
    calibration = saved(method, sign=sign)
    for p_target, c_miss, c_fa in ((0.5, 1, 1), (0.01, 10, 1), (0.9, 1, 2), (0.001, 1, 1)):
        found = answer(DECIDE, p_target, "--c-miss", c_miss, "--c-fa", c_fa)
        threshold = math.log(c_fa * (1 - p_target)) - math.log(c_miss * p_target)
        assert found["llr_threshold"] == pytest.approx(threshold, abs=1e-14)
        ends = [
            (-math.inf if one["low"] is None else one["low"],
             math.inf if one["high"] is None else one["high"])
            for one in found["accept"]
        ]  # fmt: skip
        regions = calibration.regions(found["llr_threshold"])
        assert ends == [(region.low, region.high) for region in regions]


def test_a_transform_that_bends_back_has_two_intervals() -> None:
    """Targets spread wider than non-targets: far out, on either side, is a target."""
    saved("gaussian", bounds="none")
    low, high = answer(DECIDE, 0.5)["accept"]
    said = re.match(r"Accept scores <= (\S+), and scores >= (\S+)\n", printed("0.5"))
    assert said is not None
    assert_inside(said, [low["high"], high["low"]], [-1, 1])


def test_one_interval_with_two_ends() -> None:
    """Targets spread less than non-targets: far out, on either side, is a non-target."""
    narrow = normal(600, 0.0, 0.5), normal(200, -0.5, 3.0)
    fit(*narrow, method="gaussian", rising=False).save("model.json")
    [interval] = answer(DECIDE, 0.5)["accept"]
    said = re.match(r"Accept scores from (\S+) to (\S+)\n", printed("0.5"))
    assert said is not None
    assert_inside(said, [interval["low"], interval["high"]], [1, -1])


def test_never_and_always() -> None:
    saved("pav")
    never, always = f"{1e-9!r}", f"{1 - 1e-9!r}"
    assert answer(DECIDE, never)["accept"] == []
    assert answer(DECIDE, always)["accept"] == [{"low": None, "high": None}]
    said = printed(never)
    assert said.startswith("Accept nothing: no score is strong enough evidence\n")
    said = printed(always)
    assert said.startswith("Accept everything: no score is strong enough evidence to reject\n")
    assert "at prior 0.999999999," in said


def test_distances_are_accepted_from_below() -> None:
    saved("logistic")
    [opposite] = answer(DECIDE, 0.5)["accept"]
    saved("logistic", sign=-1)
    assert answer(DECIDE, 0.5)["accept"] == [{"low": None, "high": -opposite["low"]}]
    said = re.match(r"Accept scores <= (\S+)\n", printed("0.5"))
    assert said is not None
    assert_inside(said, [-opposite["low"]], [-1])


def test_decisions_about_scores() -> None:
    calibration = saved("nig")
    scores = [-3.7, 0.0, 12.5, math.inf, -math.inf]
    words = " ".join(f"--score {score}" for score in scores)
    for given, score in zip(answer(DECIDE, 0.5, words)["scores"], scores, strict=True):
        llr = float(calibration(score))
        named = score if math.isfinite(score) else str(score)
        assert given == {"score": named, "llr": llr, "accept": llr >= 0}
    lines = printed(f"0.5 {words}").splitlines()
    for line, score, verdict in zip(lines[2:], scores, ["reject"] * 2 + ["accept"], strict=False):
        assert line == f"score {score:g}: LLR {float(calibration(score)):.6g}, {verdict}"


def test_an_infinite_score_is_json_too() -> None:
    """Its LLR is finite: a line ends with the largest doubles."""
    saved("linear-gaussian", bounds="none")
    [given] = answer(DECIDE, 0.5, "--score inf")["scores"]
    assert given.pop("llr") > 1e308
    assert given == {"score": "inf", "accept": True}


def test_the_printed_threshold_can_be_used() -> None:
    calibration = saved("nig")
    said = printed("0.01 --c-miss 10 --c-fa 1")
    found = re.match(r"Accept scores >= (\S+)\n\(where the LLR is at least (\S+), ", said)
    assert found is not None
    score, llr = (float(number) for number in found.groups())
    low, high = calibration.training_range
    assert calibration(score) >= math.log(9.9) > calibration(score - 1e-6 * (high - low))
    assert llr == pytest.approx(math.log(9.9), rel=1e-5)
    assert "at prior 0.01, cost of a miss 10, of a false alarm 1)" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("nan", "p_target is nan"),
        ("0.5 --c-miss 0", "c_miss is 0.0; it must be positive"),
    ],
)
def test_wrong_use(arguments: str, words: str) -> None:
    saved("logistic")
    refused(words, DECIDE, arguments)


@pytest.mark.parametrize("content", [None, b"", b"{}", b"a b 1.5\n", b"\xff\xfe"])
def test_a_file_that_is_no_model(content: bytes | None) -> None:
    if content is not None:
        Path("model.json").write_bytes(content)
    refused("model.json: ", DECIDE, 0.5)


def test_the_prior_is_asked_for() -> None:
    refused("give --model and --p-target", "decide --model model.json")


# ----------------------------------------------------------------------------- by an error-rate


@pytest.mark.parametrize("sign", [1, -1])
def test_a_short_threshold_makes_the_same_decisions(sign: int) -> None:
    """Scores differ only behind the digits that one would like to print."""
    scores = [sign * (100 + i / 3e6) for i in range(40)]
    rows = (f"{score!r},{int(i >= 20)}" for i, score in enumerate(scores))
    Path("a.csv").write_text("\n".join(["score,label", *rows]))
    asked = f"decide a.csv --fmr 0.15 {'--distance' if sign < 0 else ''}"
    text, exact = done(asked).stdout.split()[3], answer(asked)["value"]
    assert len(text) < len(repr(exact))
    assert [sign * one >= sign * float(text) for one in scores] == [
        sign * one >= sign * exact for one in scores
    ]


@pytest.mark.parametrize(
    ("low", "high", "short"),
    [
        (-math.inf, 4.974308205864931, 4.974),
        (4.97430820, 4.974308205864931, 4.974308205),
        (-math.inf, -7.123456, -7.124),
        (-1.0, 0.0, 0.0),
        (0.1, 0.1, 0.1),
        (5e-324, 1e-320, 1e-320),
    ],
)
def test_numbers_of_few_digits(low: float, high: float, short: float) -> None:
    assert shortest(low, high) == short


def test_intervals_are_by_speaker_where_the_file_names_them() -> None:
    """Ten speakers with twenty trials each, who are right or wrong in all of them."""
    rows = [f"{1.0 if i % 10 else -1.0},1,s{i % 10},s{i % 10}" for i in range(200)]
    rows += [f"{i / 1000 - 0.8},0,s{i % 10},s{(i + 1 + i // 100) % 10}" for i in range(800)]
    Path("a.csv").write_text("\n".join(["score,label,speaker1,speaker2", *rows]))
    Path("b.csv").write_text("\n".join(["score,label", *(row.split(",s")[0] for row in rows)]))
    told = done("decide a.csv --fmr 0.01").stdout
    assert "95 % intervals by speaker: threshold" in told
    assert "95 % intervals if trials are independent:" in done("decide b.csv --fmr 0.01").stdout
    by_speaker, by_trial = (answer(f"decide {name} --fmr 0.01") for name in ("a.csv", "b.csv"))
    assert (by_speaker["by"], by_trial["by"]) == ("speaker", "trial")
    assert by_speaker["pmiss"] == by_trial["pmiss"] == 0.1
    assert by_speaker["pmiss_interval"][1] > 0.4 > 0.2 > by_trial["pmiss_interval"][1]


@pytest.mark.parametrize(
    "arguments",
    ["--model m.json --p-target 0.5 --key k", "--model m.json --p-target 0.5 --distance"],
)
def test_options_about_files_need_files(arguments: str) -> None:
    refused("options about files are for SCORES", "decide", arguments)
    refused("nor costs", "decide a.csv --eer --c-miss 2")
