"""Exported functions of every method: largest difference from the formula, and speed.

python -m studies.exports
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime

import llrcal
from llrcal.arrays import Floats
from llrcal.method_table import TABLE

SCORES = 100_000
REPEATS = 50
DRIVER = """
#include <stdio.h>
#include <time.h>
double llr(double);
static double scores[%(count)d], llrs[%(count)d];
int main(void)
{
    fread(scores, sizeof(double), %(count)d, stdin);
    clock_t start = clock();
    for (int k = 0; k < %(repeats)d; k++)
        for (int i = 0; i < %(count)d; i++)
            llrs[i] = llr(scores[i]);
    fprintf(stderr, "%%g", (double)(clock() - start) / CLOCKS_PER_SEC / %(repeats)d);
    fwrite(llrs, sizeof(double), %(count)d, stdout);
    return 0;
}
"""
SCRIPT = """
const { llr } = require(process.argv[1]);
const bytes = require("fs").readFileSync(0);
const scores = new Float64Array(bytes.buffer, bytes.byteOffset, %(count)d);
const llrs = new Float64Array(%(count)d);
const start = process.hrtime.bigint();
for (let k = 0; k < %(repeats)d; k++)
  for (let i = 0; i < %(count)d; i++) llrs[i] = llr(scores[i]);
process.stderr.write(String(Number(process.hrtime.bigint() - start) / 1e9 / %(repeats)d));
process.stdout.write(Buffer.from(llrs.buffer));
"""
NUMBERS = {"count": SCORES, "repeats": REPEATS}


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        sys.exit(f"needs {name}")
    return found


def run(command: list[str], scores: Floats) -> tuple[Floats, float]:
    done = subprocess.run(command, input=scores.tobytes(), capture_output=True, check=True)
    return np.frombuffer(done.stdout), float(done.stderr)


def in_c(calibration: llrcal.Calibration, scores: Floats, folder: Path) -> tuple[Floats, float]:
    llrcal.export(calibration, folder / "llr.c")
    (folder / "driver.c").write_text(DRIVER % NUMBERS)
    files = [str(folder / "llr.c"), str(folder / "driver.c")]
    subprocess.run([program("gcc"), "-O2", "-o", str(folder / "run"), *files], check=True)
    return run([str(folder / "run")], scores)


def in_javascript(
    calibration: llrcal.Calibration, scores: Floats, folder: Path
) -> tuple[Floats, float]:
    llrcal.export(calibration, folder / "llr.js")
    return run([program("node"), "-e", SCRIPT % NUMBERS, str(folder / "llr.js")], scores)


def in_onnx(calibration: llrcal.Calibration, scores: Floats, folder: Path) -> tuple[Floats, float]:
    llrcal.export(calibration, folder / "llr.onnx")
    session = onnxruntime.InferenceSession(folder / "llr.onnx", providers=["CPUExecutionProvider"])
    start = time.perf_counter()
    for _ in range(REPEATS):
        (llrs,) = session.run(["llrs"], {"scores": scores})
    return llrs, (time.perf_counter() - start) / REPEATS


def in_python(
    calibration: llrcal.Calibration, scores: Floats, _folder: Path
) -> tuple[Floats, float]:
    start = time.perf_counter()
    for _ in range(REPEATS):
        llrs = calibration.without_warnings(scores)
    return llrs, (time.perf_counter() - start) / REPEATS


def main() -> None:
    trials = llrcal.simulate(targets=2_000, nontargets=100_000, condition="train")
    shifted = trials.mapped(lambda scores: scores + 1)
    every = llrcal.fit_all(trials, methods=list(TABLE))
    for method in ("linear-gaussian", "logistic", "gaussian", "student-t", "nig"):
        every[f"{method}, bayes"] = llrcal.fit(trials, method=method, bayes=True)
    every["nig, adapted"] = llrcal.adapt(every["nig"], shifted.scores, p_target=0.02)
    print("| method | pieces | largest difference | C | JavaScript | ONNX | llrcal |")
    print("|---|---|---|---|---|---|---|")
    for name, calibration in every.items():
        low, high = calibration.training_range
        scores = np.linspace(low - (high - low) / 2, high + (high - low) / 2, SCORES)
        np.random.default_rng(0).shuffle(scores)
        with tempfile.TemporaryDirectory() as place:
            done = llrcal.export(calibration, Path(place) / "llr.c")
            ways = [
                way(calibration, scores, Path(place))
                for way in (in_c, in_javascript, in_onnx, in_python)
            ]
        if len({llrs.tobytes() for llrs, _ in ways}) > 1:
            sys.exit(f"{name}: the bits differ")
        times = " | ".join(f"{1e9 * seconds / SCORES:.0f}" for _, seconds in ways)
        print(f"| {name} | {done.pieces:,} | {done.largest_error:.1e} | {times} |", flush=True)


if __name__ == "__main__":
    main()
