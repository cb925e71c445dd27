"""What is printed of an exported function is true, or it is not exported."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.exports.accuracy import largest_difference
from llrcal.method_table import MethodName
from tests.calibrations.model_files import KEPT, OURS
from tests.calibrations.test_model_schema import by_the_page
from tests.cli.running import llrcal as run
from tests.cli.running import only_line
from tests.exports.test_one_curve import program
from tests.trial_sets import normal

pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

TAR, NON = normal(60, 2.0, 1.0), np.random.default_rng(0).standard_t(3, 300) - 1.0
BOTH = np.append(TAR, 1e12), np.append(NON, -7e11)
OUTLIERS: dict[str, tuple[Floats, Floats, MethodName]] = {
    "a target at 1e6": (np.append(TAR, 1e6), NON, "gaussian"),
    "a target at -1e12": (np.append(TAR, -1e12), NON, "smooth"),
    "a non-target at 1e12": (TAR, np.append(NON, 1e12), "nig"),
    **{f"both, {method}": (*BOTH, method) for method in llrcal.METHODS if method in OURS},
}


def exported(calibration: llrcal.Calibration, folder: Path) -> float:
    """How far LLRs are from the formula at most, as it is claimed."""
    return llrcal.export(calibration, folder / "llr.c").largest_error


# -------------------------------------------------------- against the parameters in 40 digits


@pytest.mark.parametrize("name", OUTLIERS)
def test_one_outlier_does_not_spoil_ordinary_scores(name: str, tmp_path: Path) -> None:
    tar, non, method = OUTLIERS[name]
    calibration = llrcal.fit(tar, non, method=method, rising=False)
    error = exported(calibration, tmp_path)
    # Eight thousand pieces are few for scores that are spread over twelve powers of ten.
    assert error < (1e-8 if name.startswith("both") else 3e-10)
    calibration.save(tmp_path / "model.json")
    model = json.loads((tmp_path / "model.json").read_text("utf-8"))
    scores = [*np.random.default_rng(1).uniform(-3, 4, 6).tolist(), TAR[0], NON[0], tar[-1]]
    with mpmath.workdps(40):
        for score in scores:
            expected = by_the_page(model, score)
            apart = abs(calibration.without_warnings([score])[0] - expected)
            assert apart <= error * max(1, abs(expected)) + 1e-14, score


# --------------------------------------------------- against the formula, at scores of our own


CASES: dict[str, tuple[float, dict[str, Any]]] = {
    "counts": (1, {"method": "nig"}),
    "elub": (1, {"method": "student-t", "bounds": "elub"}),
    "none": (1, {"method": "gaussian", "bounds": "none"}),
    "falls": (1, {"method": "gaussian", "bounds": "range", "rising": False}),
    "distances": (-1, {"method": "gaussian", "lower_is_better": True}),
    "costly": (1, {"method": "nig", "bayes": True}),
    "costly, falls": (1, {"method": "student-t", "bayes": True, "rising": False}),
    "costly, held": (1, {"method": "student-t", "bayes": True, "bounds": "range"}),
    "steps": (1, {"method": "pav"}),
    "a line": (1, {"method": "logistic", "bounds": "none"}),
    "upside down": (-1, {"method": "logistic", "bounds": "range"}),
}
EVERY_CASE = pytest.mark.parametrize("name", CASES)


@cache
def case(name: str) -> llrcal.Calibration:
    sign, options = CASES[name]
    return llrcal.fit(sign * TAR, sign * NON, **options)


@EVERY_CASE
def test_what_is_printed_is_true_at_other_scores(name: str, tmp_path: Path) -> None:
    calibration = case(name)
    error = exported(calibration, tmp_path)
    assert error < 4e-10
    formula, bounds = calibration.applied_formula, calibration.bounds
    at = np.random.default_rng(2).uniform(-9, 9, 300 if formula.costly else 20_000)
    at = np.unique(at if bounds.eer_score is None else np.append(at, bounds.eer_score))
    plain = formula.llrs(np.clip(at, *bounds.reach) - formula.origin)
    llrs = plain.copy()
    if bounds.eer_score is not None:
        above, below = at >= bounds.eer_score, at <= bounds.eer_score
        llrs[above] = np.maximum.accumulate(plain[above])
        llrs[below] = np.minimum.accumulate(plain[below][::-1])[::-1]
    expected = bounds.supported(llrs, *calibration.supported_llrs)
    found = calibration.without_warnings(-at if calibration.lower_is_better else at)
    # Random scores miss a turn of the formula by so much.
    missed = 1e-3 if formula.costly else 1e-5
    slack = np.where(np.isin(llrs, llrs[llrs != plain]), missed, 1e-14)
    assert (np.abs(found - expected) <= error * np.maximum(1, np.abs(expected)) + slack).all()
    assert ("upside down" in name) == (len(np.unique(found)) == 1)


@EVERY_CASE
def test_a_curve_that_is_off_anywhere_is_found_out(name: str, tmp_path: Path) -> None:
    """Each piece is looked at; of a costly formula, each few."""
    calibration = case(name)
    curve, count = calibration.curve, len(calibration.curve.rows)
    some = count // 200 + 1 if calibration.applied_formula.costly else 1
    others = np.random.default_rng(3).integers(0, count, 20 if some == 1 else 0)
    for first in {0, count // 3, count - some, *others.tolist()}:
        for bent in (False, True):
            broken = off(calibration, slice(first, first + some), 1e-3, bent=bent)
            found = largest_difference(broken)
            assert found.size == pytest.approx(1e-3, rel=0.4)
            z = (found.score - curve.origin) * curve.per_unit / 2
            low, high = curve.knots[[first, first + some]] / 2
            assert low - 1e-9 * max(1, abs(low)) <= z <= high + 1e-9 * max(1, abs(high))
    piece = slice(0, 1) if some == 1 else slice(0, count)
    assert exported(off(calibration, piece, 6e-7), tmp_path) == pytest.approx(7.5e-7, rel=0.3)
    seen = largest_difference(calibration).size
    assert exported(calibration, tmp_path) == 1.25 * seen + 1e-13
    for error in (1.2e-6, math.nan, math.inf):
        with pytest.raises(llrcal.OptionError, match=r"at a score of .* more than 1e-06\. Train"):
            llrcal.export(off(calibration, piece, error), tmp_path / "off.c")
    assert not (tmp_path / "off.c").exists()


def off(
    calibration: llrcal.Calibration, which: slice, error: float, *, bent: bool = False
) -> llrcal.Calibration:
    """The calibration with a curve that is off by some error in some pieces, relative above one.

    If they are bent, it is off in between only, and by so much where parabolas miss cubics most.
    """
    rows = calibration.curve.rows.copy()
    with np.errstate(over="ignore"):
        width = np.diff(calibration.curve.knots)[which]
    size = error * np.maximum(1, np.abs(rows[which, 1]))
    if bent and np.isfinite(width).all() and width.all():
        rows[which, 2] += 6 * size / width
        rows[which, 3] -= 6 * size / width / width
    else:
        rows[which, 1] += size
    out = replace(calibration)
    vars(out)["curve"] = replace(calibration.curve, rows=rows)
    return out


# ------------------------------------------------------------------------------ other languages

DRIVER = """
#include <stdio.h>
{declared}
int main(void)
{{
    double score, llr;
    while (fread(&score, sizeof score, 1, stdin) == 1) {{
{called}
    }}
    return 0;
}}
"""
SCRIPT = """
  "use strict";
  const bytes = require("fs").readFileSync(0);
  const end = bytes.byteOffset + bytes.length;
  const scores = new Float64Array(bytes.buffer.slice(bytes.byteOffset, end));
  const functions = process.argv.slice(1).map((file) => Object.values(require(file))[0]);
  const llrs = [...scores].flatMap((score) => functions.map((llr) => llr(score)));
  process.stdout.write(Buffer.from(new Float64Array(llrs).buffer));
