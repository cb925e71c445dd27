"""Exported functions of models that are hard to export, compiled with sanitizers and compared.

python -m studies.hard_exports

Training scores have outliers, are distances, or lie around 1e9 and differ by 1e-3. C is compiled
strictly, as C and as C++, with the sanitizers of addresses and of undefined behaviour; JavaScript
is strict. Scores are ordinary ones, those at the knots, their neighbours, and extreme ones.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

import llrcal
from llrcal.arrays import Floats
from studies.exports import program

SCORES = 100_000
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
SANITIZED = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
DRIVER = """
#include <stdio.h>
#ifdef __cplusplus
extern "C"
#endif
double llr(double score);
int main(void)
{
    double score, found;
    while (fread(&score, sizeof score, 1, stdin) == 1) {
        found = llr(score);
        fwrite(&found, sizeof found, 1, stdout);
    }
    return 0;
}
"""
SCRIPT = """"use strict";
const { llr } = require(process.argv[1]);
const bytes = require("fs").readFileSync(0);
const end = bytes.byteOffset + bytes.length;
const scores = new Float64Array(bytes.buffer.slice(bytes.byteOffset, end));
process.stdout.write(Buffer.from(scores.map((score) => llr(score)).buffer));
"""
BAYES = ("gaussian", "student-t", "nig", "gaussian")


def models() -> Iterator[tuple[str, llrcal.Calibration]]:
    rng = np.random.default_rng(27)
    tar, non = rng.normal(2, 1, 300), rng.standard_t(4, 2_000) - 1
    outliers = {
        "tar 1e10": (np.append(tar, 1e10), non),
        "tar -1e12": (np.append(tar, -1e12), non),
        "non 1e12": (tar, np.append(non, 1e12)),
        "both 1e12": (np.append(tar, -1e12), np.append(non, [1e12, -3e11])),
    }

    def fitted(sides: tuple[Floats, Floats], method: Any, **options: Any) -> llrcal.Calibration:
        calibration: llrcal.Calibration = llrcal.fit(*sides, method=method, **options)
        return calibration

    for (name, sides), bayes in zip(outliers.items(), BAYES, strict=False):
        for method in llrcal.METHODS:
            bounds = ("counts", "range", "elub", "none")[len(name + method) % 4]
            one = fitted(sides, method, bounds=bounds)
            yield f"{method}, {bounds}, {name}", one
        yield f"{bayes}, bayes, {name}", fitted(sides, bayes, bayes=True)
    both = outliers["both 1e12"]
    yield "nig, bayes, both 1e12", fitted(both, "nig", bayes=True)
    yield "gaussian, plain, both 1e12", fitted(both, "gaussian", rising=False, bounds="none")
    distances = -both[0], -both[1]
    yield "nig, distances, both 1e12", fitted(distances, "nig", lower_is_better=True)
    yield "smooth, distances", fitted((-tar, -non), "smooth", lower_is_better=True)
    far = 1e9 + tar / 1024, 1e9 + non / 1024
    yield "nig, bayes, at 1e9", fitted(far, "nig", bayes=True)
    yield "nig, at 1e9", fitted(far, "nig", bounds="none")
    field = np.append(tar, non) + 1
    for method in ("smooth", "student-t"):
        moved = llrcal.adapt(fitted(outliers["tar 1e10"], method), field, p_target=0.13)
        yield f"{method}, adapted, tar 1e10", moved


def scores_for(calibration: llrcal.Calibration) -> Floats:
    """Ordinary scores, knots with their neighbours, and extreme ones, in random order."""
    rng, curve = np.random.default_rng(1), calibration.curve
    knots = curve.origin + curve.knots / curve.per_unit
    knots = rng.permutation(knots[np.isfinite(knots)])[: SCORES // 5]
    far = [0.0, 5e-324, 1e-308, 1e30, 1e100, 1e300, 1e308, sys.float_info.max, np.inf]
    parts = [
        knots,
        np.nextafter(knots, np.inf),
        np.nextafter(knots, -np.inf),
        np.array([*far, *(-score for score in far), np.nan]),
    ]
    if (portrait := calibration.portrait) is None:
        raise ValueError("no portrait")
    ordinary = np.concatenate([portrait.tar.scores, portrait.non.scores])
    low, high = np.quantile(-ordinary if calibration.lower_is_better else ordinary, [0.02, 0.98])
    left = SCORES - sum(map(len, parts))
    parts.append(rng.uniform(low - (high - low) / 2, high + (high - low) / 2, left))
    return rng.permutation(np.concatenate(parts))


def compared(calibration: llrcal.Calibration, scores: Floats) -> Floats:
    """Scores at which the formula is worked out: those on the curve; few, if it takes long."""
    curve = calibration.curve
    low, high = np.sort(curve.origin + curve.knots[[0, -1]] / curve.per_unit)
    few = scores[: 2_000 if calibration.applied_formula.costly else None]
    return np.asarray(few[np.isfinite(few) & (low <= few) & (few <= high)])


def by_formula(calibration: llrcal.Calibration, scores: Floats) -> Floats:
    """LLRs without a curve, but for where it turns: no double may be there, nor any score."""
    formula, bounds, curve = calibration.applied_formula, calibration.bounds, calibration.curve
    at = -scores if calibration.lower_is_better else scores
    level = np.diff((curve.rows[:, 2:] == 0).all(axis=1))
    distances = np.append(at - formula.origin, curve.knots[1:-1][level] / abs(curve.per_unit))
    with np.errstate(all="ignore"):
        llrs = formula.llrs(distances)
    if bounds.eer_score is not None:
        meeting = bounds.eer_score - formula.origin
        (start,) = formula.llrs(np.array([meeting]))
        order = np.argsort(distances)
        above, below = order[distances[order] >= meeting], order[distances[order] < meeting][::-1]
        llrs[above] = np.maximum(start, np.maximum.accumulate(llrs[above]))
        llrs[below] = np.minimum(start, np.minimum.accumulate(llrs[below]))
    return bounds.supported(llrs[: len(scores)], *calibration.supported_llrs)


def run(command: list[str], scores: Floats) -> Floats:
    done = subprocess.run(command, input=scores.tobytes(), stdout=subprocess.PIPE, check=True)
    return np.frombuffer(done.stdout)


def answers(calibration: llrcal.Calibration, scores: Floats, folder: Path) -> dict[str, Floats]:
    """What each language says."""
    for ending in ("c", "js", "onnx"):
        llrcal.export(calibration, folder / f"llr.{ending}")
    (folder / "driver.c").write_text(DRIVER)
    files = [str(folder / name) for name in ("llr.c", "driver.c")]
    found = {}
    for name, compiler in (("C", ["gcc", "-std=c99"]), ("C++", ["g++", "-x", "c++"])):
        made = str(folder / name)
        subprocess.run(
            [program(compiler[0]), *compiler[1:], *STRICT, *SANITIZED, "-o", made, *files],
            check=True,
        )
        found[name] = run([made], scores)
    found["JavaScript"] = run([program("node"), "-e", SCRIPT, str(folder / "llr.js")], scores)
    session = onnxruntime.InferenceSession(folder / "llr.onnx", providers=["CPUExecutionProvider"])
    (found["ONNX"],) = session.run(["llrs"], {"scores": scores})
    return found


def main() -> None:
    warnings.simplefilter("ignore", llrcal.LlrcalWarning)
    ways = ("C", "C++", "JavaScript", "ONNX")
    print(f"| model | pieces | printed | seen | {' | '.join(ways)} |")
    print("|---|---|---|---|" + "---|" * len(ways))
    most, promised, count = 0.0, True, 0
    for name, calibration in models():
        scores = scores_for(calibration)
        known = ~np.isnan(scores)
        llrs = np.full(len(scores), np.nan)
        llrs[known] = calibration.without_warnings(scores[known])
        with tempfile.TemporaryDirectory() as folder:
            done = llrcal.export(calibration, Path(folder) / "llr.c")
            found = answers(calibration, scores, Path(folder))
        differ = [int((found[way].view(np.int64) != llrs.view(np.int64)).sum()) for way in ways]
        few = compared(calibration, scores[known])
        expected = by_formula(calibration, few)
        with np.errstate(all="ignore"):
            apart = np.abs(calibration.without_warnings(few) - expected)
            apart /= np.maximum(1, np.abs(expected))
        apart[calibration.without_warnings(few) == expected] = 0
        shown = " | ".join("the bits" if count == 0 else f"{count} differ" for count in differ)
        errors = f"{done.largest_error:.1e} | {apart.max():.1e}"
        print(f"| {name} | {done.pieces:,} | {errors} | {shown} |", flush=True)
        count, most = count + 1, max(most, done.largest_error)
        promised &= apart.max() <= done.largest_error <= 1e-6 and not any(differ)
    print("\n| models | scores of each | largest difference printed | bits, and differences |")
    print("|---|---|---|---|")
    print(f"| {count} | {SCORES:,} | {most:.1e} | {'as promised' if promised else 'NOT ALL'} |")


if __name__ == "__main__":
    main()
