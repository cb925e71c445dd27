"""``llrcal decide``: thresholds on raw scores, exact to the last digit, in words and in JSON."""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llrcal import Calibration, fit
from llrcal.calibrations import METHODS
from llrcal.calibrations.bounds import Policy
from tests.cli.running import document, llrcal, only_line, run
from tests.notes import FAR_SCORES
from tests.trial_sets import normal

pytestmark = FAR_SCORES

TAR, NON = normal(200, 2.0, 2.0), normal(600, -1.0, 1.0)
POINTS = [(0.5, 1.0, 1.0), (0.01, 10.0, 1.0), (0.9, 1.0, 2.0), (0.001, 1.0, 1.0)]


def threshold_at(p_target: float, c_miss: float, c_fa: float) -> float:
    return math.log(c_fa * (1 - p_target)) - math.log(c_miss * p_target)


@cache
def model(
    method: str, bounds: Policy = "range", *, distance: bool = False, rising: bool = False
) -> Calibration:
    sign = -1 if distance else 1
    return fit(
        sign * TAR,
        sign * NON,
        method=method,
        bounds=bounds,
        rising=rising,
        lower_is_better=distance,
    )


def decided(calibration: Calibration, folder: Path, *arguments: object) -> str:
    calibration.save(folder / "model.json")
    result = llrcal("decide", "--model", folder / "model.json", *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def answer(calibration: Calibration, folder: Path, *arguments: object) -> dict[str, Any]:
    return document(decided(calibration, folder, "--json", *arguments))


def point(p_target: float, c_miss: float, c_fa: float) -> tuple[object, ...]:
    return ("--p-target", p_target, "--c-miss", c_miss, "--c-fa", c_fa)


# ---------------------------------------------------------------------------------- the ends


@pytest.mark.parametrize("distance", [False, True])
@pytest.mark.parametrize("bounds", ["range", "none"])
@pytest.mark.parametrize("method", METHODS)
def test_llrs_on_both_sides_of_each_end(
    tmp_path: Path, method: str, bounds: str, distance: bool
) -> None:
    calibration = model(method, bounds, distance=distance)
    ends = 0
    for costs in POINTS:
        said = answer(calibration, tmp_path, *point(*costs))
        assert said["llr_threshold"] == pytest.approx(threshold_at(*costs), abs=1e-14)
        threshold = said["llr_threshold"]
        for interval in said["accept"]:
            for end, outwards in ((interval["low"], -math.inf), (interval["high"], math.inf)):
                if end is None:
                    assert calibration(outwards) >= threshold
                    continue
                ends += 1
                assert calibration(end) >= threshold
                assert calibration(np.nextafter(end, outwards)) < threshold
    assert ends >= 3


@pytest.mark.parametrize("method", METHODS)
def test_scores_are_accepted_where_the_intervals_are(tmp_path: Path, method: str) -> None:
    calibration = model(method, "none")
    scores = np.linspace(-12, 12, 2001)
    for costs in POINTS:
        said = answer(calibration, tmp_path, *point(*costs))
        within = np.zeros(len(scores), bool)
        for interval in said["accept"]:
            low, high = interval["low"], interval["high"]
            within |= (scores >= (-math.inf if low is None else low)) & (
                scores <= (math.inf if high is None else high)
            )
        assert (within == (calibration(scores) >= said["llr_threshold"])).all()


def test_a_linear_threshold_is_that_of_the_formula(tmp_path: Path) -> None:
    calibration = model("linear-gaussian", "none")
    slope, offset = calibration.params["slope"], calibration.params["offset"]
    [interval] = answer(calibration, tmp_path, *point(0.01, 10, 1))["accept"]
    assert interval["high"] is None
    assert interval["low"] == pytest.approx((math.log(9.9) - offset) / slope, rel=1e-12)


# -------------------------------------------------------------------------------- the regions


def test_a_transform_that_bends_back_has_two_intervals(tmp_path: Path) -> None:
    """Targets spread wider than non-targets: far out, on either side, is a target."""
    calibration = model("gaussian", "none")
    low, high = answer(calibration, tmp_path, *point(0.5, 1, 1))["accept"]
    assert (low["low"], high["high"]) == (None, None)
    tar, non = (calibration.params[name] for name in ("tar", "non"))
    # The LLR is a parabola, and these are its roots.
    a = (1 / non["variance"] - 1 / tar["variance"]) / 2
    b = tar["mean"] / tar["variance"] - non["mean"] / non["variance"]
    c = (
        non["mean"] ** 2 / non["variance"]
        - tar["mean"] ** 2 / tar["variance"]
        + math.log(non["variance"] / tar["variance"])
    ) / 2
    roots = sorted(np.roots([a, b, c]).tolist())
    assert [low["high"], high["low"]] == pytest.approx(roots, rel=1e-9)
    said = decided(calibration, tmp_path, *point(0.5, 1, 1))
    first = f"Accept scores <= {low['high']!r}, and scores >= {high['low']!r}\n"
    assert said.startswith(first)


def test_one_interval_with_two_ends(tmp_path: Path) -> None:
    """Targets spread less than non-targets: far out, on either side, is a non-target."""
    narrow = normal(600, 0.0, 0.5), normal(200, -0.5, 3.0)
    calibration = fit(*narrow, method="gaussian", rising=False)
    [interval] = answer(calibration, tmp_path, *point(0.5, 1, 1))["accept"]
    assert None not in interval.values()
    said = decided(calibration, tmp_path, *point(0.5, 1, 1))
    assert said.startswith(f"Accept scores from {interval['low']!r} to {interval['high']!r}\n")


@pytest.mark.parametrize("distance", [False, True])
@pytest.mark.parametrize("bounds", ["counts", "range", "none"])
@pytest.mark.parametrize("method", METHODS)
def test_llrs_that_rise_have_one_threshold(
    tmp_path: Path, method: str, bounds: Policy, distance: bool
) -> None:
    calibration = model(method, bounds, distance=distance, rising=True)
    outer, inner = ("low", "high") if distance else ("high", "low")
    for costs in POINTS[:3]:
        [interval] = answer(calibration, tmp_path, *point(*costs))["accept"]
        assert interval[outer] is None
        assert interval[inner] is not None


def test_never_and_always(tmp_path: Path) -> None:
    calibration = model("pav")
    never, always = ((p, 1, 1) for p in (1e-9, 1 - 1e-9))
    assert answer(calibration, tmp_path, *point(*never))["accept"] == []
    assert answer(calibration, tmp_path, *point(*always))["accept"] == [{"low": None, "high": None}]
    said = decided(calibration, tmp_path, *point(*never))
    assert said.startswith("Accept nothing: no score is strong enough evidence\n")
    said = decided(calibration, tmp_path, *point(*always))
    assert said.startswith("Accept everything: no score is strong enough evidence to reject\n")
    assert "at prior 0.999999999," in said


def test_distances_are_accepted_from_below(tmp_path: Path) -> None:
    [interval] = answer(model("logistic", distance=True), tmp_path, *point(0.5, 1, 1))["accept"]
    [opposite] = answer(model("logistic"), tmp_path, *point(0.5, 1, 1))["accept"]
    assert interval == {"low": None, "high": -opposite["low"]}
    said = decided(model("logistic", distance=True), tmp_path, *point(0.5, 1, 1))
    assert said.startswith(f"Accept scores <= {interval['high']!r}\n")


@pytest.mark.slow
def test_intervals_rise_and_do_not_touch(tmp_path: Path) -> None:
    """Many steps up and down: a recognizer that is good here and there."""
    tar = np.concatenate([normal(300, 0.0, 0.3), normal(300, 6.0, 0.3)])
    non = np.concatenate([normal(300, 3.0, 0.5), normal(300, -4.0, 0.5)])
    for method in ("gaussian", "student-t", "nig"):
        calibration = fit(tar, non, method=method)
        accepted = answer(calibration, tmp_path, *point(0.5, 1, 1))["accept"]
        for one, other in pairwise(accepted):
            assert one["high"] < other["low"]


# ------------------------------------------------------------------------------- given scores


def test_decisions_about_scores(tmp_path: Path) -> None:
    calibration = model("nig")
    scores = [-3.7, 0.0, 12.5, math.inf, -math.inf]
    words = [word for score in scores for word in ("--score", score)]
    said = answer(calibration, tmp_path, *point(0.5, 1, 1), *words)
    for given, score in zip(said["scores"], scores, strict=True):
        llr = float(calibration(score))
        assert given == {
            "score": score if math.isfinite(score) else str(score),
            "llr": llr,
            "accept": llr >= 0,
        }
    lines = decided(calibration, tmp_path, *point(0.5, 1, 1), *words).splitlines()
    assert lines[2:4] == [
        f"score -3.7: LLR {float(calibration(-3.7)):.6g}, reject",
        f"score 0: LLR {float(calibration(0.0)):.6g}, reject",
    ]
    assert lines[4].startswith("score 12.5: LLR ")
    assert lines[4].endswith(", accept")


def test_an_infinite_llr_is_json_too(tmp_path: Path) -> None:
    [given] = answer(
        model("linear-gaussian", "none"), tmp_path, *point(0.5, 1, 1), "--score", "inf"
    )["scores"]
    assert given == {"score": "inf", "llr": "inf", "accept": True}


def test_the_printed_threshold_can_be_used(tmp_path: Path) -> None:
    calibration = model("nig")
    said = decided(calibration, tmp_path, *point(0.01, 10, 1))
    found = re.match(r"Accept scores >= (\S+)\n\(where the LLR is at least (\S+), ", said)
    assert found is not None
    score, llr = (float(number) for number in found.groups())
    assert calibration(score) >= math.log(9.9) > calibration(np.nextafter(score, -math.inf))
    assert llr == pytest.approx(math.log(9.9), rel=1e-5)
    assert "at prior 0.01, cost of a miss 10, of a false alarm 1)" in said


# ---------------------------------------------------------------------------------- wrong use


@pytest.mark.slow
def test_answers_go_to_standard_output(tmp_path: Path) -> None:
    model("logistic").save(tmp_path / "model.json")
    ran = run("decide", "--model", "model.json", "--p-target", "0.5", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Accept scores >= ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--p-target", "0"], "p_target is 0.0; it must lie strictly between 0 and 1"),
        (["--p-target", "nan"], "p_target is nan"),
        (["--p-target", "0.5", "--c-miss", "0"], "c_miss is 0.0; it must be positive"),
        (["--p-target", "0.5", "--c-fa", "inf"], "c_fa is inf"),
        (["--p-target", "0.5", "--score", "nan"], "NaN"),
    ],
)
def test_wrong_use(tmp_path: Path, arguments: list[str], words: str) -> None:
    model("logistic").save(tmp_path / "model.json")
    only_line(llrcal("decide", "--model", tmp_path / "model.json", *arguments), words)


@pytest.mark.parametrize("content", [None, b"", b"{}", b"a b 1.5\n", b"\xff\xfe"])
def test_a_file_that_is_no_model(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "model.json"
    if content is not None:
        path.write_bytes(content)
    only_line(llrcal("decide", "--model", path, "--p-target", 0.5), f"{path}: ")


def test_the_prior_is_asked_for(tmp_path: Path) -> None:
    only_line(llrcal("decide", "--model", tmp_path / "model.json"), "give --model and --p-target")