"""
SANITIZED = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def test_every_language_gives_the_bits(tmp_path: Path) -> None:
    """At knots, at their neighbours, and at extreme scores; with the sanitizers of compilers."""
    turned = -BOTH[0], -BOTH[1]
    every = {
        "steps": llrcal.load(KEPT / "pav.json"),
        "line": llrcal.load(KEPT / "logistic-unbounded.json"),
        "outliers": llrcal.fit(*BOTH, method="gaussian", bounds="range"),
        "distances": llrcal.fit(*turned, method="logistic", lower_is_better=True),
        "same": llrcal.fit([1.0, 1.0], [1.0], method="pav"),
    }
    far = [0.0, 5e-324, 1e100, 1e308, sys.float_info.max, math.inf]
    parts = [[*far, *(-score for score in far), math.nan]]
    for calibration in every.values():
        curve = calibration.curve
        some = np.clip(np.append(curve.knots[:30], curve.knots[-30:]), -1e300, 1e300)
        finite = curve.origin + some / curve.per_unit
        parts += [finite, np.nextafter(finite, np.inf), np.nextafter(finite, -np.inf), finite + 0.1]
    scores, known = np.concatenate(parts), ~np.isnan(np.concatenate(parts))
    expected = np.full((len(scores), len(every)), np.nan)
    for column, calibration in zip(expected.T, every.values(), strict=True):
        column[known] = calibration.without_warnings(scores[known])
    files: dict[str, list[str]] = {}
    for ending in ("c", "js", "onnx"):
        files[ending] = [str(tmp_path / f"{name}.{ending}") for name in every]
        for name, path in zip(every, files[ending], strict=True):
            done = llrcal.export(every[name], path, name=name)
            assert (done.to, done.pieces) == (ending, len(every[name].curve.rows))
    declared = "\n".join(f"double {name}(double score);" for name in every)
    write = "fwrite(&llr, sizeof llr, 1, stdout);"
    called = "\n".join(f"        llr = {name}(score); {write}" for name in every)
    driver = tmp_path / "driver.c"
    driver.write_text(DRIVER.format(declared=declared, called=called))
    strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", *SANITIZED, "-o", str(tmp_path / "run")]
    made = [program("gcc"), "-std=c99", *strict, str(driver), *files["c"]]
    subprocess.run(made, check=True)
    np.testing.assert_array_equal(answered([str(tmp_path / "run")], scores), expected.ravel())
    in_javascript = answered([program("node"), "-e", SCRIPT, *files["js"]], scores)
    np.testing.assert_array_equal(in_javascript, expected.ravel())
    runtime = pytest.importorskip("onnxruntime")
    for column, path in zip(expected.T, files["onnx"], strict=True):
        session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        np.testing.assert_array_equal(session.run(["llrs"], {"scores": scores})[0], column)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_line_may_end_beyond_all_scores(scale: float, tmp_path: Path) -> None:
    tar, non = scale * TAR, scale * NON
    for method in ("logistic", "linear-gaussian"):
        line = llrcal.fit(tar, non, method=method, bounds="none")
        assert exported(line, tmp_path) < 1e-9


def test_onnx_finds_its_piece_among_any_number(tmp_path: Path) -> None:
    """It halves what is left, whatever is one more or less than a power of two."""
    runtime, seen = pytest.importorskip("onnxruntime"), set()
    for steps in range(2, 10):
        levels = np.arange(steps, dtype=float)
        tar, non = (np.repeat(side, 5 + np.arange(steps)) for side in (levels, levels[::-1]))
        calibration = llrcal.fit(tar, non, method="pav", bounds="none")
        path = str(tmp_path / f"{steps}.onnx")
        seen.add(llrcal.export(calibration, path).pieces)
        scores = np.linspace(-1, steps, 20 * steps + 1)
        session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        found = session.run(["llrs"], {"scores": scores})[0]
        np.testing.assert_array_equal(found, calibration.without_warnings(scores))
    assert {3, 4, 5, 8, 9} <= seen


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    calibration = llrcal.fit(-TAR, -NON, method="gaussian", bounds="range", lower_is_better=True)
    for ending in ("c", "js", "onnx"):
        error = llrcal.export(calibration, tmp_path / f"a.{ending}", name="mine").largest_error
    low, high = min(-NON.max(), -TAR.max()), max(-NON.min(), -TAR.min())
    words = [
        "Log-likelihood-ratio (natural logarithm) of a score.",
        "Method gaussian, bounds range; lower is better.",
        f"Trained on 60 target and 300 non-target scores from {low:.6g} to {high:.6g}.",
        f"Within {error:.1e} nats of the formula at any score, relative above one.",
        f"Written by llrcal {llrcal.__version__}.",
    ]
    for ending in ("c", "js"):
        text = (tmp_path / f"a.{ending}").read_text("utf-8")
        assert text.startswith("/* " + "\n * ".join(words) + "\n */\n")
    model = onnx.load(tmp_path / "a.onnx")
    assert (model.doc_string, model.graph.name) == ("\n".join(words), "mine")
    llrcal.export(llrcal.fit(TAR, NON, method="pav"), tmp_path / "a.c")
    assert "; higher is better." in (tmp_path / "a.c").read_text("utf-8")


def answered(command: list[str], scores: Floats) -> Floats:
    given = scores.tobytes()
    # A search that never ends would be a mistake, too.
    done = subprocess.run(command, input=given, capture_output=True, check=True, timeout=60)
    return np.frombuffer(done.stdout)


# ----------------------------------------------------------------------------- what is refused


def test_other_languages_are_refused(tmp_path: Path) -> None:
    with pytest.raises(llrcal.OptionError, match="to is 'java'; choose one of c, js, onnx"):
        llrcal.export(llrcal.load(KEPT / "pav.json"), tmp_path / "llr.java", to="java")
    assert llrcal.export(llrcal.load(KEPT / "pav.json"), tmp_path / "llr.h").to == "c"


def test_fusions_and_conditions_are_refused_in_python_as_on_the_command_line(
    tmp_path: Path,
) -> None:
    both = np.column_stack([np.append(TAR, NON), np.append(TAR, NON) ** 2])
    labels = np.repeat([1, 0], [len(TAR), len(NON)])
    fusion = llrcal.fuse(both[labels == 1], both[labels == 0])
    where: Any = [np.array(["a", "b"])[np.arange(len(side)) % 2] for side in (TAR, NON)]
    by_condition = llrcal.fit(TAR, NON, condition=where)
    model: Any
    for model in (fusion, by_condition):
        model.save(tmp_path / "model.json")
        with pytest.raises(llrcal.OptionError) as refusal:
            llrcal.export(model, tmp_path / "llr.c")
        result = run("export", tmp_path / "model.json", "-o", tmp_path / "llr.c")
        only_line(result, str(refusal.value))
        assert not (tmp_path / "llr.c").exists()


# --------------------------------------------------------------------------------------- names

REFUSED = """
int return main class this NaN void double static restrict inline typeof nullptr template new delete
namespace operator and xor not_eq wchar_t bool true std NULL size_t offsetof exp log sin sqrt sqrtf
fabsl printf malloc y0 linux undefined Infinity arguments eval let yield await async var function in
instanceof with null enum implements package Math module exports require globalThis window document
"""
ALLOWED = [
    "llr",
    "score",
    "z",
    "d",
    "low",
    "starts",
    "pieces",
    "piece",
    "calibrated",
    "LLR2",
    "a_b",
]


def test_names_that_mean_something_else(tmp_path: Path) -> None:
    calibration = llrcal.load(KEPT / "pav.json")
    odd: list[Any] = ["", "2x", "_x", "x_", "a__b", "a-b", "\u00e4", "a b", "x\n", None, 3]
    for names, words in (
        (REFUSED.split(), "use this word themselves"),
        (odd, "give letters and digits"),
    ):
        for name in names:
            with pytest.raises(llrcal.OptionError, match=words) as refusal:
                llrcal.export(calibration, tmp_path / "llr.js", name=name)
            assert str(refusal.value).startswith(f"name is {name!r}; ")
    result = run("export", KEPT / "pav.json", "-o", tmp_path / "llr.js", "--name", "int")
    only_line(result, "name is 'int'; C, C++ or JavaScript use this word themselves")
    assert not (tmp_path / "llr.js").exists()


def test_names_that_do_not(tmp_path: Path) -> None:
    for name in ALLOWED:
        for ending in ("c", "js"):
            llrcal.export(llrcal.load(KEPT / "pav.json"), tmp_path / f"{name}.{ending}", name=name)
    sources = [tmp_path / f"{name}.c" for name in ALLOWED]
    for compiler, form in (("gcc", ["-std=c99"]), ("g++", ["-x", "c++"])):
        strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]
        subprocess.run([program(compiler), *form, *strict, *sources], check=True)
    script = (
        "for (const file of process.argv.slice(1)) console.log(Object.values(require(file))[0](0))"
    )
    files = [tmp_path / f"{name}.js" for name in ALLOWED]
    done = subprocess.run(
        [program("node"), "-e", script, *files], check=True, capture_output=True, text=True
    )
    expected = llrcal.load(KEPT / "pav.json")(0.0)
    assert [float(line) for line in done.stdout.split()] == [expected] * len(ALLOWED)
